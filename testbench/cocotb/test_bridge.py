"""A host's AXI4-Lite and an AXI4 memory, joined by the two blocks at the edges of the fabric and nothing else."""

import json
import os
import random

import cocotb
import portico
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiRam, AxiResp, AxiStreamBus, AxiStreamSink
from portico.cocotb import Port, stall, start

SPEC = json.loads(os.environ["PORTICO_SPEC"])
BYTES = SPEC["width"] // 8
# The first register of each block, in bytes.
BLOCKS = {row["block"]: row["address"] for row in reversed(portico.registers(portico.Config(width=SPEC["width"])))}
SPACE = BLOCKS["control"]
# As much as a Python object may be long; it is sparse.
MEMORY_BYTES = 2**62


def register(block, place):
    """Byte address of a register."""
    return BLOCKS[block] + place * BYTES


class Bridge(Port):
    """The device with a bus model at each port."""

    def __init__(self, dut, chance):
        super().__init__(dut)
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=MEMORY_BYTES)
        self.commands = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_command"), dut.clk, dut.rst)
        for model in (self, self.memory, self.commands):
            stall(model, chance)


async def traffic(dut, chance):
    """Random reads and writes against a plain array of bytes."""
    bridge = Bridge(dut, chance)
    await start(dut)
    model = bytearray(256)
    first = 0x1000 - 128
    await bridge.write(first, bytes(model))
    for _ in range(150):
        at = random.randrange(len(model))
        length = random.randrange(1, min(40, len(model) - at) + 1)
        if random.random() < 0.5:
            data = random.randbytes(length)
            await bridge.write(first + at, data)
            model[at : at + length] = data
        else:
            assert await bridge.read(first + at, length) == model[at : at + length]
    assert await bridge.read(first, len(model)) == model
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
    await bridge.write(64, b"before")
    assert await bridge.read(64, 6) == b"before"
    await bridge.write_word(register("pages", 0), base & 0xFFFF_FFFF)
    await bridge.write_word(register("pages", 1), base >> 32)
    await bridge.write(64, b"after!")
    assert await bridge.read(64, 6) == b"after!"
    assert bridge.memory.read(64, 6) == b"before"
    assert bridge.memory.read(base + 64, 6) == b"after!"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def registers_keep_their_values(dut):
    """Registers are a word apart and 32 bits wide."""
    bridge = Bridge(dut, 0.3)
    await start(dut)
    values = [random.getrandbits(32) for _ in range(16)]
    for place, value in enumerate(values):
        await bridge.write_word(register("control", place), value)
    for place, value in enumerate(values):
        assert await bridge.read_word(register("control", place)) == value
    if BYTES == 8:
        upper = register("control", 3) + 4
        await bridge.write(upper, b"\xff" * 4)
        assert await bridge.read(upper, 4) == bytes(4)
        assert await bridge.read_word(register("control", 3)) == values[3]


@cocotb.test(timeout_time=100, timeout_unit="us")
async def descriptors_end_at_the_last_place(dut):
    """Each descriptor is a frame of the command stream."""
    bridge = Bridge(dut, 0.3)
    await start(dut)
    places = SPEC["command_places"]
    for length in (2, 4, places):
        words = [random.getrandbits(32) for _ in range(length)]
        for place, word in enumerate(words, places - length):
            await bridge.write_word(register("command", place), word)
        frame = await bridge.commands.recv()
        assert bytes(frame.tdata) == b"".join(word.to_bytes(4, "little") for word in words)
    assert bridge.commands.empty()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def refusals_are_answered(dut):
    """Parts of registers, and addresses where nothing is, get SLVERR and no effect."""
    bridge = Bridge(dut, 0.3)
    await start(dut)
    await bridge.write_word(register("control", 1), 0x1234_5678)
    answer = await bridge.model.write(register("control", 1), b"\xaa\xbb")
    assert answer.resp == AxiResp.SLVERR
    assert await bridge.read_word(register("control", 1)) == 0x1234_5678
    if BYTES == 4:
        nowhere = SPACE + (4 << 16)
        assert (await bridge.model.read(nowhere, 4)).resp == AxiResp.SLVERR
        assert (await bridge.model.write(nowhere, b"nope")).resp == AxiResp.SLVERR
    await ClockCycles(dut.clk, 10)
    assert dut.fault.value == 0
