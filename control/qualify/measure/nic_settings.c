/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/nic_settings.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/wait.h>

#include "nic/ethtool.h"
#include "nic/netns.h"
#include "command/program.h"
#include "qualify/measure/probe.h"

#define MAX_WORDS 8 /* of "rxaqm attach" */

/* Run rxaqm with @argv and discard its output. Return its exit code, or -errno. */
static int run_rxaqm(char *const argv[])
{
	int status, null;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		rxaqm_program_exec(argv[0], argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

/* Attach rxaqm with @words ("mode=enforce"); "no" detaches. */
static int set_attached(const char *ifname, const char *words)
{
	char name[IF_NAMESIZE], text[256], *save = NULL, *word;
	char *argv[MAX_WORDS] = { "rxaqm", "attach", name };
	int nr = 3, code;

	snprintf(name, sizeof(name), "%.15s", ifname);
	snprintf(text, sizeof(text), "%s", words);
	if (!strcmp(words, "no"))
		argv[1] = "detach";
	else
		for (word = strtok_r(text, " ", &save); word && nr < MAX_WORDS - 1;
		     word = strtok_r(NULL, " ", &save))
			argv[nr++] = word;
	code = run_rxaqm(argv);
	if (!strcmp(words, "no") && code == RXAQM_EXIT_NOT_ATTACHED)
		return 0;
	return code > 0 ? -EIO : code;
}

bool qualify_has_address(const char *ifname)
{
	struct ifaddrs *all = NULL, *at;
	bool found = false;

	if (getifaddrs(&all))
		return true;
	for (at = all; at; at = at->ifa_next) {
		const struct sockaddr_in6 *ip6 = (const void *)at->ifa_addr;

		if (!at->ifa_addr || strcmp(at->ifa_name, ifname))
			continue;
		found |= at->ifa_addr->sa_family == AF_INET ||
			 (at->ifa_addr->sa_family == AF_INET6 &&
			  !IN6_IS_ADDR_LINKLOCAL(&ip6->sin6_addr));
	}
	freeifaddrs(all);
	return found;
}

static int set_link(const char *ifname, bool up)
{
	struct ifreq ifr = {};
	int err = rxaqm_nic_ioctl(ifname, SIOCGIFFLAGS, &ifr);

	if (err)
		return err;
	ifr.ifr_flags = (short)(up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP);
	return rxaqm_nic_ioctl(ifname, SIOCSIFFLAGS, &ifr);
}

/* Settings that ethtool reads and writes as numbers. */
static const struct numbers {
	__u32 get, set;
	size_t nr, at[3]; /* their places in the command */
} numbers[] = {
#define AT(what, field) (offsetof(struct ethtool_##what, field) / sizeof(__u32))
	[QUALIFY_RING] = { ETHTOOL_GRINGPARAM,
			   ETHTOOL_SRINGPARAM,
			   1,
			   { AT(ringparam, rx_pending) } },
	[QUALIFY_CHANNELS] = { ETHTOOL_GCHANNELS,
			       ETHTOOL_SCHANNELS,
			       3,
			       { AT(channels, rx_count), AT(channels, tx_count),
				 AT(channels, combined_count) } },
	[QUALIFY_COALESCE] = { ETHTOOL_GCOALESCE,
			       ETHTOOL_SCOALESCE,
			       2,
			       { AT(coalesce, rx_coalesce_usecs),
				 AT(coalesce, use_adaptive_rx_coalesce) } },
#undef AT
};

union command {
	__u32 cmd;
	struct ethtool_ringparam ring;
	struct ethtool_channels channels;
	struct ethtool_coalesce coalesce;
	__u32 word[64];
};

static int get_numbers(const char *ifname, const struct numbers *of, union command *command,
		       char *value)
{
	size_t i, len = 0;
	int err;

	*command = (union command){ .cmd = of->get };
	err = rxaqm_ethtool(ifname, command);
	for (i = 0; i < of->nr; i++)
		len += (size_t)snprintf(value + len, QUALIFY_SETTING_LEN - len, "%s%u",
					i ? " " : "", command->word[of->at[i]]);
	return err;
}

static int set_numbers(const char *ifname, const struct numbers *of, const char *value)
{
	char now[QUALIFY_SETTING_LEN], *end;
	union command command;
	int err = get_numbers(ifname, of, &command, now);
	size_t i;

	/* Do not write an unchanged value: a driver may restart its rings for it. */
	if (err || !strcmp(now, value))
		return err;
	for (i = 0; i < of->nr; i++, value = end) {
		command.word[of->at[i]] = (__u32)strtoul(value, &end, 10);
		if (end == value)
			return -EINVAL;
	}
	command.cmd = of->set;
	return rxaqm_ethtool(ifname, &command);
}

static int get_hwtstamp(const char *ifname, char *value)
{
	struct hwtstamp_config config = {};
	int err = rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &config);

	snprintf(value, QUALIFY_SETTING_LEN, "%d %d %d", config.flags, config.tx_type,
		 config.rx_filter);
	return err;
}

static int set_hwtstamp(const char *ifname, const char *value)
{
	struct hwtstamp_config config = {};

	if (sscanf(value, "%d %d %d", &config.flags, &config.tx_type, &config.rx_filter) != 3)
		return -EINVAL;
	return rxaqm_hwtstamp(ifname, SIOCSHWTSTAMP, &config);
}

static int get_link(const char *ifname, char *value)
{
	struct ifreq ifr = {};
	int err = rxaqm_nic_ioctl(ifname, SIOCGIFFLAGS, &ifr);

	strcpy(value, ifr.ifr_flags & IFF_UP ? "1" : "0");
	return err;
}

/* Open a file of the interface in sysfs. */
static int open_sysfs(const char *ifname, const char *what, int flags)
{
	int fd, sys = rxaqm_netns_sysfs(flags != O_RDONLY);
	char path[128];

	if (sys < 0)
		return sys;
	snprintf(path, sizeof(path), "class/net/%s/%s", ifname, what);
	fd = openat(sys, path, flags | O_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	close(sys);
	return fd;
}

static int get_sysfs(const char *ifname, const char *what, char *value)
{
	int fd = open_sysfs(ifname, what, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = read(fd, value, QUALIFY_SETTING_LEN - 1);
	got = got < 0 ? -errno : got;
	close(fd);
	if (got < 0)
		return (int)got;
	/* A value that was cut short must not be restored. */
	if (got == QUALIFY_SETTING_LEN - 1)
		return -E2BIG;
	value[got] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

static int set_sysfs(const char *ifname, const char *what, const char *value)
{
	int fd = open_sysfs(ifname, what, O_WRONLY | O_TRUNC), err = 0;

	if (fd < 0)
		return fd;
	if (write(fd, value, strlen(value)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* A veth has NAPIs, and so this setting, only while XDP is on it. */
static int set_threaded(const char *ifname, const char *value)
{
	int err = set_sysfs(ifname, "threaded", value);
	struct qualify_probe probe;

	if (err != -EOPNOTSUPP || qualify_probe_open(&probe, ifname, NULL))
		return err;
	if (!qualify_probe_xdp_on(&probe, NULL))
		err = set_sysfs(ifname, "threaded", value);
	qualify_probe_close(&probe);
	return err;
}

/* Only the probe can set "on": it has the program. */
static int set_tc(const char *ifname, const char *value)
{
	unsigned int ifindex = if_nametoindex(ifname);

	if (!ifindex)
		return -errno;
	if (strcmp(value, "on"))
		qualify_probe_tc_off(ifindex, !strcmp(value, "clsact"));
	return 0;
}

const char *const qualify_setting_names[QUALIFY_NR_SETTINGS] = {
	[QUALIFY_RING] = "ring",	   [QUALIFY_CHANNELS] = "channels",
	[QUALIFY_COALESCE] = "coalescing", [QUALIFY_HWTSTAMP] = "timestamps",
	[QUALIFY_LINK] = "link",	   [QUALIFY_SYSFS] = "sysfs",
	[QUALIFY_THREADED] = "threaded",   [QUALIFY_TC] = "tc",
	[QUALIFY_ATTACHED] = "attached",
};

int qualify_setting_get(const char *ifname, enum qualify_setting setting, const char *what,
			char value[QUALIFY_SETTING_LEN])
{
	union command command;

	switch (setting) {
	case QUALIFY_RING:
	case QUALIFY_CHANNELS:
	case QUALIFY_COALESCE:
		return get_numbers(ifname, &numbers[setting], &command, value);
	case QUALIFY_HWTSTAMP:
		return get_hwtstamp(ifname, value);
	case QUALIFY_LINK:
		return get_link(ifname, value);
	case QUALIFY_THREADED:
		return get_sysfs(ifname, "threaded", value);
	case QUALIFY_TC:
		strcpy(value, qualify_probe_has_clsact(if_nametoindex(ifname)) ? "clsact" : "none");
		return 0;
	case QUALIFY_ATTACHED:
		strcpy(value, "no");
		return 0;
	default:
		return get_sysfs(ifname, what, value);
	}
}

int qualify_setting_set(const char *ifname, enum qualify_setting setting, const char *what,
			const char *value)
{
	switch (setting) {
	case QUALIFY_RING:
	case QUALIFY_CHANNELS:
	case QUALIFY_COALESCE:
		return set_numbers(ifname, &numbers[setting], value);
	case QUALIFY_HWTSTAMP:
		return set_hwtstamp(ifname, value);
	case QUALIFY_LINK:
		return set_link(ifname, value[0] == '1');
	case QUALIFY_THREADED:
		return set_threaded(ifname, value);
	case QUALIFY_TC:
		return set_tc(ifname, value);
	case QUALIFY_ATTACHED:
		return set_attached(ifname, value);
	default:
		return set_sysfs(ifname, what, value);
	}
}
