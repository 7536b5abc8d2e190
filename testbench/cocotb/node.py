"""A node of Portico as a host sees it: its memory, registers and commands behind AXI4-Lite.

What the hardware and its specification agree on (register blocks, fields, opcodes) comes as JSON in the environment
variable PORTICO_SPEC, beside the settings of the run.
"""

import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

SPEC = json.loads(os.environ["PORTICO_SPEC"])
WIDTH = SPEC["width"]
BYTES = WIDTH // 8
BLOCKS = SPEC["blocks"]
COMMAND_PLACES = SPEC["command_places"]


def generator():
    """Random numbers from the seed that cocotb prints and takes back in COCOTB_RANDOM_SEED."""
    return random.Random(cocotb.RANDOM_SEED)


def pauses(rng, chance):
    """For each cycle whether a channel stands still."""
    while True:
        yield rng.random() < chance


async def start(dut):
    """Runs the clock and resets the device."""
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, SPEC["initialisation_cycles"])


class Node:
    """The node at the port `prefix`."""

    def __init__(self, dut, prefix="s_axil"):
        self.clk = dut.clk
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, prefix), dut.clk, dut.rst)

    def stall(self, rng, chance):
        """Lets every channel of the bus stand still in some cycles."""
        write, read = self.master.write_if, self.master.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
            channel.set_pause_generator(pauses(rng, chance))

    @staticmethod
    def register(block, place):
        """Byte address of a register."""
        return SPEC["base_bytes"] + ((BLOCKS[block] << SPEC["block_offset"]) + place) * BYTES

    async def read_register(self, block, place):
        """The value of a register."""
        answer = await self.master.read(self.register(block, place), 4)
        assert answer.resp == 0, f"{block} {place}: {answer.resp}"
        return int.from_bytes(answer.data, "little")

    async def write_register(self, block, place, value):
        """Writes a register."""
        answer = await self.master.write(self.register(block, place), value.to_bytes(4, "little"))
        assert answer.resp == 0, f"{block} {place}: {answer.resp}"

    async def read(self, address, length):
        """Bytes of the node's memory."""
        answer = await self.master.read(address, length)
        assert answer.resp == 0, f"{address:#x}: {answer.resp}"
        return bytes(answer.data)

    async def write(self, address, data):
        """Writes bytes of the node's memory."""
        answer = await self.master.write(address, data)
        assert answer.resp == 0, f"{address:#x}: {answer.resp}"

    async def command(self, words):
        """Pushes a descriptor: its last word at the last place of the block."""
        for place, word in enumerate(words, COMMAND_PLACES - len(words)):
            await self.write_register("command", place, word)

    async def set_segment(self, handle, node, tag, words):
        """Makes a window of another node known under a handle."""
        segment = SPEC["segment"]
        target = node << segment["node"] | tag << segment["tag"] | segment["window"] << segment["kind"]
        first = handle << segment["field_width"]
        await self.write_register("segments", first + segment["target"], target)
        await self.write_register("segments", first + segment["size"], words)

    def descriptor(self, opcode, segment, event, **fields):
        """Word 0 of a descriptor."""
        command = SPEC["command"]
        word = SPEC["opcodes"][opcode]
        for name, value in {"segment": segment, "event": event, **fields}.items():
            word |= value << command[name]
        return word

    async def complete(self, event, cycles=5000):
        """Waits until an event has counted once, and clears it; its value. An error code fails the test."""
        registers = SPEC["event"]
        count, status, result = (
            (event << registers["field_width"]) + registers[name] for name in ("count", "status", "value")
        )
        for _ in range(cycles // 20):
            if await self.read_register("events", count) != 0:
                break
            await ClockCycles(self.clk, 10)
        else:
            raise AssertionError(f"event {event} did not count within {cycles} cycles")
        error = await self.read_register("events", status) & registers["error_mask"]
        assert error == 0, f"event {event} has error {error}"
        value = await self.read_register("events", result)
        await self.write_register("events", count, 0)
        return value
