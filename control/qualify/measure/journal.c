/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fields.h"
#include "base/dirs.h"
#include "nic/netns.h"
#include "nic/nic.h"
#include "qualify/measure/nic_settings.h"

#define LINE_LEN (2 * QUALIFY_SETTING_LEN)

struct note {
	enum qualify_setting setting;
	char what[QUALIFY_SETTING_LEN], old[QUALIFY_SETTING_LEN];
};

struct notes {
	RXAQM_LIST(struct note) list;
};

/* The directory outlives the service, whose own one systemd empties when it stops. It outlives a
 * reboot, too, after which nothing is to be put back: the name has the boot's id.
 */
void qualify_journal_init(struct qualify_journal *journal, const char *ifname)
{
	char name[96], boot[40];

	rxaqm_first_line(AT_FDCWD, RXAQM_BOOT_ID, boot, sizeof(boot));
	snprintf(journal->ifname, sizeof(journal->ifname), "%.31s", ifname);
	snprintf(name, sizeof(name), "qualify-%.8s-%llu-%.31s.journal", boot, rxaqm_netns_ino(),
		 ifname);
	rxaqm_kept_path(name, journal->path, sizeof(journal->path));
}

bool qualify_journal_left(const struct qualify_journal *journal)
{
	return !access(journal->path, F_OK) || errno != ENOENT;
}

/* Cut the next word of *@at at @end and copy it to @to. False: there is no @end, or no room. */
static bool take_word(char **at, char end, char *to, size_t size)
{
	char *from = *at, *stop = strchr(from, end);

	if (!stop || (size_t)(stop - from) >= size)
		return false;
	memcpy(to, from, (size_t)(stop - from));
	to[stop - from] = '\0';
	*at = stop + 1;
	return true;
}

static bool parse(char *line, struct note *note)
{
	char name[32];
	int i;

	if (!take_word(&line, ' ', name, sizeof(name)) ||
	    !take_word(&line, '\t', note->what, sizeof(note->what)) ||
	    !take_word(&line, '\n', note->old, sizeof(note->old)) || *line)
		return false;
	if (!strcmp(note->what, "-"))
		note->what[0] = '\0';
	for (i = 0; i < QUALIFY_NR_SETTINGS; i++) {
		if (!strcmp(name, qualify_setting_names[i])) {
			note->setting = (enum qualify_setting)i;
			return true;
		}
	}
	return false;
}

/* Read all notes, or return -errno: a partial list would look complete. */
static int read_notes(const struct qualify_journal *journal, struct notes *notes)
{
	FILE *file = fopen(journal->path, "re");
	char line[LINE_LEN + 64];
	struct note note;
	int err = 0;

	if (!file)
		return errno == ENOENT ? 0 : -errno;
	while (!err && fgets(line, sizeof(line), file)) {
		/* A note that was cut short: its setting was not changed yet. */
		if (!strchr(line, '\n') && feof(file))
			break;
		err = parse(line, &note) ? 0 : -EBADMSG;
		if (!err && !rxaqm_list_put(&notes->list, note))
			err = -ENOMEM;
	}
	if (!err && ferror(file))
		err = -EIO;
	fclose(file);
	return err;
}

static bool noted(const struct notes *notes, enum qualify_setting setting, const char *what)
{
	const struct note *note;

	return rxaqm_list_find(note, &notes->list,
			       note->setting == setting && !strcmp(note->what, what));
}

static int append(const struct qualify_journal *journal, const char *line)
{
	int fd = open(journal->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	ssize_t written;
	off_t size;
	int err = 0;

	if (fd < 0)
		return -errno;
	size = lseek(fd, 0, SEEK_END);
	written = write(fd, line, strlen(line));
	if (written != (ssize_t)strlen(line)) {
		err = written < 0 ? -errno : -ENOSPC;
		/* Drop the rest of it, so that the next note begins a line. */
		if (ftruncate(fd, size))
			err = -errno;
	}
	close(fd);
	return err;
}

int qualify_setting_change(struct qualify_journal *journal, enum qualify_setting setting,
			   const char *what, const char *value)
{
	char old[QUALIFY_SETTING_LEN], line[LINE_LEN + 64];
	struct notes notes = {};
	int err = read_notes(journal, &notes);

	if (!err && !noted(&notes, setting, what)) {
		err = qualify_setting_get(journal->ifname, setting, what, old);
		snprintf(line, sizeof(line), "%s %s\t%s\n", qualify_setting_names[setting],
			 *what ? what : "-", old);
		if (!err)
			err = append(journal, line);
	}
	free(notes.list.at);
	return err ?: qualify_setting_set(journal->ifname, setting, what, value);
}

int qualify_journal_restore(struct qualify_journal *journal, struct rxaqm_error *error)
{
	struct notes notes = {};
	int err = read_notes(journal, &notes), failed = 0;
	size_t i;

	if (err)
		failed = rxaqm_failed(
			error, -err,
			"cannot read %s, which notes what an earlier run has changed of \"%s\": %s; it "
			"is kept, and nothing is put back: try again, or set by hand what it says and "
			"remove it",
			journal->path, journal->ifname,
			err == -EBADMSG ? "a line is not of this version" : strerror(-err));
	for (i = err ? 0 : notes.list.nr; i-- > 0;) {
		const struct note *note = &notes.list.at[i];

		err = qualify_setting_set(journal->ifname, note->setting, note->what, note->old);
		if (err && err != -ENODEV)
			failed = rxaqm_failed(
				error, -err,
				"cannot put back %s%s%s of \"%s\" to \"%s\": %s; set it by hand "
				"and remove %s",
				qualify_setting_names[note->setting], *note->what ? " " : "",
				note->what, journal->ifname, note->old, strerror(-err),
				journal->path);
	}
	free(notes.list.at);
	if (!failed)
		unlink(journal->path);
	return failed;
}
