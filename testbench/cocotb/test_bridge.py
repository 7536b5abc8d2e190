"""A host's AXI4-Lite and an AXI4 memory, joined by the two blocks at the edges of the fabric and nothing else."""

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiRam, AxiResp, AxiStreamBus, AxiStreamSink

import node
from node import BYTES, SPEC, Node, generator, pauses, start

SPACE = SPEC["base_bytes"]
# As much as a Python object may be long; it is sparse.
MEMORY_BYTES = 2**62


class Bridge:
    """The device with a bus model at each port."""

    def __init__(self, dut, chance):
        self.dut = dut
        self.rng = generator()
        self.node = Node(dut)
        self.node.stall(self.rng, chance)
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=MEMORY_BYTES)
        write, read = self.memory.write_if, self.memory.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
            channel.set_pause_generator(pauses(self.rng, chance))
        self.commands = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_command"), dut.clk, dut.rst)
        self.commands.set_pause_generator(pauses(self.rng, chance))


async def traffic(dut, chance):
    """Random reads and writes against a plain array of bytes."""
    bridge = Bridge(dut, chance)
    await start(dut)
    model = bytearray(256)
    first = 0x1000 - 128
    await bridge.node.write(first, bytes(model))
    for _ in range(150):
        at = bridge.rng.randrange(len(model))
        length = bridge.rng.randrange(1, min(40, len(model) - at) + 1)
        if bridge.rng.random() < 0.5:
            data = bridge.rng.randbytes(length)
            await bridge.node.write(first + at, data)
            model[at : at + length] = data
        else:
            assert await bridge.node.read(first + at, length) == model[at : at + length]
    assert await bridge.node.read(first, len(model)) == model
    assert bridge.memory.read(first, len(model)) == model


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def memory_at_full_speed(dut):
    """Nothing stalls."""
    await traffic(dut, 0.0)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def memory_with_stalls(dut):
    """Every channel stalls."""
    await traffic(dut, 0.4)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def pages_follow_their_bases(dut):
    """What is written to a page is at its base."""
    bridge = Bridge(dut, 0.2)
    await start(dut)
    base = 0x12_3456_7000
    await bridge.node.write(64, b"before")
    assert await bridge.node.read(64, 6) == b"before"
    await bridge.node.write_register("pages", 0, base & 0xFFFF_FFFF)
    await bridge.node.write_register("pages", 1, base >> 32)
    await bridge.node.write(64, b"after!")
    assert await bridge.node.read(64, 6) == b"after!"
    assert bridge.memory.read(64, 6) == b"before"
    assert bridge.memory.read(base + 64, 6) == b"after!"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def registers_keep_their_values(dut):
    """Registers are a word apart and 32 bits wide."""
    bridge = Bridge(dut, 0.3)
    await start(dut)
    values = [bridge.rng.getrandbits(32) for _ in range(16)]
    for place, value in enumerate(values):
        await bridge.node.write_register("control", place, value)
    for place, value in enumerate(values):
        assert await bridge.node.read_register("control", place) == value
    if BYTES == 8:
        upper = Node.register("control", 3) + 4
        await bridge.node.write(upper, b"\xff" * 4)
        assert await bridge.node.read(upper, 4) == bytes(4)
        assert await bridge.node.read_register("control", 3) == values[3]


@cocotb.test(timeout_time=100, timeout_unit="us")
async def descriptors_end_at_the_last_place(dut):
    """Each descriptor is a frame of the command stream."""
    bridge = Bridge(dut, 0.3)
    await start(dut)
    for length in (2, 4, node.COMMAND_PLACES):
        words = [bridge.rng.getrandbits(32) for _ in range(length)]
        await bridge.node.command(words)
        frame = await bridge.commands.recv()
        assert bytes(frame.tdata) == b"".join(word.to_bytes(4, "little") for word in words)
    assert bridge.commands.empty()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def refusals_are_answered(dut):
    """Parts of registers, and addresses where nothing is, get SLVERR and no effect."""
    bridge = Bridge(dut, 0.3)
    await start(dut)
    await bridge.node.write_register("control", 1, 0x1234_5678)
    answer = await bridge.node.master.write(Node.register("control", 1), b"\xaa\xbb")
    assert answer.resp == AxiResp.SLVERR
    assert await bridge.node.read_register("control", 1) == 0x1234_5678
    if BYTES == 4:
        nowhere = SPACE + (4 << 16)
        assert (await bridge.node.master.read(nowhere, 4)).resp == AxiResp.SLVERR
        assert (await bridge.node.master.write(nowhere, b"nope")).resp == AxiResp.SLVERR
    await ClockCycles(dut.clk, 10)
    assert dut.fault.value == 0
