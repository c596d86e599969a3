// SPDX-License-Identifier: GPL-2.0-only
/* Names that others have given, on their way to a terminal, a log, a file. */
#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <fstream>

#include "qualify_place.hpp"
#include "text.hpp"

namespace
{

/* As the kernel takes it: an escape, a right-to-left override, C1, and a byte that is no UTF-8. */
const std::string bad = "e\x1b[7m\xe2\x80\xae\xc2\x9b\xff";
const std::string shown = "e\\u001b[7m\\u202e\\u009b\\ufffd", cleaned = "e?[7m???";

/* None of what a terminal obeys, and all of it UTF-8. */
bool is_clean(const std::string &text)
{
	for (size_t i = 0; i < text.size(); i++) {
		const unsigned char c = text[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f || c == 0xff)
			return false;
	}
	return !has(text, "\xe2\x80\xae") && !has(text, "\xc2\x9b");
}

std::string content(const std::string &path)
{
	std::ifstream in(path);

	return std::string(std::istreambuf_iterator<char>(in), {});
}

struct Named : Place {
	Named()
	{
		must({ "ip", "-n", wire.rx.name(), "link", "add", bad, "type", "veth", "peer",
		       "name", "other" });
		must({ "ip", "-n", wire.rx.name(), "link", "set", bad, "up" });
		must({ "ip", "-n", wire.rx.name(), "link", "set", "other", "up" });
	}
	Result checked(const Args &args) const
	{
		Result result = run(args);

		CAPTURE(args.front(), args.back(), result.exit_code, result.out, result.err);
		CHECK(is_clean(result.out));
		CHECK(is_clean(result.err));
		return result;
	}
};

} // namespace

TEST_CASE("no name of an interface reaches a terminal as it is", "[names]")
{
	Named place;

	CHECK(place.checked({ "attach", bad }).exit_code == 0);
	CHECK(has(place.checked({ "attach", bad, "nosuch=1" }).err, "rxaqm"));
	CHECK(has(place.checked({ "status" }).out, shown));
	CHECK(has(place.checked({ "status", bad }).out, shown));
	CHECK(has(place.checked({ "check" }).out, shown));
	/* In a column there is one sign for each of its own. */
	CHECK(has(place.checked({ "top", "-a", "-n", "1", "-i", "10ms" }).out, cleaned));
	CHECK(has(place.checked({ "policy", "show", bad }).out, shown));
	CHECK(has(place.checked({ "profile", "show", bad }).out, shown));
	place.checked({ "hist", bad });
	/* In JSON that is the same name, but for the byte that cannot be in it. */
	const Result json = place.checked({ "status", "-j" });
	CHECK(has(json.out, "\"" + shown + "\""));
	CHECK(Json(json.out).text("/interfaces/0/interface") ==
	      bad.substr(0, bad.size() - 1) + "\xef\xbf\xbd");
	place.checked({ "status", "-j", bad });
	place.checked({ "doctor", "-t", "1s", "--all" });
	place.checked({ "doctor", "-t", "1s", "-j", bad });
	CHECK(place.checked({ "doctor", "-t", "1s", "--record", place.dir + "/bundle" }).exit_code !=
	      1);
	CHECK(is_clean(content(place.dir + "/bundle")));
	CHECK(has(content(place.dir + "/bundle"), cleaned));
	CHECK(place.checked({ "doctor", "--from", place.dir + "/bundle" }).exit_code != 2);
	CHECK(place.checked({ "detach", bad }).exit_code == 0);
	CHECK(has(place.checked({ "attach", bad + "x" }).err, shown + "x"));
}

TEST_CASE("nor the log, the status file or the metrics", "[names]")
{
	Named place;
	const std::string config = place.dir + "/rxaqm.conf", page = place.dir + "/page.prom";

	std::ofstream(config) << "[Metrics]\ntextfile=" << page
			      << "\ntextfile_interval=1s\n[Interface e?*]\n";
	Child child(place.host.command(place.wire.rx, { "run", "--config", config }),
		    place.host.with_environment(place.options()));
	CHECK(eventually([&] {
		return has(content(page), "interface=\"e\\\\u001b[7m\\\\u202e\\\\u009b\\\\ufffd\"");
	}));
	CHECK(is_clean(content(page)));
	CHECK(eventually([&] { return has(content(place.dir + "/gone/status.json"), shown); }));
	CHECK(is_clean(content(place.dir + "/gone/status.json")));
	CHECK(eventually([&] { return has(content(place.dir + "/gone/status.txt"), shown); }));
	CHECK(is_clean(content(place.dir + "/gone/status.txt")));
	child.kill(SIGTERM);
	Result result = child.wait();
	CHECK(has(result.err, shown));
	CHECK(is_clean(result.err));
	place.checked({ "detach", bad });
}

TEST_CASE("a record of any interface can be read again", "[qualify]")
{
	Named place;
	const std::string file = place.dir + "/a.json", html = place.dir + "/a.html";

	Result result = place.checked(
		{ "qualify", bad, "--rows", "Q5", "--yes-disturb", "--out", file, "--html", html });
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(has(result.out, "Interface    " + shown + "\n"));
	for (const std::string &path : { file, html }) {
		CAPTURE(path);
		CHECK(!content(path).empty());
		CHECK(is_clean(content(path)));
	}
	CHECK(has(content(file), "\"" + cleaned + "\""));
	CHECK(place.checked({ "qualify", "--from", file, "--all" }).exit_code == 0);
	CHECK_FALSE(place.has_journal());
}
