#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Packets made with scapy, and what each must be classified as: packets.py FILE.

What is expected follows from how a packet was put together, never from parsing it. Lines:

  P NAME KIND ECN IP_OFF PORT DSCP HEX   a frame, under a policy that exempts PORT and DSCP (-: none)
  C BYTES KIND                           the frame before, cut to so many bytes
  S NAME                                 a flow's segments begin, on an empty table
  A US EXPECT HEX                        US microseconds later one that is asked about: keep, drop, any
  U US HEX                               one that passes without being asked about
  D HEX                                  one of class data: ACK thinning does not see it

Exit status 77: scapy is missing.
"""
import itertools
import random
import sys

try:
    import logging

    logging.getLogger("scapy").setLevel(logging.ERROR)
    from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP, IPOption_Router_Alert
    from scapy.layers.inet6 import (ICMPv6EchoRequest, ICMPv6ND_NS, IPv6, IPv6ExtHdrDestOpt,
                                    IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting,
                                    PadN)
    from scapy.layers.ipsec import AH, ESP
    from scapy.layers.l2 import ARP, GRE, LLC, Dot1AD, Dot1Q, Ether
    from scapy.layers.sctp import SCTP
    from scapy.layers.vxlan import VXLAN
    from scapy.packet import Raw
except ImportError as error:
    print("packets.py: python3-scapy is missing:", error, file=sys.stderr)
    sys.exit(77)

rng = random.Random(20251)
lines = []
MACS = dict(dst="02:00:00:00:00:01", src="02:00:00:00:00:02")

# Names of tags in front of IP, outermost first, and their layers.
TAGS = {
    "untagged": [],
    "q": [Dot1Q(vlan=100)],
    "q-prio": [Dot1Q(vlan=0, prio=7)],
    "qinq": [Dot1AD(vlan=10), Dot1Q(vlan=20, prio=3)],
    "q-q": [Dot1Q(vlan=10), Dot1Q(vlan=4095)],
}
PURE = {
    "bare": [],
    "ts": [("NOP", None), ("NOP", None), ("Timestamp", (5, 6))],
    "sack": [("NOP", None), ("NOP", None), ("SAck", (1, 2))],
    "ts-sack3": [("NOP", None), ("NOP", None), ("Timestamp", (5, 6)), ("NOP", None),
                 ("NOP", None), ("SAck", (1, 2, 3, 4, 5, 6))],
    "accecn": [("NOP", None), ("NOP", None), ("Timestamp", (5, 6)), (172, b"\0\0\1" * 3),
               ("NOP", None)],
    "mptcp": [(30, bytes(10))],
}


def stack(layers):
    """The layers put on each other."""
    packet = layers[0].copy()
    for layer in layers[1:]:
        packet = packet / layer.copy()
    return packet


def emit(name, layers, kind, ecn="-", ip_off=0, port="-", dscp="-", cuts=None):
    """A frame, and with cuts, a list of (bytes needed to be parsed, kind then), some cut short."""
    data = bytes(stack(layers))
    lines.append(f"P {name} {kind} {ecn} {ip_off} {port} {dscp} {data.hex()}")
    if not cuts:
        return
    needed, then = cuts
    for size in range(min(len(data), needed + 12)):
        lines.append(f"C {size} {then if size >= needed else 'exempt'}")


def frame(tags):
    return [Ether(**MACS)] + TAGS[tags]


def ip4_options(words):
    """So many words of IPv4 options, of several sorts."""
    if words == 1:
        return [IPOption_Router_Alert()]
    return [IPOption_NOP() for _ in range(words * 4)]


def ip4(words=0, ecn=0, dscp=0, **fields):
    return IP(src="192.0.2.1", dst="198.51.100.2", tos=dscp << 2 | ecn,
              options=ip4_options(words) if words else [], **fields)


def ip6(ecn=0, dscp=0, **fields):
    return IPv6(src="2001:db8::1", dst="2001:db8::2", tc=dscp << 2 | ecn, **fields)


def destopt(units):
    return 60, units * 8, IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(units * 8 - 4))])


HBH = 0, 16, IPv6ExtHdrHopByHop(options=[PadN(optdata=bytes(12))])
ROUTING = 43, 24, IPv6ExtHdrRouting(type=0, addresses=["2001:db8::9"], segleft=0)
AUTH = 51, 24, AH(payloadlen=4, spi=1, seq=2, icv=bytes(12))

# Chains of IPv6 extension headers: protocol, bytes, layer.
EXT = {
    "none": [],
    "hbh": [HBH],
    "dst2": [destopt(2)],
    "long": [destopt(30)],
    "ah": [AUTH],
    "chain": [HBH, ROUTING, destopt(1), AUTH, destopt(3)],
    "six": [destopt(1)] * 6,
}


def chained(ip, chain, proto):
    """An IPv6 header and extensions, each with the number of what follows it."""
    layers = [ip] + [layer.copy() for _, _, layer in chain]
    for layer, follows in zip(layers, [number for number, _, _ in chain] + [proto]):
        layer.nh = follows
    return layers


def headers(version, tags, shape, ecn=0, dscp=0, proto=6, **fields):
    """Layers up to IP and its extensions, offset of IP, and of what follows, which is of proto."""
    off = 14 + 4 * len(TAGS[tags])
    if version == 4:
        ip = ip4(shape, ecn, dscp, proto=proto, **fields)
        return frame(tags) + [ip], off, off + 20 + 4 * shape
    layers = chained(ip6(ecn, dscp, **fields), EXT[shape], proto)
    return frame(tags) + layers, off, off + 40 + sum(size for _, size, _ in EXT[shape])


def shapes():
    """All ways to IP: version, tags, options or extensions."""
    for tags in TAGS:
        for words in (0, 1, 2, 10):
            yield 4, tags, words
        for chain in EXT:
            yield 6, tags, chain


def tcp(flags="A", options=(), seq=1000, ack=2000, **fields):
    fields = {"sport": 40000, "dport": 5001, "window": 500, **fields}
    return TCP(flags=flags, options=list(options), seq=seq, ack=ack, **fields)


def tcp_packets():
    """All flags in all shapes; options, payloads and padding in some."""
    for version, tags, shape in shapes():
        name = f"{version}-{tags}-{shape}"
        for ecn, names in ((0, ["bare"]), (2, PURE), (3, ["ts"])):
            layers, off, l4 = headers(version, tags, shape, ecn)
            for option in names:
                emit(f"{name}-ack-{option}", layers + [tcp("A", PURE[option])], "ack", ecn, off,
                     cuts=(l4 + 20, "ack") if ecn == 2 else None)
            emit(f"{name}-data", layers + [tcp("PA"), Raw(b"x" * rng.randint(1, 90))], "tcp", ecn,
                 off, cuts=(l4 + 20, "tcp") if ecn == 3 else None)
            emit(f"{name}-syn", layers + [tcp("S", [("MSS", 1460), ("SAckOK", b"")])], "syn", ecn,
                 off, cuts=(l4 + 20, "syn") if ecn == 0 else None)
    for version, shape in ((4, 0), (6, "hbh")):
        layers, off, _ = headers(version, "untagged", shape, 2)
        for bits in range(512):
            flags = "".join(c for i, c in enumerate("FSRPAUECN") if bits >> i & 1)
            for payload in (0, 1):
                kind = "tcp"
                if set(flags) & set("FSR"):
                    kind = "syn"
                elif not payload and set(flags) - set("ECN") == {"A"}:
                    kind = "ack"
                emit(f"{version}-flags-{flags}-{payload}",
                     layers + [tcp(flags), Raw(bytes(payload))], kind, 2, off)
        # Ethernet's padding is no payload, whatever is in it.
        for padding in (1, 6, 18, 40):
            data = bytes(stack(layers + [tcp()])) + rng.randbytes(padding)
            lines.append(f"P {version}-padding ack 2 {off} - - {data.hex()}")


def fragment(tags, ecn, proto, offset, more):
    """Layers up to the fragment header, offsets as headers() has them, for IPv4 and IPv6."""
    yield (4, *headers(4, tags, 0, ecn, proto=proto, frag=offset, flags="MF" if more else 0))
    layers, off, l4 = headers(6, tags, "none", ecn, proto=44)
    yield 6, layers + [IPv6ExtHdrFragment(m=more, offset=offset, id=7, nh=proto)], off, l4 + 8


def fragments():
    first = ((tcp(), "tcp", 6, 20), (tcp("S"), "syn", 6, 20), (UDP(), "data", 17, 8),
             (tcp("A", PURE["sack"]), "tcp", 6, 20))
    like = bytes(tcp()), bytes(tcp("S")), bytes(UDP(dport=319)), b"abc"
    for tags, ecn in itertools.product(TAGS, (0, 3)):
        for (layer, kind, proto, size), payload in itertools.product(first, (0, 8, 64)):
            for version, layers, off, l4 in fragment(tags, ecn, proto, 0, 1):
                emit(f"{version}-first-{tags}", layers + [layer, Raw(bytes(payload))], kind, ecn, off,
                     cuts=None if payload else (l4 + size, kind))
        # Nothing but IPv6's header says that this is a fragment: all of it is here.
        for version, layers, off, l4 in fragment(tags, ecn, 6, 0, 0):
            emit(f"{version}-atomic-{tags}", layers + [tcp()], "ack", ecn, off)
        # What later ones begin with is like a pure ACK, a SYN or PTP.
        for (more, offset), body in itertools.product(((0, 1), (1, 5), (1, 185), (0, 8191)), like):
            for proto, kind in ((6, "data"), (17, "data"), (1, "exempt"), (58, "exempt")):
                for version, layers, off, l4 in fragment(tags, ecn, proto, offset, more):
                    emit(f"{version}-later-{tags}-{proto}", layers + [Raw(body)], kind, ecn, off)


def other_protocols():
    """UDP, tunnels and what is never touched."""
    inner = bytes(IP(src="10.0.0.1", dst="10.0.0.2") / tcp())
    bodies = (
        ("udp", 17, UDP(sport=5000, dport=53) / Raw(bytes(30)), "data", 8),
        ("ptp-event", 17, UDP(sport=5000, dport=319) / Raw(bytes(44)), "exempt", 8),
        ("ptp-general", 17, UDP(sport=5000, dport=320) / Raw(bytes(64)), "exempt", 8),
        ("from-319", 17, UDP(sport=319, dport=5000) / Raw(bytes(20)), "data", 8),
        ("vxlan", 17, UDP(dport=4789) / VXLAN(vni=7) / Ether(**MACS) / Raw(inner), "data", 8),
        ("gre", 47, GRE(proto=0x800) / Raw(inner), "data", 0),
        ("ipip", 4, Raw(inner), "data", 0),
        ("sctp", 132, SCTP(sport=1, dport=2) / Raw(bytes(20)), "data", 0),
        ("esp", 50, ESP(spi=1, seq=2, data=bytes(40)), "data", 0),
        ("icmp", 1, ICMP() / Raw(bytes(40)), "exempt", 0),
        ("icmp6", 58, ICMPv6EchoRequest(), "exempt", 0),
        ("nd", 58, ICMPv6ND_NS(tgt="2001:db8::3"), "exempt", 0),
        ("igmp", 2, Raw(bytes(30)), "exempt", 0),
        ("ospf", 89, Raw(bytes(30)), "exempt", 0),
        ("vrrp", 112, Raw(bytes(30)), "exempt", 0),
    )
    for (version, tags, shape), ecn in itertools.product(shapes(), (2, 3)):
        for what, proto, body, kind, needs in bodies:
            layers, off, l4 = headers(version, tags, shape, ecn, proto=proto)
            emit(f"{version}-{tags}-{shape}-{what}", layers + [Raw(bytes(body))], kind, ecn, off,
                 cuts=(l4 + needs, kind) if ecn == 2 and what in ("udp", "sctp") else None)
    for tags in TAGS:
        emit(f"{tags}-arp", frame(tags) + [ARP()], "exempt")
        emit(f"{tags}-llc", [Ether(**MACS, type=46), LLC(), Raw(bytes(43))], "exempt")
        for ethertype in (0x88cc, 0x88f7, 0x8847, 0x8863, 0x88e5):
            layers = [layer.copy() for layer in frame(tags)]
            layers[-1].type = ethertype
            emit(f"{tags}-type-{ethertype:x}", layers + [Raw(bytes(ip4() / tcp()))], "exempt")
    emit("three-tags", [Ether(**MACS), Dot1Q(vlan=1), Dot1Q(vlan=2), Dot1Q(vlan=3), ip4(), tcp()],
         "exempt")
    for n in (7, 9):
        emit("many-extensions", [Ether(**MACS)] + chained(ip6(), [destopt(1)] * n, 6) + [tcp()],
             "exempt")


def policies():
    """DSCPs and ports that the policy exempts."""
    for version, dscp, ecn in itertools.product((4, 6), range(64), (2,)):
        shape = 0 if version == 4 else "none"
        layers, off, _ = headers(version, "untagged", shape, ecn, dscp)
        for body, kind in (([tcp("PA"), Raw(b"x")], "tcp"), ([tcp()], "ack"), ([tcp("S")], "syn")):
            emit(f"{version}-dscp-{dscp}", layers + body, kind, ecn, off)
            emit(f"{version}-dscp-{dscp}-exempt", layers + body, "exempt", ecn, off, dscp=dscp)
            emit(f"{version}-dscp-{dscp}-other", layers + body, kind, ecn, off,
                 dscp=(dscp + 1) % 64)
    for version, tags, shape in shapes():
        for proto, body, kind in (
                (6, tcp("PA", sport=22) / Raw(b"x"), "exempt"), (6, tcp(dport=22), "exempt"),
                (6, tcp("S", dport=23), "syn"), (17, UDP(sport=9, dport=22), "exempt"),
                (17, UDP(sport=9, dport=2200), "data"), (132, SCTP(sport=22, dport=22), "data")):
            layers, off, _ = headers(version, tags, shape, 2, proto=proto)
            emit(f"{version}-{tags}-{shape}-port", layers + [Raw(bytes(body))], kind, 2, off, port=22)


def lies():
    """Lengths in headers that cannot be true: nothing can be read for certain."""
    for tags in TAGS:
        for fields in ({"ihl": 4}, {"ihl": 0}, {"version": 5}, {"version": 6}, {"len": 19},
                       {"len": 0}, {"len": 39}, {"len": 21}):
            emit(f"4-{tags}-lie", frame(tags) + [ip4(**fields), tcp(), Raw(bytes(40))], "exempt")
        for fields in ({"version": 4, "nh": 6}, {"plen": 0, "nh": 6}, {"plen": 19, "nh": 6}):
            emit(f"6-{tags}-lie", frame(tags) + [ip6(**fields), tcp(), Raw(bytes(40))], "exempt")
        for version, shape in ((4, 0), (6, "none")):
            layers, _, _ = headers(version, tags, shape, 2)
            for dataofs in (0, 4, 15):
                emit(f"{version}-{tags}-dataofs", layers + [tcp(dataofs=dataofs)], "exempt")
        emit(f"4-{tags}-udp-len", frame(tags) + [ip4(len=24, proto=17), UDP(), Raw(bytes(40))], "exempt")


class Flow:
    """What a peer sends, and what the host must not lose of it: expectations by construction."""

    def __init__(self, name, version=4, tags="untagged", **ports):
        lines.append(f"S {name}")
        self.name, self.version, self.tags, self.ports = name, version, tags, ports
        self.seq, self.ack = rng.randrange(1 << 32), rng.randrange(1 << 32)
        self.options, self.flags, self.window = PURE["ts"], "A", 500

    def bytes(self, flags=None, payload=b"", **fields):
        layers, _, _ = headers(self.version, self.tags, 0 if self.version == 4 else "none",
                               fields.pop("ecn", 0))
        fields = {"seq": self.seq, "ack": self.ack, "options": self.options, "window": self.window,
                  **self.ports, **fields}
        for number in ("seq", "ack"):
            fields[number] %= 1 << 32
        return bytes(stack(layers + [tcp(flags or self.flags, **fields), Raw(payload)])).hex()

    def ask(self, expect, us=1, **fields):
        lines.append(f"A {us} {expect} {self.bytes(**fields)}")

    def unasked(self, us=1, **fields):
        lines.append(f"U {us} {self.bytes(**fields)}")

    def news(self, expect="drop", us=1, **fields):
        """An ACK of more."""
        self.ack += 1448
        self.ask(expect, us, **fields)

    def data(self, size=100):
        """A segment with data: it is not asked about."""
        self.ack += 1448
        lines.append(f"D {self.bytes('PA', b'x' * size)}")
        self.seq += size

    def train(self, n=3):
        """The last of it is known to be redundant."""
        self.news("any")
        self.news("any")
        for _ in range(n):
            self.news()


GAP = 5000  # microseconds, as the test has it


def never_dropped(flow):
    """Each by itself, behind a train in which it would be redundant."""
    flow.train()
    flow.ask("keep")  # a duplicate of one that was dropped
    flow.ask("keep")
    flow.train()
    flow.ask("keep", ack=flow.ack - 700)  # old
    flow.ask("keep")  # and now a duplicate
    flow.train()
    flow.ask("keep", GAP * 2, ack=flow.ack - 700)  # the same after a pause
    flow.ask("keep")
    flow.train()
    flow.data()
    flow.ask("keep")  # a duplicate of a data segment's
    flow.train()
    flow.ask("keep", ack=flow.ack + 700, seq=flow.seq - 1)  # a window probe
    flow.ask("any", ack=flow.ack + 700)
    flow.ack += 700
    flow.train()
    flow.ask("keep", seq=flow.seq - 1)  # a keep-alive
    flow.train()
    flow.ack += 1448
    flow.unasked()
    flow.ask("keep")  # a duplicate of one that passed while there was no signal
    flow.train()
    flow.news("keep", GAP)  # after a pause
    for option in ("sack", "ts-sack3", "mptcp"):
        flow.train()
        flow.news("keep", options=PURE[option])
    for flags in ("AE", "AC", "AEC", "AN"):
        flow.train()
        flow.news("keep", flags=flags)
    flow.train()
    flow.ask("keep", window=0)
    flow.ask("keep", window=90)  # it opens again


def dropped(flow):
    """What must not keep one: else thinning does nothing."""
    flow.train(20)
    for window in (501, 0, 65535, 7):
        flow.train()
        flow.news(window=window)
    flow.train()
    flow.news(options=[])
    flow.news(ecn=2)  # AccECN hosts set ECT on pure ACKs


def accecn(flow):
    """RFC 9768: byte counters in the option, three bits of a packet counter in the flags."""
    def flags(count):
        return "A" + "".join(c for bit, c in enumerate("ECN") if count >> bit & 1)

    def option(count):
        return [("NOP", None), ("NOP", None), ("Timestamp", (5, 6)),
                (174, (count * 1448).to_bytes(3, "big") * 2), ("NOP", None), ("NOP", None)]

    for begin, step in itertools.product(range(8), range(8)):
        flow.news("any", GAP, flags=flags(begin), options=option(begin))
        flow.news("any", GAP, flags=flags(begin), options=option(begin))
        flow.news("drop", flags=flags(begin), options=option(begin), ecn=2)
        count = begin + step
        flow.news("drop" if step < 4 else "keep", flags=flags(count), options=option(count))
    flow.options = option(5)
    flow.flags = flags(5)
    flow.train(10)


def sequences():
    for version, tags in itertools.product((4, 6), TAGS):
        name = f"{version}-{tags}"
        never_dropped(Flow(f"{name}-never", version, tags))
        dropped(Flow(f"{name}-dropped", version, tags))
        accecn(Flow(f"{name}-accecn", version, tags))
        # The ports again: the handshake's ACK.
        flow = Flow(f"{name}-reused", version, tags)
        flow.train()
        flow.seq += 70000
        flow.ask("keep", flags="S", options=[("MSS", 1460)])
        flow.seq += 1
        flow.news("keep")
        flow.train()
        flow.ask("keep", flags="FA")
        flow.ask("keep", flags="R")
        # The same addresses in other VLANs.
        for other in TAGS:
            if TAGS[other] != TAGS[tags]:
                flow = Flow(f"{name}-{other}", version, tags)
                flow.train()
                flow.tags = other
                flow.news("keep")
    # Any order of all of it, with what the host has seen for an oracle.
    for number in range(20):
        flow = Flow(f"random-{number}", rng.choice((4, 6)), rng.choice(list(TAGS)))
        told, late = [], False
        for _ in range(150):
            what, us = rng.random(), rng.choice((1, 1, 1, GAP // 3, GAP * 2))
            if what < 0.6:
                flow.news("any", us)
            elif what < 0.75 and told:
                flow.ask("keep", us, ack=told[-1][1])
            elif what < 0.8 and not late and told:
                seq, ack = rng.choice(told)
                flow.ask("keep", us, seq=seq, ack=ack)
            elif what < 0.9:
                flow.data(rng.choice((1, 1448)))
            else:
                flow.ack += 1448
                flow.unasked(us)
            # One that was overtaken is not the first to be asked about: that is not told from new.
            late = what >= 0.9 or (late and what >= 0.75)
            told.append((flow.seq, flow.ack))


def main():
    tcp_packets()
    fragments()
    other_protocols()
    policies()
    lies()
    sequences()
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


main()
