/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings that are worse than the kernel's own default. */
#include <stdio.h>
#include <string.h>

#include "doctor/checks/check.h"

#define SYSCTLS "/proc/sys/net"

DOCTOR_JUDGE(judge_off)
{
	static const char *const switches[] = { "net.ipv4.tcp_window_scaling",
						"net.ipv4.tcp_moderate_rcvbuf", "net.ipv4.tcp_sack",
						"net.ipv4.tcp_timestamps" };
	char on[160] = "", off[160] = "";
	unsigned int nr = 0;
	size_t i;

	if (!snap->sysctl)
		return doctor_blind(finding, SYSCTLS " cannot be read");
	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		const char *value = doctor_sysctl_words(snap, switches[i]);

		if (!value || strcmp(value, "0") != 0)
			continue;
		nr++;
		snprintf(on + strlen(on), sizeof(on) - strlen(on), " %s=1", switches[i]);
		snprintf(off + strlen(off), sizeof(off) - strlen(off), " %s=0", switches[i]);
	}
	doctor_say_ours(finding, "turn_on", "%s", on);
	doctor_say_ours(finding, "turn_off", "%s", off);
	doctor_note(finding, "off", nr, DOCTOR_COUNT, SYSCTLS);
	return doctor_found_if(nr);
}

const struct doctor_check doctor_checks_settings[] = {
	{ DOCTOR_CHECK("tcp-features-off", SETTINGS, SETTING, MEDIUM, CONFIGURED),
	  .reads = "tcp_window_scaling, tcp_moderate_rcvbuf, tcp_sack, tcp_timestamps",
	  .rule = "any of them is 0",
	  .cause = "Features that TCP needs to be fast are off:${turn_off}.",
	  .because =
		  "Without window scaling a window is 64 kB at most; without tuning it keeps its first size; without "
		  "SACK each loss costs a round trip; without timestamps a round trip is measured once a window.",
	  .clear = "window scaling, tuning, SACK and timestamps are on",
	  .now = "`sysctl -w${turn_on}`",
	  .keep = "remove it from /etc/sysctl.conf and /etc/sysctl.d",
	  .undo = "`sysctl -w${turn_off}`",
	  .expect = "at 20 ms, from 26 Mbit/s (64 kB windows) to what the path gives",
	  .risk = "it affects only connections made after that", .shown = "n11_sack_off",
	  .reference = "ip-sysctl.rst; RFC 7323", .judge = judge_off },
	{}
};
