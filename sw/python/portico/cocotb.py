"""A fabric in a simulator, under cocotb: the same blocking programs drive it as drive a board.

>>> @cocotb.test(timeout_time=1, timeout_unit="ms")
... async def words_arrive(dut):
...     fabric = await portico.cocotb.open(dut, portico.Config(cols=2, rows=1))
...     await portico.cocotb.run(lambda fabric: fabric.publish(1, 0, 64).clone(0).poke(0, 5), fabric)

open    starts clock and reset, and opens the fabric behind an AXI4-Lite port
run     runs a program, a function that takes a Fabric, in turn with the simulator
Port    an AXI4-Lite port, for accesses without the driver
start   clock and reset alone
stall   idle cycles and back-pressure, at random
Source  sends packets into a stream of flits of a mesh or tile; Sink takes them out
Packet  a head and its payload; Head: the fields of a head flit
"""

from __future__ import annotations

import logging
import queue
import random
import threading
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

try:
    import cocotb
    from cocotb.clock import Clock
    from cocotb.simtime import convert, get_sim_time
    from cocotb.task import Task
    from cocotb.triggers import ClockCycles, RisingEdge, SimTimeoutError, Timer, with_timeout
    from cocotbext.axi import (  # type: ignore[import-untyped]
        AxiLiteBus,
        AxiLiteMaster,
        AxiResp,
        AxiStreamBus,
        AxiStreamFrame,
        AxiStreamSink,
        AxiStreamSource,
    )
except ImportError as error:
    raise ImportError(
        "portico.cocotb needs cocotb 2.0 and cocotbext-axi: pip install 'cocotb>=2.0' cocotbext-axi"
    ) from error

from . import _portico
from ._portico import Config
from .errors import ArgumentError, TransportError

__all__ = ["Fabric", "Head", "Packet", "Port", "Sink", "Source", "open", "pauses", "place", "run", "stall", "start"]

Value = TypeVar("Value")
Unit = Literal["step", "fs", "ps", "ns", "us", "ms", "sec"]

_LEAVE = 10.0
"""Seconds that a program has to leave after its test has ended."""


async def start(
    dut: Any, *, clock: str = "clk", reset: str = "rst", period: float = 10, unit: Unit = "ns", reset_cycles: int = 4
) -> None:
    """Starts a clock of `period` at the input `clock` of a device, and holds its input `reset`, active high, for
    `reset_cycles` cycles."""
    signal, level = getattr(dut, clock), getattr(dut, reset)
    Clock(signal, period, unit=unit).start()
    level.value = 1
    await ClockCycles(signal, reset_cycles)
    level.value = 0
    await RisingEdge(signal)


def pauses(chance: float, rng: Any = random) -> Iterator[bool]:
    """For each cycle whether a channel stands still, with a probability of 0 to 1. cocotb seeds `random`, and prints
    the seed."""
    if not 0 <= chance <= 1:
        raise ArgumentError(f"chance = {chance} is not allowed: allowed is 0..=1")
    return (rng.random() < chance for _ in iter(int, 1))


def stall(model: Any, chance: float, rng: Any = random) -> None:
    """Lets every channel of a model stand still in some cycles, each by `pauses`: of a Port, a Source, a Sink, or a
    model of cocotbext-axi, such as an AxiRam."""
    model = getattr(model, "model", model)
    channels = [model]
    if hasattr(model, "write_if"):
        write, read = model.write_if, model.read_if
        channels = [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel]
    for channel in channels:
        channel.set_pause_generator(pauses(chance, rng))


def _check_port(dut: Any, name: str) -> None:
    if not hasattr(dut, name):
        raise ArgumentError(f"prefix = {name.rpartition('_')[0]!r} is not allowed: {dut._name} has no port {name}")


class Port:
    """The AXI4-Lite port `prefix` of a device: of a fabric's host node, or of a tile. Its accesses have any number of
    bytes, and raise TransportError if the device refuses them, or does not answer within `patience` cycles a word.

    `period` is that of the clock, whoever drives it. `model` is the AxiLiteMaster of cocotbext-axi."""

    def __init__(
        self,
        dut: Any,
        prefix: str = "s_axil",
        *,
        clock: str = "clk",
        reset: str = "rst",
        period: float = 10,
        unit: Unit = "ns",
        patience: int = 10_000,
    ) -> None:
        if patience < 1:
            raise ArgumentError(f"patience = {patience} is not allowed: allowed is 1 and more")
        _check_port(dut, f"{prefix}_awaddr")
        self.model = AxiLiteMaster(AxiLiteBus.from_prefix(dut, prefix), getattr(dut, clock), getattr(dut, reset))
        self.patience = patience
        self._period = int(convert(period, unit, to="step"))
        self._begun = get_sim_time("step")

    @property
    def cycles(self) -> int:
        """Cycles of the clock since this object was made."""
        return int(get_sim_time("step") - self._begun) // self._period

    async def read(self, address: int, length: int) -> bytes:
        """Reads bytes from a byte address on."""
        answer = await self._answer(self.model.read(address, length), address, length)
        return bytes(answer.data)

    async def write(self, address: int, data: bytes) -> None:
        """Writes bytes from a byte address on."""
        await self._answer(self.model.write(address, data), address, len(data))

    async def read_word(self, address: int) -> int:
        """Reads 32 bits, such as a register."""
        return int.from_bytes(await self.read(address, 4), "little")

    async def write_word(self, address: int, value: int) -> None:
        """Writes 32 bits, such as a register."""
        await self.write(address, value.to_bytes(4, "little"))

    async def wait(self, cycles: int) -> None:
        """Lets cycles pass."""
        if cycles:
            await Timer(cycles * self._period, "step")

    async def _answer(self, access: Awaitable[Any], address: int, length: int) -> Any:
        limit = self.patience * max(1, -(-length // 4))
        try:
            answer = await with_timeout(access, limit * self._period, "step")
        except SimTimeoutError:
            raise TransportError(f"no answer at address {address:#x} within {limit} cycles") from None
        if answer is None:
            raise TransportError(f"a reset came during the access at address {address:#x}")
        if answer.resp != AxiResp.OKAY:
            raise TransportError(f"the bus answered {AxiResp(answer.resp).name} at address {address:#x}")
        return answer


class _Turns:
    """Runs a program in a thread, in turn with the simulator: while one of the two runs, the other one waits.

    `bridge` and `resume` of cocotb work in the same way, up to the end of the test. There a `resume` under way adds a
    RuntimeError to the errors of the test, and its thread goes on beside the simulator."""

    def __init__(self, port: Port) -> None:
        self.port = port
        self.cycles = port.cycles
        self.simulator = threading.get_ident()
        self._requests: queue.SimpleQueue[Callable[[], Awaitable[Any]] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._has_ended = False
        self._value: Any = None
        self._error: BaseException | None = None

    def ask(self, access: Callable[[], Awaitable[Value]]) -> Value:
        """Lets the simulator run until the access is made. Called in the thread."""
        if self._has_ended:
            raise CancelledError("the test has ended")
        self._requests.put(access)
        value, error = self._answers.get()
        if error is not None:
            raise error
        result: Value = value
        return result

    def _run(self, program: Callable[[], Any]) -> None:
        try:
            self._value = program()
        except BaseException as error:  # noqa: BLE001
            self._error = error
        self._requests.put(None)

    async def serve(self, program: Callable[[], Value]) -> Value:
        """Runs a program to its end. Gives its value, or raises its exception."""
        thread = threading.Thread(target=self._run, args=(program,), name="portico.cocotb.run", daemon=True)
        thread.start()
        try:
            for access in iter(self._requests.get, None):
                try:
                    value, error = await access(), None
                except Exception as raised:  # noqa: BLE001
                    value, error = None, raised
                # The program may not ask the simulator for the time, which is this thread's.
                self.cycles = self.port.cycles
                self._answers.put((value, error))
        finally:
            # If the test has ended in the middle, the program leaves by an exception of its access.
            self._has_ended = True
            self._answers.put((None, CancelledError("the test has ended")))
            thread.join(_LEAVE)
            if thread.is_alive():
                logging.getLogger("portico.cocotb").warning(
                    "the program has not left within %g s after its test", _LEAVE
                )
        if self._error is not None:
            raise self._error
        result: Value = self._value
        return result


class _Transport:
    """What the driver needs of a port, blocking."""

    def __init__(self, port: Port) -> None:
        self.port = port
        self._turns: _Turns | None = None

    def _ask(self, access: Callable[[], Awaitable[Value]]) -> Value:
        turns = self._turns
        if turns is None or threading.get_ident() == turns.simulator:
            raise RuntimeError(
                "a fabric in a simulator works only in a program: `await portico.cocotb.run(program, fabric)`"
            )
        return turns.ask(access)

    async def serve(self, program: Callable[[], Value]) -> Value:
        if self._turns is not None:
            raise RuntimeError("a program runs on this fabric already: await its end first")
        self._turns = _Turns(self.port)
        try:
            return await self._turns.serve(program)
        finally:
            self._turns = None

    def read(self, address: int) -> int:
        return self._ask(lambda: self.port.read_word(address))

    def write(self, address: int, value: int) -> None:
        self._ask(lambda: self.port.write_word(address, value))

    def read_block(self, address: int, count: int) -> list[int]:
        data = self._ask(lambda: self.port.read(address, 4 * count))
        return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]

    def write_block(self, address: int, values: Sequence[int]) -> None:
        data = b"".join(value.to_bytes(4, "little") for value in values)
        self._ask(lambda: self.port.write(address, data))

    def cycles(self) -> int:
        # Nobody waits outside of a program.
        return self._turns.cycles if self._turns else self.port.cycles

    def wait(self, cycles: int) -> None:
        self._ask(lambda: self.port.wait(cycles))


class Fabric(_portico.Fabric):
    """A fabric in a simulator, which `open` opens. Its calls that reach the hardware work in a program alone: see
    `run`. `port` is its Port."""

    def __init__(self, transport: _Transport, config: Config) -> None:
        self._transport = transport
        self.port = transport.port


async def open(
    dut: Any,
    config: Config,
    prefix: str = "s_axil",
    *,
    clock: str = "clk",
    reset: str = "rst",
    period: float = 10,
    unit: Unit = "ns",
    drives: bool = True,
    patience: int = 10_000,
) -> Fabric:
    """Opens the fabric of a configuration behind the AXI4-Lite port `prefix` of a device, and waits until it is
    initialised.

    Drives the inputs `clock`, with a period of `period`, and `reset`, active high. With `drives=False` the test bench
    does both, and has given the reset before; `period` is that of its clock. An access that takes more than `patience`
    cycles raises TransportError. Raises WrongFabricError with both values if the configuration is not the fabric's."""
    port = Port(dut, prefix, clock=clock, reset=reset, period=period, unit=unit, patience=patience)
    if drives:
        await start(dut, clock=clock, reset=reset, period=period, unit=unit)
    transport = _Transport(port)
    return await transport.serve(lambda: Fabric(transport, config))


async def run(program: Callable[[Fabric], Value], fabric: Fabric) -> Value:
    """Runs a blocking program on a fabric: in a thread, which runs while the simulator waits, and waits while the
    simulator makes an access. Gives the program's value, or raises its exception.

    If the test ends first, or the task is cancelled, the access under way raises asyncio.CancelledError in the program,
    which then has some seconds to leave. The fabric is closed then."""
    return await fabric._transport.serve(lambda: program(fabric))


def place(config: Config, terminal: int) -> tuple[int, int]:
    """Column and row of a terminal, as heads have them: of tile `terminal`, or of an edge node, whose numbers follow
    those of tiles."""
    return _portico._place(config, terminal)


_FIELDS = _portico._head_fields()


@dataclass(frozen=True)
class Head:
    """The fields of a head flit. Destination and source are column and row: see `place`."""

    destination: tuple[int, int]
    source: tuple[int, int] = (0, 0)
    tag: int = 0
    """Which window, queue or context of the destination, 0 to 255."""
    kind: int = 0
    """How the network interface takes the packet, 0 to 7."""
    last: bool = False
    """End of a transfer of several packets."""

    def encode(self) -> int:
        """The head as a flit. Raises ArgumentError with a field that does not fit."""
        values = (*self.destination, *self.source, self.tag, self.kind, int(self.last))
        word = 0
        for (name, offset, width), value in zip(_FIELDS, values):
            if not 0 <= value < 1 << width:
                raise ArgumentError(f"{name} = {value} does not fit a head: allowed is 0..={(1 << width) - 1}")
            word |= value << offset
        return word

    @staticmethod
    def decode(flit: int) -> Head:
        """The fields of a head flit. Bits above them are ignored."""
        dx, dy, sx, sy, tag, kind, last = (flit >> offset & (1 << width) - 1 for _, offset, width in _FIELDS)
        return Head((dx, dy), (sx, sy), tag, kind, bool(last))


@dataclass(frozen=True)
class Packet:
    """A packet: its head, and the words behind it."""

    head: Head
    payload: tuple[int, ...] = ()

    def flits(self, width: int) -> list[int]:
        """All flits of `width` bits. Raises ArgumentError if a word or the payload is too large."""
        most = _portico._max_payload()
        if len(self.payload) > most:
            raise ArgumentError(f"payload has {len(self.payload)} words: allowed is 0..={most}")
        for at, word in enumerate(self.payload):
            if not 0 <= word < 1 << width:
                raise ArgumentError(f"payload[{at}] = {word} is not allowed: allowed is 0..={(1 << width) - 1}")
        return [self.head.encode(), *self.payload]


class Source:
    """Sends packets into the stream of flits `prefix` of a device, such as `s_axis_0` of a mesh. `model` is the
    AxiStreamSource of cocotbext-axi; idle cycles come from `stall`."""

    def __init__(self, dut: Any, prefix: str, *, clock: str = "clk", reset: str = "rst") -> None:
        _check_port(dut, f"{prefix}_tdata")
        bus = AxiStreamBus.from_prefix(dut, prefix)
        self.model = AxiStreamSource(bus, getattr(dut, clock), getattr(dut, reset), byte_lanes=1)

    def send(self, packet: Packet) -> None:
        """Sends a packet after those before it."""
        self.model.send_nowait(AxiStreamFrame(packet.flits(self.model.width)))

    async def wait(self) -> None:
        """Waits until the device has taken all packets."""
        await self.model.wait()


class Sink:
    """Takes packets from the stream of flits `prefix` of a device, such as `m_axis_0` of a mesh. `model` is the
    AxiStreamSink of cocotbext-axi; back-pressure comes from `stall`.

    The test fails if the device withdraws or changes a flit that it has offered and that was not taken."""

    def __init__(self, dut: Any, prefix: str, *, clock: str = "clk", reset: str = "rst") -> None:
        self.prefix = prefix
        _check_port(dut, f"{prefix}_tdata")
        bus = AxiStreamBus.from_prefix(dut, prefix)
        self.model = AxiStreamSink(bus, getattr(dut, clock), getattr(dut, reset), byte_lanes=1)
        self._watch: Task[None] = cocotb.start_soon(self._watch_offers(bus, getattr(dut, clock), getattr(dut, reset)))

    async def receive(self) -> Packet:
        """Waits for the next packet."""
        head, *payload = (await self.model.recv()).tdata
        return Packet(Head.decode(head), tuple(payload))

    def empty(self) -> bool:
        """Whether there is no packet that was not received yet."""
        return bool(self.model.empty())

    async def _watch_offers(self, bus: Any, clock: Any, reset: Any) -> None:
        offered: tuple[int, bool] | None = None
        while True:
            if offered is None and not _is_high(bus.tvalid):
                await RisingEdge(bus.tvalid)
            await RisingEdge(clock)
            if _is_high(reset):
                offered = None
                continue
            found = (int(bus.tdata.value), _is_high(bus.tlast)) if _is_high(bus.tvalid) else None
            if offered is not None and found != offered:
                raise AssertionError(
                    f"{self.prefix}: flit {_shown(offered)} was not taken, and is {_shown(found)} in the next cycle"
                )
            offered = None if _is_high(bus.tready) else found


def _is_high(signal: Any) -> bool:
    # Before the reset, it may be neither.
    return str(signal.value) == "1"


def _shown(flit: tuple[int, bool] | None) -> str:
    return "withdrawn" if flit is None else f"{flit[0]:#x}{', the last' if flit[1] else ''}"
