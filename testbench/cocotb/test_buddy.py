"""The buddy allocator between AXI4-Stream models, against an allocator told by what is occupied.

SPEC says `heap` and `block` in bytes, the codes of `operations` and `statuses`, and the fields of commands and results.
The model knows nothing but which smallest blocks are occupied, by which grant; free blocks are found by halving the heap.
"""

import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

SPEC = json.loads(os.environ["PORTICO_SPEC"])
HEAP, BLOCK = SPEC["heap"], SPEC["block"]
STATUS, OPERATION = SPEC["statuses"], SPEC["operations"]
BLOCKS = HEAP // BLOCK


class Model:
    """What is occupied."""

    def __init__(self):
        self.grants = {}
        self.occupied = bytearray(BLOCKS)

    def free_blocks(self, first=0, count=BLOCKS):
        """(blocks, first block) of each free block of the heap."""
        used = sum(self.occupied[first : first + count])
        if used == 0:
            yield count, first
        elif used < count:
            half = count // 2
            yield from self.free_blocks(first, half)
            yield from self.free_blocks(first + half, half)

    def readings(self):
        """Free bytes and bytes of the largest free block."""
        free = [count for count, _ in self.free_blocks()]
        return sum(free) * BLOCK, max(free, default=0) * BLOCK

    def allocate(self, size):
        """(status, order, address)"""
        if size == 0:
            return "zero_size", 0, 0
        if size > HEAP:
            return "too_large", 0, 0
        count = 1
        while count * BLOCK < size:
            count *= 2
        found = min((block for block in self.free_blocks() if block[0] >= count), default=None)
        if found is None:
            return "exhausted", 0, 0
        first = found[1]
        self.grants[first] = count
        self.occupied[first : first + count] = b"\x01" * count
        return "done", count.bit_length() - 1, first * BLOCK

    def free(self, address):
        """(status, order, address)"""
        first, rest = divmod(address, BLOCK)
        if rest or first >= BLOCKS or (self.occupied[first] and first not in self.grants):
            return "foreign", 0, 0
        if not self.occupied[first]:
            return "not_live", 0, 0
        count = self.grants.pop(first)
        self.occupied[first : first + count] = bytes(count)
        return "done", count.bit_length() - 1, 0


class Bench:
    """The device with a model at each side."""

    def __init__(self, dut, idle, stall):
        self.dut = dut
        self.rng = random.Random(cocotb.RANDOM_SEED)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst, byte_lanes=1)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst, byte_lanes=1)
        self.source.set_pause_generator(self.pauses(idle))
        self.sink.set_pause_generator(self.pauses(stall))
        self.model = Model()

    def pauses(self, chance):
        """For each cycle whether a side stands still."""
        while True:
            yield self.rng.random() < chance

    async def start(self):
        """Runs the clock, resets the device, and waits until its tables are cleared."""
        Clock(self.dut.clk, 10, unit="ns").start()
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await RisingEdge(self.dut.clk)
        while self.dut.initialising.value == 1:
            await RisingEdge(self.dut.clk)

    async def send(self, operation, operand):
        """A command, and the result that is due: (status, order, address)."""
        word = OPERATION[operation] << SPEC["operation_offset"] | operand
        await self.source.send(AxiStreamFrame([word]))
        return getattr(self.model, operation)(operand)

    async def receive(self, due):
        """Holds the next result to what is due."""
        frame = await self.sink.recv()
        (word,) = frame.tdata
        status, order, address = due
        expected = STATUS[status] << SPEC["status_offset"] | order << SPEC["order_offset"] | address
        assert word == expected, f"{word:#x}, not {expected:#x}: {due}"

    async def execute(self, operation, operand):
        """A command and its result; the readings are those of the model then."""
        due = await self.send(operation, operand)
        await self.receive(due)
        readings = (int(self.dut.free_bytes.value), int(self.dut.largest_free.value))
        assert readings == self.model.readings()
        return due

    def draw(self):
        """An operation and an operand, right ones more often than wrong ones."""
        live = [first * BLOCK for first in self.model.grants]
        size = self.rng.randint(1, BLOCK << self.rng.randint(0, 4))
        if self.rng.random() < 0.2:
            wrong = [0, HEAP, HEAP + 1, self.rng.getrandbits(31), self.rng.randrange(HEAP)]
            return self.rng.choice(list(OPERATION)), self.rng.choice(wrong)
        if live and self.rng.random() < 0.48:
            return "free", self.rng.choice(live)
        return "allocate", size


async def traffic(dut, idle, stall):
    """Commands sent ahead of their results, then everything back."""
    bench = Bench(dut, idle, stall)
    await bench.start()
    for _ in range(60):
        due = [await bench.send(*bench.draw()) for _ in range(10)]
        for result in due:
            await bench.receive(result)
    for first in list(bench.model.grants):
        await bench.execute("free", first * BLOCK)
    assert (int(dut.free_bytes.value), int(dut.largest_free.value)) == (HEAP, HEAP)
    assert bench.sink.empty()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def commands_at_full_speed(dut):
    """Nothing stalls."""
    await traffic(dut, 0.0, 0.0)


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def commands_with_stalls(dut):
    """Both sides stand still in some cycles."""
    await traffic(dut, 0.3, 0.6)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_full_heap_refuses_and_comes_back_whole(dut):
    """Smallest blocks until there are no more, and back again."""
    bench = Bench(dut, 0.1, 0.1)
    await bench.start()
    for _ in range(BLOCKS):
        assert (await bench.execute("allocate", 1))[0] == "done"
    assert (await bench.execute("allocate", 1))[0] == "exhausted"
    live = list(bench.model.grants)
    bench.rng.shuffle(live)
    for first in live:
        assert (await bench.execute("free", first * BLOCK))[0] == "done"
    assert (await bench.execute("allocate", HEAP))[0] == "done"


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def errors_change_nothing(dut):
    """Each error, with the readings as they were."""
    bench = Bench(dut, 0.1, 0.1)
    await bench.start()
    for size in (BLOCK, 4 * BLOCK, 1):
        await bench.execute("allocate", size)
    for operation, operand, status in (
        ("allocate", 0, "zero_size"),
        ("allocate", HEAP + 1, "too_large"),
        ("allocate", HEAP, "exhausted"),
        ("free", 2 * BLOCK, "not_live"),
        ("free", 5 * BLOCK, "foreign"),
        ("free", 1, "foreign"),
        ("free", HEAP, "foreign"),
    ):
        before = bench.model.readings()
        assert (await bench.execute(operation, operand))[0] == status
        assert bench.model.readings() == before
