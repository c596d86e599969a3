// SPDX-License-Identifier: GPL-2.0-only
/* qualify between hosts that do not trust each other: a peer that lies, is silent, or does not end;
 * a client that asks for too much, or is gone.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "qualify_place.hpp"
#include "text.hpp"

namespace
{

std::string content(const std::string &path)
{
	std::stringstream text;

	text << std::ifstream(path).rdbuf();
	return text.str();
}

/* A host that @script is in place of ssh to. */
struct Peer : Place {
	Args args;

	explicit Peer(const std::string &script, const std::string &rows = "Q17")
	{
		const std::string ssh = dir + "/ssh";

		std::ofstream(ssh) << "#!/bin/sh\n" << script << "\n";
		REQUIRE(!chmod(ssh.c_str(), 0755));
		args = { "qualify", wire.rx_if, "--peer", "db2/" + wire.tx_if,
			 "--rows",  rows,	"--json", "--yes-disturb" };
	}
	Args environment() const
	{
		return { "PATH=" + dir + ":" + getenv("PATH") };
	}
	Result run() const
	{
		return Place::run(args, environment());
	}
	/* As it was, and nobody is left. */
	void check_left() const
	{
		CHECK(now() == before);
		CHECK_FALSE(has_journal());
	}
};

/* The real one, called as ssh would, what it says changed by sed. */
std::string serving(const Wire &wire, const std::string &sed)
{
	return "while [ \"$1\" != rxaqm ]; do shift; done; shift\n" + rxaqm_path() + " --netns " +
	       wire.tx.name() + " \"$@\" | sed -u '" + sed + "'";
}

/* Answers each request in @answers, "REQUEST) echo ...;;", as sh has it. */
std::string answering(const std::string &answers)
{
	return "while read -r line; do case $line in " + answers + " esac; done";
}

/* Of "rxaqm 0.2.0 (0123456789ab)" the second word. */
std::string version()
{
	const std::string words = must({ rxaqm_path(), "--version" });

	return words.substr(6, words.find_first_of(" \n", 6) - 6);
}

const std::string hello = "*hello*) echo '{\"rxaqm\":\"" + version() +
			  "\",\"boot\":\"\",\"mac\":\"02:00:00:00:77:01\"}';;";

/* "--serve", and a pipe that is its standard input. */
class Server
{
    public:
	explicit Server(const Place &place)
		: fifo_(place.dir + "/requests")
		, answers_(place.dir + "/answers")
	{
		Args args = { "sh", "-c", "exec \"$@\" <" + fifo_ + " >" + answers_, "sh" };

		for (const std::string &word :
		     place.host.command(place.wire.tx, { "qualify", "--serve", place.wire.tx_if }))
			args.push_back(word);
		REQUIRE(!mkfifo(fifo_.c_str(), 0600));
		child_ = std::make_unique<Child>(args,
						 place.host.with_environment(place.options()));
		fd_ = open(fifo_.c_str(), O_WRONLY | O_CLOEXEC);
		REQUIRE(fd_ >= 0);
	}
	~Server()
	{
		hang_up();
	}
	void hang_up()
	{
		if (fd_ >= 0)
			close(fd_);
		fd_ = -1;
	}
	void ask(const std::string &request) const
	{
		const std::string line = request + "\n";

		REQUIRE(write(fd_, line.data(), line.size()) == (ssize_t)line.size());
	}
	std::string answers() const
	{
		return content(answers_);
	}
	/* The answer to @request. */
	std::string answer(const std::string &request) const
	{
		const size_t before = answers().size();

		ask(request);
		CHECK(eventually(
			[&] { return answers().find('\n', before) != std::string::npos; }));
		return answers().substr(before);
	}
	Child &child()
	{
		return *child_;
	}

    private:
	std::string fifo_, answers_;
	std::unique_ptr<Child> child_;
	int fd_ = -1;
};

std::string send_to(const char *mac, const std::string &more)
{
	return std::string("{\"do\":\"send\",\"kind\":\"udp4\",\"to\":\"") + mac + "\"," + more +
	       "}";
}

unsigned long long sent_by(const Place &place)
{
	return std::stoull(place.wire.tx.shell("cat /sys/class/net/" + place.wire.tx_if +
					       "/statistics/tx_packets"));
}

/* The value of @key in /proc/PID/status. */
std::string status_of(pid_t pid, const std::string &key)
{
	std::ifstream file("/proc/" + std::to_string(pid) + "/status");

	for (std::string line; std::getline(file, line);)
		if (line.starts_with(key + ":\t"))
			return line.substr(key.size() + 2);
	return "";
}

} // namespace

TEST_CASE("qualify takes no more from its peer than it asked for", "[qualify][hostile]")
{
	struct {
		const char *sed, *rows, *says;
	} const lies[] = {
		{ "s/\"count\":[0-9]*/\"count\":18446744073709551615/", "Q9", "not asked for" },
		{ "s/\"count\":[0-9]*/\"count\":4000000000/", "Q13", "not asked for" },
		{ "s/\"count\":[0-9]*/\"count\":-1/", "Q10", "not asked for" },
		{ "s/\"took_ns\":[0-9]*/\"took_ns\":1/", "Q11", "faster than possible" },
		{ "s/\"took_ns\":[0-9]*/\"took_ns\":9000000000000000000/", "Q18", "not asked for" },
		{ "s/\"count\":[0-9]*/\"count\":null/", "Q17", "not asked for" },
		{ "s/^{\"count\".*/[]/", "Q17", "sent \"[]\" where an answer was due" },
		{ "s/\"mac\":\"[^\"]*\"/\"mac\":null,\"boot\":null/", "Q17", "no MAC address" },
		{ "s/\"mac\":\"02/\"mac\":\"03/", "Q17", "no MAC address" }, /* a group */
		{ "s/\"rxaqm\":\"[^\"]*\"/\"rxaqm\":\"0.1\\\\u001b[2J\"/", "Q17",
		  "has rxaqm 0.1?[2J, and here it is" },
	};

	for (const auto &lie : lies) {
		CAPTURE(lie.sed, lie.rows);
		Peer peer("", lie.rows);
		std::ofstream(peer.dir + "/ssh") << "#!/bin/sh\n"
						 << serving(peer.wire, lie.sed) << "\n";
		Result result = peer.run();
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(has(result.err, "rxaqm: the peer (host db2 (" + peer.wire.tx_if + "))"));
		CHECK(has(result.err, lie.says));
		peer.check_left();
	}
}

TEST_CASE("SIGTERM ends qualify, whatever its peer does", "[qualify][hostile]")
{
	/* It says hello and nothing more; asked to end it stays, and so does what it starts. */
	Peer peer("trap '' TERM HUP\necho $$ >\"$0.pid\"\n" + answering(hello) +
		  "\nwhile :; do sleep 1; done");
	Child child(peer.host.command(peer.wire.rx, peer.args),
		    peer.host.with_environment(peer.options(peer.environment())));

	SECTION("which does not answer")
	{
		REQUIRE(eventually([&] { return peer.has_journal(); }));
		child.kill(SIGTERM);
	}
	SECTION("which is stopped")
	{
		REQUIRE(eventually([&] { return peer.has_journal(); }));
		::kill(std::stoi(content(peer.dir + "/ssh.pid")), SIGSTOP);
		child.kill(SIGTERM);
	}
	Result result = child.wait();
	CAPTURE(result.text());
	CHECK_FALSE(result.timed_out);
	CHECK(result.exit_code == 1);
	CHECK(has(result.err, "interrupted; all is as it was"));
	CHECK(::kill(std::stoi(content(peer.dir + "/ssh.pid")), 0) != 0);
	peer.check_left();
}

TEST_CASE("a peer that asks before it says hello is given up", "[qualify][hostile]")
{
	/* As ssh of a host that it does not know; with a terminal it would ask, and wait. */
	Peer peer(
		"case \"$*\" in *BatchMode=yes*) printf 'Host key verification failed.\\r\\n' >&2; exit "
		"255;; esac\nsleep 1000");
	Result result = peer.run();

	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err.starts_with("Host key verification failed.\nrxaqm: the peer"));
	peer.check_left();
}

TEST_CASE("what the peer's login shell prints is quoted, and asked about", "[qualify][hostile]")
{
	const std::string noise = GENERATE("Welcome to db2", "{\"motd\": \"Welcome\"}", "[2J");
	Peer peer("echo '" + noise + "'\n" + answering(hello));
	Result result = peer.run();

	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(has(result.err, "sent \"" + noise +
				      "\" where an answer was due: if its login shell prints that, "
				      "it must not do so for a command; see \"ssh -T db2 true\""));
	CHECK_FALSE(has(result.err, "version"));
	peer.check_left();
}

TEST_CASE("what a peer says to the operator is clean, and has an end", "[qualify][hostile]")
{
	Peer peer(
		"printf 'motd \\033]0;mine\\007 \\342\\200\\256\\n' >&2\n"
		"yes spam | head -c 1000000 >&2\n" +
		answering(
			"*) printf '%s\\n' '{\"error\":\"no\\n\\u001b[2Jrxaqm: all is well\"}';;"));
	Result result = peer.run();

	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err.starts_with("motd \\u001b]0;mine\\u0007 \\u202e\n"));
	CHECK(has(result.err, "): no??[2Jrxaqm: all is well\n"));
	CHECK(result.err.size() < 40000);
	peer.check_left();
}

TEST_CASE("the serving side ends with its input, though it sends", "[qualify][hostile]")
{
	Place place;
	Server server(place);
	std::string how;

	SECTION("as fast as it goes")
	{
		how = "\"count\":4000000000,\"max_ms\":60000";
	}
	SECTION("a burst now and then")
	{
		how = "\"count\":4000000000,\"pps\":1,\"burst\":30,\"max_ms\":60000";
	}
	const unsigned long long before = sent_by(place);
	server.ask(send_to(Wire::RX_MAC, how));
	REQUIRE(eventually([&] { return sent_by(place) >= before + 30; }));
	server.hang_up();
	/* Long before the minute is over. */
	CHECK(eventually(
		[&] { return status_of(server.child().pid(), "State").starts_with("Z"); }));
	Result result = server.child().wait();
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
}

TEST_CASE("the serving side has limits", "[qualify][hostile]")
{
	Place place;
	Server server(place);

	struct {
		const char *to;
		const char *more, *says;
	} const rows[] = {
		{ Wire::RX_MAC, "\"count\":1", "\"max_ms\\\" must be 1 to 60000" },
		{ Wire::RX_MAC, "\"count\":1,\"max_ms\":0", "\"max_ms\\\" must be 1 to 60000" },
		{ Wire::RX_MAC, "\"count\":1,\"max_ms\":60001", "must be 1 to 60000" },
		{ Wire::RX_MAC, "\"count\":1,\"max_ms\":4233600000", "must be 1 to 60000" },
		{ Wire::RX_MAC, "\"count\":-1,\"max_ms\":1", "\"count\\\" must be 0 to" },
		{ Wire::RX_MAC, "\"count\":4294967296,\"max_ms\":1", "\"count\\\" must be 0 to" },
		{ Wire::RX_MAC, "\"count\":1,\"pps\":20000001,\"max_ms\":1", "\"pps\\\" must be" },
		{ Wire::RX_MAC, "\"count\":1,\"pps\":\"9\",\"max_ms\":1", "\"pps\\\" must be" },
		{ "ff:ff:ff:ff:ff:ff", "\"count\":1000,\"max_ms\":5000", "of one station" },
		{ "01:00:5e:00:00:01", "\"count\":1000,\"max_ms\":5000", "of one station" },
		{ "33:33:00:00:00:01", "\"count\":1000,\"max_ms\":5000", "of one station" },
		{ "00:00:00:00:00:00", "\"count\":1,\"max_ms\":1", "of one station" },
		{ "02:00:00:00:77:02x", "\"count\":1,\"max_ms\":1", "of one station" },
	};
	server.answer("{\"do\":\"hello\"}");
	const unsigned long long before = sent_by(place);
	for (const auto &row : rows) {
		CAPTURE(row.to, row.more);
		CHECK(has(server.answer(send_to(row.to, row.more)), "error"));
		CHECK(has(server.answers(), row.says));
	}
	/* But for what hosts send by themselves. */
	CHECK(sent_by(place) < before + 500);
	/* However long it is until the next burst. */
	const std::string answer = server.answer(
		send_to(Wire::RX_MAC, "\"count\":100,\"pps\":1,\"burst\":30,\"max_ms\":200"));
	CAPTURE(answer);
	CHECK(Json(answer).number("/count") == 30);
	CHECK(Json(answer).number("/took_ns") < 10000000000);
}

TEST_CASE("the serving side keeps one right of root's", "[qualify][hostile]")
{
	Place place;
	Server server(place);
	const std::string answer = server.answer("{\"do\":\"hello\"}");
	const pid_t pid = server.child().pid();

	CHECK(has(answer, "\"mac\":\"" + std::string(Wire::TX_MAC) + "\""));
	/* CAP_NET_RAW is 13. */
	for (const char *set : { "CapEff", "CapPrm" })
		CHECK(status_of(pid, set) == "0000000000002000");
	for (const char *set : { "CapInh", "CapAmb" })
		CHECK(status_of(pid, set) == "0000000000000000");
	CHECK(status_of(pid, "NoNewPrivs") == "1");
	CHECK(status_of(pid, "Uid") == "65534\t65534\t65534\t65534");
	CHECK(status_of(pid, "Gid") == "65534\t65534\t65534\t65534");
	CHECK(status_of(pid, "Groups").find_first_not_of(' ') == std::string::npos);
	/* And it is enough. */
	const unsigned long long before = sent_by(place);
	CHECK(has(server.answer(send_to(Wire::RX_MAC, "\"count\":8,\"max_ms\":5000")),
		  "\"count\":8"));
	CHECK(sent_by(place) >= before + 8);
}
