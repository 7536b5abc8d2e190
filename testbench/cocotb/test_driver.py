"""Programs of the driver on a fabric in a simulator, and how they end.

PORTICO_SPEC has the configuration, that of a board, and the program portico that simulates it, if there is one.
"""

import json
import os
import threading
from asyncio import CancelledError

import cocotb
import portico
import portico.cocotb
from cocotb.triggers import SimTimeoutError
from portico.errors import ClosedError, TransportError, WrongFabricError

SPEC = json.loads(os.environ["PORTICO_SPEC"])
CONFIG = portico.Config.from_toml(SPEC["config"])
FOR_EVER = 2**60


def program(fabric):
    """Each kind of operation between two tiles: all that it has read."""
    event, mailbox = fabric.event(1), fabric.mailbox(1)
    local = fabric.publish(0, 0x100, 8).clone(0)
    segment = fabric.publish(1, 0x200, 8, event=event).clone(0)
    for offset in (0, 4):
        local.poke(offset, 0x0202 + offset)
    segment.put(0, 0x100, 8)
    read = [segment.fetchadd(0, 2**32 - 1), segment.compare_and_swap(4, 0x0206, 7), segment.fetchclear(0)]
    segment.get(4, 0x100, 4)
    mailbox.mail(0, 2**40 + 3)
    state = event.state()
    return [*read, local.peek(0), segment.peek(0), state.count, state.error, *mailbox.read()]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def the_same_program_runs_on_golden_cocotb_and_simulation(dut):
    """What it reads is the same everywhere."""
    fabric = await portico.cocotb.open(dut, CONFIG)
    before = fabric.port.cycles
    found = await portico.cocotb.run(program, fabric)
    assert found == program(portico.Fabric.golden(CONFIG))
    assert found[:5] == [0x0202, 0x0206, 0x0201, 7, 0], found
    if SPEC["program"]:
        # The program compiles its model by its own settings, not by those of this simulation.
        for name in ("LD_LIBRARY_PATH", "MAKEFLAGS", "OBJCACHE"):
            os.environ.pop(name, None)
        board = portico.Config.from_toml(SPEC["board"])
        with portico.Fabric.simulated(board, SPEC["program"]) as simulated:
            assert found == program(simulated)

    # The fabric has the time of the simulator, to the cycle.
    def waits(fabric):
        begun = fabric.cycles
        try:
            fabric.event(0).wait(timeout=300)
        except TimeoutError:
            return begun, fabric.cycles

    begun, ended = await portico.cocotb.run(waits, fabric)
    assert before < begun <= ended - 300 and ended - begun < 1000
    assert fabric.port.cycles == ended


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def errors_come_out(dut):
    """Exceptions of a program, and of calls that are not allowed outside of one."""
    fabric = await portico.cocotb.open(dut, CONFIG)

    async def raises(error, text, program):
        try:
            await portico.cocotb.run(program, fabric)
        except error as raised:
            assert text in str(raised), raised
        else:
            raise AssertionError(f"{error} was not raised")

    await raises(ZeroDivisionError, "division", lambda fabric: 1 // 0)
    await raises(ValueError, "allowed", lambda fabric: fabric.event(99))
    waiting = cocotb.start_soon(portico.cocotb.run(lambda fabric: fabric.event(0).wait(timeout=200), fabric))
    await fabric.port.wait(50)
    await raises(RuntimeError, "a program runs on this fabric already", program)
    await waiting.complete
    assert isinstance(waiting.exception(), TimeoutError)

    # Nothing is at this address: the bus refuses it, and the port works on.
    try:
        await fabric.port.read_word(0x40000)
        raise AssertionError("it was read")
    except TransportError as refused:
        assert str(refused) == "the bus answered SLVERR at address 0x40000", refused
    assert await fabric.port.read_word(0) == await fabric.port.read_word(0)
    try:
        fabric.event(0)
        raise AssertionError("a call outside of a program was made")
    except RuntimeError as told:
        assert "await portico.cocotb.run(program, fabric)" in str(told), told
    await raises(ClosedError, "has raised an exception", lambda fabric: fabric.event(0))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def another_configuration_is_refused(dut):
    """With both values."""
    try:
        await portico.cocotb.open(dut, portico.Config.from_toml(SPEC["config"].replace("rows = 1", "rows = 2")))
        raise AssertionError("it was opened")
    except WrongFabricError as refused:
        assert "rows is 1, expected 2" in str(refused), refused


LEFT = []


def waits_for_ever(fabric):
    """Notes how it ends, and that the fabric makes no further access."""
    try:
        fabric.event(0).wait(timeout=FOR_EVER)
    except CancelledError as ended:
        LEFT.append(str(ended))
        raise
    finally:
        try:
            fabric.event(0)
        except ClosedError as closed:
            LEFT.append(str(closed))


def all_have_left():
    """Whether the last program has left, and no thread stays."""
    threads = [thread.name for thread in threading.enumerate() if thread.name == "portico.cocotb.run"]
    left = ["the test has ended", "the transport of the fabric has raised an exception: open the fabric anew"]
    return not threads and left == LEFT


@cocotb.test(timeout_time=30, timeout_unit="us", expect_error=SimTimeoutError)
async def a_program_leaves_when_its_test_times_out(dut):
    """And the time-out is the only error of the test."""
    LEFT.clear()
    await portico.cocotb.run(waits_for_ever, await portico.cocotb.open(dut, CONFIG))


@cocotb.test(timeout_time=30, timeout_unit="us")
async def a_program_leaves_when_its_test_ends(dut):
    """So did the one of the test before."""
    assert all_have_left(), LEFT
    LEFT.clear()
    fabric = await portico.cocotb.open(dut, CONFIG)
    cocotb.start_soon(portico.cocotb.run(waits_for_ever, fabric))
    await fabric.port.wait(200)
    assert not LEFT


@cocotb.test()
async def no_program_stays(dut):
    """The program of the test before has left."""
    assert all_have_left(), LEFT
