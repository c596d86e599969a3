// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor, held against problems that people published with their cause: public.json has the
 * figures of each, scaled to 10 s, as changes to a bundle of a host at rest. Names and addresses of
 * hosts in them are invented.
 */
#include "doctor_case.hpp"

#include <map>
#include <regex>

static json_object *copy_of(json_object *value)
{
	json_object *copy = nullptr;

	REQUIRE(!json_object_deep_copy(value, &copy, nullptr));
	return copy;
}

static std::string text_of(json_object *object, const char *key)
{
	return json_object_get_string(json_object_object_get(object, key));
}

/* The words at @key of @one. */
static std::vector<std::string> words_of(json_object *one, const char *key)
{
	json_object *list = json_object_object_get(one, key);
	std::vector<std::string> words;

	for (size_t i = 0; i < json_object_array_length(list); i++)
		words.push_back(json_object_get_string(json_object_array_get_idx(list, i)));
	return words;
}

/* "-" at the end of @at appends; keys differ by blanks behind it. */
static void change(json_object **bundle, std::string at, json_object *value)
{
	at.erase(at.find_last_not_of(" ") + 1);
	if (json_object_is_type(value, json_type_string) &&
	    !strcmp(json_object_get_string(value), "__DEL__")) {
		const size_t slash = at.rfind('/');
		json_object *parent = nullptr;

		REQUIRE(!json_pointer_get(*bundle, at.substr(0, slash).c_str(), &parent));
		json_object_object_del(parent, at.substr(slash + 1).c_str());
		return;
	}
	INFO(at);
	REQUIRE(!json_pointer_set(bundle, at.c_str(), copy_of(value)));
}

/* Its lines joined, for they may be broken anywhere. */
static std::string one_line(const std::string &text)
{
	std::istringstream words(text);
	std::string word, line;

	while (words >> word)
		line += word + " ";
	return line;
}

/* The bundle of a case. */
static std::string bundle_of(json_object *bases, json_object *one)
{
	json_object *bundle = copy_of(json_object_object_get(bases, text_of(one, "base").c_str()));

	json_object_object_foreach(json_object_object_get(one, "change"), at, value)
		change(&bundle, at, value);

	const std::string recorded = json_object_to_json_string_ext(bundle, JSON_C_TO_STRING_PLAIN);

	json_object_put(bundle);
	return recorded;
}

static void check_case(json_object *bases, json_object *one)
{
	Diagnosis diagnosis(bundle_of(bases, one));
	const std::string text = diagnosis.printed(true);
	std::string line = one_line(text);

	INFO(text_of(one, "name") << ", " << text_of(one, "address") << "\n" << text);
	CHECK(diagnosis.primary() == text_of(one, "primary"));
	CHECK(diagnosis.exit_code() == json_object_get_int(json_object_object_get(one, "exit")));
	for (const std::string &word : words_of(one, "says")) {
		INFO(word);
		CHECK(line.find(word) != line.npos);
	}

	/* What is acquitted may name it. */
	const std::string brief = diagnosis.printed(false);

	line = one_line(brief.substr(0, brief.find("NOT THE CAUSE")));
	for (const std::string &word : words_of(one, "says_not")) {
		INFO(word);
		CHECK(line.find(word) == line.npos);
	}
}

TEST_CASE("doctor: problems that people published with their cause", "[doctor][public]")
{
	json_object *root = json_object_from_file("tests/unit/doctor/public.json");
	json_object *cases = json_object_object_get(root, "cases");
	const size_t nr = json_object_array_length(cases);

	CHECK(nr == 127);
	for (size_t i = 0; i < nr; i++)
		check_case(json_object_object_get(root, "bases"),
			   json_object_array_get_idx(cases, i));
	json_object_put(root);
}

/* Each check is there because hosts have been seen to need it. */
TEST_CASE("doctor: each check names a public case or a report that shows it", "[doctor][public]")
{
	json_object *root = json_object_from_file("tests/unit/doctor/public.json");
	json_object *cases = json_object_object_get(root, "cases");
	std::map<std::string, json_object *> by_name;
	const doctor_check *check;

	for (size_t i = 0; i < json_object_array_length(cases); i++) {
		json_object *one = json_object_array_get_idx(cases, i);

		by_name[text_of(one, "name")] = one;
	}
	for (size_t i = 0; (check = doctor_check_at(i)); i++) {
		INFO(check->id);
		REQUIRE(check->shown);
		INFO(check->shown);
		if (std::regex_match(check->shown, std::regex("(Meta|Google|Cloudflare): .+|"
							      "kernel commit [0-9a-f]{12}")))
			continue;
		REQUIRE(by_name.count(check->shown));

		Diagnosis diagnosis(
			bundle_of(json_object_object_get(root, "bases"), by_name[check->shown]));

		/* A check that is never found says there that nothing can be judged. */
		CHECK(diagnosis.with(check->cause == std::string("-") ? DOCTOR_BLIND : DOCTOR_FOUND)
			      .count(check->id));
	}
	json_object_put(root);
}
