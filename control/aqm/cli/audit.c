/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/audit.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "policy/changes.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define MESSAGE_ID "9d1c0a6f4b7e4f53a8e2c5d07b31f6aa" /* rxaqm(8) lists it */

struct audit {
	const char *ifname;
	bool journal; /* it is there: sd_journal_send() does not tell */
	char command[256], login[64];
};

/* Read a file of /proc/self, with spaces for what is not to be printed. Returns @buf. */
static char *read_self(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t i, len = fd < 0 ? 0 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	while (len > 0 && !buf[len - 1])
		len--;
	for (i = 0; i < len; i++)
		if (!isprint((unsigned char)buf[i]))
			buf[i] = ' ';
	buf[len > 0 ? len : 0] = '\0';
	return buf;
}

/* The user who logged in, whatever he has become since (sudo, su): the kernel's login uid. */
static void find_login(char *buf, size_t size)
{
	const struct passwd *user;
	unsigned int uid;
	char text[32];

	if (sscanf(read_self("/proc/self/loginuid", text, sizeof(text)), "%u", &uid) != 1 ||
	    uid == (unsigned int)-1) {
		snprintf(buf, size, "none");
		return;
	}
	user = getpwuid(uid);
	snprintf(buf, size, user ? "%u (%.40s)" : "%u", uid, user ? user->pw_name : "");
}

static void send_line(void *arg, const char *text)
{
	const struct audit *audit = arg;
	char message[RXAQM_CHANGES_LEN + 512];

	snprintf(message, sizeof(message), "%s: %s; by uid %u, login %s: \"%s\"", audit->ifname,
		 text, getuid(), audit->login, audit->command);
	if (audit->journal)
		sd_journal_send("MESSAGE=%s", message, "PRIORITY=%d", LOG_NOTICE, "IFACE=%s",
				audit->ifname, "MESSAGE_ID=%s", MESSAGE_ID,
				"SYSLOG_IDENTIFIER=rxaqm", NULL);
	else
		syslog(LOG_DAEMON | LOG_NOTICE, "%s", message);
}

void rxaqm_audit(const char *ifname, const struct rxaqm_policy *before,
		 const struct rxaqm_policy *after, unsigned int nr)
{
	struct audit audit = { .ifname = ifname, .journal = !access(JOURNAL_SOCKET, W_OK) };

	read_self("/proc/self/cmdline", audit.command, sizeof(audit.command));
	find_login(audit.login, sizeof(audit.login));
	rxaqm_changes_each(before, after, nr, send_line, &audit);
}
