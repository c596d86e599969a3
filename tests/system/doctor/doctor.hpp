/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions for rxaqm doctor, and what it says of them. */
#ifndef RXAQM_TESTS_DOCTOR_HPP
#define RXAQM_TESTS_DOCTOR_HPP

#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "ahead.hpp"
#include "host.hpp"

using namespace std::chrono_literals;

inline sockaddr_in address_of(const char *ip4, uint16_t port = 0)
{
	sockaddr_in address = {};

	address.sin_family = AF_INET;
	address.sin_port = htons(port);
	REQUIRE(inet_pton(AF_INET, ip4, &address.sin_addr) == 1);
	return address;
}

inline sockaddr_in loopback(uint16_t port)
{
	return address_of("127.0.0.1", port);
}

/* What is written to tx arrives at rx. */
struct Connection {
	explicit Connection(const Netns &netns, int rcvbuf = 0)
		: Connection(netns, netns, loopback(0), rcvbuf)
	{
	}
	Connection(const Netns &from, const Netns &to, sockaddr_in address, int rcvbuf = 0)
	{
		socklen_t len = sizeof(address);

		listener = to.socket(AF_INET, SOCK_STREAM);
		if (rcvbuf)
			REQUIRE(!setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &rcvbuf,
					    sizeof(rcvbuf)));
		REQUIRE(!bind(listener, (sockaddr *)&address, sizeof(address)));
		REQUIRE(!listen(listener, 8));
		REQUIRE(!getsockname(listener, (sockaddr *)&address, &len));
		tx = from.socket(AF_INET, SOCK_STREAM);
		REQUIRE(!connect(tx, (sockaddr *)&address, sizeof(address)));
		rx = accept(listener, nullptr, nullptr);
		REQUIRE(rx >= 0);
		fcntl(tx, F_SETFL, O_NONBLOCK);
	}
	~Connection()
	{
		close(tx);
		close(rx);
		close(listener);
	}
	int listener, tx, rx;
};

/* Goes on, again and again, until the test ends; ahead of what else the machine does, for a program
 * that waits for its CPU is another cause.
 */
class Meanwhile
{
    public:
	Meanwhile(std::function<void()> once, std::chrono::microseconds pause)
		: thread_([this, once, pause] {
			Ahead ahead;

			while (!stop_) {
				once();
				std::this_thread::sleep_for(pause);
			}
		})
	{
	}
	~Meanwhile()
	{
		stop_ = true;
		thread_.join();
	}

    private:
	std::atomic<bool> stop_{ false };
	std::thread thread_;
};

/* UDP, the same. */
struct UdpFlow {
	explicit UdpFlow(const Netns &netns)
		: UdpFlow(netns, netns, loopback(0))
	{
	}
	UdpFlow(const Netns &from, const Netns &to, sockaddr_in where)
		: address(where)
	{
		socklen_t len = sizeof(address);

		rx = to.socket(AF_INET, SOCK_DGRAM);
		tx = from.socket(AF_INET, SOCK_DGRAM);
		REQUIRE(!bind(rx, (sockaddr *)&address, sizeof(address)));
		REQUIRE(!getsockname(rx, (sockaddr *)&address, &len));
	}
	~UdpFlow()
	{
		close(tx);
		close(rx);
	}
	void send(unsigned n, size_t size)
	{
		const std::string text(size, 'x');

		while (n--)
			sendto(tx, text.data(), text.size(), MSG_DONTWAIT, (sockaddr *)&address,
			       sizeof(address));
	}
	void drain()
	{
		static char buf[65536];

		while (recv(rx, buf, sizeof(buf), MSG_DONTWAIT) > 0)
			;
	}
	sockaddr_in address;
	int rx, tx;
};

struct Diagnosis {
	/* What this machine's other work does to its CPUs is not the test's: "machine". */
	std::string primary;
	/* Notes are findings that slow nothing by themselves. */
	std::set<std::string> found, machine, notes;
	int exit_code;
	std::string text;
	std::string json;
};

/* What "doctor -j" has said. */
inline Diagnosis read_diagnosis(const Result &result)
{
	Diagnosis diagnosis = {};

	diagnosis.text = result.text();
	diagnosis.json = result.out;
	diagnosis.exit_code = result.exit_code;
	INFO(result.text());
	REQUIRE(result.err == "");

	Json json(result.out);
	std::set<std::string> &machine = diagnosis.machine;

	for (int i = 0; json.has("/findings/" + std::to_string(i)); i++) {
		const std::string at = "/findings/" + std::to_string(i);
		std::string layer = json.text(at + "/place");

		if (layer == "CPU" || layer == "backlog")
			machine.insert(json.text(at + "/id"));
	}
	for (int i = 0; json.has("/findings/" + std::to_string(i)); i++) {
		const std::string at = "/findings/" + std::to_string(i);
		std::string id = json.text(at + "/id");

		if (machine.count(id))
			continue;
		diagnosis.found.insert(id);
		if (json.flag(at + "/note"))
			diagnosis.notes.insert(id);
		/* A cause also if it is put down to those. */
		if (json.is_null(at + "/consequence_of") ||
		    machine.count(json.text(at + "/consequence_of")))
			diagnosis.primary += id + " ";
	}
	return diagnosis;
}

inline Diagnosis diagnose(const Host &host, const Netns &netns, Args more = {})
{
	Args args = { "doctor", "-j", "--time=3s" };

	args.insert(args.end(), more.begin(), more.end());
	return read_diagnosis(host.rxaqm(netns, args));
}

inline void check_nothing(const Diagnosis &diagnosis)
{
	INFO(diagnosis.text);
	CHECK(diagnosis.found == std::set<std::string>{});
}

/* The only cause is @id; what @consequences may follow, nothing else is found. */
inline void check_names(const Diagnosis &diagnosis, const std::string &id,
			const std::set<std::string> &consequences = {})
{
	INFO(diagnosis.text);
	CHECK(diagnosis.primary == id + " ");
	CHECK((diagnosis.exit_code == 5 || diagnosis.notes.count(id)));
	for (const std::string &found : diagnosis.found) {
		INFO(found);
		CHECK((found == id || consequences.count(found)));
	}
}

/* What doctor tells to do about @id is run in @netns as it stands, but for what is said in words
 * behind it: @id is found no more, and what undoes it runs, too.
 */
inline void remedy_helps(const Host &host, const Netns &netns, const Diagnosis &found,
			 const std::string &id)
{
	const Json json(found.json);
	std::string now, undo;

	for (int i = 0; json.has("/findings/" + std::to_string(i)); i++) {
		const std::string at = "/findings/" + std::to_string(i);

		if (json.text(at + "/id") != id)
			continue;
		for (int k = 0; json.has(at + "/remedy/0/steps/" + std::to_string(k)); k++) {
			const std::string step = at + "/remedy/0/steps/" + std::to_string(k);
			const std::string when = json.text(step + "/when");

			if (when != "persist")
				(when == "now" ? now : undo) += json.text(step + "/command") + "\n";
		}
	}
	INFO(id << ": " << now << "\n" << undo);
	REQUIRE(now != "");
	netns.shell(now);

	const Result verified = host.rxaqm(netns, { "doctor", "--time=2s", "--verify", id });

	INFO(verified.text());
	CHECK(verified.exit_code == 0);
	netns.shell(undo);
}

inline void set_up(const Netns &netns)
{
	netns.ip("link set lo up");
}

#endif /* RXAQM_TESTS_DOCTOR_HPP */
