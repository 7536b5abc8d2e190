"""A list manager by its streams alone, against lists that are Python lists.

SPEC has the codes (`opcodes`, `lists`, `status`, `options`), `portal`, the lowest bit of a portal index in a source, and
`entries`, how many the device holds.
"""

import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

SPEC = json.loads(os.environ["PORTICO_SPEC"])
OPCODES, LISTS, STATUS, OPTIONS = SPEC["opcodes"], SPEC["lists"], SPEC["status"], SPEC["options"]
ENTRIES = SPEC["entries"]
PORTAL = SPEC["portal"]
MASK = 2**64 - 1


def pauses(rng, chance):
    """For each cycle whether a stream stands still."""
    while True:
        yield rng.random() < chance


def matches(entry, header):
    """Portals 4, 3.12."""

    def has(name):
        return entry["options"] >> OPTIONS[name] & 1

    offset = entry["offset"] if has("manage_local") else header["offset"]
    return (
        entry["source"] >> PORTAL == header["source"] >> PORTAL
        and (has("any_source") or entry["source"] == header["source"])
        and (entry["match"] ^ header["match"]) & ~entry["ignore"] & MASK == 0
        and (not has("no_truncate") or offset + header["length"] <= entry["length"])
    )


class Manager:
    """The device with a stream model at each port."""

    def __init__(self, dut, chance):
        self.dut = dut
        self.rng = random.Random(cocotb.RANDOM_SEED)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
        self.source.set_pause_generator(pauses(self.rng, chance))
        self.sink.set_pause_generator(pauses(self.rng, chance))
        self.lists = {name: [] for name in ("priority", "overflow", "unexpected")}

    async def start(self):
        """Clock and reset."""
        cocotb.start_soon(Clock(self.dut.clk, 10, unit="ns").start())
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0

    async def send(self, beats):
        """A command, and its first result in beats."""
        data = b"".join(beat.to_bytes(8, "little") for beat in beats)
        await self.source.send(AxiStreamFrame(data))
        return await self.receive()

    async def receive(self):
        """A result in beats."""
        data = bytes((await self.sink.recv()).tdata)
        return [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)]

    async def entry_command(self, opcode, name, entry, beats):
        """A command that has an entry or header."""
        first = OPCODES[opcode] | LISTS[name] << 8 | entry["source"] << 16 | entry["options"] << 32
        extent = entry["length"] | entry["offset"] << 32
        return await self.send([first, entry["match"], extent, entry["ignore"], entry["pointer"]][:beats])

    async def handle_command(self, opcode, handle, *more):
        """A command that has a handle, of any list."""
        return await self.send([OPCODES[opcode] | LISTS["all"] << 8 | handle << 32, *more])

    def random_entry(self):
        """Few sources and match bits, so that there are hits; lengths at the edges."""

        def edge():
            return self.rng.choice([0, 1, 64, 2**32 - 1])

        return {
            "source": self.rng.randrange(4) | self.rng.choice([0, 0, 0, 1]) << PORTAL,
            "options": self.rng.getrandbits(16) & ~1 | (self.rng.random() < 0.3),
            "match": self.rng.randrange(4) << 62,
            "ignore": self.rng.choice([0, 1 << 63, MASK]),
            "length": edge(),
            "offset": edge(),
            "pointer": self.rng.getrandbits(32),
        }

    def room(self):
        """Whether an entry can be added."""
        return sum(len(entries) for entries in self.lists.values()) < ENTRIES


def status(result):
    """Status and list of a result."""
    return result[0] & 0xFF, result[0] >> 8 & 0xFF


def found(entry, name):
    """The result that has the entry, apart from whether more follow."""
    detail = entry["pointer"] | entry["source"] << 32 | entry["options"] << 48
    first = STATUS["found"] | LISTS[name] << 8 | entry["handle"] << 32
    return [first, entry["match"], entry["length"] | entry["offset"] << 32, entry["ignore"], detail]


async def traffic(dut, chance):
    """Random appends, searches of Priority and Overflow, and deletes."""
    manager = Manager(dut, chance)
    await manager.start()
    rng, lists, seen = manager.rng, manager.lists, set()
    for _ in range(400):
        entry = manager.random_entry()
        kind = rng.choice(["append", "append", "search", "search_delete", "delete", "read"])
        known = [(name, held) for name, entries in lists.items() for held in entries]
        if kind == "append":
            name = rng.choice(list(lists))
            result = await manager.entry_command(kind, name, entry, 5)
            if not manager.room():
                assert result == [STATUS["full"] | LISTS[name] << 8]
                continue
            assert len(result) == 1 and status(result) == (STATUS["done"], LISTS[name])
            entry["handle"] = result[0] >> 32
            assert entry["handle"] not in seen
            seen.add(entry["handle"])
            lists[name].append(entry)
        elif kind in ("search", "search_delete"):
            hits = [(name, held) for name in ("priority", "overflow") for held in lists[name] if matches(held, entry)]
            result = await manager.entry_command(kind, "all", entry, 3)
            if not hits:
                assert status(result) == (STATUS["no_match"], LISTS["all"])
                continue
            name, first = hits[0]
            assert result == found(first, name)
            if kind == "search_delete":
                lists[name].remove(first)
        elif known:
            name, held = rng.choice(known)
            result = await manager.handle_command(kind, held["handle"])
            if kind == "read":
                assert result == found(held, name)
            else:
                assert result == [STATUS["done"] | LISTS[name] << 8 | held["handle"] << 32]
                lists[name].remove(held)
                assert status(await manager.handle_command("read", held["handle"]))[0] == STATUS["bad_handle"]
    occupancy = (dut.occupancy_priority, dut.occupancy_overflow, dut.occupancy_unexpected)
    assert [int(port.value) for port in occupancy] == [len(entries) for entries in lists.values()]
    assert manager.sink.empty()


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def lists_at_full_speed(dut):
    """Nothing stalls."""
    await traffic(dut, 0.0)


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def lists_with_stalls(dut):
    """Both streams stall."""
    await traffic(dut, 0.4)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def an_appended_entry_consumes_the_headers_that_it_matches(dut):
    """Persistent entries take all of them, oldest first; the others stay."""
    manager = Manager(dut, 0.2)
    await manager.start()
    base = {"options": 0, "match": 5, "ignore": 0, "length": 8, "offset": 0}
    for number in range(6):
        header = dict(base, source=number % 2, pointer=number)
        await manager.entry_command("append", "unexpected", header, 5)
    result = await manager.entry_command("append_search", "priority", dict(base, source=1, pointer=99), 5)
    for number in (1, 3, 5):
        assert status(result) == (STATUS["found"], LISTS["unexpected"]) and result[0] >> 16 & 1
        assert result[4] & 0xFFFF_FFFF == number
        result = await manager.receive()
    assert len(result) == 1 and status(result) == (STATUS["done"], LISTS["priority"])
    await ClockCycles(dut.clk, 5)
    assert (int(dut.occupancy_priority.value), int(dut.occupancy_unexpected.value)) == (1, 3)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_hit_is_held_until_it_is_resolved(dut):
    """A message to Overflow: its entry is detached, its header left, in one step; the place is free after the release."""
    manager = Manager(dut, 0.2)
    await manager.start()
    base = {"source": 1, "options": 0, "match": 5, "ignore": 0, "length": 8, "offset": 0, "pointer": 7}
    entry = (await manager.entry_command("append", "overflow", base, 5))[0] >> 32
    hit = await manager.entry_command("search_hold", "all", base, 3)
    assert status(hit) == (STATUS["found"], LISTS["overflow"]) and hit[0] >> 32 == entry
    assert status(await manager.handle_command("read", entry))[0] == STATUS["held"]
    detaches, leaves_header = 1 << 49, 1 << 51
    first = OPCODES["resolve"] | LISTS["all"] << 8 | base["source"] << 16 | detaches | leaves_header
    done = await manager.send([first, base["match"], base["length"], 0, base["pointer"]])
    assert done == [STATUS["done"] | LISTS["overflow"] << 8 | 1 << 16 | entry << 32]
    left = await manager.receive()
    assert status(left) == (STATUS["done"], LISTS["unexpected"])
    assert status(await manager.handle_command("read", entry))[0] == STATUS["bad_handle"]
    assert status(await manager.handle_command("release", entry))[0] == STATUS["done"]
    await ClockCycles(dut.clk, 5)
    assert (int(dut.occupancy_overflow.value), int(dut.occupancy_unexpected.value)) == (0, 1)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def malformed_commands_are_refused(dut):
    """Too short, too long, of no opcode, on a wrong list; and nothing is changed."""
    manager = Manager(dut, 0.2)
    await manager.start()
    append = OPCODES["append"]
    for beats, wanted in (
        ([append, 0, 0, 0], "bad_length"),
        ([append] + 9 * [0], "bad_length"),
        ([200], "bad_opcode"),
        ([append | LISTS["all"] << 8, 0, 0, 0, 0], "bad_list"),
        ([append | 77 << 8, 0, 0, 0, 0], "bad_list"),
    ):
        result = await manager.send(beats)
        assert len(result) == 1 and result[0] & 0xFF == STATUS[wanted]
    assert int(dut.occupancy_priority.value) == 0
