// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: names in a bundle are others' words, and remedies are pasted into a root shell. */
#include "doctor_case.hpp"

#include <cctype>
#include <cstring>

static std::string filled_in(const doctor_finding &finding, const char *form)
{
	char text[1024];

	return doctor_words(&finding, DOCTOR_COMMAND, form, text, sizeof(text));
}

/* What a shell takes @words for. */
static std::string by_shell(const std::string &words)
{
	FILE *pipe = popen(("printf '%s|' " + words).c_str(), "r");
	std::string text;
	int letter;

	REQUIRE(pipe);
	while ((letter = fgetc(pipe)) != EOF)
		text += (char)letter;
	CHECK(pclose(pipe) == 0);
	return text;
}

TEST_CASE("doctor: a name in a command is one word of the shell, whatever it is",
	  "[doctor][quoting]")
{
	for (const std::string &name :
	     { std::string("eth0"), std::string("a b"), std::string("it's"),
	       std::string("$(echo x)"), std::string("`echo x`"), std::string("a\nb"),
	       std::string("\"$HOME\""), std::string("a;echo x"), std::string("a\\"),
	       std::string("*"), std::string("~"), std::string("#"), std::string(""),
	       std::string("${iface}"), std::string("\xc3\xa4"), std::string(159, '\'') }) {
		doctor_finding finding = {};

		doctor_say(&finding, "iface", "%s", name.c_str());
		doctor_say_ours(&finding, "part", "x ${iface} %d", 7);
		INFO(name);
		CHECK(by_shell(filled_in(finding, "a ${iface} b")) == "a|" + name + "|b|");
		CHECK(by_shell(filled_in(finding, "${part}")) == "x|" + name + "|7|");
		CHECK(by_shell(filled_in(finding, "/sys/${iface}/b")) == "/sys/" + name + "/b|");
	}
}

/* Where a quote is open, another one would end it. */
TEST_CASE("doctor: no remedy has a name inside of quotes", "[doctor][quoting]")
{
	const doctor_check *check;

	for (size_t i = 0; (check = doctor_check_at(i)); i++) {
		const doctor_remedy remedy = doctor_remedy_of(check);

		for (const char *form : { remedy.now, remedy.keep, remedy.undo }) {
			unsigned quotes = 0;

			INFO(check->id << ": " << form);
			for (const char *at = form; *at; at++) {
				/* A program's: an apostrophe. */
				quotes += strchr("'\"", *at) &&
					  (at == form || !isalpha(at[-1]) || !isalpha(at[1]));
				CHECK((strncmp(at, "${", 2) || quotes % 2 == 0));
			}
		}
	}
}

/* Every name and every word of a setting in @value becomes @evil. */
static void poison(json_object *value, const char *evil)
{
	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			poison(json_object_array_get_idx(value, i), evil);
		return;
	}
	if (!json_object_is_type(value, json_type_object))
		return;
	json_object_object_foreach(value, key, entry) {
		if (!strcmp(key, "net.ipv4.tcp_rmem"))
			json_object_set_string(entry,
					       (json_object_get_string(entry) + std::string(evil))
						       .c_str());
		else if (!strcmp(key, "name") || !strcmp(key, "comm") || !strcmp(key, "ca"))
			json_object_set_string(entry, evil);
		else
			poison(entry, evil);
	}
}

TEST_CASE("doctor: what a bundle calls its interfaces and programs is no part of a command",
	  "[doctor][quoting]")
{
	static const char evil[] = "a' $(id)\"`;b", quoted[] = "'a'\\'' $(id)\"`;b'";
	unsigned seen = 0;

	for (const Case &one : doctor_cases()) {
		Bundle bundle;

		one.change(bundle);
		poison(bundle.get(""), evil);
		for (std::string text : Diagnosis(bundle).commands()) {
			INFO(one.id << ": " << text);
			/* A setting's has words before it between the same quotes. */
			for (const char *part : { quoted, quoted + 1 }) {
				for (size_t at; (at = text.find(part)) != text.npos; seen++)
					text.erase(at, strlen(part));
			}
			CHECK(text.find("$(id)") == text.npos);
		}
	}
	CHECK(seen > 20);
}

TEST_CASE("doctor: a name with a newline makes a bundle that is none", "[doctor][quoting]")
{
	for (const char *at : { "/after/ifaces/0/name", "/owners/0/comm", "/interface" }) {
		Bundle bundle;
		doctor_snapshot snap = {};
		rxaqm_error error = {};

		bundle.owner(0, 0).set(at, R"("a\nreboot")");
		INFO(at);
		CHECK(rxaqm_record_decode(&doctor_bundle_kind, &snap, bundle.get(""), &error) < 0);
		CHECK(std::string(error.text).find("control characters") != std::string::npos);
		doctor_snapshot_free(&snap);
	}
}
