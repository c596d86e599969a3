/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of a record: what was qualified, and where. */
#include <fcntl.h>
#include <linux/ethtool.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
#include "base/each.h"
#include "base/version.h"

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

void qualify_setup_add(struct qualify_record *record, const char *name, const char *fmt, ...)
{
	struct qualify_setup *setup = rxaqm_list_add(&record->setup);
	va_list args;

	if (!setup)
		return;
	snprintf(setup->name, sizeof(setup->name), "%s", name);
	va_start(args, fmt);
	vsnprintf(setup->value, sizeof(setup->value), fmt, args);
	va_end(args);
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

/* Is feature @name of ethtool -k on? */
static bool is_on(const char *ifname, const char *name)
{
	struct ethtool_gstrings *names = rxaqm_ethtool_names(ifname, ETH_SS_FEATURES);
	__u32 bit = 0, words = names ? (names->len + 31) / 32 : 0;
	struct ethtool_gfeatures *features = calloc(1,
						    sizeof(*features) +
							    words * sizeof(features->features[0]));
	bool on = false;

	while (names && bit < names->len &&
	       strncmp((const char *)names->data + (size_t)bit * ETH_GSTRING_LEN, name,
		       ETH_GSTRING_LEN))
		bit++;
	if (features && names && bit < names->len) {
		features->cmd = ETHTOOL_GFEATURES;
		features->size = words;
		on = !rxaqm_ethtool(ifname, features) && bit / 32 < features->size &&
		     features->features[bit / 32].active & 1U << bit % 32;
	}
	free(features);
	free(names);
	return on;
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
		on |= (__u64)is_on(ifname, names[i]) << i;
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
	char value[QUALIFY_SETTING_LEN], *at;
	size_t i, got;
	FILE *file;

	qualify_setup_add(record, "MAC", "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
			  mac[3], mac[4], mac[5]);
	rxaqm_nic_read_dir(ifname, "/device", add_device, record);
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
