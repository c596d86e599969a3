/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A healthy host under full load, recorded by "rxaqm doctor --record" while TCP received 6 Gbit/s,
 * and what a case changes in it.
 */
#ifndef RXAQM_TESTS_DOCTOR_CASE_HPP
#define RXAQM_TESTS_DOCTOR_CASE_HPP

#include <catch2/catch_test_macros.hpp>

#include <json.h>
#include <json_pointer.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
#include "doctor/snapshot/snapshot.h"
#include "doctor/checks/check.h"
#include "doctor/diagnose.h"
}

class Bundle
{
    public:
	Bundle()
	{
		std::ifstream file("tests/unit/doctor/healthy.json");
		std::stringstream text;

		REQUIRE(file.good());
		text << file.rdbuf();
		root_ = json_tokener_parse(text.str().c_str());
		REQUIRE(root_);
	}
	~Bundle()
	{
		json_object_put(root_);
	}
	Bundle(const Bundle &) = delete;
	Bundle &operator=(const Bundle &) = delete;

	json_object *root()
	{
		return root_;
	}
	json_object *get(const std::string &at)
	{
		json_object *found = nullptr;

		json_pointer_get(root_, at.c_str(), &found);
		return found;
	}
	/* @json replaces what is at @at; "-" at its end appends to an array. */
	Bundle &set(const std::string &at, const std::string &json)
	{
		json_object *value = json_tokener_parse(json.c_str());

		CAPTURE(at, json);
		REQUIRE((value || json == "null"));
		REQUIRE(json_pointer_set(&root_, at.c_str(), value) == 0);
		return *this;
	}
	/* Counter @name rises by @by in the window. What IP takes, it delivers. */
	Bundle &rise(const std::string &name, uint64_t by)
	{
		if (name == "Ip.InReceives")
			rise("Ip.InDelivers", by);
		return rise_at("counters/" + name, by);
	}
	Bundle &rise_at(const std::string &at, uint64_t by)
	{
		json_object *was = get("/before/" + at);

		if (!was)
			set("/before/" + at, "0");
		return set("/after/" + at,
			   std::to_string((was ? json_object_get_int64(was) : 0) + by));
	}
	/* A socket that stands out, of which @fields differ from one that rests. */
	Bundle &socket(const std::string &fields)
	{
		static const char rests[] = R"({"proto":"tcp","state":"established",
			"local":"10.0.0.1:80","remote":"10.0.0.2:4000","ifindex":2,"rx_queue":0,
			"cpu":0,"rcvbuf_locked":false,"locked_known":true,"seen_before":true,
			"rmem_alloc":0,"rcvbuf":131072,"recv_queue":0,"was_rmem_alloc":0,
			"was_recv_queue":0,"received":0,"acked":0,"read":0,"drops":0,
			"scaling_ratio":200,"rcv_wnd":65536,"rcv_mss":1448,"advmss":1460,
			"not_sent":0,"rcv_rtt_us":20000,"segs_out":0,"retrans":0,"srtt_us":20000,
			"data_segs_in":0,"rcv_ssthresh":65536,"window_clamp":65536,"owner":4711,
			"busy_ms":0,"rwnd_limited_ms":0,"sndbuf_limited_ms":0,"ca":"cubic"})";
		json_object *value = json_tokener_parse(rests);
		json_object *change = json_tokener_parse(fields.c_str());

		CAPTURE(fields);
		REQUIRE(value);
		REQUIRE(change);
		json_object_object_foreach(change, key, field)
			json_object_object_add(value, key, json_object_get(field));
		json_object_put(change);
		REQUIRE(json_pointer_set(&root_, "/sockets/notable/-", value) == 0);
		return *this;
	}
	/* Process 4711 used the CPU for @run and waited for it for @wait percent, and for its quota
	 * for @throttled.
	 */
	Bundle &owner(unsigned run, unsigned wait, int cpu = 0, const std::string &state = "S",
		      unsigned throttled = 0)
	{
		return set("/owners/-",
			   R"({"pid":4711,"comm":"reader","seen_before":true,"state":")" + state +
				   R"(","cpu":)" + std::to_string(cpu) +
				   ",\"run_ns\":" + std::to_string(run * 100000000ULL) +
				   ",\"wait_ns\":" + std::to_string(wait * 100000000ULL) +
				   ",\"throttled_us\":" + std::to_string(throttled * 100000ULL) +
				   "}");
	}
	/* CPU @cpu was @percent of the window in softirqs, and idle for the rest. */
	Bundle &softirq(unsigned cpu, unsigned percent)
	{
		const std::string at = "cpus/" + std::to_string(cpu) + "/";

		/* 10 s of 100 ticks. */
		rise_at(at + "softirq", percent * 10);
		return rise_at(at + "idle", 1000 - percent * 10);
	}
	std::string text() const
	{
		return json_object_to_json_string_ext(root_, JSON_C_TO_STRING_PLAIN);
	}

    private:
	json_object *root_ = nullptr;
};

/* The diagnosis of a bundle. */
class Diagnosis
{
    public:
	explicit Diagnosis(const std::string &text)
	{
		rxaqm_error error = {};
		int err = rxaqm_record_parse(&doctor_bundle_kind, &snap_, text.data(), text.size(),
					     "test", &error);

		INFO(error.text);
		REQUIRE(err == 0);
		REQUIRE(doctor_diagnose(&snap_, &diagnosis_) == 0);
	}
	/* The same, but for the way by text, which takes longer than all else. */
	explicit Diagnosis(Bundle &bundle)
	{
		rxaqm_error error = {};
		int err = rxaqm_record_decode(&doctor_bundle_kind, &snap_, bundle.get(""), &error);

		INFO(error.text);
		REQUIRE(err == 0);
		REQUIRE(doctor_diagnose(&snap_, &diagnosis_) == 0);
	}
	~Diagnosis()
	{
		doctor_diagnosis_free(&diagnosis_);
		doctor_snapshot_free(&snap_);
	}
	Diagnosis(const Diagnosis &) = delete;
	Diagnosis &operator=(const Diagnosis &) = delete;

	std::string primary() const
	{
		return diagnosis_.primary ? diagnosis_.primary->check->id : "";
	}
	/* Is @id found, and worth knowing only? */
	bool is_note(const std::string &id) const
	{
		const doctor_finding *finding = doctor_find(&diagnosis_, id.c_str(), id.size());

		return finding && finding->verdict == DOCTOR_FOUND && doctor_is_note(finding);
	}
	std::set<std::string> unexplained() const
	{
		std::set<std::string> names;

		for (size_t i = 0; i < diagnosis_.nr_unexplained; i++)
			names.insert(diagnosis_.unexplained[i].name);
		return names;
	}
	std::set<std::string> with(doctor_verdict verdict) const
	{
		std::set<std::string> ids;

		for (size_t i = 0; i < diagnosis_.nr; i++) {
			if (diagnosis_.findings[i].verdict == verdict)
				ids.insert(diagnosis_.findings[i].check->id);
		}
		return ids;
	}
	std::string consequence_of(const std::string &id) const
	{
		for (size_t i = 0; i < diagnosis_.nr; i++) {
			const doctor_finding &finding = diagnosis_.findings[i];

			if (id == finding.check->id && finding.consequence_of)
				return finding.consequence_of->check->id;
		}
		return "";
	}
	std::string printed(bool all, bool json = false) const
	{
		return written([&](FILE *file) {
			if (json)
				doctor_print_json(file, &snap_, &diagnosis_, nullptr);
			else
				doctor_print(file, &snap_, &diagnosis_, all);
		});
	}
	std::string metrics() const
	{
		return written(
			[&](FILE *file) { doctor_print_metrics(file, &snap_, &diagnosis_); });
	}
	/* Of the remedies of all that is found. */
	std::vector<std::string> commands() const
	{
		std::vector<std::string> all;
		doctor_finding *finding;

		doctor_each(finding, &diagnosis_, DOCTOR_FOUND) {
			const doctor_remedy remedy = doctor_remedy_of(finding->check);

			for (const char *form : { remedy.now, remedy.keep, remedy.undo })
				doctor_steps(
					finding, form,
					[](void *arg, const char *command, const char *) {
						if (*command)
							((std::vector<std::string> *)arg)
								->push_back(command);
					},
					&all);
		}
		return all;
	}
	/* Of --verify. */
	std::string verdict(const char *id, bool json = false) const
	{
		return written([&](FILE *file) {
			if (json)
				doctor_print_json(file, &snap_, &diagnosis_, id);
			else
				doctor_print_verdict(file, &snap_, &diagnosis_, id);
		});
	}
	/* The probes that --deep would start now. */
	std::set<std::string> wanted() const
	{
		std::set<std::string> names;
		const doctor_probe *probe;

		for (size_t i = 0; (probe = doctor_probe_at(i)); i++) {
			if (doctor_probe_wanted(probe, &snap_, &diagnosis_))
				names.insert(probe->name);
		}
		return names;
	}
	int exit_code() const
	{
		return doctor_exit_code(&diagnosis_);
	}

    private:
	static std::string written(const std::function<void(FILE *)> &print)
	{
		char *buf = nullptr;
		size_t size = 0;
		FILE *file = open_memstream(&buf, &size);

		REQUIRE(file);
		print(file);
		fclose(file);

		std::string text(buf, size);

		free(buf);
		return text;
	}
	doctor_snapshot snap_ = {};
	doctor_diagnosis diagnosis_ = {};
};

/* A cause, and what shows it. */
struct Case {
	const char *id;
	std::set<std::string> also; /* what else is found, each a consequence */
	std::function<void(Bundle &)> change;
};

const std::vector<Case> &doctor_cases();
/* Parts of them. */
const std::vector<Case> &doctor_cases_sockets();
const std::vector<Case> &doctor_cases_deep();
const std::vector<Case> &doctor_cases_world();

#endif /* RXAQM_TESTS_DOCTOR_CASE_HPP */
