/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/link.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/program.h"
#include "nic/ethtool.h"

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
