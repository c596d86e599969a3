# SPDX-License-Identifier: GPL-2.0-only
"""Layers of packets, put together with scapy; exit status 77 without it."""
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
