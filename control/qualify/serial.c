/* SPDX-License-Identifier: GPL-2.0-only */
/* The serial number of a device: what its driver says (devlink), or what it has itself (PCI VPD). */
#include <fcntl.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "nic/netlink.h"
#include "qualify/qualify.h"

static int take_serial(const struct nlmsghdr *message, void *serial)
{
	static const __u16 attrs[] = { DEVLINK_ATTR_INFO_BOARD_SERIAL_NUMBER,
				       DEVLINK_ATTR_INFO_SERIAL_NUMBER };
	const struct nlattr *attr;
	size_t i;

	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		attr = rxaqm_netlink_attr(message, GENL_HDRLEN, attrs[i], 1);
		if (attr)
			snprintf(serial, QUALIFY_SERIAL_LEN, "%.*s",
				 (int)mnl_attr_get_payload_len(attr),
				 (const char *)mnl_attr_get_payload(attr));
	}
	return 0;
}

static void ask_devlink(const char *bus, char serial[QUALIFY_SERIAL_LEN])
{
	int family = rxaqm_netlink_family(DEVLINK_GENL_NAME, NULL, NULL);
	union rxaqm_netlink_request request;
	struct genlmsghdr *genl;

	if (family < 0 || strlen(bus) > 32)
		return;
	genl = rxaqm_netlink_begin(&request, (__u16)family, 0, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = DEVLINK_CMD_INFO_GET, .version = DEVLINK_GENL_VERSION };
	mnl_attr_put_strz(&request.nl, DEVLINK_ATTR_BUS_NAME, "pci");
	mnl_attr_put_strz(&request.nl, DEVLINK_ATTR_DEV_NAME, bus);
	rxaqm_netlink_ask(NETLINK_GENERIC, &request, take_serial, serial);
}

/* PCI Local Bus 3.0, appendix I: resources of a tag and, if that is large, a length; in those of
 * VPD-R keywords of two letters, a length and a value.
 */
#define LARGE 0x80
#define VPD_R 0x90
#define END 0x78

void qualify_vpd_serial(const __u8 *vpd, size_t nr, char serial[QUALIFY_SERIAL_LEN])
{
	size_t at = 0, end, len;

	while (at + 3 <= nr && vpd[at] != END) {
		bool large = vpd[at] & LARGE, ours = vpd[at] == VPD_R;

		len = large ? (size_t)(vpd[at + 1] | vpd[at + 2] << 8) : vpd[at] & 7U;
		at += large ? 3 : 1;
		end = at + len < nr ? at + len : nr;
		for (; ours && at + 3 <= end; at += 3U + vpd[at + 2]) {
			if (memcmp(vpd + at, "SN", 2) || at + 3 + vpd[at + 2] > end)
				continue;
			snprintf(serial, QUALIFY_SERIAL_LEN, "%.*s", (int)vpd[at + 2],
				 (const char *)vpd + at + 3);
			return;
		}
		at = end;
	}
}

void qualify_serial(const char *bus, char serial[QUALIFY_SERIAL_LEN])
{
	char path[128];
	__u8 vpd[4096];
	ssize_t got;
	int fd;

	serial[0] = '\0';
	ask_devlink(bus, serial);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.63s/vpd", bus);
	fd = *serial ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : read(fd, vpd, sizeof(vpd));
	if (fd >= 0)
		close(fd);
	if (got > 0)
		qualify_vpd_serial(vpd, (size_t)got, serial);
	rxaqm_clean(serial);
	/* They are padded. */
	for (got = (ssize_t)strlen(serial); got > 0 && serial[got - 1] == ' '; got--)
		serial[got - 1] = '\0';
}
