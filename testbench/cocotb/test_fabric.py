"""A fabric through its standard ports alone: the driver at `s_axil`, external memory at `m_axi`.

PORTICO_SPEC has the configuration, the nodes `tile` and `memory`, and the prefix of the memory's port.
"""

import json
import os
import random

import cocotb
import portico
import portico.cocotb
from cocotbext.axi import AxiBus, AxiRam

SPEC = json.loads(os.environ["PORTICO_SPEC"])
CONFIG = portico.Config.from_toml(SPEC["config"])
BYTES = CONFIG.width // 8
# As much as a Python object may be long; it is sparse.
MEMORY_BYTES = 2**62


async def opened(dut, chance):
    """The fabric and its external memory, whose channels stall with a probability."""
    memory = AxiRam(AxiBus.from_prefix(dut, SPEC["memory_prefix"]), dut.clk, dut.rst, size=MEMORY_BYTES)
    fabric = await portico.cocotb.open(dut, CONFIG)
    for model in (fabric.port, memory):
        portico.cocotb.stall(model, chance)
    return fabric, memory


async def round_trip(fabric, node, remote, words):
    """Words from the host's memory to a node's and back to another place."""
    there, back, length = 0x100, 0x800, words * BYTES
    data = random.randbytes(length)
    await fabric.port.write(there, data)
    await fabric.port.write(back, bytes(length))

    def moves(fabric):
        with fabric.publish(node, remote, length) as window, window.clone(fabric.host_node) as segment:
            segment.put(0, there, length)
            segment.get(0, back, length)

    await portico.cocotb.run(moves, fabric)
    assert await fabric.port.read(back, length) == data
    return data


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def host_memory_keeps_what_is_written(dut):
    """Words and parts of them, with stalls."""
    fabric, _ = await opened(dut, 0.3)
    model = bytearray(128)
    await fabric.port.write(0x40, bytes(model))
    for _ in range(30):
        at = random.randrange(len(model))
        data = random.randbytes(random.randrange(1, len(model) - at + 1))
        await fabric.port.write(0x40 + at, data)
        model[at : at + len(data)] = data
    assert await fabric.port.read(0x40, len(model)) == model


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def a_tile_keeps_what_is_put(dut):
    """Transfers of one word, of a packet, and of several packets; an atomic; nothing goes to external memory."""
    fabric, memory = await opened(dut, 0.1)
    for words in (1, 2, 40):
        data = await round_trip(fabric, SPEC["tile"], 0x200, words)
        assert memory.read(0x200, len(data)) == bytes(len(data))

    def adds(fabric):
        segment = fabric.publish(SPEC["tile"], 0x200, BYTES).clone(fabric.host_node)
        return [segment.fetchadd(0, 5) for _ in range(2)]

    word = int.from_bytes(data[:4], "little")
    assert await portico.cocotb.run(adds, fabric) == [word, (word + 5) % 2**32]


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def external_memory_keeps_what_is_put(dut):
    """Transfers go out on AXI4, over the ends of its blocks."""
    fabric, memory = await opened(dut, 0.3)
    for remote, words in ((0, 1), (0x1000 - 8 * BYTES, 20), (0x4000, 40)):
        data = await round_trip(fabric, SPEC["memory"], remote, words)
        assert memory.read(remote, len(data)) == data
