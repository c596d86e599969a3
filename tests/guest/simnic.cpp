// SPDX-License-Identifier: GPL-2.0-only
#include "simnic.hpp"

#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "clock_map.h"
#include "hist.h"
#include "queue.h"

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace
{

constexpr uint16_t PORT = 5301;

uint64_t now_ns()
{
	return uint64_t(Clock::now().time_since_epoch().count());
}

std::string knob_path(const std::string &device, const std::string &knob)
{
	return "/sys/kernel/debug/simnic/" + device + "/" + knob;
}

struct sockaddr_in receiver()
{
	struct sockaddr_in address = {};

	address.sin_family = AF_INET;
	address.sin_port = htons(PORT);
	inet_pton(AF_INET, Wire::RX_IP4, &address.sin_addr);
	return address;
}

} // namespace

void write_knob(const std::string &device, const std::string &knob, const std::string &value)
{
	std::ofstream file(knob_path(device, knob));

	if (!(file << value << std::flush))
		throw std::runtime_error(device + "/" + knob + " refuses " + value);
}

double Truth::quantile_ns(double share) const
{
	double rank = share * double(packets), seen = 0;

	for (const auto &[floor_ns, rest] : buckets) {
		seen += double(rest.second);
		if (seen >= rank)
			return double(floor_ns + rest.first) / 2;
	}
	return 0;
}

SimNic::SimNic()
	: wire(simnic_wire())
{
	if (std::thread::hardware_concurrency() < 2)
		SKIP("needs two CPUs: one to send, one to receive");
	set_hwtstamp(rx(), name(), HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
	for (const char *knob :
	     { "rate_mbps", "rx_cost_ns", "xdp_cost_ns", "tx_cost_ns", "phc_drift_ppb",
	       "stamp_repeat_one_in", "stamp_late_ns", "stamp_at_poll", "reset_ms" })
		set(knob, 0);
	set("stamp_coverage", "all");
	set("stamp_one_in", 1);
	set("missed_one_in", 1);
	set("rings_per_napi", 1);
	set("rekey_resets", 0);
	set("alloc_fail", "0 0");
	set("alloc_retry", 1);
	set("rss_tunnel", "outer");
	set("irq_cpu", 1);
	write_knob(wire->tx_if, "irq_cpu", "0");
	rx().shell("ethtool --set-priv-flags " + name() + " shared-cq off; ethtool -G " + name() +
		   " rx " + std::to_string(RING) + " 2>/dev/null || true");
}

SimNic::~SimNic()
{
	std::ofstream(knob_path(name(), "rx_cost_ns")) << 0;
}

void SimNic::attach(Args words) const
{
	words.insert(words.begin(), { "attach", name() });
	Result result = rxaqm(words);
	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
}

Result SimNic::rxaqm(Args args) const
{
	return host.rxaqm(rx(), std::move(args));
}

Json SimNic::json(const std::string &command) const
{
	return host.json(rx(), { command, name() });
}

std::string SimNic::signal() const
{
	return json("status").text("/interfaces/0/queues/0/signal");
}

std::string SimNic::notes() const
{
	Json status = json("status");
	std::string all;

	for (size_t i = 0; i < status.size("/interfaces/0/notes"); i++)
		all += status.text("/interfaces/0/notes/" + std::to_string(i)) + "\n";
	return all;
}

int64_t SimNic::stat(const std::string &counter) const
{
	return host.stat(rx(), name(), counter);
}

std::map<std::string, int64_t> SimNic::nic_stats() const
{
	std::istringstream lines(rx().shell("ethtool -S " + name()));
	std::map<std::string, int64_t> stats;
	std::string counter;
	int64_t value;

	for (std::string line; std::getline(lines, line);) {
		std::istringstream words(line);

		if (words >> counter >> value)
			stats[counter.substr(0, counter.size() - 1)] = value;
	}
	return stats;
}

int64_t SimNic::nic_stat(const std::string &counter) const
{
	return nic_stats().at(counter);
}

void SimNic::set(const std::string &knob, int64_t value) const
{
	set(knob, std::to_string(value));
}

void SimNic::set(const std::string &knob, const std::string &value) const
{
	write_knob(name(), knob, value);
}

int64_t SimNic::get(const std::string &knob) const
{
	return std::stoll(slurp(knob_path(name(), knob)));
}

Truth SimNic::truth() const
{
	std::istringstream lines(slurp(knob_path(name(), "truth")));
	std::string line;
	Truth truth;

	while (std::getline(lines, line)) {
		std::istringstream fields(line);
		int64_t floor_ns, end_ns, packets;

		/* Lines with words are sums of a queue. */
		if (!(fields >> floor_ns >> end_ns >> packets))
			continue;
		truth.buckets[floor_ns].first = end_ns;
		truth.buckets[floor_ns].second += packets;
		truth.packets += packets;
	}
	return truth;
}

void SimNic::trickle(std::chrono::milliseconds duration) const
{
	Flow flow(*this, 300);

	std::this_thread::sleep_for(duration);
}

void SimNic::overload() const
{
	set("rx_cost_ns", 200000);
}

/* Entry 0 of a pinned map: the only interface, or its first queue. */
template<typename Entry> static Entry first_of(const Host &host, const std::string &map)
{
	const int fd = bpf_obj_get((host.state_dir() + "/" + map).c_str());
	Entry entry = {};
	uint32_t key = 0;

	if (fd < 0 || bpf_map_lookup_elem(fd, &key, &entry))
		throw std::system_error(errno, std::generic_category(), map);
	close(fd);
	return entry;
}

std::vector<uint64_t> SimNic::histogram() const
{
	const auto queue = first_of<struct rxaqm_queue>(host, "queue_map");

	return { std::begin(queue.hist), std::end(queue.hist) };
}

SimNic::ClockError SimNic::kernel_clock_error() const
{
	const auto entry = first_of<struct rxaqm_clock_entry>(host, "clock_est_map");
	ClockError result;
	const struct rxaqm_clock &clock = entry.clock[entry.published & 1];
	/* The offset is from some time in between: 100 ppm of that is negligible. */
	uint64_t before_ns = now_ns();
	uint64_t offset_ns = uint64_t(get("phc_offset_ns"));
	uint64_t at_ns = before_ns + (now_ns() - before_ns) / 2;

	result.published = entry.published;
	result.resets = entry.resets;
	result.error_ns = int64_t(rxaqm_clock_to_host(&clock, at_ns + offset_ns) - at_ns);
	result.bound_ns = int64_t(rxaqm_clock_err(&clock, at_ns));
	return result;
}

Flow::Flow(const SimNic &nic, unsigned pps, unsigned tos)
	: tx_(nic.wire->tx.socket(AF_INET, SOCK_DGRAM))
	, rx_(nic.wire->rx.socket(AF_INET, SOCK_DGRAM))
{
	struct sockaddr_in address = receiver();
	const auto *generic = reinterpret_cast<const struct sockaddr *>(&address);
	int value = int(tos);

	if (bind(rx_, generic, sizeof(address)) || connect(tx_, generic, sizeof(address)) ||
	    setsockopt(tx_, IPPROTO_IP, IP_TOS, &value, sizeof(value)))
		throw std::system_error(errno, std::generic_category(), "UDP of a flow");
	sender_ = std::thread([this, pps] { send_all(pps); });
}

Flow::~Flow()
{
	stop_ = true;
	sender_.join();
	close(tx_);
	close(rx_);
}

void Flow::send_all(unsigned pps)
{
	const auto start = Clock::now();
	char data[64] = {};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	setpriority(PRIO_PROCESS, 0, 19); /* of this thread */
	for (uint64_t sent = 0; !stop_; sent++) {
		if (pps)
			std::this_thread::sleep_until(start + sent * (1000000000ns / pps));
		(void)!send(tx_, data, sizeof(data), 0);
	}
}

Window::Window(const SimNic &nic)
	: nic_(nic)
	, histogram_(nic.histogram())
{
	nic.set("truth_reset", 1);
}

void Window::end()
{
	const std::vector<uint64_t> after = nic_.histogram();

	truth = nic_.truth();
	for (size_t i = 0; i < after.size(); i++) {
		histogram_[i] = after[i] - histogram_[i];
		packets += int64_t(histogram_[i]);
	}
}

std::pair<double, double> Window::bucket_ns(unsigned permille, unsigned more) const
{
	double left = double(packets) * permille / 1000.0;
	uint32_t bucket = 0;

	while (bucket + 1 < histogram_.size() && left > double(histogram_[bucket]))
		left -= double(histogram_[bucket++]);
	return { double(rxaqm_hist_floor_ns(bucket < more ? 0 : bucket - more)),
		 double(rxaqm_hist_floor_ns(bucket + 1 + more)) };
}

bool Window::agrees(unsigned permille, unsigned more) const
{
	const auto [floor_ns, end_ns] = bucket_ns(permille, more);
	const double true_ns = truth.quantile_ns(permille / 1000.0);

	return true_ns >= floor_ns * 0.9 - 50e3 && true_ns <= end_ns * 1.1 + 50e3;
}

std::string Window::text() const
{
	std::ostringstream text;

	text << "truth: " << truth.packets << " packets; histogram: " << packets;
	for (unsigned permille : { 500, 990 }) {
		const auto [floor_ns, end_ns] = bucket_ns(permille, 0);

		text << "; " << permille << ": " << truth.quantile_ns(permille / 1000.0) / 1e6
		     << " ms, in " << floor_ns / 1e6 << " to " << end_ns / 1e6 << " ms";
	}
	return text.str();
}

Window loaded(const SimNic &nic, unsigned pps, std::chrono::milliseconds settle)
{
	Flow flow(nic, pps);

	std::this_thread::sleep_for(settle);
	Window window(nic);
	std::this_thread::sleep_for(4s);
	window.end();
	return window;
}
