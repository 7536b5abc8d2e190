"""A tile between the sources and sinks of the package: a put to itself leaves by its streams and comes back by them.

PORTICO_SPEC has the configuration, the tile as a node, and the words of the put: `target` of segment `segment` in the
tile's own memory, and `put`, word 0 of the descriptor, which counts in event `event`.
"""

import json
import os
import random

import cocotb
import portico
from portico.cocotb import Port, Sink, Source, place, stall, start

SPEC = json.loads(os.environ["PORTICO_SPEC"])
CONFIG = portico.Config.from_toml(SPEC["config"])
REGISTERS = {(row["block"], row["name"]): row for row in portico.registers(CONFIG)}
WORDS, LOCAL, REMOTE = 4, 0x100, 0x200


def register(block, name, item=0):
    """Byte address of a register."""
    row = REGISTERS[block, name]
    return row["address"] + item * row["stride"]


@cocotb.test(timeout_time=100, timeout_unit="us")
async def a_put_passes_the_streams_of_a_tile(dut):
    """One packet of data and its acknowledgement, with idle cycles and back-pressure."""
    dut.node.value = SPEC["node"]
    port = Port(dut)
    sources = [Source(dut, f"s_axis_{plane}") for plane in ("data", "control")]
    sinks = [Sink(dut, f"m_axis_{plane}") for plane in ("data", "control")]
    await start(dut)
    for model in (port, *sources, *sinks):
        stall(model, 0.3)
    # Bit 0: the tile clears its tables.
    while await port.read_word(register("control", "status")) & 1:
        await port.wait(10)
    content = [random.getrandbits(32) for _ in range(WORDS)]
    data = b"".join(word.to_bytes(4, "little") for word in content)
    await port.write(LOCAL, data)
    await port.write_word(register("segments", "target", SPEC["segment"]), SPEC["target"])
    await port.write_word(register("segments", "size", SPEC["segment"]), 2 * REMOTE // 4)
    descriptor = [SPEC["put"], REMOTE, LOCAL, 1 << 16 | WORDS]
    places = REGISTERS["command", "word"]["items"]
    for item, word in enumerate(descriptor, places - len(descriptor)):
        await port.write_word(register("command", "word", item), word)

    own = place(CONFIG, 0)
    for source, sink, payload in zip(sources, sinks, (content, [])):
        packet = await sink.receive()
        assert (packet.head.destination, packet.head.source) == (own, own), packet
        assert list(packet.payload[1:]) == payload, packet
        source.send(packet)
    while not await port.read_word(register("events", "count", SPEC["event"])):
        await port.wait(10)
    assert await port.read_word(register("events", "status", SPEC["event"])) == 0
    assert await port.read(REMOTE, len(data)) == data
    assert all(sink.empty() for sink in sinks)
