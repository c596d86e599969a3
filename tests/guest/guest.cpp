// SPDX-License-Identifier: GPL-2.0-only
#include "guest.hpp"

#include <catch2/catch_test_macros.hpp>

#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace fs = std::filesystem;
using namespace std::chrono_literals;

void in_guest()
{
	if (!getenv("RXAQM_GUEST"))
		SKIP("runs in a guest: make test-vm");
}

unsigned kernel_version()
{
	struct utsname name;
	unsigned major = 0, minor = 0;

	uname(&name);
	if (sscanf(name.release, "%u.%u", &major, &minor) != 2)
		throw std::runtime_error("what kernel is " + std::string(name.release));
	return major * 100 + minor;
}

std::string slurp(const std::string &path)
{
	std::ifstream file(path);
	std::ostringstream text;

	if (!file)
		throw std::runtime_error("cannot read " + path);
	text << file.rdbuf();
	return text.str();
}

unsigned lines_with(const std::string &text, const std::string &word)
{
	std::istringstream lines(text);
	std::string line, token;
	unsigned n = 0;

	while (std::getline(lines, line)) {
		std::istringstream tokens(line);
		bool found = false;

		while (tokens >> token)
			found |= token.substr(0, token.find("+0x")) == word;
		n += found;
	}
	return n;
}

Sojourns::Sojourns(const Host &host, const Netns &netns, const std::string &ifname)
{
	Json hist = host.json(netns, { "hist", ifname });

	for (size_t i = 0; i < hist.size("/interfaces/0/queues"); i++) {
		const std::string buckets = "/interfaces/0/queues/" + std::to_string(i) +
					    "/buckets";

		for (size_t j = 0; j < hist.size(buckets); j++) {
			const std::string bucket = buckets + "/" + std::to_string(j);

			packets_[hist.number(bucket + "/floor_ns")] += hist.number(bucket +
										   "/packets");
		}
	}
}

std::map<int64_t, int64_t> Sojourns::since(const Sojourns &before) const
{
	std::map<int64_t, int64_t> added = packets_;

	for (const auto &[floor_ns, packets] : before.packets_)
		added[floor_ns] -= packets;
	return added;
}

int64_t Sojourns::packets_since(const Sojourns &before) const
{
	int64_t sum = 0;

	for (const auto &bucket : since(before))
		sum += bucket.second;
	return sum;
}

double Sojourns::median_ns_since(const Sojourns &before) const
{
	const std::map<int64_t, int64_t> added = since(before);
	int64_t half = (packets_since(before) + 1) / 2;

	for (auto bucket = added.begin(); bucket != added.end(); ++bucket) {
		half -= bucket->second;
		if (half > 0)
			continue;
		/* The middle of the bucket, or the floor of the last one. */
		auto next = std::next(bucket);
		return next == added.end() ? double(bucket->first) :
					     double(bucket->first + next->first) / 2;
	}
	return 0;
}

/* The interfaces of this namespace with @driver, sorted by name. */
static std::vector<std::string> devices_of(const std::string &driver)
{
	std::vector<std::string> names;
	std::error_code error;

	for (const auto &entry : fs::directory_iterator("/sys/class/net"))
		if (fs::read_symlink(entry.path() / "device/driver", error).filename() == driver)
			names.push_back(entry.path().filename());
	std::sort(names.begin(), names.end());
	return names;
}

std::vector<std::string> devices(const std::string &driver)
{
	std::vector<std::string> names;

	run({ "modprobe", driver });
	/* A driver that was just loaded needs a moment to find its devices. */
	INFO("two interfaces of " << driver << ": see tests/vm/groups");
	REQUIRE(eventually(
		[&] {
			names = devices_of(driver);
			return names.size() >= 2;
		},
		20s));
	return names;
}

std::unique_ptr<Wire> wire_of(const std::string &driver)
{
	const std::vector<std::string> names = devices(driver);

	return std::make_unique<Wire>(names[0], names[1]);
}

std::unique_ptr<Wire> simnic_wire()
{
	const char *module = getenv("RXAQM_SIMNIC");

	if (!module || !fs::exists(module))
		SKIP("no simulated NIC for this kernel: tests/vm/build-simnic.sh");
	if (!fs::exists("/sys/module/simnic"))
		must({ "insmod", module });
	return std::make_unique<Wire>("sim0", "sim1");
}

/* SIOCGHWTSTAMP or SIOCSHWTSTAMP. */
static void hwtstamp_ioctl(const Netns &netns, const std::string &ifname, unsigned long request,
			   struct hwtstamp_config *config)
{
	int fd = netns.socket(AF_INET, SOCK_DGRAM), err;
	struct ifreq ifr = {};

	ifname.copy(ifr.ifr_name, sizeof(ifr.ifr_name) - 1);
	ifr.ifr_data = reinterpret_cast<char *>(config);
	err = ioctl(fd, request, &ifr) ? errno : 0;
	close(fd);
	if (err)
		throw std::system_error(err, std::generic_category(), "timestamps of " + ifname);
}

struct hwtstamp_config hwtstamp_of(const Netns &netns, const std::string &ifname)
{
	struct hwtstamp_config config = {};

	hwtstamp_ioctl(netns, ifname, SIOCGHWTSTAMP, &config);
	return config;
}

void set_hwtstamp(const Netns &netns, const std::string &ifname, int tx_type, int rx_filter)
{
	struct hwtstamp_config config = {};

	config.tx_type = tx_type;
	config.rx_filter = rx_filter;
	hwtstamp_ioctl(netns, ifname, SIOCSHWTSTAMP, &config);
}

namespace
{

int64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* CLOCK_MONOTONIC less PHC, and its error bound. */
struct PhcOffset {
	int64_t ns, err_ns;
};

PhcOffset rxaqm_offset(const Host &host, const Netns &netns, const std::string &ifname)
{
	const Json clock = host.json(netns, { "clock", "--sample", ifname, "-n", "8" });
	const std::string last = "/samples/" + std::to_string(clock.size("/samples") - 1);

	REQUIRE(clock.flag(last + "/valid"));
	return { clock.number(last + "/offset_ns"), clock.number(last + "/err_ns") };
}

/* phc_ctl uses CLOCK_REALTIME, which nobody sets in a guest. */
PhcOffset phc_ctl_offset(const Netns &netns, const std::string &ifname)
{
	const std::string word = "CLOCK_REALTIME is ";
	const std::string shown = netns.shell("phc_ctl -q " + ifname + " cmp");
	const int64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	const int64_t real_ns = clock_ns(CLOCK_REALTIME);
	const int64_t ended_ns = clock_ns(CLOCK_MONOTONIC);
	const size_t at = shown.find(word);

	CAPTURE(shown);
	REQUIRE(at != std::string::npos);
	return { std::stoll(shown.substr(at + word.size())) - (real_ns - (begun_ns + ended_ns) / 2),
		 ended_ns - begun_ns };
}

} // namespace

void check_phc_ctl(const Host &host, const Netns &netns, const std::string &ifname)
{
	/* The duration of phc_ctl's own reading, which it does not tell. */
	constexpr int64_t READING_NS = 50000;
	const PhcOffset before = rxaqm_offset(host, netns, ifname);
	const PhcOffset ptp = phc_ctl_offset(netns, ifname);
	const PhcOffset after = rxaqm_offset(host, netns, ifname);
	const int64_t slack_ns = before.err_ns + ptp.err_ns + after.err_ns + READING_NS;

	CAPTURE(before.ns, ptp.ns, after.ns, before.err_ns, ptp.err_ns, after.err_ns);
	CHECK(slack_ns < 2000000);
	CHECK(ptp.ns >= std::min(before.ns, after.ns) - slack_ns);
	CHECK(ptp.ns <= std::max(before.ns, after.ns) + slack_ns);
}
