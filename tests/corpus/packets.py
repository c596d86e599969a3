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
import sys

sys.dont_write_bytecode = True  # before imports: it would be put into the checkout
from flows import sequences
from layers import (ARP, Dot1Q, ESP, Ether, GRE, ICMP, ICMPv6EchoRequest, ICMPv6ND_NS, IP,
                    IPv6ExtHdrFragment, LLC, MACS, PURE, Raw, SCTP, TAGS, UDP, VXLAN, chained,
                    destopt, emit, frame, headers, ip4, ip6, lines, rng, shapes, stack, tcp)


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
