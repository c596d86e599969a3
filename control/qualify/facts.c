/* SPDX-License-Identifier: GPL-2.0-only */
/* What was qualified, and where: the head of a record. */
#include <fcntl.h>
#include <linux/ethtool.h>
#include <net/if.h>
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

static void read_cpu(struct qualify_record *record)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		const char *at = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !at)
			continue;
		snprintf(record->cpu, sizeof(record->cpu), "%.*s", (int)strcspn(at + 2, "\n"),
			 at + 2);
		break;
	}
	if (file)
		fclose(file);
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

int qualify_facts_read(const char *ifname, struct qualify_record *record, __u8 mac[6])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_cmd link = { .cmd = ETHTOOL_GSET };
	static struct rxaqm_profile profile;
	struct utsname name;
	struct ifreq ifr = {};
	time_t now = time(NULL);
	struct tm utc;
	int err = rxaqm_nic_ioctl(ifname, SIOCGIFHWADDR, &ifr);

	if (err)
		return err;
	memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
	snprintf(record->interface, sizeof(record->interface), "%s", ifname);
	record->mtu = rxaqm_nic_ioctl(ifname, SIOCGIFMTU, &ifr) ? 1500 : (__u32)ifr.ifr_mtu;
	strftime(record->at, sizeof(record->at), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	snprintf(record->rxaqm, sizeof(record->rxaqm), "%s", RXAQM_VERSION);
	if (!uname(&name))
		snprintf(record->kernel, sizeof(record->kernel), "%.95s", name.release);
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
	if (!rxaqm_profile_for_interface(ifname, &profile, NULL))
		snprintf(record->profile, sizeof(record->profile), "%.31s", profile.name);
	return 0;
}
