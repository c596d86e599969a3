// SPDX-License-Identifier: GPL-2.0-only
#include "patient.hpp"

#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

using namespace std::chrono_literals;

sockaddr_in address_of(const char *text, uint16_t port)
{
	sockaddr_in address = {};

	address.sin_family = AF_INET;
	address.sin_port = htons(port);
	inet_pton(AF_INET, text, &address.sin_addr);
	return address;
}

Meanwhile::Meanwhile(std::function<void()> what, unsigned cpu)
	: thread_([this, what, cpu] {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		while (!stop_)
			what();
	})
{
}

Meanwhile::~Meanwhile()
{
	stop_ = true;
	thread_.join();
}

Bursts::Bursts(const Netns &from, const char *to, unsigned burst, std::chrono::microseconds pause,
	       unsigned flows)
	: sockets_(flows)
{
	for (int &fd : sockets_)
		fd = from.socket(AF_INET, SOCK_DGRAM);
	const sockaddr_in address = address_of(to, CLOSED_PORT);

	sender_ = std::make_unique<Meanwhile>([this, address, burst, pause] {
		char data[64] = {};

		for (unsigned i = 0; i < burst; i++)
			(void)!sendto(sockets_[i % sockets_.size()], data, sizeof(data), 0,
				      reinterpret_cast<const sockaddr *>(&address),
				      sizeof(address));
		std::this_thread::sleep_for(pause);
	});
}

Bursts::~Bursts()
{
	sender_.reset();
	for (int fd : sockets_)
		close(fd);
}

Transfer::Transfer(const Netns &from, const Netns &to, const char *to_address, unsigned flows,
		   int rcvbuf)
{
	sockaddr_in address = address_of(to_address, 0);
	socklen_t len = sizeof(address);
	auto *generic = reinterpret_cast<sockaddr *>(&address);
	int listener = to.socket(AF_INET, SOCK_STREAM);

	if (rcvbuf)
		REQUIRE(!setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf)));
	REQUIRE(!bind(listener, generic, sizeof(address)));
	REQUIRE(!listen(listener, int(flows)));
	REQUIRE(!getsockname(listener, generic, &len));
	for (unsigned i = 0; i < flows; i++) {
		int fd = from.socket(AF_INET, SOCK_STREAM);

		REQUIRE(!connect(fd, generic, sizeof(address)));
		senders_.push_back(fd);
		receivers_.push_back(accept(listener, nullptr, nullptr));
		REQUIRE(receivers_.back() >= 0);
	}
	close(listener);
	writer_ = std::make_unique<Meanwhile>([this] {
		static const char data[65536] = {};
		bool any = false;

		for (int fd : senders_)
			any |= send(fd, data, sizeof(data), MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
		if (!any)
			std::this_thread::sleep_for(1ms);
	});
	reader_ = std::make_unique<Meanwhile>([this] {
		bool any = false;

		for (int fd : receivers_)
			any |= recv(fd, nullptr, 1 << 20, MSG_TRUNC | MSG_DONTWAIT) > 0;
		if (!any)
			std::this_thread::sleep_for(1ms);
	});
}

Transfer::~Transfer()
{
	writer_.reset();
	reader_.reset();
	for (int fd : senders_)
		close(fd);
	for (int fd : receivers_)
		close(fd);
}

Patient::Patient(unsigned queues)
{
	rest();
	rx().shell("ethtool -L " + name() + " combined " + std::to_string(queues));
}

Patient::~Patient()
{
	rest();
}

void Patient::rest() const
{
	for (const char *knob : { "rx_cost_ns", "tx_cost_ns", "rate_mbps" })
		set(knob, 0);
	write_knob(wire->tx_if, "rate_mbps", "0");
	set("rx_queue", "hash");
	set("napi_weight", 64);
	set("irq_cpu", 1);
	rx().shell("ethtool --set-priv-flags " + name() + " shared-cq off; ethtool -X " + name() +
		   " default; ethtool -L " + name() + " combined 1 2>/dev/null;" +
		   "echo 0 >/sys/class/net/" + name() + "/threaded; ip link set " + name() +
		   " xdp off; true");
}

double Diagnosis::evidence(const std::string &id, const std::string &metric) const
{
	const Json json(text);

	for (int i = 0; json.has("/findings/" + std::to_string(i)); i++) {
		const std::string at = "/findings/" + std::to_string(i);

		for (size_t k = 0; json.text(at + "/id") == id && k < json.size(at + "/evidence");
		     k++) {
			const std::string figure = at + "/evidence/" + std::to_string(k);

			if (json.text(figure + "/metric") == metric)
				return json.real(figure + "/value");
		}
	}
	throw std::runtime_error("no " + metric + " of " + id);
}

Diagnosis diagnose(const SimNic &nic, const std::vector<std::string> &options)
{
	return diagnose(nic.host, nic.rx(), options);
}

Diagnosis diagnose(const Host &host, const Netns &netns, const std::vector<std::string> &options)
{
	static unsigned recorded;
	std::vector<std::string> args = { "doctor", "-j", "--time=3s" };
	Diagnosis diagnosis = {};

	args.insert(args.end(), options.begin(), options.end());
	/* Keep the bundles, for golden cases (tests/unit/doctor). */
	if (const char *dir = getenv("RXAQM_RECORD"))
		args.push_back(std::string("--record=") + dir + "/" + std::to_string(++recorded) +
			       ".json");

	Result result = host.rxaqm(netns, args);

	INFO(result.text());
	CHECK((!options.empty() || result.err == ""));
	REQUIRE(result.out != "");
	diagnosis.text = result.out;
	diagnosis.said = result.err;
	diagnosis.exit_code = result.exit_code;

	Json json(result.out);

	if (!json.is_null("/primary"))
		diagnosis.primary = json.text("/primary");
	for (int i = 0; json.has("/findings/" + std::to_string(i)); i++) {
		const std::string at = "/findings/" + std::to_string(i);
		const std::string id = json.text(at + "/id");

		diagnosis.found.insert(id);
		if (json.flag(at + "/note"))
			diagnosis.notes.insert(id);
		if (json.is_null(at + "/consequence_of"))
			diagnosis.causes.insert(id);
	}
	return diagnosis;
}

void check_names(const Diagnosis &diagnosis, const std::string &id,
		 const std::set<std::string> &consequences)
{
	const bool is_note = diagnosis.notes.count(id);
	std::set<std::string> causes = diagnosis.causes;

	for (const std::string &note : diagnosis.notes)
		causes.erase(note);
	INFO(diagnosis.text);
	CHECK(diagnosis.found.count(id));
	CHECK(diagnosis.primary == (is_note ? "" : id));
	CHECK(causes == (is_note ? std::set<std::string>{} : std::set<std::string>{ id }));
	CHECK(diagnosis.exit_code == (is_note ? 0 : 5));
	for (const std::string &consequence : consequences) {
		INFO(consequence);
		CHECK(diagnosis.found.count(consequence));
	}
}

void check_healthy(const Diagnosis &diagnosis)
{
	INFO(diagnosis.text);
	CHECK(diagnosis.found == diagnosis.notes);
	CHECK(diagnosis.primary == "");
	CHECK(diagnosis.exit_code == 0);
}

void await_rise(const SimNic &nic, const std::string &counter, int64_t by)
{
	const int64_t before = nic.nic_stat(counter);

	INFO(counter);
	REQUIRE(eventually([&] { return nic.nic_stat(counter) - before >= by; }, 30s));
}
