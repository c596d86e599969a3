/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read a page of metrics as strictly as a scraper may: throw, with the reason, if it violates the
 * text format (0.0.4).
 */
#ifndef RXAQM_TESTS_EXPOSITION_HPP
#define RXAQM_TESTS_EXPOSITION_HPP

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

using Labels = std::map<std::string, std::string>;

struct Sample {
	std::string name;
	Labels labels;
	double value;
	std::string written; /* the value as written */
};

struct Family {
	std::string name, type, help;
	std::vector<Sample> samples;
};

class Exposition
{
    public:
	explicit Exposition(const std::string &text);

	const std::vector<Family> &families() const
	{
		return families_;
	}
	const Family *family(const std::string &name) const;
	/* All samples @name whose labels include @labels. */
	std::vector<Sample> find(const std::string &name, const Labels &labels = {}) const;
	/* The only sample @name whose labels include @labels; throws unless there is exactly one.
	 */
	double value(const std::string &name, const Labels &labels = {}) const;
	std::set<std::string> sample_names() const;

    private:
	void comment(const std::string &line);
	void sample(const std::string &line);
	void check_family(const Family &family) const;
	void check_histogram(const Family &family) const;

	std::vector<Family> families_;
	std::set<std::pair<std::string, Labels>> series_;
};

#endif /* RXAQM_TESTS_EXPOSITION_HPP */
