// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on receive buffers that a reader fills, or that a program bounds. */
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "doctor.hpp"

namespace
{

/* Reads all for two seconds, then a byte a millisecond for two, and so on (Cloudflare 2023: windows
 * that cannot shrink).
 */
class Oscillates
{
    public:
	explicit Oscillates(const Netns &netns)
		: connection_(netns)
		, sender_([this] { send(); }, 100us)
		, reader_([this] { read(); }, 50us)
	{
		const int yes = 1;

		setsockopt(connection_.tx, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	}

	/* Of a window that begins when it is fast, and its buffer empty, and ends when it is slow,
	 * or fast again. A machine that was late has seen another one: again.
	 */
	Diagnosis diagnosis(const Host &host, const Netns &netns, bool ends_slow)
	{
		Diagnosis diagnosis;
		unsigned tries = 10;

		do {
			/* From the second time on, for its buffer has grown then. */
			while (since() < 4s || since() % 4s < 300ms || since() % 4s > 500ms)
				std::this_thread::sleep_for(10ms);
			diagnosis = diagnose(host, netns,
					     { ends_slow ? "--time=2s" : "--time=4s" });
		} while (is_slow() != ends_slow && --tries);
		return diagnosis;
	}

    private:
	std::chrono::steady_clock::duration since() const
	{
		return std::chrono::steady_clock::now() - began_;
	}
	bool is_slow() const
	{
		return since() % 4s >= 2s;
	}
	void send()
	{
		static const char segment[1448] = {};

		for (int i = 0; i < 20; i++)
			(void)!write(connection_.tx, segment, sizeof(segment));
	}
	void read()
	{
		const bool slow = is_slow();

		if (slow)
			std::this_thread::sleep_for(1ms);
		(void)!recv(connection_.rx, buf_, slow ? 1 : sizeof(buf_), MSG_DONTWAIT);
	}

	Connection connection_;
	const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
	char buf_[1 << 20];
	Meanwhile sender_, reader_;
};

} // namespace

TEST_CASE("doctor: a reader that is fast and slow in turn, and windows that may not shrink",
	  "[doctor][causes][tcp]")
{
	for (bool may_shrink : { false, true }) {
		Host host;
		Netns netns;

		CAPTURE(may_shrink);
		set_up(netns);
		/* A buffer that takes long to fill. */
		netns.shell("cd /proc/sys/net/ipv4; echo '4096 131072 67108864' >tcp_rmem;"
			    "echo " +
			    std::to_string(may_shrink) + " >tcp_shrink_window");

		Oscillates reader(netns);
		Diagnosis diagnosis = reader.diagnosis(host, netns, !may_shrink);

		if (may_shrink) {
			INFO(diagnosis.text);
			CHECK(diagnosis.found == diagnosis.notes);
		} else {
			/* Whether the kernel gets to repack a buffer that has grown is chance. */
			const bool collapsed = diagnosis.found.count("tcp-collapse");

			CHECK(diagnosis.found.count("tcp-window-stuck"));
			check_names(diagnosis, collapsed ? "tcp-collapse" : "tcp-window-stuck",
				    { "tcp-window-stuck", "tcp-zero-window", "tcp-pruned",
				      "tcp-queue-drop", "tcp-rwnd-limited" });
		}
	}
}

/* Its segments are small, which is no fault of a path. */
TEST_CASE("doctor: a program that wants a small buffer, and reads all at once",
	  "[doctor][causes][tcp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Connection connection(netns, 4096);
	const std::string text(65536, 'x');
	Meanwhile sender([&] { (void)!write(connection.tx, text.data(), text.size()); }, 50us);
	Meanwhile reader(
		[&] {
			static char buf[1 << 20];

			(void)!recv(connection.rx, buf, sizeof(buf), MSG_DONTWAIT);
		},
		50us);
	Diagnosis diagnosis = diagnose(host, netns);

	INFO(diagnosis.text);
	/* Which it says itself, of what its peer sends. */
	CHECK((diagnosis.found.empty() ||
	       diagnosis.found == std::set<std::string>{ "tcp-rwnd-limited" }));
	CHECK((diagnosis.exit_code == 0 || !diagnosis.machine.empty()));
}
