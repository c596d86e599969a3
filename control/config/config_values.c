/* SPDX-License-Identifier: GPL-2.0-only */
/* How the values of rxaqm.conf are read and written. */
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "base/listen.h"
#include "base/nearest.h"
#include "base/parse.h"

static int bad(const struct rxaqm_config_key *key, const char *value, struct rxaqm_error *error,
	       const char *remedy)
{
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, "%s=%.60s: %s", key->name, value,
			       remedy);
}

static int set_choice(const struct rxaqm_config_key *key, const char *value, int *field,
		      struct rxaqm_error *error)
{
	const char *nearest = rxaqm_nearest(value, key->choices);
	int i;

	for (i = 0; key->choices[i]; i++) {
		if (!strcmp(key->choices[i], value)) {
			*field = i;
			return 0;
		}
	}
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, "%s=%.60s: must be one of %s%s%s%s",
			       key->name, value, key->form, nearest ? "; did you mean \"" : "",
			       nearest ? nearest : "", nearest ? "\"?" : "");
}

static int set_duration(const struct rxaqm_config_key *key, const char *value, __u64 *field,
			struct rxaqm_error *error)
{
	char least[RXAQM_DURATION_LEN], most[RXAQM_DURATION_LEN];
	__u64 ns = 0;
	int err = rxaqm_parse_duration(value, &ns);

	if (err == -EINVAL)
		return bad(key, value, error, "not a DURATION; write 500ms, 10s or 5m");
	if (!err && ns >= key->min && ns <= key->max) {
		*field = ns;
		return 0;
	}
	rxaqm_format_duration_exact(key->min, least);
	rxaqm_format_duration_exact(key->max, most);
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
			       "%s=%.60s: out of range; %s to %s is possible", key->name, value,
			       least, most);
}

static int set_listen(const struct rxaqm_config_key *key, const char *value, char *field,
		      struct rxaqm_error *error)
{
	struct rxaqm_error reason = {};
	struct rxaqm_listen listen;

	if (!strcmp(value, "off")) {
		field[0] = '\0';
		return 0;
	}
	if (strlen(value) >= RXAQM_CONFIG_PATH_LEN || rxaqm_listen_parse(value, &listen, &reason))
		return bad(key, value, error,
			   reason.text[0] ? reason.text : "too long; write 127.0.0.1:9752");
	strcpy(field, value);
	return 0;
}

static int set_path(const struct rxaqm_config_key *key, const char *value, char *field,
		    struct rxaqm_error *error)
{
	if (!strcmp(value, "off")) {
		field[0] = '\0';
		return 0;
	}
	if (value[0] != '/')
		return bad(key, value, error, "must be a path from / on, or off");
	if (strlen(value) >= RXAQM_CONFIG_PATH_LEN - 8) /* ".XXXXXX" is appended */
		return bad(key, value, error, "longer than 99 characters; choose a shorter path");
	strcpy(field, value);
	return 0;
}

static int set_group(const struct rxaqm_config_key *key, const char *value, char field[33],
		     struct rxaqm_error *error)
{
	if (!*value || strlen(value) > 32 || !getgrnam(value))
		return bad(key, value, error,
			   "there is no such group; see \"getent group\", or make it with "
			   "\"groupadd --system\"");
	strcpy(field, value);
	return 0;
}

static int set_file_mode(const struct rxaqm_config_key *key, const char *value, unsigned int *field,
			 struct rxaqm_error *error)
{
	char *end;
	unsigned long mode = strtoul(value, &end, 8);

	if (!*value || strlen(value) > 4 || strspn(value, "01234567") != strlen(value))
		return bad(key, value, error, "must be an octal number such as 0640");
	if (!(mode & 0400) || mode & ~0664UL)
		return bad(key, value, error,
			   "out of range; the owner must read it, nobody may execute it and not "
			   "everybody write it: 0400 to 0664");
	*field = (unsigned int)mode;
	return 0;
}

static int set_bool(const struct rxaqm_config_key *key, const char *value, bool *field,
		    struct rxaqm_error *error)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return bad(key, value, error, "must be yes or no");
	*field = !strcmp(value, "yes");
	return 0;
}

static int set_word(const struct rxaqm_config_key *key, const char *value, char *field,
		    struct rxaqm_error *error)
{
	if (!*value || strlen(value) >= RXAQM_CONFIG_PATH_LEN)
		return bad(key, value, error, "must be 1 to 107 characters long");
	strcpy(field, value);
	return 0;
}

int rxaqm_config_key_set(const struct rxaqm_config_key *key, void *object, const char *value,
			 struct rxaqm_error *error)
{
	void *field = (char *)object + key->offset;

	switch (key->type) {
	case RXAQM_CONFIG_BOOL:
		return set_bool(key, value, field, error);
	case RXAQM_CONFIG_CHOICE:
		return set_choice(key, value, field, error);
	case RXAQM_CONFIG_DURATION:
		return set_duration(key, value, field, error);
	case RXAQM_CONFIG_LISTEN:
		return set_listen(key, value, field, error);
	case RXAQM_CONFIG_PATH_OR_OFF:
		return set_path(key, value, field, error);
	case RXAQM_CONFIG_WORD:
		return set_word(key, value, field, error);
	case RXAQM_CONFIG_GROUP:
		return set_group(key, value, field, error);
	default:
		return set_file_mode(key, value, field, error);
	}
}

const char *rxaqm_config_key_format(const struct rxaqm_config_key *key, const void *object,
				    char buf[RXAQM_CONFIG_VALUE_LEN])
{
	const void *field = (const char *)object + key->offset;

	switch (key->type) {
	case RXAQM_CONFIG_BOOL:
		return strcpy(buf, *(const bool *)field ? "yes" : "no");
	case RXAQM_CONFIG_CHOICE:
		return strcpy(buf, key->choices[*(const int *)field]);
	case RXAQM_CONFIG_DURATION:
		return rxaqm_format_duration_exact(*(const __u64 *)field, buf);
	case RXAQM_CONFIG_LISTEN:
	case RXAQM_CONFIG_PATH_OR_OFF:
		return strcpy(buf, *(const char *)field ? field : "off");
	case RXAQM_CONFIG_WORD:
	case RXAQM_CONFIG_GROUP:
		return strcpy(buf, field);
	default:
		snprintf(buf, RXAQM_CONFIG_VALUE_LEN, "%04o", *(const unsigned int *)field);
		return buf;
	}
}
