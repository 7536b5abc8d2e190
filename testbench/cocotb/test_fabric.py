"""A fabric through its standard ports alone: a host at `s_axil`, external memory at `m_axi`.

SPEC["fabric"] says where things are: the nodes `host`, `tile` and `memory`, how many words a scratchpad and the memory
have, the prefix of the memory's port, and the value of the identity register.
"""

import cocotb
from cocotbext.axi import AxiBus, AxiRam

from node import BYTES, SPEC, Node, generator, pauses, start

FABRIC = SPEC["fabric"]
CONTROL = SPEC["control"]
SYSTEM_WINDOW = SPEC["system_window"]
TILE_SEGMENT, MEMORY_SEGMENT = 1, 2
EVENT = 3
# As much as a Python object may be long; it is sparse.
MEMORY_BYTES = 2**62


class Fabric:
    """The device with a bus model at each port, and the system windows of its nodes as segments."""

    def __init__(self, dut, chance):
        self.rng = generator()
        self.node = Node(dut)
        self.node.stall(self.rng, chance)
        self.memory = AxiRam(AxiBus.from_prefix(dut, FABRIC["memory_prefix"]), dut.clk, dut.rst, size=MEMORY_BYTES)
        write, read = self.memory.write_if, self.memory.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
            channel.set_pause_generator(pauses(self.rng, chance))

    async def open(self, dut):
        """Resets the device and makes the segments known."""
        await start(dut)
        await self.node.set_segment(TILE_SEGMENT, FABRIC["tile"], SYSTEM_WINDOW, FABRIC["scratchpad_words"])
        await self.node.set_segment(MEMORY_SEGMENT, FABRIC["memory"], SYSTEM_WINDOW, FABRIC["memory_words"])

    async def move(self, opcode, segment, remote, local, words):
        """A put or get of consecutive words, addresses in bytes, to its end."""
        first = self.node.descriptor(opcode, segment, EVENT)
        await self.node.command([first, remote, local, 1 << 16 | words])
        await self.node.complete(EVENT)

    async def round_trip(self, segment, remote, words):
        """Words from the host's memory to a node's and back to another place."""
        there, back = 0x100, 0x800
        data = self.rng.randbytes(words * BYTES)
        await self.node.write(there, data)
        await self.node.write(back, bytes(len(data)))
        await self.move("put", segment, remote, there, words)
        await self.move("get", segment, remote, back, words)
        assert await self.node.read(back, len(data)) == data
        return data


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def the_host_node_tells_who_it_is(dut):
    """Identity and number."""
    fabric = Fabric(dut, 0.0)
    await fabric.open(dut)
    assert await fabric.node.read_register("control", CONTROL["id"]) == FABRIC["identity"]
    assert await fabric.node.read_register("control", CONTROL["node"]) == FABRIC["host"]


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def host_memory_keeps_what_is_written(dut):
    """Words and parts of them, with stalls."""
    fabric = Fabric(dut, 0.3)
    await fabric.open(dut)
    model = bytearray(128)
    await fabric.node.write(0x40, bytes(model))
    for _ in range(60):
        at = fabric.rng.randrange(len(model))
        data = fabric.rng.randbytes(fabric.rng.randrange(1, len(model) - at + 1))
        await fabric.node.write(0x40 + at, data)
        model[at : at + len(data)] = data
    assert await fabric.node.read(0x40, len(model)) == model


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def a_tile_keeps_what_is_put(dut):
    """Transfers of one word, of a packet, and of several packets; nothing goes to external memory."""
    fabric = Fabric(dut, 0.1)
    await fabric.open(dut)
    for words in (1, 2, 64, 150):
        data = await fabric.round_trip(TILE_SEGMENT, 0x200, words)
        assert fabric.memory.read(0x200, len(data)) == bytes(len(data))


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def a_tile_adds(dut):
    """An atomic gives the old value."""
    fabric = Fabric(dut, 0.1)
    await fabric.open(dut)
    word = fabric.rng.getrandbits(32)
    await fabric.node.write(0x100, word.to_bytes(BYTES, "little"))
    await fabric.move("put", TILE_SEGMENT, 0x300, 0x100, 1)
    add = fabric.node.descriptor("atomic", TILE_SEGMENT, EVENT, operation=SPEC["operations"]["fetch_add"])
    for times in range(3):
        await fabric.node.command([add, 0x300, 5])
        assert await fabric.node.complete(EVENT) == (word + 5 * times) % 2**32


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def external_memory_keeps_what_is_put(dut):
    """Transfers go out on AXI4, over the ends of its blocks."""
    fabric = Fabric(dut, 0.3)
    await fabric.open(dut)
    for remote, words in ((0, 1), (0x1000 - 8 * BYTES, 40), (0x4000, 150)):
        data = await fabric.round_trip(MEMORY_SEGMENT, remote, words)
        assert fabric.memory.read(remote, len(data)) == data
