// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: every word that it prints of a cause, and all of recorded bundles, is in words.txt,
 * where somebody has read it.
 * After a change RXAQM_WRITE_WORDS=1 writes that file anew: read the difference.
 */
#include "doctor_case.hpp"

#include <cstdlib>
#include <unistd.h>

#include "process.hpp"

static const char path[] = "tests/unit/doctor/words.txt";

static std::string words()
{
	std::string text;

	for (const Case &one : doctor_cases()) {
		Bundle bundle;

		one.change(bundle);
		text += Diagnosis(bundle.text()).verdict(one.id) + "\n";
	}
	/* As the tests of guests recorded them (RXAQM_RECORD), of a NIC with rings and queues; the
	 * last was made by hand with "doctor --record": igb, and a UDP socket that nobody reads.
	 */
	for (const char *name :
	     { "full-link", "busy-cpu", "one-queue", "short-ring", "igb-unread" }) {
		std::ifstream file(std::string("tests/unit/doctor/bundles/") + name + ".json");
		std::stringstream bundle;

		REQUIRE(file.good());
		bundle << file.rdbuf();

		const Diagnosis diagnosis(bundle.str());

		text += std::string(name) + ": exit status " +
			std::to_string(diagnosis.exit_code()) + "\n" + diagnosis.printed(false) +
			"\n";
	}
	return text;
}

/* What programs read of each golden case, --verify among it. */
TEST_CASE("doctor: the JSON of each golden case is as its schema says", "[doctor][words]")
{
	static const char validate[] =
		"import json, jsonschema, sys\n"
		"validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))\n"
		"text, nr, wrong = open(sys.argv[2]).read(), 0, []\n"
		"while text:\n"
		"    document, end = json.JSONDecoder().raw_decode(text)\n"
		"    text, nr = text[end:].lstrip(), nr + 1\n"
		"    wrong += [str(error) for error in validator.iter_errors(document)]\n"
		"print(nr)\n"
		"sys.exit('\\n'.join(wrong) or 0)\n";
	char documents[] = "/tmp/rxaqm-t-json-XXXXXX";
	const int fd = mkstemp(documents);

	if (run({ "python3", "-c", "import jsonschema" }).exit_code)
		SKIP("no python3-jsonschema");
	REQUIRE(fd >= 0);
	close(fd);
	{
		std::ofstream file(documents);

		for (const Case &one : doctor_cases()) {
			Bundle bundle;

			one.change(bundle);

			const Diagnosis diagnosis(bundle);

			file << diagnosis.printed(false, true) << diagnosis.verdict(one.id, true);
		}
	}

	const Result result = run(
		{ "python3", "-c", validate, "docs/doctor.schema.json", documents });

	unlink(documents);
	INFO(result.text());
	CHECK(result.exit_code == 0);
	CHECK(result.out == std::to_string(2 * doctor_cases().size()) + "\n");
}

TEST_CASE("doctor: the words of each golden case are those that somebody has read",
	  "[doctor][words]")
{
	if (getenv("RXAQM_WRITE_WORDS"))
		std::ofstream(path) << words();

	std::ifstream file(path);
	std::istringstream now(words());
	std::string line, is;
	unsigned at = 0;

	REQUIRE(file.good());
	while (std::getline(now, is)) {
		at++;
		REQUIRE(std::getline(file, line));
		INFO(path << ":" << at);
		REQUIRE(is == line);
	}
	CHECK(!std::getline(file, line));
}
