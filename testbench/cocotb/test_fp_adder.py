"""The floating-point adder under the stream models of cocotbext-axi, against the arithmetic of Python.

SPEC has the `width` of the numbers and the `stages` of the adder, and as `flags` the place of each exception's bit.
"""

import json
import math
import os
import random
import struct
from fractions import Fraction

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

SPEC = json.loads(os.environ["PORTICO_SPEC"])
WIDTH = SPEC["width"]
BYTES = WIDTH // 8
CODE = {32: "f", 64: "d"}[WIDTH]
FRACTION_WIDTH = {32: 23, 64: 52}[WIDTH]
TOP = (1 << (WIDTH - 1 - FRACTION_WIDTH)) - 1
QUIET = 1 << (FRACTION_WIDTH - 1)
CANONICAL_NAN = TOP << FRACTION_WIDTH | QUIET


def value(word):
    """The number that a word stands for."""
    return struct.unpack("<" + CODE, word.to_bytes(BYTES, "little"))[0]


def is_signalling(word):
    """Whether a word is a signalling NaN."""
    fraction = word & ((1 << FRACTION_WIDTH) - 1)
    return word >> FRACTION_WIDTH & TOP == TOP and fraction != 0 and fraction & QUIET == 0


def expected(a, b):
    """The sum of two words and its flags. A double rounds twice without harm: it has more than twice the digits of a single."""
    flags = set()
    x, y = value(a), value(b)
    total = x + y
    if math.isnan(total):
        if is_signalling(a) or is_signalling(b) or not (math.isnan(x) or math.isnan(y)):
            flags.add("invalid")
        return CANONICAL_NAN, flags
    try:
        packed = struct.pack("<" + CODE, total)
    except OverflowError:
        packed = struct.pack("<" + CODE, math.copysign(math.inf, total))
    result = struct.unpack("<" + CODE, packed)[0]
    if not (math.isinf(x) or math.isinf(y)):
        if math.isinf(result):
            flags |= {"overflow", "inexact"}
        elif Fraction(x) + Fraction(y) != Fraction(result):
            flags.add("inexact")
    return int.from_bytes(packed, "little"), flags


def pauses(rng, chance):
    """For each cycle whether a stream stands still."""
    while True:
        yield rng.random() < chance


def operand(rng):
    """Numbers of all classes, many of them with exponents that are near."""
    exponent = rng.choice([0, 1, TOP // 2, TOP // 2 + rng.randrange(-30, 31), TOP - 1, TOP, rng.randrange(TOP + 1)])
    fraction = rng.choice([0, 1, QUIET, (1 << FRACTION_WIDTH) - 1, rng.getrandbits(FRACTION_WIDTH)])
    return rng.getrandbits(1) << (WIDTH - 1) | exponent << FRACTION_WIDTH | fraction


class Adder:
    """The device with a stream model at each port."""

    def __init__(self, dut, chance):
        self.dut = dut
        self.rng = random.Random(cocotb.RANDOM_SEED)
        self.addends = [
            AxiStreamSource(AxiStreamBus.from_prefix(dut, f"s_axis_{side}"), dut.clk, dut.rst) for side in "ab"
        ]
        self.sums = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
        for stream in (*self.addends, self.sums):
            stream.set_pause_generator(pauses(self.rng, chance))

    async def start(self):
        """Runs the clock and resets the device."""
        Clock(self.dut.clk, 10, unit="ns").start()
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 2)

    async def add(self, pairs):
        """Sends the pairs as a packet and holds sums and flags to what Python says."""
        for stream, words in zip(self.addends, zip(*pairs)):
            await stream.send(AxiStreamFrame(b"".join(word.to_bytes(BYTES, "little") for word in words)))
        frame = await self.sums.recv(compact=False)
        words = [int.from_bytes(frame.tdata[at : at + BYTES], "little") for at in range(0, len(frame.tdata), BYTES)]
        assert len(words) == len(pairs)
        for (a, b), word, user in zip(pairs, words, frame.tuser[::BYTES]):
            total, flags = expected(a, b)
            raised = {name for name, place in SPEC["flags"].items() if int(user) >> place & 1}
            assert (word, raised) == (total, flags), f"{a:#x} + {b:#x} = {word:#x} {raised}, not {total:#x} {flags}"


async def traffic(dut, chance):
    """Packets of random lengths."""
    adder = Adder(dut, chance)
    await adder.start()
    for _ in range(40):
        await adder.add([(operand(adder.rng), operand(adder.rng)) for _ in range(adder.rng.randrange(1, 40))])
    assert adder.sums.empty()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def sums_at_full_speed(dut):
    """Nothing stalls."""
    await traffic(dut, 0.0)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def sums_with_stalls(dut):
    """Every stream stalls."""
    await traffic(dut, 0.4)


@cocotb.test(timeout_time=20, timeout_unit="us")
async def a_sum_takes_as_many_cycles_as_stages(dut):
    """From the cycle in which a pair is taken to that in which the sum is offered."""
    adder = Adder(dut, 0.0)
    await adder.start()
    for stream in adder.addends:
        await stream.send(AxiStreamFrame(bytes(BYTES)))
    cycles = None
    while True:
        await RisingEdge(dut.clk)
        if cycles is not None:
            cycles += 1
        if dut.m_axis_tvalid.value == 1:
            break
        if dut.s_axis_a_tvalid.value == 1 and dut.s_axis_a_tready.value == 1:
            cycles = 0
    assert cycles == SPEC["stages"]
