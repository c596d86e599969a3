// SPDX-License-Identifier: GPL-2.0-only
/* Who else had the CPUs while something was measured: from a made-up /proc. */
#include <catch2/catch_test_macros.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "text.hpp"

extern "C" {
#include "qualify/measure/others.h"
}

namespace
{

constexpr pid_t SELF = 50, PEER = 51;

struct Thread {
	int tid, pid, parent, cpu;
	const char *comm;
	unsigned ticks;
};

class Proc
{
    public:
	Proc()
	{
		char name[] = "/tmp/rxaqm-others-XXXXXX";

		REQUIRE(mkdtemp(name));
		path = name;
	}
	~Proc()
	{
		std::filesystem::remove_all(path);
	}
	/* Of a CPU: "user nice system idle iowait irq softirq steal". */
	void cpus(const std::vector<std::string> &columns) const
	{
		std::ofstream file(path + "/stat");

		file << "cpu  1 1 1 1 1 1 1 1 0 0\n";
		for (size_t i = 0; i < columns.size(); i++)
			file << "cpu" << i << " " << columns[i] << " 0 0\n";
		file << "intr 12345 0 0\n";
	}
	void thread(const Thread &t) const
	{
		const std::string dir = path + "/" + std::to_string(t.pid) + "/task/" +
					std::to_string(t.tid);

		std::filesystem::create_directories(dir);
		std::ofstream file(dir + "/stat");
		file << t.tid << " (" << t.comm << ") R " << t.parent;
		for (int field = 5; field <= 52; field++)
			file << " " << (field == 14 ? t.ticks : field == 39 ? unsigned(t.cpu) : 0);
		file << "\n";
	}
	std::string path;
};

/* Two CPUs for a second; frames come by CPU 1, this process is on the other. */
class Measured
{
    public:
	Measured()
	{
		receives[1] = 1;
		runs[0] = runs[1] = 1;
		proc.cpus({ "0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0" });
		read(from_);
	}
	~Measured()
	{
		qualify_others_free(from_);
		delete from_;
		free(gone.threads.at);
	}
	/* All that receives is noted, and ends. */
	void end_receivers(const Thread &t)
	{
		qualify_receivers_note(&gone, proc.path.c_str());
		std::filesystem::remove_all(proc.path + "/" + std::to_string(t.pid));
	}
	Measured(const Measured &) = delete;
	Measured &operator=(const Measured &) = delete;

	void thread(const Thread &t) const
	{
		proc.thread(t);
	}
	/* What is said of it; "": nobody disturbed. */
	std::string words(const std::vector<std::string> &columns)
	{
		auto *to = new qualify_others;
		char words[160] = "";

		proc.cpus(columns);
		read(to);
		qualify_receivers_add(&gone, to);
		const bool disturbed = qualify_others_disturbed(from_, to, receives, runs, words);
		CHECK(disturbed == (words[0] != '\0'));
		qualify_others_free(to);
		delete to;
		return words;
	}
	Proc proc;
	qualify_receivers gone = {};
	__u8 receives[QUALIFY_CPUS] = {}, runs[QUALIFY_CPUS] = {};

    private:
	void read(qualify_others *others) const
	{
		qualify_others_read(others, proc.path.c_str(), SELF);
	}
	qualify_others *from_ = new qualify_others;
};

} // namespace

TEST_CASE("qualify: a program on the CPU that receives is named", "[qualify]")
{
	Measured measured;

	SECTION("with the share that it had")
	{
		measured.thread({ 900, 900, 1, 1, "busy (a) loop", 69 });
		CHECK(has(measured.words({ "0 0 0 100 0 0 0 0", "60 0 10 30 0 0 0 0" }),
			  "another program (busy (a) loop) had CPU 1 for 70 % of the time"));
	}
	SECTION("less than a tenth alters nothing")
	{
		measured.thread({ 900, 900, 1, 1, "busy", 9 });
		CHECK(measured.words({ "0 0 0 100 0 0 0 0", "9 0 0 91 0 0 0 0" }).empty());
	}
	SECTION("many that end soon")
	{
		measured.thread({ 900, 900, 1, 1, "cc1", 10 });
		CHECK(has(measured.words({ "0 0 0 100 0 0 0 0", "0 60 0 40 0 0 0 0" }),
			  "other programs (cc1 and more) had CPU 1 for 60 %"));
	}
	SECTION("none that can be seen")
	{
		measured.thread({ 900, 900, 1, 0, "elsewhere", 60 });
		CHECK(has(measured.words({ "0 0 0 100 0 0 0 0", "60 0 0 40 0 0 0 0" }),
			  "other programs had CPU 1 for 60 %"));
	}
	SECTION("the hypervisor")
	{
		CHECK(has(measured.words({ "0 0 0 100 0 0 0 0", "5 0 0 60 0 0 0 35" }),
			  "the hypervisor had CPU 1 for 40 %"));
	}
	SECTION("too short to tell")
	{
		CHECK(measured.words({ "0 0 0 10 0 0 0 0", "5 0 0 5 0 0 0 0" }).empty());
	}
}

TEST_CASE("qualify: what receives, and this process, are no others", "[qualify]")
{
	Measured measured;

	SECTION("interrupts")
	{
		CHECK(measured.words({ "0 0 0 100 0 0 0 0", "0 0 0 20 0 20 60 0" }).empty());
	}
	SECTION("threads of NAPI")
	{
		measured.thread({ 900, 900, 2, 1, "napi/eth0-1", 80 });
		CHECK(measured.words({ "0 0 0 100 0 0 0 0", "0 0 80 20 0 0 0 0" }).empty());
	}
	SECTION("threads of NAPI that end with the XDP program")
	{
		const Thread napi = { 900, 900, 2, 1, "napi/veth0-1", 70 };
		const std::string busy = "0 0 80 20 0 0 0 0";

		/* What it had before it was noted, by the last note. */
		measured.thread({ 900, 900, 2, 1, "napi/veth0-1", 10 });
		qualify_receivers_note(&measured.gone, measured.proc.path.c_str());
		measured.thread(napi);
		measured.thread({ 901, 901, 2, 1, "kworker/1:0", 9 });
		measured.end_receivers(napi);
		CHECK(has(measured.words({ "0 0 0 100 0 0 0 0", busy }),
			  "another program (kworker/1:0) had CPU 1 for 10 %"));
		measured.receives[1] = 0;
		CHECK(measured.words({ "0 0 0 100 0 0 0 0", busy }).empty());
	}
	SECTION("this process and its peer, that fill the other CPU")
	{
		measured.thread({ SELF, SELF, 1, 0, "rxaqm-qualify", 40 });
		measured.thread({ PEER, PEER, SELF, 0, "exe", 55 });
		CHECK(measured.words({ "50 0 45 5 0 0 0 0", "0 0 0 100 0 0 0 0" }).empty());
	}
	SECTION("but another that shares that CPU with them is")
	{
		measured.thread({ SELF, SELF, 1, 0, "rxaqm-qualify", 20 });
		measured.thread({ 900, 900, 1, 0, "busy", 75 });
		CHECK(has(measured.words({ "95 0 0 5 0 0 0 0", "0 0 0 100 0 0 0 0" }),
			  "another program (busy) had CPU 0 for 75 %"));
	}
	SECTION("unless they have a CPU to go to")
	{
		measured.runs[2] = 1;
		measured.thread({ 900, 900, 1, 0, "busy", 75 });
		CHECK(measured.words({ "75 0 0 25 0 0 0 0", "0 0 0 100 0 0 0 0",
				       "0 0 0 100 0 0 0 0" })
			      .empty());
	}
}

TEST_CASE("qualify: the line for all CPUs is none of them", "[qualify]")
{
	Proc proc;
	auto *others = new qualify_others;

	/* The first number of it is as small as a CPU's when the host has just started. */
	proc.cpus({ "0 0 0 0 0 0 0 0" });
	qualify_others_read(others, proc.path.c_str(), SELF);
	CHECK(others->cpu[1].all == 0);
	qualify_others_free(others);
	delete others;
}
