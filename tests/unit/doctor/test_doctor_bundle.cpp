// SPDX-License-Identifier: GPL-2.0-only
/* Bundles: lossless, and strict about what others wrote. */
#include "doctor_case.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

extern "C" {
#include "base/version.h"
#include "doctor/collect/collect.h"
#include "doctor/snapshot/get.h"
}

static std::string refused(const std::string &text)
{
	doctor_snapshot snap = {};
	rxaqm_error error = {};
	int err = rxaqm_record_parse(&doctor_bundle_kind, &snap, text.data(), text.size(), "x.json",
				     &error);

	doctor_snapshot_free(&snap);
	CHECK(err < 0);
	CHECK(error.exit_code == RXAQM_EXIT_USAGE);
	return error.text;
}

TEST_CASE("doctor: a bundle read and written again is the same", "[doctor]")
{
	for (const Case &one : doctor_cases()) {
		Bundle bundle;
		doctor_snapshot first = {}, second = {};
		rxaqm_error error = {};

		one.change(bundle);

		std::string text = bundle.text();

		REQUIRE(rxaqm_record_parse(&doctor_bundle_kind, &first, text.data(), text.size(),
					   "x", &error) == 0);

		json_object *once = rxaqm_fields_encode(doctor_bundle_kind.type, &first);

		REQUIRE(doctor_bundle_pass(&first, &second, &error) == 0);

		json_object *twice = rxaqm_fields_encode(doctor_bundle_kind.type, &second);

		CHECK(json_object_equal(once, twice));
		json_object_put(once);
		json_object_put(twice);
		doctor_snapshot_free(&second);
	}
}

TEST_CASE("doctor: a bundle says which version made it", "[doctor]")
{
	doctor_snapshot snap = {};

	doctor_collect_host(&snap);
	json_object *bundle = rxaqm_fields_encode(doctor_bundle_kind.type, &snap),
		    *made_by = nullptr;
	REQUIRE(json_object_object_get_ex(bundle, "rxaqm", &made_by));
	CHECK(std::string(json_object_get_string(made_by)) == rxaqm_version());
	CHECK(std::string(rxaqm_version()).find(RXAQM_VERSION) == 0);
	json_object_put(bundle);
	doctor_snapshot_free(&snap);
}

TEST_CASE("doctor: a masked bundle names nobody, and its cgroups are told apart", "[doctor]")
{
	Bundle bundle;
	doctor_snapshot snap = {};
	rxaqm_error error = {};
	const std::string text = bundle.text();

	REQUIRE(rxaqm_record_parse(&doctor_bundle_kind, &snap, text.data(), text.size(), "x",
				   &error) == 0);
	strcpy(((doctor_hog *)rxaqm_list_add(&snap.hogs))->comm, "secretd");
	strcpy(((doctor_owner *)rxaqm_list_add(&snap.owners))->comm, "secretd");
	strcpy(((doctor_netns *)rxaqm_list_add(&snap.namespaces))->comm, "secretd");
	strcpy(((doctor_deep_late *)rxaqm_list_add(&snap.deep_late))->held_by, "secretd");
	strcpy(snap.hostname, "secretd");
	doctor_mask(&snap);

	json_object *masked = rxaqm_fields_encode(doctor_bundle_kind.type, &snap);
	const std::string out = json_object_to_json_string(masked);

	CHECK(out.find("secretd") == std::string::npos);
	json_object_put(masked);
	doctor_snapshot_free(&snap);
}

TEST_CASE("doctor: a bundle that is none is refused by its place", "[doctor]")
{
	CHECK(refused("") == "x.json: not JSON, at byte 0: it ends too early");
	CHECK(refused("{").find("it ends too early") != std::string::npos);
	CHECK(refused("{} trailing") == "x.json: not JSON, at byte 3: more after its end");
	CHECK(refused("{}").find("not a bundle") != std::string::npos);
	CHECK(refused("[1]").find("not a bundle") != std::string::npos);

	const std::vector<std::array<const char *, 3>> rows = {
		{ "/version", "99", "version 99; this rxaqm reads version 1" },
		{ "/after/at_ns", "1", "at_ns: must be later" },
		{ "/after/at_ns", "-1", "after.at_ns: must be 0 or more" },
		{ "/after/at_ns", "1.5", "after.at_ns: must be an integer" },
		{ "/hostname", "7", "bundle.hostname: must be a string" },
		{ "/hostname", R"("a\nb")", "without control characters" },
		{ "/sysctl/net.ipv4.tcp_rmem", "7", "bundle.sysctl: must be an object of strings" },
		{ "/after/counters/Ip.InReceives", "\"x\"",
		  "counters: must be an object of integers" },
		{ "/after/counters/Ip.InReceives", "-4",
		  "counters: must be an object of integers" },
		{ "/sockets/notable", "{}", "sockets.notable: must be an array" },
		{ "/sockets/notable/0/rmem_alloc", "4294967296", "0 to 4294967295" },
		{ "/sockets/notable/0/cpu", "2147483648", "a 32-bit number" },
		{ "/sockets/notable/0/rcvbuf_locked", "1", "must be true or false" },
		{ "/sockets/notable/0", "7", "must be an object" },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		bundle.set(row[0], row[1]);
		INFO(row[0]);

		std::string text = refused(bundle.text());

		INFO(text);
		CHECK(text.find(row[2]) != std::string::npos);
	}

	Bundle bundle;

	bundle.set("/hostname", "\"" + std::string(100, 'a') + "\"");
	CHECK(refused(bundle.text()).find("must be shorter") != std::string::npos);
}

TEST_CASE("doctor: a bundle has no more interfaces than a host is asked for", "[doctor]")
{
	for (int nr : { 256, 257 }) {
		Bundle bundle;
		std::string ifaces = "[";

		for (int i = 0; i < nr; i++)
			ifaces += (i ? ",{\"ifindex\":" : "{\"ifindex\":") + std::to_string(i + 2) +
				  "}";
		bundle.set("/after/ifaces", (ifaces + "]").c_str());
		if (nr > 256) {
			CHECK(refused(bundle.text()) ==
			      "x.json: after.ifaces: must be an array of at most 256");
			continue;
		}
		doctor_snapshot snap = {};
		rxaqm_error error = {};
		const std::string text = bundle.text();

		CHECK(rxaqm_record_parse(&doctor_bundle_kind, &snap, text.data(), text.size(), "x",
					 &error) == 0);
		doctor_snapshot_free(&snap);
	}
}

TEST_CASE("doctor: a bundle does not speak to the terminal", "[doctor]")
{
	for (const char *change : { R"(/sysctl/net.ipv4.tcp_adv_win_scale "\u001b[2J")",
				    R"(/after/counters/a\u001b 5)" }) {
		Bundle bundle;
		rxaqm_error error = {};
		doctor_snapshot snap = {};
		std::string at(change, strcspn(change, " ")), text;

		if (at.find("\\u001b") != at.npos)
			at.replace(at.find("\\u001b"), 6, "\x1b");
		bundle.set(at, change + strcspn(change, " ") + 1);
		text = bundle.text();
		INFO(change);
		CHECK(rxaqm_record_parse(&doctor_bundle_kind, &snap, text.data(), text.size(),
					 "test", &error) < 0);
		CHECK(std::string(error.text).find("control characters") != std::string::npos);
		doctor_snapshot_free(&snap);
	}
}

/* Anyone may call a process so, and the bundle of a host has its name. */
TEST_CASE("doctor: a process whose name has control characters stops nothing", "[doctor]")
{
	char was[16] = {}, comm[32] = {};

	REQUIRE(prctl(PR_GET_NAME, was) == 0);
	REQUIRE(prctl(PR_SET_NAME, "e\x1b[2Jvil") == 0);
	CHECK(doctor_read_line(AT_FDCWD, comm, sizeof(comm), "/proc/self/task/%d/comm", gettid()));
	prctl(PR_SET_NAME, was);
	CHECK(std::string(comm) == "e?[2Jvil");
}
