/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulated NIC with a fault, and the doctor's diagnosis of it. */
#ifndef RXAQM_TESTS_PATIENT_HPP
#define RXAQM_TESTS_PATIENT_HPP

#include <netinet/in.h>

#include <functional>
#include <set>
#include <vector>

#include "simnic.hpp"

/* No program listens on it: what is sent there ends in the stack. */
constexpr uint16_t CLOSED_PORT = 9;

sockaddr_in address_of(const char *text, uint16_t port);

/* Repeat @what on @cpu until the object is destroyed. */
class Meanwhile
{
    public:
	explicit Meanwhile(std::function<void()> what, unsigned cpu = 0);
	~Meanwhile();
	Meanwhile(const Meanwhile &) = delete;
	Meanwhile &operator=(const Meanwhile &) = delete;

    private:
	std::atomic<bool> stop_{ false };
	std::thread thread_;
};

/* @flows UDP flows from @from to a closed port of @to: bursts of @burst packets with a pause after
 * each.
 */
class Bursts
{
    public:
	Bursts(const Netns &from, const char *to, unsigned burst, std::chrono::microseconds pause,
	       unsigned flows = 16);
	~Bursts();

    private:
	std::vector<int> sockets_;
	std::unique_ptr<Meanwhile> sender_;
};

/* @flows TCP flows from @from to @to, as fast as possible: one thread writes, one reads. */
class Transfer
{
    public:
	/* @rcvbuf: SO_RCVBUF of the receivers; 0: the kernel's tuning. */
	Transfer(const Netns &from, const Netns &to, const char *to_address, unsigned flows,
		 int rcvbuf = 0);
	~Transfer();

    private:
	std::vector<int> senders_, receivers_;
	std::unique_ptr<Meanwhile> writer_, reader_;
};

/* The simulated NIC with @queues queues, all of which interrupt CPU 1. */
struct Patient : SimNic {
	explicit Patient(unsigned queues);
	~Patient();

    private:
	void rest() const;
};

struct Diagnosis {
	std::string primary; /* "": none */
	std::set<std::string> causes; /* found, and not a consequence */
	std::set<std::string> found;
	std::set<std::string> notes; /* those of the found that slow nothing */
	int exit_code;
	std::string text; /* the JSON */
	std::string said; /* stderr, with the messages of probes */

	/* The evidence @metric of finding @id. */
	double evidence(const std::string &id, const std::string &metric) const;
};

/* Run "rxaqm doctor" with @options and a window of 3 s. */
Diagnosis diagnose(const SimNic &nic, const std::vector<std::string> &options = {});
Diagnosis diagnose(const Host &host, const Netns &netns,
		   const std::vector<std::string> &options = {});

/* @id is the only cause, or the only note; all other findings follow from it, @consequences among
 * them.
 */
void check_names(const Diagnosis &diagnosis, const std::string &id,
		 const std::set<std::string> &consequences = {});
/* Only notes are found, and enough was seen to say so. */
void check_healthy(const Diagnosis &diagnosis);

/* Wait until @counter has risen by @by. */
void await_rise(const SimNic &nic, const std::string &counter, int64_t by);

#endif /* RXAQM_TESTS_PATIENT_HPP */
