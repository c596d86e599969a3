# SPDX-License-Identifier: GPL-2.0-only
"""Flows, and which of their ACKs may be dropped."""
import itertools

from layers import PURE, TAGS, Raw, headers, lines, rng, stack, tcp


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
