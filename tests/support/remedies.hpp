/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What rxaqm tells its users to do, done: a situation, a command that is refused or remarks on it,
 * the command that its message quotes, run as it was printed, and whether that helped.
 */
#ifndef RXAQM_TESTS_REMEDIES_HPP
#define RXAQM_TESTS_REMEDIES_HPP

#include <string>
#include <vector>

#include "host.hpp"

/* A wire, and the receiving end's namespace as an administrator is in it. Commands are the shell's;
 * in them $IF is the receiving interface, $NETNS its namespace, $TX the sender's, rxaqm the one
 * under test, and RXAQM_BPFFS the BPF file system.
 */
class Place
{
    public:
	explicit Place(unsigned queues = 1)
		: wire(queues)
	{
	}
	/* Of two devices that are wired together. */
	Place(const std::string &tx_device, const std::string &rx_device)
		: wire(tx_device, rx_device)
	{
	}
	~Place();

	Result shell(const std::string &command, bool outside = false) const;
	/* Throws if it fails. */
	std::string must(const std::string &command) const;
	/* Put a program that is not rxaqm's on the receiving interface, or on another there. */
	void foreign(bool generic, const std::string &ifname = "") const;
	/* The same by a BPF link, which this process has open, or else is pinned as "foreign". */
	void foreign_link(bool generic, const std::string &ifname = "", bool pinned = false);
	/* A bridge that the receiving interface is a port of. */
	void bridge() const;

	Host host;
	Wire wire;

    private:
	int link_ = -1;
};

/* How it is seen that a remedy helped. */
enum class Helps {
	DONE, /* the command, again, exits with 0, and says no such thing */
	SILENT, /* the command, again, says no such thing */
	SHOWS, /* the remedy only shows something: it exits with 0 */
};

struct Situation {
	enum Where {
		HERE,
		GUEST
	} where;
	const char *name;
	void (*set_up)(Place &place); /* may skip; nullptr: nothing to do */
	const char *command;
	const char *says; /* in what it prints, and in the source as it stands there */
	/* How what it quotes begins: all such are run in turn. Words that begin with "--", or that
	 * have a "=" in them and no blank, are added to the command instead.
	 */
	const char *remedy;
	Helps helps = Helps::DONE;
	/* Run in place of what is quoted, where the message has it in words. */
	std::vector<std::string> instead = {};
	bool outside = false; /* all of that is run in the first network namespace */
};

/* A remedy without a situation, and why. */
struct Untried {
	const char *says;
	const char *why;
};

const std::vector<Situation> &situations();
const std::vector<Untried> &untried();

/* Do all of that, with checks. "IFACE" in a remedy is the receiving interface. */
void try_remedy(const Situation &situation, Place &place);

/* Make a test case of each situation @where, and, HERE, one that is skipped of each untried. */
void register_remedies(Situation::Where where);

#endif /* RXAQM_TESTS_REMEDIES_HPP */
