// SPDX-License-Identifier: GPL-2.0-only
/* qualify: what a peer may say, and when. */
#include <catch2/catch_test_macros.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "text.hpp"

extern "C" {
#include "base/now.h"
#include "qualify/peer/peer.h"
}

namespace
{

/* A peer that this test is. */
class Peer
{
    public:
	Peer()
	{
		int fds[2];

		REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
		peer.fd = fds[0];
		peer.messages_fd = -1;
		peer.stop = &stop;
		fd_ = fds[1];
		snprintf(peer.words, sizeof(peer.words), "host db2 (eth0)");
	}
	~Peer()
	{
		hang_up();
		if (peer.fd >= 0)
			close(peer.fd);
	}
	void hang_up()
	{
		if (fd_ >= 0)
			close(fd_);
		fd_ = -1;
	}
	void ask(__u32 count = 1000)
	{
		struct qualify_send send = {};

		send.count = count;
		send.max_ms = 1000;
		REQUIRE(!qualify_peer_begin(&peer, &send, &error));
	}
	void say(const std::string &text) const
	{
		REQUIRE(send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == (ssize_t)text.size());
	}
	/* 0 or -errno. */
	int end()
	{
		return qualify_peer_end(&peer, &sent, &error);
	}

	struct qualify_peer peer = {};
	struct qualify_sent sent = {};
	struct rxaqm_error error = {};
	int stop = 0;

    private:
	int fd_;
};

} // namespace

TEST_CASE("qualify peer: no more is taken than was asked for", "[qualify][peer]")
{
	struct {
		const char *answer;
		bool taken;
	} const rows[] = {
		{ R"({"count":1000,"took_ns":1000000})", true },
		{ R"({"count":0,"took_ns":0})", true },
		{ R"({})", true },
		{ R"({"count":1001,"took_ns":1000000})", false },
		{ R"({"count":4294967296,"took_ns":1000000})", false },
		{ R"({"count":18446744073709551615,"took_ns":1000000})", false },
		{ R"({"count":-1,"took_ns":1000000})", false },
		{ R"({"count":1e300,"took_ns":1000000})", false },
		{ R"({"count":"9","took_ns":1000000})", false },
		{ R"({"count":1000,"took_ns":0})", false },
		{ R"({"count":1000,"took_ns":-5})", false },
		{ R"({"count":1000,"took_ns":3600000000000})", false },
		{ R"({"count":null,"took_ns":null})", false },
		{ R"({"error":null})", false },
		{ R"({"error":{}})", false },
		{ R"([])", false },
		{ R"(null)", false },
		{ R"({"count":1000)", false },
		{ "", false },
	};

	for (const auto &row : rows) {
		Peer peer;

		CAPTURE(row.answer);
		peer.ask();
		peer.say(std::string(row.answer) + "\n");
		CHECK(!peer.end() == row.taken);
		if (row.taken)
			continue;
		CHECK(peer.sent.count == 0);
		CHECK(peer.sent.took_ns == 0);
		CHECK(has(peer.error.text, "the peer (host db2 (eth0))"));
	}
}

TEST_CASE("qualify peer: one that broke a rule is asked nothing more", "[qualify][peer]")
{
	Peer peer;
	struct qualify_send send = {};

	peer.ask();
	peer.say("{\"count\":1001}\n{\"count\":5,\"took_ns\":1000}\n");
	CHECK(peer.end());
	send.max_ms = 1;
	CHECK(qualify_peer_begin(&peer.peer, &send, &peer.error) == -EPIPE);
	CHECK(qualify_peer_done(&peer.peer, 0));
	CHECK(peer.end());
}

TEST_CASE("qualify peer: bytes that are no line end it", "[qualify][peer]")
{
	Peer peer;

	peer.ask();
	SECTION("too long a line")
	{
		peer.say(std::string(sizeof(peer.peer.left) + 1, 'x'));
		CHECK(peer.end());
		CHECK(peer.error.err == EPROTO);
	}
	SECTION("a line with bytes of value 0")
	{
		peer.say(std::string("{\"count\":1}\0\0\0{}\n", 17));
		peer.end();
		CHECK(peer.peer.nr_left == 0);
	}
	SECTION("half a line, and its end")
	{
		peer.say("{\"count\":");
		peer.hang_up();
		CHECK(peer.end());
		CHECK(has(peer.error.text, "has ended"));
	}
}

TEST_CASE("qualify peer: nobody waits for it for ever", "[qualify][peer]")
{
	Peer peer;

	peer.ask();
	SECTION("an answer has its time")
	{
		CHECK_FALSE(qualify_peer_done(&peer.peer, 0));
		peer.peer.until_ns = rxaqm_now_ns();
		CHECK(qualify_peer_done(&peer.peer, 60000));
		CHECK(peer.end());
		CHECK(peer.error.err == ETIMEDOUT);
	}
	SECTION("nor does what comes drop by drop make it longer")
	{
		peer.say("{");
		peer.peer.until_ns = rxaqm_now_ns();
		CHECK(peer.end());
		CHECK(peer.error.err == ETIMEDOUT);
	}
	SECTION("who is to stop waits no more")
	{
		peer.stop = 1;
		CHECK(qualify_peer_done(&peer.peer, 60000));
		CHECK(peer.end());
		CHECK(peer.error.err == EINTR);
	}
}

TEST_CASE("qualify peer: an answer belongs to what was asked", "[qualify][peer]")
{
	Peer peer;

	/* A row that failed meanwhile did not take its own. */
	peer.ask(7);
	peer.say("{\"count\":7,\"took_ns\":700}\n");
	peer.ask(9);
	peer.say("{\"count\":9,\"took_ns\":900}\n");
	CHECK(!peer.end());
	CHECK(peer.sent.count == 9);
}

TEST_CASE("qualify peer: its words are one clean line", "[qualify][peer]")
{
	Peer peer;

	peer.ask();
	peer.say("{\"error\":\"no\\u001b[31m\\nrxaqm: done \\u202e\"}\n");
	CHECK(peer.end());
	CHECK(std::string(peer.error.text) == "the peer (host db2 (eth0)): no?[31m?rxaqm: done ?");
}
