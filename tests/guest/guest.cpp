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

} // namespace

PhcOffset phc_offset(const Netns &netns, const std::string &ifname)
{
	/* The duration of phc_ctl's own reading, which it does not tell; meanwhile the PHC may
	 * drift by 1000 ppm.
	 */
	constexpr int64_t READING_NS = 50000, PARTS = 1000;
	const std::string word = "CLOCK_REALTIME is ";
	const int64_t started_ns = clock_ns(CLOCK_MONOTONIC);
	const std::string shown = netns.shell("phc_ctl -q " + ifname + " cmp");
	const int64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	const int64_t real_ns = clock_ns(CLOCK_REALTIME);
	const int64_t ended_ns = clock_ns(CLOCK_MONOTONIC);
	const size_t at = shown.find(word);

	CAPTURE(shown);
	REQUIRE(at != std::string::npos);
	return { std::stoll(shown.substr(at + word.size())) - (real_ns - (begun_ns + ended_ns) / 2),
		 ended_ns - begun_ns + READING_NS + (begun_ns - started_ns) / PARTS, begun_ns };
}
