// SPDX-License-Identifier: GPL-2.0-only
/* What a trial that was killed has left: whose policy is in force? */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

extern "C" {
#include "state/trial.h"
}

namespace
{
/* An interface of two queues, and a trial on it that has begun. */
struct Tried {
	char dir[32] = "/tmp/rxaqm-t-trial-XXXXXX";
	std::vector<rxaqm_policy> banks{ 2 * RXAQM_MAX_QUEUES };
	rxaqm_state state = {};
	rxaqm_iface iface = {};
	rxaqm_trial trial = {};

	Tried()
	{
		rxaqm_error error = {};

		REQUIRE(mkdtemp(dir));
		/* What is there goes when the service stops: the note must not be there. */
		setenv("RUNTIME_DIRECTORY", "/nonexistent", 1);
		setenv("STATE_DIRECTORY", dir, 1);
		state.policy = banks.data();
		iface.state = RXAQM_IFACE_ATTACHED;
		iface.nr_queues = 2;
		iface.prog_id = 7;
		iface.attached_ns = 1;
		set(1000, 0);
		REQUIRE(rxaqm_trial_begin(&trial, &state, &iface, 1000, &error) == 0);
		block(2000, 100);
	}
	~Tried()
	{
		if (trial.fd >= 0)
			close(trial.fd);
		unsetenv("RUNTIME_DIRECTORY");
		unsetenv("STATE_DIRECTORY");
		std::filesystem::remove_all(dir);
	}
	void set(__u64 target_ns, __u64 lease_until_ns)
	{
		rxaqm_policy *draft = rxaqm_state_draft(&state, &iface);

		for (unsigned i = 0; i < iface.nr_queues; i++) {
			draft[i].target_ns = target_ns;
			draft[i].lease_until_ns = lease_until_ns;
		}
		rxaqm_state_use_draft(&iface);
	}
	void block(__u64 target_ns, __u64 lease_until_ns)
	{
		rxaqm_policy policies[2] = {};

		for (rxaqm_policy &policy : policies) {
			policy.target_ns = target_ns;
			policy.lease_until_ns = lease_until_ns;
		}
		REQUIRE(rxaqm_trial_put(&trial, policies) == 0);
	}
	/* With it goes its lock. */
	void kill()
	{
		close(trial.fd);
		trial.fd = -1;
	}
	/* Once the next block is noted, before it is in force. */
	void kill_between()
	{
		block(3000, 200);
		iface.policy_gen--;
		kill();
	}
	__u64 target_ns() const
	{
		return rxaqm_state_policy(&state, &iface, 1)->target_ns;
	}
};
} // namespace

TEST_CASE("trial: what a killed one has set is put back", "[trial]")
{
	Tried t;

	SECTION("in a block")
	t.kill();
	SECTION("between two")
	t.kill_between();
	CHECK(t.target_ns() == 2000);
	CHECK(rxaqm_trial_undo(&t.state, &t.iface));
	CHECK(t.target_ns() == 1000);
	CHECK_FALSE(rxaqm_trial_undo(&t.state, &t.iface));
}

TEST_CASE("trial: what somebody else has set since a trial was killed stays", "[trial]")
{
	const bool between = GENERATE(false, true);
	/* Made anew, or on top of what was in force, with its lease. */
	const __u64 lease_until_ns = GENERATE(0, 100);
	Tried t;

	/* Once others have set theirs, there are as many changes as the trial has noted. */
	if (between)
		t.kill_between();
	else
		t.kill();
	t.set(4000, lease_until_ns);
	CAPTURE(between, lease_until_ns);
	CHECK_FALSE(rxaqm_trial_undo(&t.state, &t.iface));
	CHECK(t.target_ns() == 4000);
}

TEST_CASE("trial: one that goes on ends when somebody else sets a policy", "[trial]")
{
	Tried t;
	const rxaqm_policy policies[2] = {};

	t.set(4000, 100);
	CHECK(rxaqm_trial_put(&t.trial, policies) == -ESTALE);
	rxaqm_trial_end(&t.trial);
	CHECK(t.target_ns() == 4000);
}
