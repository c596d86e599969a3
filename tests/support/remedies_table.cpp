// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of situations. Each remedy that attach, status, check, detach, doctor or qualify
 * prints has a row here, or a reason why not. tests/system/aqm/test_remedies.cpp searches the
 * sources for missing ones. The advice of doctor's checks is not included.
 */
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include "remedies.hpp"

namespace
{

using enum Helps;
using enum Situation::Where;

constexpr const char *ATTACH = "rxaqm attach $IF";
constexpr const char *GENERIC = "rxaqm attach --mode generic $IF";
constexpr const char *STATUS = "rxaqm status $IF";

constexpr const char *TAKEN = "is taken by another program";
constexpr const char *OTHER_MODE = "libxdp's dispatcher is on";
constexpr const char *ABOVE = "kernel lets none be attached below that";
constexpr const char *OUTGROWN = "but rxaqm uses what was there at attach";

void attach(Place &p)
{
	p.must("rxaqm attach $IF");
}

/* Use hint, if the kernel and its veth have it. */
void attach_hint(Place &p)
{
	const Result attached = p.shell("rxaqm attach $IF signal=hint");

	if (attached.exit_code)
		SKIP("cannot be tried here: " << attached.err);
}

void need(const Place &p, const std::string &program)
{
	if (p.shell("command -v " + program).exit_code)
		SKIP("cannot be tried here: there is no " << program);
}

void mount_anew(const Place &p)
{
	p.must("umount $RXAQM_BPFFS && mount -t bpf -o mode=0700 bpf $RXAQM_BPFFS");
}

/* The limit is for the machine; only its first namespace shows it. */
void set_backlog(const Place &p, unsigned packets)
{
	REQUIRE(p.shell("sysctl -w net.core.netdev_max_backlog=" + std::to_string(packets), true)
			.exit_code == 0);
}

/* "xdp-loader clean" in another network namespace takes all pins for leftovers. */
void clean_from_elsewhere(const Place &p)
{
	need(p, "xdp-loader");
	p.must("nsenter --net=/run/netns/$TX xdp-loader clean");
}

} // namespace

const std::vector<Situation> &situations()
{
	static const std::vector<Situation> rows = {
		/* The XDP slot */
		{ HERE, "a native program", [](Place &p) { p.foreign(false); }, ATTACH, TAKEN,
		  "ip link" },
		{ HERE, "a native program, generic mode wanted", [](Place &p) { p.foreign(false); },
		  GENERIC, TAKEN, "ip link" },
		{ HERE, "a generic program on a driver with XDP", [](Place &p) { p.foreign(true); },
		  ATTACH, TAKEN, "ip link" },
		{ HERE, "a generic program, generic mode wanted", [](Place &p) { p.foreign(true); },
		  GENERIC, TAKEN, "ip link" },
		{ HERE, "a BPF link of a process", [](Place &p) { p.foreign_link(false); }, ATTACH,
		  "cannot replace", "bpftool link detach" },
		{ HERE, "a BPF link in generic mode", [](Place &p) { p.foreign_link(true); },
		  GENERIC, "cannot replace", "bpftool link detach" },
		{ HERE, "a BPF link that is pinned",
		  [](Place &p) { p.foreign_link(false, "", true); }, ATTACH, "cannot replace",
		  "bpftool -f link show", SHOWS },
		{ HERE, "a program on the bridge above",
		  [](Place &p) {
			  p.bridge();
			  p.foreign(true, "br0");
		  },
		  ATTACH, ABOVE, "ip link" },
		{ HERE, "a program on the bridge above, generic mode wanted",
		  [](Place &p) {
			  p.bridge();
			  p.foreign(true, "br0");
		  },
		  GENERIC, ABOVE, "ip link" },
		{ HERE, "a BPF link on the bridge above",
		  [](Place &p) {
			  p.bridge();
			  p.foreign_link(true, "br0");
		  },
		  ATTACH, ABOVE, "bpftool link detach" },
		{ HERE, "rxaqm on the bridge above",
		  [](Place &p) {
			  p.bridge();
			  p.must("rxaqm attach --mode generic br0");
		  },
		  ATTACH, ABOVE, "rxaqm detach" },
		{ HERE, "a BPF file system that was mounted anew",
		  [](Place &p) {
			  attach(p);
			  mount_anew(p);
		  },
		  ATTACH, "rxaqm's own program", "ip link" },
		{ GUEST, "a program on the bond above",
		  [](Place &p) {
			  p.must("modprobe bonding");
			  p.wire.rx.ip("link add bond0 type bond mode active-backup");
			  p.wire.rx.ip("link set " + p.wire.rx_if + " down");
			  p.wire.rx.ip("link set " + p.wire.rx_if + " master bond0");
			  p.foreign(false, "bond0");
		  },
		  ATTACH, ABOVE, "ip link" },
		{ GUEST, "a dispatcher in generic mode: join it",
		  [](Place &p) { p.must("xdp-filter load -m skb $IF"); }, ATTACH, OTHER_MODE,
		  "--mode" },
		{ GUEST, "a dispatcher in native mode: join it",
		  [](Place &p) { p.must("xdp-filter load $IF"); }, GENERIC, OTHER_MODE, "--mode" },
		{ GUEST, "a dispatcher in generic mode: take it off",
		  [](Place &p) { p.must("xdp-filter load -m skb $IF"); }, ATTACH, OTHER_MODE,
		  "xdp-loader unload" },
		{ GUEST, "a dispatcher without its pins",
		  [](Place &p) {
			  attach(p);
			  mount_anew(p);
		  },
		  ATTACH, "but its pins are not", "ip link" },
		{ GUEST,
		  "a dispatcher that was orphaned from another namespace",
		  [](Place &p) {
			  attach(p);
			  clean_from_elsewhere(p);
		  },
		  STATUS,
		  "its XDP program was taken off; detach, then attach again",
		  "",
		  DONE,
		  { "rxaqm detach $IF", "rxaqm attach $IF" } },
		{ GUEST,
		  "a dispatcher that was orphaned, attached over",
		  [](Place &p) {
			  attach(p);
			  clean_from_elsewhere(p);
		  },
		  STATUS,
		  "its XDP program was taken off; detach, then attach again",
		  "",
		  DONE,
		  { "rxaqm attach $IF" } },
		/* Modes, signals, hooks */
		{ HERE, "a device whose driver has no XDP",
		  [](Place &p) { p.wire.rx.ip("link add br0 type bridge"); }, "rxaqm attach br0",
		  "generic mode needs nothing of the driver", "--mode" },
		{ HERE, "a tap",
		  [](Place &p) {
			  if (access("/dev/net/tun", F_OK))
				  SKIP("cannot be tried here: no /dev/net/tun");
			  p.wire.rx.ip("tuntap add dev tap0 mode tap");
		  },
		  "rxaqm attach tap0", "is a tap, where native XDP runs before packets wait ",
		  "--mode" },
		{ HERE, "a hint in generic mode", nullptr,
		  "rxaqm attach --mode generic $IF signal=hint",
		  "signal=hint needs native mode: generic XDP", "signal=" },
		{ HERE, "another signal for what goes by the hint", attach_hint,
		  "rxaqm policy set $IF signal=stamp", "needs another XDP program than the one on",
		  "rxaqm " },
		{ HERE, "what goes by the hint is alone there", attach_hint, STATUS,
		  "the XDP program is bound to", "rxaqm " },
		{ HERE, "a hint where another program is",
		  [](Place &p) {
			  attach_hint(p);
			  p.must("rxaqm detach $IF");
			  p.foreign(true);
		  },
		  "rxaqm attach $IF signal=hint", "takes its XDP slot alone", "ip link" },
		{ GUEST, "a hint on a kernel without it",
		  [](Place &p) {
			  if (!p.shell("rxaqm attach $IF signal=hint").exit_code)
				  SKIP("cannot be tried here: this kernel has it");
		  },
		  "rxaqm attach $IF signal=hint", "which came with 6.3", "signal=" },
		{ HERE, "attached in the other mode", attach, GENERIC,
		  "mode; to change that, run \"rxaqm detach ", "rxaqm detach" },
		{ HERE, "another hook is in use",
		  [](Place &p) {
			  p.wire.rx.ip("link add w0 type veth peer name w1");
			  p.must("rxaqm attach --hook tp $IF");
		  },
		  "rxaqm attach --hook kprobe w0", "is in use and shared by all interfaces",
		  "rxaqm detach", SILENT },
		{ HERE,
		  "a hook that this kernel has not",
		  [](Place &p) {
			  if (!p.shell("rxaqm attach --hook kprobe $IF").exit_code)
				  SKIP("cannot be tried here: this kernel has it");
		  },
		  "rxaqm attach --hook kprobe $IF",
		  "; leave --hook out to try all",
		  "",
		  SHOWS,
		  { "rxaqm attach $IF" } },
		/* The state, and the BPF file system */
		{ HERE, "no BPF file system", [](Place &p) { p.must("umount $RXAQM_BPFFS"); },
		  ATTACH, "is not a BPF file system; mount it with", "mount " },
		{ HERE, "a BPF file system that all may write to",
		  [](Place &p) { p.must("chmod 0777 $RXAQM_BPFFS"); }, ATTACH,
		  "is not a directory that only root can change, so rxaqm does not trust",
		  "chmod " },
		{ HERE,
		  "a directory of the state that is not root's alone",
		  [](Place &p) { p.must("mkdir -m 0777 $RXAQM_BPFFS/rxaqm"); },
		  ATTACH,
		  "is not a directory that only root can change, so rxaqm does not trust",
		  "",
		  DONE,
		  { "rmdir $RXAQM_BPFFS/rxaqm" } },
		{ HERE, "a state with a hole",
		  [](Place &p) {
			  attach(p);
			  p.must("rm $RXAQM_BPFFS/rxaqm/policy_map");
		  },
		  STATUS, "cannot read the state in", "rxaqm detach", SILENT },
		{ HERE,
		  "libxdp's directory is not root's alone",
		  [](Place &p) { p.must("mkdir -m 0777 $LIBXDP_BPFFS/xdp"); },
		  ATTACH,
		  "where libxdp pins programs",
		  "",
		  DONE,
		  { "rmdir $LIBXDP_BPFFS/xdp" } },
		/* What is attached, and where */
		{ HERE, "nothing is attached", nullptr, "rxaqm status",
		  "not attached to any interface", "rxaqm attach", SHOWS },
		{ HERE, "another is attached",
		  [](Place &p) { p.must("rxaqm attach --mode generic lo"); }, "rxaqm detach $IF",
		  "not attached to", "rxaqm status", SHOWS },
		{ HERE,
		  "attached in another namespace",
		  attach,
		  "nsenter --net=/run/netns/$TX rxaqm detach $IF",
		  "but in another; use --netns NAME",
		  "",
		  SILENT,
		  { "rxaqm --netns $NETNS detach $IF" } },
		{ HERE,
		  "its program was taken off",
		  [](Place &p) {
			  attach(p);
			  p.must("ip link set dev $IF xdp off");
		  },
		  STATUS,
		  "its XDP program was taken off; detach, then attach again",
		  "",
		  DONE,
		  { "rxaqm detach $IF", "rxaqm attach $IF" } },
		{ HERE,
		  "its interface is gone",
		  [](Place &p) {
			  attach(p);
			  p.must("ip link del $IF");
		  },
		  "rxaqm status",
		  "the interface is gone; the next attach, or detach --all, frees its place",
		  "",
		  SILENT,
		  { "rxaqm detach --all" } },
		{ HERE, "it has more queues than when attached",
		  [](Place &p) {
			  p.wire.rx.ip("link add many type veth peer name peer numrxqueues 4");
			  p.wire.rx.ip("link set peer name queues");
			  if (p.shell("ethtool -L queues rx 1 && rxaqm attach queues && "
				      "ethtool -L queues rx 2")
				      .exit_code)
				  SKIP("cannot be tried here: no queues to be added to a veth");
		  },
		  "rxaqm status queues", OUTGROWN, "rxaqm " },
		{ GUEST,
		  "a backlog that is too short",
		  [](Place &p) {
			  set_backlog(p, 200);
			  p.must("rxaqm attach --mode generic --key cpu $IF");
		  },
		  "rxaqm --netns $NETNS status $IF",
		  "leaves the law no room",
		  "sysctl",
		  SILENT,
		  {},
		  true },
		{ GUEST, "a backlog of another length than when attached",
		  [](Place &p) {
			  set_backlog(p, 200);
			  p.must("rxaqm attach --mode generic --key cpu $IF");
			  set_backlog(p, 2000);
		  },
		  STATUS, OUTGROWN, "rxaqm " },
		{ HERE, "RPS before a native program",
		  [](Place &p) {
			  p.must("unshare -m sh -c 'mount -t sysfs s /sys && "
				 "echo 1 >/sys/class/net/$IF/queues/rx-0/rps_cpus'");
			  p.must("rxaqm attach $IF");
		  },
		  STATUS, "RPS is on: packets that wait may stand in", "rxaqm " },
		/* Names */
		{ HERE, "attach to no interface", nullptr, "rxaqm attach nosuch0", "no interface",
		  "ip link", SHOWS },
		{ HERE, "the diagnosis of no interface", nullptr, "rxaqm doctor nosuch0",
		  "no interface \"nosuch0\"", "ip link", SHOWS },
		{ HERE, "the qualification of no interface", nullptr,
		  "rxaqm qualify --loopback lo nosuch0", "no interface", "ip link", SHOWS },
		{ HERE, "no such namespace", nullptr, "rxaqm --netns nosuch status",
		  "no network namespace", "ip netns", SHOWS },
		{ HERE, "no such profile", nullptr, "rxaqm attach -p nosuch $IF", "no profile",
		  "rxaqm profile show", SHOWS },
		{ HERE, "no such check", nullptr, "rxaqm doctor --verify=nosuch", "no such check; ",
		  "rxaqm doctor", SHOWS },
		{ HERE, "no such row", nullptr, "rxaqm qualify --rows=Q99 --loopback lo $IF",
		  "no such row", "rxaqm qualify", SHOWS },
		/* qualify, before it begins */
		{ HERE, "qualify where rxaqm is", attach,
		  "rxaqm qualify --rows=Q17 --yes-disturb --loopback $TX/$TX_IF $IF",
		  "has an XDP program; take it off first", "rxaqm detach", DONE },
		{ HERE, "qualify where a generic program is", [](Place &p) { p.foreign(true); },
		  "rxaqm qualify --rows=Q17 --yes-disturb --loopback $TX/$TX_IF $IF",
		  "has an XDP program; take it off first", "ip link", DONE },
		{ HERE, "qualify where a BPF link is", [](Place &p) { p.foreign_link(false); },
		  "rxaqm qualify --rows=Q17 --yes-disturb --loopback $TX/$TX_IF $IF",
		  "has an XDP program; take it off first", "bpftool link detach", DONE },
		{ HERE, "qualify where traffic is needed",
		  [](Place &p) { p.must("ip route add default dev $IF"); },
		  "rxaqm qualify --rows=Q17 --loopback $TX/$TX_IF $IF",
		  "use an interface that nobody needs", "--yes-disturb", DONE },
	};

	return rows;
}

const std::vector<Untried> &untried()
{
	static const std::vector<Untried> rows = {
		{ "this kernel is built with PREEMPT_RT", "no kernel with it is at hand" },
		{ "this kernel has no BTF", "no kernel without it is at hand" },
		{ "no permission to attach XDP", "needs a kernel that denies it to root" },
		{ "another rxaqm command has held the lock",
		  "it is printed after 10 s; test_concurrent.cpp has one that is held" },
		{ "another program holds libxdp's lock",
		  "it is printed after 10 s; test_pins.cpp has one that is held" },
		{ "\"rxaqm qualify\" is at work at", "it says to wait" },
		{ "a trial switches its policy", "test_trial.cpp ends trials so" },
		{ "a trial that was killed has left its policy",
		  "test_trial.cpp kills trials, and looks whether that helps" },
		{ "is in a network namespace that has no name in",
		  "test_slots.cpp runs it when that namespace has ended" },
		{ "beside the programs there (\"xdp-loader status\" names them)",
		  "test_jumbo.cpp sets such an MTU, and unloads one, in a guest" },
		{ "is of ABI version", "it takes another version: tests/service has one" },
		{ "; see \"rxaqm attach --help\"", "it is the end of another message" },
		{ "; see \"rxaqm status\"", "it is the end of another message" },
		{ "the state in \"%s\" is damaged", "test_state.cpp damages it, and runs that" },
		{ " and no process in it, as far as can be seen",
		  "test_slots.cpp runs it when that namespace has ended" },
		{ "the timestamp configuration of",
		  "it is hwstamp_ctl's; test_hwtstamp.cpp runs that in a guest" },
		{ "no stamps: \"%s\" can stamp some packets", "it only shows what the driver can" },
		{ "does not say that it stamps all packets", "it only shows what the driver can" },
		{ "the NIC clock's error of", "needs a clock that errs for as long as it takes" },
		{ "has no PTP hardware clock", "the daemon logs it, and needs none" },
		{ "hardware timestamping of",
		  "test_simnic_changes.cpp has it turned off by others" },
		{ "stands, and is only observed", "doctor's own tests have queues that stand" },
	};

	return rows;
}
