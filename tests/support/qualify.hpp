/* SPDX-License-Identifier: GPL-2.0-only */
/* Run "rxaqm qualify" between two namespaces, and read its record. */
#ifndef RXAQM_TESTS_QUALIFY_HPP
#define RXAQM_TESTS_QUALIFY_HPP

#include "host.hpp"

/* A record, read by row and figure. */
class Record
{
    public:
	explicit Record(const std::string &text)
		: json_(text)
	{
	}

	bool has(const std::string &row, const std::string &figure = "") const;
	/* Throw if it is not there. */
	double median(const std::string &row, const std::string &figure) const;
	double error(const std::string &row, const std::string &figure) const;
	/* With their detail: "copy: Operation not supported". */
	std::string words(const std::string &row, const std::string &figure) const;
	std::string why(const std::string &row) const;
	std::string verdict(const std::string &row) const; /* "pass" */
	std::string setup(const std::string &name) const; /* "": not there */

    private:
	std::string at(const std::string &row, const std::string &figure) const;

	Json json_;
};

/* Arguments of "rxaqm qualify" for the receiving end of @wire; the peer is at the other end. */
Args qualify_args(const Wire &wire, const std::string &rows, const Args &more = {});

/* It came to its end, whatever its verdict: 5 fails, 6 is unknown. */
inline bool qualify_ended(const Result &result)
{
	return result.exit_code == 0 || result.exit_code == 5 || result.exit_code == 6;
}

/* Run it to the end; the test fails if it does not get there. */
Record qualify(const Host &host, const Wire &wire, const std::string &rows,
	       std::chrono::seconds timeout = std::chrono::seconds(300));

/* The settings of an interface that it changes: they must be the same before and after. */
std::string settings_of(const Netns &netns, const std::string &ifname);

#endif /* RXAQM_TESTS_QUALIFY_HPP */
