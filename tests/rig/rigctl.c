// SPDX-License-Identifier: GPL-2.0-only
/*
 * rigctl: puts the burning program and the simulated NIC clock on the ends of the rig
 * and sets them at run time.
 *
 * Nothing is pinned: a program is found again by its place on the interface and its
 * map by the program, so all of it goes when the interface goes. The namespace is
 * entered for its network only; the mounts (bpffs) stay those of the caller.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "burn.h"
#include "burn.skel.h"
#include "nicclock.h"
#include "nicclock.skel.h"

#define NSEC_PER_SEC 1000000000LL
#define TAI_UTC_NS (37 * NSEC_PER_SEC)
#define DRIFT_MAX_PPM 100000

static const char usage_text[] =
	"Usage: rigctl [--netns NAME] PROGRAM attach|set|show|detach IFACE [KEY=VALUE...]\n"
	"  burn   cost=TIME match=all|data|tcp|udp     at tc ingress, keeps the CPU busy\n"
	"  clock  offset=TIME|tai drift=PPM step=TIME stamp=on|off\n"
	"                                              at tc egress, stamps packets\n"
	"TIME is a number with ns, us, ms or s. offset counts from CLOCK_MONOTONIC.\n";

__attribute__((format(printf, 1, 2))) static int fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("rigctl: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	return -1;
}

static __u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (__u64)ts.tv_sec * NSEC_PER_SEC + (__u64)ts.tv_nsec;
}

static int parse_time(const char *s, __s64 *ns)
{
	static const struct {
		const char *name;
		long double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3L }, { "ms", 1e6L }, { "s", 1e9L } };
	long double value;
	char *end;
	size_t i;

	value = strtold(s, &end);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (end == s || strcmp(end, units[i].name))
			continue;
		value *= units[i].ns;
		if (!(value > -9e18L && value < 9e18L))
			break;
		*ns = (__s64)(value < 0 ? value - 0.5L : value + 0.5L);
		return 0;
	}
	return fail("\"%s\" is not a time such as 20us or -37s", s);
}

/* Splits "key=value". */
static int split(const char *arg, char key[16], const char **value)
{
	const char *eq = strchr(arg, '=');

	if (!eq || eq == arg || eq - arg >= 16)
		return fail("\"%s\" is not of the form KEY=VALUE", arg);
	memcpy(key, arg, (size_t)(eq - arg));
	key[eq - arg] = '\0';
	*value = eq + 1;
	return 0;
}

static const char *const match_names[] = {
	[RIG_BURN_ALL] = "all",
	[RIG_BURN_DATA] = "data",
	[RIG_BURN_TCP] = "tcp",
	[RIG_BURN_UDP] = "udp",
};

static int burn_set(struct rig_burn *burn, const char *key, const char *value)
{
	__s64 ns;
	__u32 i;

	if (!strcmp(key, "cost")) {
		if (parse_time(value, &ns))
			return -1;
		if (ns < 0 || ns > RIG_BURN_COST_MAX_NS)
			return fail("cost \"%s\" is not within 0 and 10ms", value);
		burn->cost_ns = (__u32)ns;
		return 0;
	}
	if (strcmp(key, "match"))
		return fail("burn has no \"%s\"", key);
	for (i = 0; i < sizeof(match_names) / sizeof(match_names[0]); i++) {
		if (!strcmp(value, match_names[i])) {
			burn->match = i;
			return 0;
		}
	}
	return fail("match \"%s\" is none of all, data, tcp, udp", value);
}

static int burn_configure(int map_fd, int nr_args, char **args)
{
	struct rig_burn burn;
	const char *value;
	__u32 zero = 0;
	char key[16];
	int i;

	if (bpf_map_lookup_elem(map_fd, &zero, &burn))
		return fail("burn_map: %s", strerror(errno));
	for (i = 0; i < nr_args; i++)
		if (split(args[i], key, &value) || burn_set(&burn, key, value))
			return -1;
	if (bpf_map_update_elem(map_fd, &zero, &burn, BPF_ANY))
		return fail("burn_map: %s", strerror(errno));
	return 0;
}

static int burn_show(int map_fd)
{
	struct rig_burn burn;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(map_fd, &zero, &burn))
		return fail("burn_map: %s", strerror(errno));
	printf("cost_ns %u match %s packets %llu\n", burn.cost_ns, match_names[burn.match % 4],
	       burn.packets);
	return 0;
}

static int clock_set(struct rig_nicclock *clock, const char *key, const char *value)
{
	double ppm;
	__s64 ns;
	char *end;

	if (!strcmp(key, "stamp")) {
		if (strcmp(value, "on") && strcmp(value, "off"))
			return fail("stamp \"%s\" is neither on nor off", value);
		clock->off = !strcmp(value, "off");
	} else if (!strcmp(key, "offset") && !strcmp(value, "tai")) {
		clock->hw_ref_ns = clock_ns(CLOCK_REALTIME) + TAI_UTC_NS;
	} else if (!strcmp(key, "offset") || !strcmp(key, "step")) {
		if (parse_time(value, &ns))
			return -1;
		if (!strcmp(key, "offset"))
			clock->hw_ref_ns = clock->host_ref_ns;
		clock->hw_ref_ns += (__u64)ns;
	} else if (!strcmp(key, "drift")) {
		ppm = strtod(value, &end);
		if (end == value || *end || !(ppm >= -DRIFT_MAX_PPM && ppm <= DRIFT_MAX_PPM))
			return fail("drift \"%s\" is not a number of ppm, up to %d", value,
				    DRIFT_MAX_PPM);
		clock->drift_q32 = (__s64)(ppm * 4294.967296);
	} else {
		return fail("clock has no \"%s\"", key);
	}
	return 0;
}

/* The reference moves to now, so that a new drift takes effect from now on. */
static int clock_configure(int map_fd, int nr_args, char **args)
{
	struct rig_nicclock clock;
	const char *value;
	__u32 zero = 0;
	__u64 now_ns;
	char key[16];
	int i;

	if (bpf_map_lookup_elem_flags(map_fd, &zero, &clock, BPF_F_LOCK))
		return fail("nicclock_map: %s", strerror(errno));
	now_ns = clock_ns(CLOCK_MONOTONIC);
	clock.hw_ref_ns = rig_nicclock_hw(&clock, now_ns);
	clock.host_ref_ns = now_ns;
	for (i = 0; i < nr_args; i++)
		if (split(args[i], key, &value) || clock_set(&clock, key, value))
			return -1;
	if (bpf_map_update_elem(map_fd, &zero, &clock, BPF_F_LOCK))
		return fail("nicclock_map: %s", strerror(errno));
	return 0;
}

static int clock_show(int map_fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct rig_nicclock clock;
	__u32 zero = 0;
	__u64 now_ns;

	if (bpf_map_lookup_elem_flags(map_fd, &zero, &clock, BPF_F_LOCK))
		return fail("nicclock_map: %s", strerror(errno));
	if (bpf_obj_get_info_by_fd(map_fd, &info, &len))
		return fail("nicclock_map: %s", strerror(errno));
	now_ns = clock_ns(CLOCK_MONOTONIC);
	printf("host_ns %llu hw_ns %llu drift_ppm %.3f stamp %s map %u\n", now_ns,
	       rig_nicclock_hw(&clock, now_ns), (double)clock.drift_q32 / 4294.967296,
	       clock.off ? "off" : "on", info.id);
	return 0;
}

/* Both load their object and return its program and map as descriptors of their own. */
static int burn_load(int *prog_fd, int *map_fd)
{
	const bool loop = libbpf_probe_bpf_helper(BPF_PROG_TYPE_SCHED_CLS, BPF_FUNC_loop, NULL);
	struct burn *skel = burn__open();

	if (skel) {
		bpf_program__set_autoload(skel->progs.rig_burn, loop);
		bpf_program__set_autoload(skel->progs.rig_burn_walked, !loop);
	}
	if (!skel || burn__load(skel)) {
		burn__destroy(skel);
		return fail("burn does not load: %s", strerror(errno));
	}
	*prog_fd = dup(bpf_program__fd(loop ? skel->progs.rig_burn : skel->progs.rig_burn_walked));
	*map_fd = dup(bpf_map__fd(skel->maps.burn_map));
	burn__destroy(skel);
	return 0;
}

static int nicclock_load(int *prog_fd, int *map_fd)
{
	struct nicclock *skel = nicclock__open_and_load();

	if (!skel)
		return fail("nicclock does not load: %s", strerror(errno));
	*prog_fd = dup(bpf_program__fd(skel->progs.rig_nicclock));
	*map_fd = dup(bpf_map__fd(skel->maps.nicclock_map));
	nicclock__destroy(skel);
	return 0;
}

struct program {
	const char *name;
	const char *map_name;
	enum bpf_tc_attach_point point;
	int (*load)(int *prog_fd, int *map_fd);
	int (*configure)(int map_fd, int nr_args, char **args);
	int (*show)(int map_fd);
};

static const struct program programs[] = {
	{ "burn", "burn_map", BPF_TC_INGRESS, burn_load, burn_configure, burn_show },
	{ "clock", "nicclock_map", BPF_TC_EGRESS, nicclock_load, clock_configure, clock_show },
};

/* The map called @name of the program with @prog_id, or -1. */
static int find_map(__u32 prog_id, const char *name)
{
	struct bpf_prog_info prog_info = {};
	struct bpf_map_info map_info;
	__u32 ids[8], len, i;
	int prog_fd, fd;

	prog_fd = bpf_prog_get_fd_by_id(prog_id);
	if (prog_fd < 0)
		return -1;
	prog_info.nr_map_ids = 8;
	prog_info.map_ids = (__u64)(uintptr_t)ids;
	len = sizeof(prog_info);
	if (bpf_obj_get_info_by_fd(prog_fd, &prog_info, &len))
		prog_info.nr_map_ids = 0;
	close(prog_fd);
	for (i = 0; i < prog_info.nr_map_ids && i < 8; i++) {
		fd = bpf_map_get_fd_by_id(ids[i]);
		len = sizeof(map_info);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &map_info, &len) &&
		    !strcmp(map_info.name, name))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* Ours is handle 1, priority 1, and is known by its map. */
static int open_map(const struct program *program, const struct bpf_tc_hook *hook)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = 1);

	if (bpf_tc_query(hook, &opts))
		return -1;
	return find_map(opts.prog_id, program->map_name);
}

static int attach(const struct program *program, struct bpf_tc_hook *hook, int nr_args, char **args)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = 1);
	int prog_fd, map_fd, err;

	err = bpf_tc_hook_create(hook);
	if (err && err != -EEXIST)
		return fail("clsact: %s", strerror(-err));
	if (program->load(&prog_fd, &map_fd))
		return -1;
	opts.prog_fd = prog_fd;
	err = program->configure(map_fd, nr_args, args);
	if (!err) {
		err = bpf_tc_attach(hook, &opts);
		if (err)
			fail("%s: %s", program->name, strerror(-err));
	}
	close(map_fd);
	close(prog_fd);
	return err;
}

static int run(const struct program *program, const char *verb, const char *iface, int nr_args,
	       char **args)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = 1);
	LIBBPF_OPTS(bpf_tc_hook, hook, .attach_point = program->point);
	int map_fd, err;

	hook.ifindex = (int)if_nametoindex(iface);
	if (!hook.ifindex)
		return fail("no interface \"%s\"", iface);
	map_fd = open_map(program, &hook);
	if (!strcmp(verb, "attach") && map_fd < 0)
		return attach(program, &hook, nr_args, args);
	if (map_fd < 0)
		return !strcmp(verb, "detach") ? 0 : fail("no %s on %s", program->name, iface);
	if (!strcmp(verb, "attach") || !strcmp(verb, "set")) {
		err = program->configure(map_fd, nr_args, args);
	} else if (!strcmp(verb, "show")) {
		err = program->show(map_fd);
	} else if (!strcmp(verb, "detach")) {
		err = bpf_tc_detach(&hook, &opts);
		if (err)
			fail("%s on %s: %s", program->name, iface, strerror(-err));
	} else {
		err = fail("\"%s\" is none of attach, set, show, detach", verb);
	}
	close(map_fd);
	return err;
}

static int enter_netns(const char *name)
{
	char path[256];
	int fd, err;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail("%s: %s", path, strerror(errno));
	err = setns(fd, CLONE_NEWNET);
	if (err)
		fail("%s: %s", path, strerror(errno));
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	size_t i;

	libbpf_set_print(NULL);
	if (argc > 2 && !strcmp(argv[1], "--netns")) {
		if (enter_netns(argv[2]))
			return 1;
		argc -= 2;
		argv += 2;
	}
	for (i = 0; argc >= 4 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(argv[1], programs[i].name))
			return run(&programs[i], argv[2], argv[3], argc - 4, argv + 4) ? 1 : 0;
	fputs(usage_text, stderr);
	return 2;
}
