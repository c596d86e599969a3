/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of a record: what was qualified, and where. */
#include <fcntl.h>
#include <linux/devlink.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "nic/ethtool.h"
#include "nic/nic.h"
#include "profile/profile.h"
#include "qualify/qualify.h"
#include "qualify/record/record.h"
#include "base/clean.h"
#include "base/each.h"
#include "base/version.h"
#include "nic/netlink.h"

static void read_cpu(struct qualify_record *record)
{
	char line[256];

	rxaqm_each_line(line, "/proc/cpuinfo") {
		const char *at = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !at)
			continue;
		snprintf(record->cpu, sizeof(record->cpu), "%.*s", (int)strcspn(at + 2, "\n"),
			 at + 2);
		break;
	}
	record->cpus = (__u32)sysconf(_SC_NPROCESSORS_ONLN);
}

/* PCIe speed and width of device @bus ("0000:03:00.0"). */
static void read_pcie(struct qualify_record *record)
{
	static const char *const files[] = { "current_link_speed", "current_link_width" };
	char path[160], word[2][32];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.63s/%s", record->bus,
			 files[i]);
		rxaqm_first_line(AT_FDCWD, path, word[i], sizeof(word[i]));
	}
	if (*word[0] && *word[1])
		snprintf(record->pcie, sizeof(record->pcie), "%s x%.30s", word[0], word[1]);
}

#define THEN "; then "

void qualify_setup_add(struct qualify_record *record, const char *name, const char *fmt, ...)
{
	char value[sizeof(((struct qualify_setup *)0)->value)];
	struct qualify_setup *setup;
	const char *last, *next;
	size_t len;
	va_list args;

	va_start(args, fmt);
	vsnprintf(value, sizeof(value), fmt, args);
	va_end(args);
	setup = rxaqm_list_find(setup, &record->setup, !strcmp(setup->name, name)) ?:
			rxaqm_list_add(&record->setup);
	if (!setup)
		return;
	snprintf(setup->name, sizeof(setup->name), "%s", name);
	/* With --resume later runs may find another value: compare with the last one. */
	for (last = setup->value; (next = strstr(last, THEN)); last = next + strlen(THEN))
		;
	len = strlen(setup->value);
	if (strcmp(last, value))
		snprintf(setup->value + len, sizeof(setup->value) - len, "%s%s", len ? THEN : "",
			 value);
}

static void add_file(struct qualify_record *record, const char *name, int dir_fd, const char *path)
{
	char line[200];

	if (*rxaqm_first_line(dir_fd, path, line, sizeof(line)))
		qualify_setup_add(record, name, "%s", line);
}

static void add_interrupt(int dir_fd, const char *irq, void *record)
{
	char name[32], path[64];

	(void)dir_fd;
	snprintf(name, sizeof(name), "CPU of interrupt %.8s", irq);
	snprintf(path, sizeof(path), "/proc/irq/%.16s/effective_affinity_list", irq);
	add_file(record, name, AT_FDCWD, path);
}

static void add_device(int dir_fd, const char *name, void *record)
{
	static const char files[] =
		" vendor device subsystem_vendor subsystem_device revision numa_node ";
	char word[64], as[32];

	snprintf(word, sizeof(word), " %.40s ", name);
	snprintf(as, sizeof(as), "PCI %.20s", name);
	if (strstr(files, word))
		add_file(record, as, dir_fd, name);
}

/* The names of the offloads that are on, as many as fit. */
static void add_offloads(struct qualify_record *record, const char *ifname)
{
	static const char *const names[] = { "rx-checksum",	    "rx-gro",
					     "rx-gro-hw",	    "rx-lro",
					     "rx-vlan-hw-parse",    "rx-hashing",
					     "tx-tcp-segmentation", "tx-generic-segmentation" };
	const unsigned int nr = sizeof(names) / sizeof(names[0]);
	char words[QUALIFY_WORDS_LEN];
	__u64 on = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		on |= (__u64)(qualify_feature(ifname, names[i]) == QUALIFY_FEATURE_ON) << i;
	qualify_setup_add(record, "offloads", "%s", qualify_words_of(on, names, nr, words));
}

static void read_setup(const char *ifname, struct qualify_record *record, const __u8 mac[6])
{
	static const struct {
		enum qualify_setting setting;
		const char *name;
	} settings[] = { { QUALIFY_RING, "Rx ring" },
			 { QUALIFY_CHANNELS, "channels rx tx combined" },
			 { QUALIFY_COALESCE, "rx-usecs, adaptive" },
			 { QUALIFY_HWTSTAMP, "stamps flags tx rx" } };
	char value[QUALIFY_SETTING_LEN], serial[QUALIFY_SERIAL_LEN], *at;
	size_t i, got;
	FILE *file;

	qualify_setup_add(record, "MAC", "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
			  mac[3], mac[4], mac[5]);
	rxaqm_nic_read_dir(ifname, "/device", add_device, record);
	qualify_serial(record->bus, serial);
	if (*serial)
		qualify_setup_add(record, "serial number", "%s", serial);
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (!qualify_setting_get(ifname, settings[i].setting, "", value))
			qualify_setup_add(record, settings[i].name, "%s", value);
	}
	add_offloads(record, ifname);
	rxaqm_nic_read_dir(ifname, "/device/msi_irqs", add_interrupt, record);
	add_file(record, "governor", AT_FDCWD,
		 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	file = fopen("/proc/self/cmdline", "re");
	got = file ? fread(value, 1, sizeof(value) - 1, file) : 0;
	if (file)
		fclose(file);
	value[got] = '\0';
	for (at = value; at + 1 < value + got; at++)
		*at = *at ? *at : ' ';
	qualify_setup_add(record, "command", "%s", value);
}

int qualify_facts_read(const char *ifname, struct qualify_record *record, __u8 mac[6])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_cmd link = { .cmd = ETHTOOL_GSET };
	static struct rxaqm_profile profile;
	time_t now = time(NULL);
	struct utsname name;
	struct ifreq ifr = {};
	struct tm utc;
	int err = rxaqm_nic_ioctl(ifname, SIOCGIFHWADDR, &ifr);

	if (err)
		return err;
	memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
	snprintf(record->interface, sizeof(record->interface), "%s", ifname);
	record->mtu = rxaqm_nic_ioctl(ifname, SIOCGIFMTU, &ifr) ? 1500 : (__u32)ifr.ifr_mtu;
	strftime(record->time, sizeof(record->time), "%FT%TZ", gmtime_r(&now, &utc));
	snprintf(record->rxaqm, sizeof(record->rxaqm), "%s", rxaqm_version());
	if (!uname(&name)) {
		snprintf(record->host, sizeof(record->host), "%.63s", name.nodename);
		snprintf(record->kernel, sizeof(record->kernel), "%.95s", name.release);
	}
	if (!rxaqm_ethtool(ifname, &info)) {
		snprintf(record->driver, sizeof(record->driver), "%.31s", info.driver);
		snprintf(record->driver_version, sizeof(record->driver_version), "%.31s",
			 info.version);
		snprintf(record->firmware, sizeof(record->firmware), "%.31s", info.fw_version);
		snprintf(record->bus, sizeof(record->bus), "%.31s", info.bus_info);
		read_pcie(record);
	}
	record->speed_mbit = rxaqm_ethtool(ifname, &link) ? 0 : ethtool_cmd_speed(&link);
	if (record->speed_mbit <= 0 || record->speed_mbit == (__u32)SPEED_UNKNOWN)
		record->speed_mbit = -1;
	read_cpu(record);
	read_setup(ifname, record, mac);
	if (!rxaqm_profile_for_interface(ifname, &profile, NULL))
		snprintf(record->profile, sizeof(record->profile), "%.31s", profile.name);
	return 0;
}

static int take_serial(const struct nlmsghdr *message, void *serial)
{
	static const __u16 attrs[] = { DEVLINK_ATTR_INFO_BOARD_SERIAL_NUMBER,
				       DEVLINK_ATTR_INFO_SERIAL_NUMBER };
	const struct nlattr *attr;
	size_t i;

	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		attr = rxaqm_netlink_attr(message, GENL_HDRLEN, attrs[i], 1);
		if (attr)
			snprintf(serial, QUALIFY_SERIAL_LEN, "%.*s", (int)rxaqm_attr_len(attr),
				 (const char *)rxaqm_attr_data(attr));
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
	rxaqm_netlink_put(&request, DEVLINK_ATTR_BUS_NAME, "pci", sizeof("pci"));
	rxaqm_netlink_put(&request, DEVLINK_ATTR_DEV_NAME, bus, strlen(bus) + 1);
	rxaqm_netlink_ask(NETLINK_GENERIC, &request, take_serial, serial);
}

/* PCI Local Bus 3.0, appendix I: a resource has a tag and, if the tag is large, a length. VPD-R has
 * fields of two letters, a length and a value.
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
	/* Serial numbers are padded. */
	for (got = (ssize_t)strlen(serial); got > 0 && serial[got - 1] == ' '; got--)
		serial[got - 1] = '\0';
}
