/* SPDX-License-Identifier: GPL-2.0-only */
#include "config/config.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/out.h"

void rxaqm_config_init(struct rxaqm_config *config)
{
	const char *const *section;

	memset(config, 0, sizeof(*config));
	for (section = rxaqm_config_sections; *section; section++)
		rxaqm_keys_init(rxaqm_config_keys, *section, config);
	rxaqm_runtime_path("status.json", config->status_file, sizeof(config->status_file));
}

void rxaqm_config_iface_init(struct rxaqm_config_iface *iface)
{
	memset(iface, 0, sizeof(*iface));
	rxaqm_keys_init(rxaqm_config_keys, "Interface", iface);
}

bool rxaqm_config_status_text(char path[RXAQM_CONFIG_PATH_LEN])
{
	char *end = strrchr(path, '.');

	if (!end || strcmp(end, ".json"))
		return false;
	strcpy(end, ".txt");
	return true;
}

void rxaqm_config_free(struct rxaqm_config *config)
{
	free(config->iface);
	config->iface = NULL;
	config->nr_ifaces = 0;
}

const struct rxaqm_config_iface *rxaqm_config_find(const struct rxaqm_config *config,
						   const char *ifname)
{
	unsigned int i;

	for (i = 0; i < config->nr_ifaces; i++)
		if (!config->iface[i].glob && !strcmp(config->iface[i].match, ifname))
			return &config->iface[i];
	/* "*" is not meant to include the loopback device. */
	if (!strcmp(ifname, "lo"))
		return NULL;
	for (i = 0; i < config->nr_ifaces; i++)
		if (config->iface[i].glob && !fnmatch(config->iface[i].match, ifname, 0))
			return &config->iface[i];
	return NULL;
}

static void fold(__u32 *digest, const char *text)
{
	/* FNV-1a, with the NUL that ends the text. */
	do
		*digest = (*digest ^ (unsigned char)*text) * 16777619U;
	while (*text++);
}

__u32 rxaqm_config_digest(const struct rxaqm_config_iface *iface)
{
	char value[RXAQM_KEY_LEN], standard[RXAQM_KEY_LEN];
	struct rxaqm_config_iface silent;
	const struct rxaqm_key *key;
	__u32 digest = 2166136261U;
	unsigned int i;

	rxaqm_config_iface_init(&silent);
	for (key = rxaqm_config_keys; key->name; key++) {
		if (strcmp(key->section, "Interface") ||
		    (!strcmp(key->name, "lease") && !iface->lease_set) ||
		    !strcmp(rxaqm_key_format(key, iface, 0, value),
			    rxaqm_key_format(key, &silent, 0, standard)))
			continue;
		fold(&digest, key->name);
		fold(&digest, value);
	}
	if (iface->xdp_mode_set)
		fold(&digest, "xdp_mode is set");
	for (i = 0; i < iface->nr_settings; i++) {
		fold(&digest, iface->setting[i].key);
		fold(&digest, iface->setting[i].value);
	}
	return digest ? digest : 1;
}

int rxaqm_config_policy(const struct rxaqm_config_iface *iface, __u64 now_ns,
			struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	int err = rxaqm_typed_apply(iface->setting, iface->nr_settings, policy, RXAQM_SOURCE_CONFIG,
				    now_ns, error);

	if (err)
		return err;
	if (iface->lease_ns)
		rxaqm_setting_mark(policy, "lease", RXAQM_SOURCE_CONFIG, now_ns);
	policy->lease_ns = iface->lease_ns;
	policy->lease_until_ns = iface->lease_ns ? now_ns + iface->lease_ns : 0;
	return rxaqm_policy_check(policy, error);
}

#define NOTE_PATH_LEN (RXAQM_CONFIG_PATH_LEN + RXAQM_IFNAMSIZ)

/* Path of the note about @ifname, or ("") of the directory. It outlives a reboot. */
static char *note_path(const char *ifname, char path[NOTE_PATH_LEN])
{
	char name[16 + RXAQM_IFNAMSIZ];

	snprintf(name, sizeof(name), "detached/%s", ifname);
	rxaqm_kept_path(name, path, NOTE_PATH_LEN);
	return path;
}

int rxaqm_detached_note(const char *ifname, __u32 digest)
{
	char text[16], path[NOTE_PATH_LEN];
	/* A power cut may follow at once: the note is on the disk, or it is not there. */
	const struct rxaqm_own_file note = { rxaqm_file_put, text, 0644, (gid_t)-1, true };
	int dir_fd, err;

	snprintf(text, sizeof(text), "%u\n", digest);
	mkdir(dirname(note_path("", path)), 0755);
	mkdir(note_path("", path), 0755);
	dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	err = rxaqm_file_own(note_path(ifname, path), &note);
	if (!err && fsync(dir_fd))
		err = -errno;
	close(dir_fd);
	return err;
}

void rxaqm_detached_forget(const char *ifname)
{
	char path[NOTE_PATH_LEN];

	unlink(note_path(ifname, path));
}

bool rxaqm_detached(const char *ifname, __u32 digest)
{
	char path[NOTE_PATH_LEN];
	FILE *file = fopen(note_path(ifname, path), "re");
	unsigned int noted;
	bool same;

	/* A note that cannot be read is still an operator's decision. */
	if (!file)
		return errno != ENOENT && errno != ENOTDIR;
	same = fscanf(file, "%u", &noted) != 1 || noted == digest;
	fclose(file);
	return same;
}

/* Does the key's default depend on facts that are unknown until there is an interface? Such keys
 * are in [Interface] only.
 */
static bool left_open(const struct rxaqm_key *row, const struct rxaqm_config_iface *iface)
{
	return (!strcmp(row->name, "profile") && !iface->profile[0]) ||
	       (!strcmp(row->name, "xdp_mode") && !iface->xdp_mode_set);
}

static void print_keys(struct rxaqm_out *out, const char *section, const void *object)
{
	const struct rxaqm_key *row;

	for (row = rxaqm_config_keys; row->name; row++) {
		if (strcmp(row->section, section) || left_open(row, object))
			continue;
		rxaqm_out_text(out, "%s=", row->name);
		rxaqm_key_out(out, row, "%s\n", object, 0);
	}
}

static void print_iface(struct rxaqm_out *out, const struct rxaqm_config_iface *iface)
{
	unsigned int i;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "match", "\n[Interface %s]\n", iface->match);
	print_keys(out, "Interface", iface);
	rxaqm_out_object(out, "policy");
	for (i = 0; i < iface->nr_settings; i++) {
		rxaqm_out_text(out, "%s=", iface->setting[i].key);
		rxaqm_out_str(out, iface->setting[i].key, "%s\n", iface->setting[i].value);
	}
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}

void rxaqm_config_out(struct rxaqm_out *out, const struct rxaqm_config *config)
{
	const char *const *section;
	unsigned int i;

	for (section = rxaqm_config_sections; *section; section++) {
		rxaqm_out_text(out, "%s[%s]\n", section == rxaqm_config_sections ? "" : "\n",
			       *section);
		rxaqm_out_object(out, *section);
		print_keys(out, *section, config);
		rxaqm_out_end(out);
	}
	rxaqm_out_array(out, "Interface");
	for (i = 0; i < config->nr_ifaces; i++)
		print_iface(out, &config->iface[i]);
	rxaqm_out_end(out);
}
