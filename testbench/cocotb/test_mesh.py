"""Packets through a mesh by its streams of flits, with the sources and sinks of the package.

PORTICO_SPEC has the configuration.
"""

import json
import os
import random

import cocotb
import portico
from cocotb.triggers import ClockCycles
from portico.cocotb import Head, Packet, Port, Sink, Source, pauses, place, stall, start
from portico.errors import ArgumentError

SPEC = json.loads(os.environ["PORTICO_SPEC"])
CONFIG = portico.Config.from_toml(SPEC["config"])
TILES = CONFIG.cols * CONFIG.rows
TERMINALS = range(TILES + CONFIG.edge_nodes)


def random_packet(source, destination):
    """A packet with every field of the head."""
    head = Head(
        destination=place(CONFIG, destination),
        source=place(CONFIG, source),
        tag=random.getrandbits(8),
        kind=random.getrandbits(3),
        last=random.random() < 0.5,
    )
    return Packet(head, tuple(random.getrandbits(CONFIG.width) for _ in range(random.choice([0, 1, 5, 64]))))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def packets_arrive_in_the_order_of_their_sources(dut):
    """All of them, word for word, with idle cycles and back-pressure."""
    sources = [Source(dut, f"s_axis_{terminal}") for terminal in TERMINALS]
    sinks = [Sink(dut, f"m_axis_{terminal}") for terminal in TERMINALS]
    await start(dut)
    for stream in (*sources, *sinks):
        stall(stream, 0.3)
    # The mesh drops what an edge node sends to itself.
    missing = {(source, at): [] for source in TERMINALS for at in TERMINALS if source != at or source < TILES}
    for _ in range(60):
        pair = random.choice(list(missing))
        packet = random_packet(*pair)
        missing[pair].append(packet)
        sources[pair[0]].send(packet)
    for at, sink in enumerate(sinks):
        for _ in range(sum(len(packets) for (_, destination), packets in missing.items() if destination == at)):
            packet = await sink.receive()
            (source,) = (source for source in TERMINALS if place(CONFIG, source) == packet.head.source)
            assert packet == missing[source, at].pop(0)
    for source in sources:
        await source.wait()
    await ClockCycles(dut.clk, 20)
    assert not any(missing.values()) and all(sink.empty() for sink in sinks)
    assert dut.dropped_packets.value == 0


async def offers(dut, then):
    """Offers flits until the router has no room, then something else. The input is watched as an output would be."""
    Sink(dut, "s_axis_0")
    dut.m_axis_0_tready.value = 0
    await start(dut)
    dut.s_axis_0_tdata.value = Head(place(CONFIG, 0)).encode()
    dut.s_axis_0_tlast.value = 0
    dut.s_axis_0_tvalid.value = 1
    await ClockCycles(dut.clk, 20)
    assert dut.s_axis_0_tready.value == 0
    for name, value in then.items():
        getattr(dut, f"s_axis_0_{name}").value = value
    await ClockCycles(dut.clk, 3)


@cocotb.test(timeout_time=10, timeout_unit="us")
async def a_flit_that_waits_is_no_fault(dut):
    """It stays as it is."""
    await offers(dut, {})


@cocotb.test(timeout_time=10, timeout_unit="us", expect_error=AssertionError)
async def a_withdrawn_flit_fails_the_test(dut):
    """Valid falls."""
    await offers(dut, {"tvalid": 0})


@cocotb.test(timeout_time=10, timeout_unit="us", expect_error=AssertionError)
async def a_changed_flit_fails_the_test(dut):
    """Data change."""
    await offers(dut, {"tdata": 7})


@cocotb.test(timeout_time=10, timeout_unit="us", expect_error=AssertionError)
async def a_changed_tail_fails_the_test(dut):
    """The mark of the tail changes."""
    await offers(dut, {"tlast": 1})


@cocotb.test(timeout_time=10, timeout_unit="us")
async def what_does_not_fit_is_named(dut):
    """With its value and what is allowed."""
    for build, text in (
        (lambda: Head((16, 0)).encode(), "destination x = 16 does not fit a head: allowed is 0..=15"),
        (lambda: Head((0, 0), (0, 32)).encode(), "source y = 32 does not fit a head: allowed is 0..=31"),
        (lambda: Head((0, 0), tag=256).encode(), "tag = 256 does not fit a head: allowed is 0..=255"),
        (lambda: Head((0, 0), kind=-1).encode(), "kind = -1 does not fit a head: allowed is 0..=7"),
        (lambda: Packet(Head((0, 0)), (0,) * 65).flits(32), "payload has 65 words: allowed is 0..=64"),
        (
            lambda: Packet(Head((0, 0)), (0, 2**32)).flits(32),
            "payload[1] = 4294967296 is not allowed: allowed is 0..=42949",
        ),
        (lambda: place(CONFIG, 99), f"terminal = 99 is not allowed: allowed is 0..={TERMINALS[-1]}"),
        (
            lambda: Source(dut, "s_axis_99"),
            "prefix = 's_axis_99' is not allowed: portico_mesh has no port s_axis_99_tdata",
        ),
        (lambda: Port(dut), "prefix = 's_axil' is not allowed: portico_mesh has no port s_axil_awaddr"),
        (lambda: Port(dut, patience=0), "patience = 0 is not allowed: allowed is 1 and more"),
        (lambda: pauses(1.5), "chance = 1.5 is not allowed: allowed is 0..=1"),
    ):
        try:
            build()
        except ArgumentError as refused:
            assert text in str(refused), refused
        else:
            raise AssertionError(text)
    head = Head((3, 4), (5, 6), tag=200, kind=5, last=True)
    assert Head.decode(head.encode() | 1 << 31) == head
