"""The reduce ALU between two AXI4-Stream sources and a sink, against the arithmetic of Python.

Width, operation codes and bits of the flags come as JSON in the environment variable PORTICO_SPEC.
"""

import json
import os
import random
import struct
from fractions import Fraction
from math import isinf, isnan

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

SPEC = json.loads(os.environ["PORTICO_SPEC"])
WIDTH = SPEC["width"]
STAGES = SPEC["stages"]
OPERATIONS = SPEC["operations"]
FLAGS = SPEC["flags"]
MASK = (1 << WIDTH) - 1
SIGN = 1 << (WIDTH - 1)
FORMAT, FRACTION = {32: ("<f", 23), 64: ("<d", 52)}[WIDTH]
INFINITY = (SIGN - 1) >> FRACTION << FRACTION
QUIET = 1 << (FRACTION - 1)
NAN = INFINITY | QUIET


def to_float(word):
    """The number that a word holds, not for NaNs."""
    return struct.unpack(FORMAT, word.to_bytes(WIDTH // 8, "little"))[0]


def to_word(number):
    """The nearest number of the format; an f32 is rounded twice, which for a sum of two comes to the same."""
    try:
        return int.from_bytes(struct.pack(FORMAT, number), "little")
    except OverflowError:
        return INFINITY | (SIGN if number < 0 else 0)


def is_nan(word):
    """Whether a word is a NaN."""
    return word & ~SIGN > INFINITY


def spoilt(words):
    """What an operation gives of which an operand is a NaN."""
    signals = any(is_nan(word) and not word & QUIET for word in words)
    return NAN, FLAGS["invalid"] if signals else 0


def float_sum(a, b):
    """The rounded sum and its flags."""
    if is_nan(a) or is_nan(b):
        return spoilt((a, b))
    one, other = to_float(a), to_float(b)
    total = one + other
    if isnan(total):
        return NAN, FLAGS["invalid"]
    word = to_word(total)
    if isinf(one) or isinf(other):
        return word, 0
    if word & ~SIGN == INFINITY:
        return word, FLAGS["overflow"] | FLAGS["inexact"]
    exact = Fraction(to_float(word)) == Fraction(one) + Fraction(other)
    return word, 0 if exact else FLAGS["inexact"]


def float_extreme(choose):
    """Minimum or maximum, with -0 below +0."""

    def operation(a, b):
        if is_nan(a) or is_nan(b):
            return spoilt((a, b))
        return choose(a, b, key=lambda word: (to_float(word), not word & SIGN)), 0

    return operation


def signed(word):
    """A word in two's complement."""
    return word - (word & SIGN) * 2


MODEL = {
    "integer_sum": lambda a, b: ((a + b) & MASK, 0),
    "integer_min": lambda a, b: (min(a, b, key=signed), 0),
    "integer_max": lambda a, b: (max(a, b, key=signed), 0),
    "and": lambda a, b: (a & b, 0),
    "or": lambda a, b: (a | b, 0),
    "xor": lambda a, b: (a ^ b, 0),
    "float_sum": float_sum,
    "float_min": float_extreme(min),
    "float_max": float_extreme(max),
}
BY_CODE = {OPERATIONS[name]: model for name, model in MODEL.items()}


def expected(code, a, b):
    """Result and flags of an operation; a code that is none passes the accumulated element and raises invalid."""
    return BY_CODE.get(code, lambda a, b: (a, FLAGS["invalid"]))(a, b)


def operands(rng):
    """Two words of any kind, in one of two with exponents close together."""
    special = [0, 1, INFINITY, INFINITY - 1, INFINITY + 1, NAN, SIGN - 1, 1 << FRACTION, (1 << FRACTION) - 1]

    def word():
        return (rng.choice(special) if rng.random() < 0.3 else rng.getrandbits(WIDTH)) ^ rng.choice([0, SIGN])

    a = word()
    return a, word() if rng.random() < 0.5 else a ^ rng.getrandbits(FRACTION + 1) ^ rng.choice([0, SIGN])


def pauses(rng, chance):
    """For each cycle whether a stream stands still."""
    while True:
        yield rng.random() < chance


class Alu:
    """The device with a stream model at each port."""

    def __init__(self, dut, chance):
        self.dut = dut
        self.rng = random.Random(cocotb.RANDOM_SEED)
        ports = {"byte_lanes": 1}
        self.a = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_a"), dut.clk, dut.rst, **ports)
        self.b = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_b"), dut.clk, dut.rst, **ports)
        self.results = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst, **ports)
        for stream in (self.a, self.b, self.results):
            stream.set_pause_generator(pauses(self.rng, chance))

    async def start(self):
        """Runs the clock and resets the device."""
        Clock(self.dut.clk, 10, unit="ns").start()
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 2)

    async def reduce(self, codes, pairs):
        """One packet of operations: results and flags of each."""
        await self.a.send(AxiStreamFrame([a for a, _ in pairs], tuser=list(codes)))
        await self.b.send(AxiStreamFrame([b for _, b in pairs]))
        frame = await self.results.recv(compact=False)
        return list(zip(frame.tdata, frame.tuser))


async def traffic(dut, chance, packets, length):
    """Random packets of any mix of codes; returns the device."""
    alu = Alu(dut, chance)
    await alu.start()
    for _ in range(packets):
        size = alu.rng.randrange(1, length + 1)
        codes = [alu.rng.randrange(1 << SPEC["operation_width"]) for _ in range(size)]
        pairs = [operands(alu.rng) for _ in range(size)]
        results = await alu.reduce(codes, pairs)
        assert len(results) == size, f"{len(results)} results of {size} pairs"
        for code, (a, b), result in zip(codes, pairs, results):
            right = expected(code, a, b)
            assert result == right, f"code {code}, {a:#x}, {b:#x}: {result}, not {right}"
    assert alu.results.empty(), "a result of nothing"
    return alu


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_mix_at_full_speed(dut):
    """Nothing stalls."""
    await traffic(dut, 0.0, 40, 100)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_mix_with_stalls(dut):
    """Every stream stalls, each on its own."""
    await traffic(dut, 0.4, 40, 100)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def every_operation_on_chosen_words(dut):
    """Each defined operation on all pairs of some words."""
    alu = Alu(dut, 0.1)
    await alu.start()
    words = [
        0,
        SIGN,
        1,
        1 | SIGN,
        INFINITY,
        INFINITY | SIGN,
        INFINITY - 1,
        INFINITY + 1,
        NAN,
        to_word(1.0),
        to_word(-1.5),
    ]
    pairs = [(a, b) for a in words for b in words]
    for name, model in MODEL.items():
        results = await alu.reduce([OPERATIONS[name]] * len(pairs), pairs)
        right = [model(a, b) for a, b in pairs]
        assert results == right, f"{name}: {[(p, x, y) for p, x, y in zip(pairs, results, right) if x != y][0]}"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def one_operation_a_cycle(dut):
    """A thousand operations take a thousand cycles and the latency, which the models' own cycles add to."""
    alu = Alu(dut, 0.0)
    await alu.start()
    pairs = [operands(alu.rng) for _ in range(1000)]
    codes = [alu.rng.choice(list(OPERATIONS.values())) for _ in pairs]
    begun = cocotb.utils.get_sim_time("ns")
    await alu.reduce(codes, pairs)
    cycles = round((cocotb.utils.get_sim_time("ns") - begun) / 10)
    assert len(pairs) + STAGES <= cycles <= len(pairs) + STAGES + 4, f"{cycles} cycles"
