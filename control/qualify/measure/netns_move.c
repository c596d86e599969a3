/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/netns_move.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/program.h"
#include "nic/ethtool.h"
#include "nic/netlink.h"
#include "nic/netns.h"

#define MAX_WORDS 8

/* Exit code of rxaqm with @argv, its output thrown away; -errno. */
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

int qualify_rxaqm(const char *ifname, const char *words)
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

int qualify_link_set(const char *ifname, bool up)
{
	struct ifreq ifr = {};
	int err = rxaqm_nic_ioctl(ifname, SIOCGIFFLAGS, &ifr);

	if (err)
		return err;
	ifr.ifr_flags = (short)(up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP);
	return rxaqm_nic_ioctl(ifname, SIOCSIFFLAGS, &ifr);
}

static int move_link(const char *ifname, int netns_fd)
{
	union rxaqm_netlink_request request;
	struct ifinfomsg *info = rxaqm_netlink_begin(&request, RTM_NEWLINK, NLM_F_ACK,
						     sizeof(*info));

	info->ifi_index = (int)if_nametoindex(ifname);
	if (!info->ifi_index)
		return -ENODEV;
	mnl_attr_put_u32(&request.nl, IFLA_NET_NS_FD, (__u32)netns_fd);
	return rxaqm_netlink_ask(NETLINK_ROUTE, &request, NULL, NULL);
}

/* A namespace under that name, as "ip netns add" makes it. */
static int make_netns(const char *path, int home)
{
	int fd, err = 0;

	if (mkdir(RXAQM_NETNS_DIR, 0755) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	close(fd);
	if (unshare(CLONE_NEWNET) || mount("/proc/self/ns/net", path, "none", MS_BIND, NULL))
		err = -errno;
	if (setns(home, CLONE_NEWNET))
		_exit(RXAQM_EXIT_FAILED); /* it was ours a moment ago */
	if (err)
		unlink(path);
	return err;
}

static void remove_netns(const char *path)
{
	umount2(path, MNT_DETACH);
	unlink(path);
}

int qualify_move_to_netns(const char *ifname, const char *netns)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), fd, err;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", RXAQM_NETNS_DIR, netns);
	err = home < 0 ? -errno : make_netns(path, home);
	if (!err) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		err = fd < 0 ? -errno : move_link(ifname, fd);
		/* It arrives down. */
		if (!err && !setns(fd, CLONE_NEWNET)) {
			err = qualify_link_set(ifname, true);
			if (setns(home, CLONE_NEWNET))
				_exit(RXAQM_EXIT_FAILED);
		} else if (err) {
			remove_netns(path);
		}
		if (fd >= 0)
			close(fd);
	}
	if (home >= 0)
		close(home);
	return err;
}

int qualify_move_back(const char *ifname)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), fd, err = 0;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s%.15s", RXAQM_NETNS_DIR, QUALIFY_NETNS_PREFIX, ifname);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (home < 0 || fd < 0 || setns(fd, CLONE_NEWNET)) {
		/* Never moved: what is noted comes first. */
		err = errno == ENOENT ? 0 : -errno;
	} else {
		err = move_link(ifname, home);
		if (setns(home, CLONE_NEWNET))
			_exit(RXAQM_EXIT_FAILED);
		if (!err || err == -ENODEV)
			remove_netns(path);
	}
	if (fd >= 0)
		close(fd);
	if (home >= 0)
		close(home);
	return err;
}
