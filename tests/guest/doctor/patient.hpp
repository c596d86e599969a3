/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulated NIC made ill, and what the doctor says of it. */
#ifndef RXAQM_TESTS_PATIENT_HPP
#define RXAQM_TESTS_PATIENT_HPP

#include <netinet/in.h>

#include <functional>
#include <set>
#include <vector>

#include "simnic.hpp"

/* Nobody listens there: what is sent to it ends in the stack, and no program has to read it. */
constexpr uint16_t CLOSED_PORT = 9;

sockaddr_in address_of(const char *text, uint16_t port);

/* @what goes on, again and again, on @cpu, until the test ends. */
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

/* UDP of @flows flows from @from to a closed port of @to: bursts of @burst packets, and a pause
 * after each.
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

/* TCP of @flows flows from @from to @to, as fast as it goes: one thread writes, one reads. */
class Transfer
{
    public:
	/* @rcvbuf is the SO_RCVBUF of who reads; 0: the kernel sees to it. */
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
	std::set<std::string> causes; /* found, and no consequence of another */
	std::set<std::string> found;
	std::set<std::string> notes; /* of these, what slows nothing by itself */
	int exit_code;
	std::string text; /* the JSON */
	std::string said; /* meanwhile, of probes */

	/* A figure that proves @id. */
	double evidence(const std::string &id, const std::string &metric) const;
};

/* @options of "rxaqm doctor" beside its window of 3 s. */
Diagnosis diagnose(const SimNic &nic, const std::vector<std::string> &options = {});
Diagnosis diagnose(const Host &host, const Netns &netns,
		   const std::vector<std::string> &options = {});

/* @id is the cause, or the note, what else is found follows from it, and @consequences are among
 * that.
 */
void check_names(const Diagnosis &diagnosis, const std::string &id,
		 const std::set<std::string> &consequences = {});
/* Nothing but notes is found, and enough was seen to say so. */
void check_healthy(const Diagnosis &diagnosis);

/* Until @counter has risen by @by. */
void await_rise(const SimNic &nic, const std::string &counter, int64_t by);

#endif /* RXAQM_TESTS_PATIENT_HPP */
