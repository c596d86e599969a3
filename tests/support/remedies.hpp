/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Try the remedies that rxaqm prints: make a situation, run a command that is refused or remarks on
 * it, run the command that its message quotes exactly as printed, and check that it helped.
 */
#ifndef RXAQM_TESTS_REMEDIES_HPP
#define RXAQM_TESTS_REMEDIES_HPP

#include <string>
#include <vector>

#include "host.hpp"

/* A wire, and an administrator in the namespace of the receiving end. Commands are for the shell.
 * In them $IF is the receiving interface, $NETNS its namespace, $TX the sender's, rxaqm the program
 * under test, and RXAQM_BPFFS the BPF file system.
 */
class Place
{
    public:
	explicit Place(unsigned queues = 1)
		: wire(queues)
	{
	}
	/* Use two devices that are wired together. */
	Place(const std::string &tx_device, const std::string &rx_device)
		: wire(tx_device, rx_device)
	{
	}
	~Place();

	Result shell(const std::string &command, bool outside = false) const;
	/* Throws if it fails. */
	std::string must(const std::string &command) const;
	/* Attach a foreign program to the receiving interface, or to @ifname. */
	void foreign(bool generic, const std::string &ifname = "") const;
	/* The same by a BPF link, which this process holds, or which is pinned as "foreign". */
	void foreign_link(bool generic, const std::string &ifname = "", bool pinned = false);
	/* Add a bridge with the receiving interface as a port. */
	void bridge() const;

	Host host;
	Wire wire;

    private:
	int link_ = -1;
};

/* How the test sees that a remedy helped. */
enum class Helps {
	DONE, /* the command, run again, exits with 0 and no longer says it */
	SILENT, /* the command, run again, no longer says it */
	SHOWS, /* the remedy only shows something; it exits with 0 */
};

struct Situation {
	enum Where {
		HERE,
		GUEST
	} where;
	const char *name;
	void (*set_up)(Place &place); /* may skip; nullptr: nothing to do */
	const char *command;
	const char *says; /* part of the message, exactly as in the source */
	/* The begin of the quoted commands; all that match are run in turn. Words that begin with
	 * "--", or have a "=" and no blank, are added to the command instead.
	 */
	const char *remedy;
	Helps helps = Helps::DONE;
	/* Run these instead, if the message describes the remedy in words. */
	std::vector<std::string> instead = {};
	bool outside = false; /* run all of it in the first network namespace */
};

/* A remedy without a situation, and the reason. */
struct Untried {
	const char *says;
	const char *why;
};

const std::vector<Situation> &situations();
const std::vector<Untried> &untried();

/* Try @situation, with checks. "IFACE" in a remedy stands for the receiving interface. */
void try_remedy(const Situation &situation, Place &place);

/* Register a test case for each situation @where and, for HERE, a skipped one for each untried one.
 */
void register_remedies(Situation::Where where);

#endif /* RXAQM_TESTS_REMEDIES_HPP */
