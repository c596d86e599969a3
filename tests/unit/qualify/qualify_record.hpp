/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of made-up NICs, one good and one bad: tests/unit/qualify/, and records of one figure. */
#ifndef RXAQM_TESTS_QUALIFY_RECORD_HPP
#define RXAQM_TESTS_QUALIFY_RECORD_HPP

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

extern "C" {
#include "qualify/judge/judge.h"
#include "qualify/record/record.h"
}

template<typename T> T *qualify_add(T *&at, size_t &nr)
{
	return static_cast<T *>(rxaqm_list_grow(reinterpret_cast<void **>(&at), &nr, sizeof(T)));
}

struct NicRecord : qualify_record {
	NicRecord()
		: qualify_record{}
	{
		strcpy(nic_class, "aqm");
	}
	explicit NicRecord(const std::string &path)
		: NicRecord()
	{
		rxaqm_error error = {};
		int err = qualify_record_read(this, path.c_str(), &error);

		INFO(error.text);
		REQUIRE(err == 0);
		qualify_judge(this);
	}
	~NicRecord()
	{
		qualify_record_free(this);
	}
	NicRecord(const NicRecord &) = delete;
	NicRecord &operator=(const NicRecord &) = delete;

	struct qualify_row *row(const char *id)
	{
		for (size_t i = 0; i < rows.nr; i++) {
			if (!strcmp(rows.at[i].id, id))
				return &rows.at[i];
		}

		auto *row = qualify_add(rows.at, rows.nr);

		strcpy(row->id, id);
		return row;
	}
	/* A figure of which nothing is known. Good until the next of its row. */
	struct qualify_figure *figure(const char *id, const char *name, const char *unit = "")
	{
		auto *of = row(id);
		auto *figure = qualify_add(of->figures.at, of->figures.nr);

		strcpy(figure->name, name);
		strcpy(figure->unit, unit);
		figure->median = figure->p99 = figure->min = figure->max = NAN;
		figure->cv = figure->error = NAN;
		return figure;
	}
	struct qualify_figure *number(const char *id, const char *name, double median,
				      const char *unit = "", double error = NAN)
	{
		auto *added = figure(id, name, unit);

		added->median = median;
		added->error = error;
		return added;
	}
	struct qualify_figure *words(const char *id, const char *name, const char *words)
	{
		auto *added = figure(id, name);

		const std::string all = words;
		const size_t at = all.find(": ");

		strcpy(added->words, all.substr(0, at).c_str());
		if (at != std::string::npos)
			strcpy(added->detail, all.substr(at + 2).c_str());
		return added;
	}
};

inline struct rxaqm_curve *qualify_add_curve(struct qualify_figure *figure, const char *name,
					     const char *x_unit, const char *y_unit)
{
	auto *curve = qualify_add(figure->curves.at, figure->curves.nr);

	strcpy(curve->name, name);
	strcpy(curve->x_unit, x_unit);
	strcpy(curve->y_unit, y_unit);
	return curve;
}

inline void qualify_add_point(struct rxaqm_curve *curve, double x, double y)
{
	auto *point = qualify_add(curve->points.at, curve->points.nr);

	point->x = x;
	point->y = y;
}

/* What @print writes. */
inline std::string printed(const std::function<void(FILE *)> &print)
{
	char *text = nullptr;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	REQUIRE(file);
	print(file);
	fclose(file);

	std::string result(text, len);

	free(text);
	return result;
}

inline std::string read_text(const std::string &path)
{
	std::ifstream file(path);
	std::stringstream text;

	text << file.rdbuf();
	return text.str();
}

#define GOOD_RECORD "tests/unit/qualify/good.json"
#define BAD_RECORD "tests/unit/qualify/bad.json"

#endif /* RXAQM_TESTS_QUALIFY_RECORD_HPP */
