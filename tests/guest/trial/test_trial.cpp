// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm trial on the simulated NIC, with policies whose effect is known: it must say so. In virtual
 * time (tests/vm/groups).
 */
#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <system_error>
#include <vector>

#include "simnic.hpp"

using namespace std::chrono_literals;

namespace
{
/* Move to CPU 0 at the lowest priority. */
void step_back()
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	setpriority(PRIO_PROCESS, 0, 19); /* of this thread */
}

/* TCP connections from @from to @address in @to, with a thread at each end. */
class Transfers
{
    public:
	/* @bytes for each connection, one after the other; 0: one endless connection. @buffer:
	 * bytes that may be in flight; 0: the kernel's default.
	 */
	Transfers(const Netns &from, const Netns &to, const char *address, uint16_t port,
		  size_t bytes = 0, int buffer = 0)
		: from_(from)
		, listener_(to.socket(AF_INET, SOCK_STREAM))
		, bytes_(bytes)
		, buffer_(buffer)
	{
		address_.sin_family = AF_INET;
		address_.sin_port = htons(port);
		inet_pton(AF_INET, address, &address_.sin_addr);
		if (bind(listener_, generic(), sizeof(address_)) || listen(listener_, 8))
			throw std::system_error(errno, std::generic_category(), "listen");
		sender_ = std::thread([this] { from_.enter([this] { send_all(); }); });
		receiver_ = std::thread([this] { receive_all(); });
	}
	~Transfers()
	{
		stop_ = true;
		sender_.join();
		shutdown(listener_, SHUT_RDWR);
		receiver_.join();
		close(listener_);
	}
	Transfers(const Transfers &) = delete;
	Transfers &operator=(const Transfers &) = delete;

    private:
	const struct sockaddr *generic() const
	{
		return reinterpret_cast<const struct sockaddr *>(&address_);
	}
	void send_all()
	{
		static const char data[1 << 14] = {};
		const struct timeval patience = { 0, 200000 };

		step_back();
		while (!stop_) {
			const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

			setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
			if (buffer_)
				setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_, sizeof(buffer_));
			if (!connect(fd, generic(), sizeof(address_)))
				for (size_t sent = 0; !stop_ && (!bytes_ || sent < bytes_);)
					sent += size_t(
						std::max<ssize_t>(0, send(fd, data, sizeof(data),
									  MSG_NOSIGNAL)));
			close(fd);
		}
	}
	void receive_all()
	{
		int fd;

		step_back();
		while ((fd = accept(listener_, nullptr, nullptr)) >= 0) {
			/* MSG_TRUNC: discard the bytes. */
			while (recv(fd, nullptr, 1 << 20, MSG_TRUNC) > 0)
				;
			close(fd);
		}
	}

	const Netns &from_;
	int listener_;
	size_t bytes_;
	int buffer_;
	struct sockaddr_in address_ = {};
	std::atomic<bool> stop_{ false };
	std::thread sender_, receiver_;
};

/* A receiver that takes 2,000 packets a second, with a ring of 512 entries. */
struct Site {
	SimNic nic;
	std::string text; /* what the last trial printed */

	explicit Site(const Args &policy = {})
	{
		nic.rx().shell("ethtool -G " + nic.name() + " rx 512");
		nic.attach(policy);
		nic.trickle(3000ms); /* the clock is learnt */
	}
	void slow(int64_t cost_ns = 500000)
	{
		nic.set("rx_cost_ns", cost_ns);
	}
	Json trial(Args words, int exit_code)
	{
		RunOptions options;

		words.insert(words.begin(), { "trial", nic.name(), "--seed=1", "-j" });
		options.timeout = 900s;
		const Result result = nic.host.rxaqm(nic.rx(), words, options);

		text = result.text();
		CAPTURE(text);
		REQUIRE(result.exit_code == exit_code);
		return Json(result.out);
	}
};

/* The change of @outcome if it is significant; 0: none is shown. */
double change(const Json &record, const std::string &outcome)
{
	for (int i = 0;; i++) {
		const std::string at = "/results/" + std::to_string(i);

		if (!record.has(at))
			return 0;
		if (record.text(at + "/outcome") == outcome)
			return record.flag(at + "/shown") ? record.real(at + "/change") : 0;
	}
}

std::string verdict(const Json &record)
{
	return record.text("/verdicts/0/verdict");
}
} // namespace

TEST_CASE("trial: twice as much as the receiver can take, and enforcing helps", "[trial]")
{
	in_guest();
	Site site;

	site.slow();
	Flow flow(site.nic, 4000);
	const Json record = site.trial({ "--for=20s", "--block=1s" }, 0);

	CAPTURE(site.text);
	CHECK(verdict(record) == "helps");
	CHECK(change(record, "sojourn_p50_ns") < -0.3);
	CHECK(change(record, "overflow_per_s") < -0.3);
	/* Without other traffic even the small cost of dropping is significant. */
	CHECK(std::abs(change(record, "bytes_received_per_s")) < 0.02);
}

TEST_CASE("trial: of a queue that never stands there is nothing to learn", "[trial]")
{
	in_guest();
	Site site;
	Flow flow(site.nic, 200);
	const Json record = site.trial({ "--for=4s", "--block=250ms" }, 0);

	CAPTURE(site.text);
	CHECK(verdict(record) == "nothing_to_learn");
	CHECK(record.size("/blocks") == 16);
}

TEST_CASE("trial: a host that sends gets rid of more, once ACKs do not wait", "[trial]")
{
	in_guest();
	Site site;

	site.slow();
	Flow flow(site.nic, 4000);
	const Transfers sent(site.nic.rx(), site.nic.wire->tx, Wire::TX_IP4, 5310, 0, 64 << 10);
	const Json record = site.trial({ "--for=20s", "--block=1s" }, 0);

	CAPTURE(site.text);
	CHECK(verdict(record) == "helps");
	CHECK(change(record, "rtt_ns") < -0.3);
	CHECK(change(record, "bytes_sent_per_s") > 0.3);
	CHECK(std::abs(change(record, "bytes_received_per_s")) < 0.02);
}

/* Connections of 128 KiB, whose bursts wait longer than an interval of 100 us. ACKs are delayed, as
 * on a path through the Internet, and connections do not inherit metrics of earlier ones.
 */
static std::vector<std::unique_ptr<Transfers>> bursts(Site &site)
{
	std::vector<std::unique_ptr<Transfers>> transfers;

	site.nic.rx().shell("modprobe sch_netem; tc qdisc add dev " + site.nic.name() +
			    " root netem delay 40ms limit 20000");
	site.nic.wire->tx.shell("sysctl -qw net.ipv4.tcp_no_metrics_save=1");
	site.slow(200000);
	for (uint16_t i = 0; i < 8; i++)
		transfers.push_back(std::make_unique<Transfers>(site.nic.wire->tx, site.nic.rx(),
								Wire::RX_IP4, uint16_t(5320 + i),
								128 << 10));
	return transfers;
}

TEST_CASE("trial: CoDel with a target far below the floor hurts, and the guard ends it", "[trial]")
{
	in_guest();
	Site site({ "law=codel", "target=1us", "interval=100us" });
	const auto transfers = bursts(site);
	const Json record = site.trial({ "--for=40s", "--block=2s",
					 "--stop-if=bytes_received<-10%" },
				       5);

	CAPTURE(site.text);
	CHECK(verdict(record) == "hurts");
	CHECK(record.text("/ended").find("bytes received is surely over 10 % less") !=
	      std::string::npos);
	CHECK(record.size("/blocks") < 20);
	CHECK(site.nic.json("status").text("/interfaces/0/queues/0/mode") == "observe");
}

/* Its limits are for flows: a flow within its limit loses little. And its interval holds eight
 * rounds of polls, whatever is asked for: shorter bursts pass.
 */
TEST_CASE("trial: law=auto with that target hardly does", "[trial]")
{
	in_guest();
	Site site({ "target=1us", "interval=100us" });
	const auto transfers = bursts(site);
	const Json record = site.trial({ "--for=20s", "--block=1s" }, 0);

	CAPTURE(site.text);
	CHECK(record.text("/ended").empty());
	CHECK(change(record, "sojourn_p50_ns") < 0.1);
	CHECK(change(record, "bytes_received_per_s") > -0.1);
	/* Fewer ACKs, since merged packets need fewer, are no bytes lost. */
	CHECK(record.real("/blocks/0/packets_sent_per_s") > 0);
	CHECK_FALSE(record.has("/blocks/0/bytes_sent_per_s"));
}
