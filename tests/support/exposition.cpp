// SPDX-License-Identifier: GPL-2.0-only
#include "exposition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace
{

[[noreturn]] void wrong(const std::string &what, const std::string &where)
{
	throw std::runtime_error(what + ": " + where);
}

bool ends_with(const std::string &text, const std::string &end)
{
	return text.size() >= end.size() &&
	       !text.compare(text.size() - end.size(), end.size(), end);
}

/* The suffixes that samples of a family may have. */
std::vector<std::string> suffixes(const std::string &type)
{
	if (type == "histogram")
		return { "_bucket", "_sum", "_count" };
	return { "" };
}

/* The quoted string at @pos; @pos moves behind it. */
std::string quoted(const std::string &line, size_t &pos)
{
	std::string value;

	if (line[pos++] != '"')
		wrong("no quote before a label's value", line);
	while (pos < line.size() && line[pos] != '"') {
		char c = line[pos++];

		if (c == '\\') {
			c = pos < line.size() ? line[pos++] : '\0';
			if (c != '\\' && c != '"' && c != 'n')
				wrong("unknown escape", line);
			value += c == 'n' ? '\n' : c;
		} else {
			value += c;
		}
	}
	if (pos++ >= line.size())
		wrong("a label's value does not end", line);
	return value;
}

double number(const std::string &text, const std::string &line)
{
	char *end;
	double value = std::strtod(text.c_str(), &end);

	if (text == "+Inf")
		return HUGE_VAL;
	if (text.empty() || *end || !std::isfinite(value))
		wrong("no number: '" + text + "'", line);
	return value;
}

} // namespace

Exposition::Exposition(const std::string &text)
{
	std::istringstream lines(text);
	std::string line;

	if (!text.empty() && text.back() != '\n')
		wrong("the last line does not end", text.substr(text.rfind('\n') + 1));
	while (std::getline(lines, line)) {
		if (line[0] == '#')
			comment(line);
		else
			sample(line);
	}
	for (const Family &family : families_)
		check_family(family);
}

void Exposition::comment(const std::string &line)
{
	static const std::regex form("# (HELP|TYPE) ([a-z][a-z0-9_]*) (.+)");
	std::smatch match;

	if (!std::regex_match(line, match, form))
		wrong("bad comment", line);
	if (match[1] == "HELP") {
		if (family(match[2]))
			wrong("a second HELP, or a family in two places", line);
		families_.push_back({ match[2], "", match[3], {} });
		return;
	}
	if (families_.empty() || families_.back().name != match[2] ||
	    !families_.back().samples.empty())
		wrong("not right behind HELP", line);
	if (!families_.back().type.empty())
		wrong("a second TYPE", line);
	families_.back().type = match[3];
}

void Exposition::sample(const std::string &line)
{
	static const std::regex name_form("[a-z][a-z0-9_]*"), label_form("[a-z_]+");
	size_t pos = line.find_first_of("{ ");
	Sample sample{ line.substr(0, pos), {}, 0, "" };

	if (pos == std::string::npos || !std::regex_match(sample.name, name_form))
		wrong("bad name", line);
	while (line[pos] == '{' || line[pos] == ',') {
		size_t equals = line.find('=', ++pos);
		std::string label = line.substr(pos, equals - pos);

		if (equals == std::string::npos || !std::regex_match(label, label_form))
			wrong("bad label", line);
		pos = equals + 1;
		if (!sample.labels.emplace(label, quoted(line, pos)).second)
			wrong("a label twice", line);
	}
	if (!sample.labels.empty() && line[pos++] != '}')
		wrong("labels do not end", line);
	if (line[pos++] != ' ')
		wrong("no space before the value", line);
	sample.written = line.substr(pos);
	sample.value = number(sample.written, line);

	if (families_.empty())
		wrong("a sample before any family", line);
	Family &family = families_.back();
	std::vector<std::string> ends = suffixes(family.type);
	if (std::none_of(ends.begin(), ends.end(),
			 [&](const std::string &end) { return sample.name == family.name + end; }))
		wrong("a sample that is not of family " + family.name, line);
	if (!series_.emplace(sample.name, sample.labels).second)
		wrong("a series twice", line);
	family.samples.push_back(std::move(sample));
}

void Exposition::check_family(const Family &family) const
{
	static const std::set<std::string> types = { "counter", "gauge", "histogram" };

	if (!types.count(family.type))
		wrong("unknown type '" + family.type + "'", family.name);
	if ((family.type == "counter") != ends_with(family.name, "_total"))
		wrong("_total where it should not be, or not where it should", family.name);
	for (const Sample &sample : family.samples)
		if (family.type != "gauge" && sample.value < 0)
			wrong("a negative count", sample.name);
	if (family.type == "histogram")
		check_histogram(family);
}

void Exposition::check_histogram(const Family &family) const
{
	struct Seen {
		double le = -HUGE_VAL, buckets = 0;
		std::optional<double> sum, count;
	};
	std::map<Labels, Seen> all;

	for (const Sample &sample : family.samples) {
		Labels labels = sample.labels;
		double le = 0;

		if (labels.count("le")) {
			le = number(labels["le"], family.name);
			labels.erase("le");
		}
		Seen &seen = all[labels];
		if (ends_with(sample.name, "_bucket")) {
			if (le <= seen.le || sample.value < seen.buckets)
				wrong("buckets that do not rise", sample.name);
			seen.le = le;
			seen.buckets = sample.value;
		} else {
			(ends_with(sample.name, "_sum") ? seen.sum : seen.count) = sample.value;
		}
	}
	for (const auto &[labels, seen] : all)
		if (seen.le != HUGE_VAL || !seen.sum || seen.count != seen.buckets)
			wrong("no +Inf, no _sum, or a _count that is not the last bucket",
			      family.name);
}

const Family *Exposition::family(const std::string &name) const
{
	for (const Family &family : families_)
		if (family.name == name)
			return &family;
	return nullptr;
}

std::vector<Sample> Exposition::find(const std::string &name, const Labels &labels) const
{
	std::vector<Sample> found;

	for (const Family &family : families_)
		for (const Sample &sample : family.samples)
			if (sample.name == name &&
			    std::includes(sample.labels.begin(), sample.labels.end(),
					  labels.begin(), labels.end()))
				found.push_back(sample);
	return found;
}

double Exposition::value(const std::string &name, const Labels &labels) const
{
	std::vector<Sample> found = find(name, labels);

	if (found.size() != 1)
		wrong(std::to_string(found.size()) + " samples, not one", name);
	return found[0].value;
}

std::set<std::string> Exposition::sample_names() const
{
	std::set<std::string> names;

	for (const Family &family : families_) {
		std::string name = family.name;

		for (const std::string &end : suffixes(family.type))
			names.insert(name + end);
	}
	return names;
}
