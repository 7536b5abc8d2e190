"""Transports: objects of Python, serial lines, adapters; threads, Ctrl-C, forks and the end of the interpreter."""

import importlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import types
import unittest

import numpy
import portico
from bench import Bone, board, config, program, small
from portico.errors import (
    BusyError,
    ClosedError,
    Error,
    TransportError,
    WrongFabricError,
)

WORDS = numpy.array([10, 20, 30, 40], "uint32")
FOR_EVER = 2**60


def moves_words(test, fabric):
    """Whether a put moves words, three times."""
    for tile in (3, 2, 1):
        fabric.write(0, 0x100, WORDS + tile)
        with fabric.publish(tile, 0x200, 64) as window, window.clone(0) as segment:
            segment.put(0, 0x100, 16)
        test.assertEqual(fabric.read(tile, 0x200, 4).tolist(), (WORDS + tile).tolist())


class Failing:
    """A transport whose accesses raise, once it is told to."""

    def __init__(self, inner):
        self.inner, self.error = inner, None

    def check(self):
        if self.error:
            raise self.error

    def read(self, address):
        self.check()
        return self.inner.read(address)

    def write(self, address, value):
        self.check()
        self.inner.write(address, value)


class Timed(Bone):
    """A board with a clock: an access takes a hundred cycles."""

    def cycles(self):
        return 5000 + 100 * self.accesses

    def wait(self, cycles):
        pass


class Objects(unittest.TestCase):
    def test_an_object_that_reads_and_writes_is_a_transport(self):
        transport = Bone(board())
        fabric = portico.Fabric(transport, config())
        moves_words(self, fabric)
        self.assertGreater(transport.accesses, 100)
        self.assertLessEqual(transport.accesses, fabric.cycles)
        fabric.close()
        with self.assertRaisesRegex(ClosedError, "the fabric is closed"):
            fabric.read(0, 0, 1)

    def test_an_exception_of_the_transport_comes_out_and_closes(self):
        transport = Failing(Bone(board()))
        fabric = portico.Fabric(transport, config())
        event = fabric.event(1)
        transport.error = ConnectionResetError("the cable is out")
        with self.assertRaises(ConnectionResetError) as raised:
            fabric.write(1, 0, WORDS)
        self.assertIs(raised.exception, transport.error)
        transport.error = None
        for call in (lambda: fabric.read(0, 0, 1), event.state, lambda: fabric.cycles):
            with self.assertRaisesRegex(ClosedError, "has raised an exception"):
                call()
        fabric.close()

    def test_an_exception_comes_out_of_the_opening(self):
        for error in (KeyError("address"), SystemExit(3)):
            transport = Failing(None)
            transport.error = error
            with self.assertRaises(type(error)) as raised:
                portico.Fabric(transport, config())
            self.assertIs(raised.exception, error)

    def test_what_is_no_word_is_told(self):
        for word, error in (
            (-1, ValueError),
            (2**32, ValueError),
            ("1", TypeError),
            (None, TypeError),
            (True, TypeError),
        ):
            transport = types.SimpleNamespace(read=lambda address, word=word: word, write=lambda address, value: None)
            with self.subTest(word=word), self.assertRaisesRegex(error, "the value that the transport has read"):
                portico.Fabric(transport, config())
        with self.assertRaisesRegex(AttributeError, "read"):
            portico.Fabric(object(), config())

    def test_another_configuration_is_refused_with_both_values(self):
        transport = Bone(board())
        with self.assertRaises(WrongFabricError) as raised:
            portico.Fabric(transport, portico.Config(cols=2, rows=3))
        self.assertIn("rows is 2, expected 3", str(raised.exception))
        with self.assertRaisesRegex(WrongFabricError, "mpe is 0, expected 1"):
            portico.Fabric(transport, config(mpe=1))

    def test_a_transport_that_calls_its_fabric(self):
        transport = Failing(Bone(board()))
        fabric = portico.Fabric(transport, config())
        transport.check = lambda: fabric.cycles
        with self.assertRaisesRegex(BusyError, "its own transport"):
            fabric.read(0, 0, 1)

    def test_a_transport_with_a_clock_limits_waits_by_it(self):
        transport = Timed(board())
        fabric = portico.Fabric(transport, config())
        self.assertEqual(fabric.cycles, transport.cycles())
        event, before = fabric.event(1), transport.accesses
        with self.assertRaisesRegex(TimeoutError, "within 100000 cycles"):
            event.wait(timeout=100_000)
        self.assertAlmostEqual(transport.accesses - before, 1000, delta=100)

    def test_a_clock_that_goes_back_is_told(self):
        transport = Timed(board())
        fabric = portico.Fabric(transport, config())
        last = fabric.cycles
        transport.accesses = 0
        text = rf"the cycles that the transport has told = 5000 are not allowed: allowed is {last} and more"
        with self.assertRaisesRegex(ValueError, text):
            fabric.cycles  # noqa: B018
        with self.assertRaisesRegex(ClosedError, "has raised an exception"):
            fabric.event(0)

    def test_cycles_without_wait_are_no_clock(self):
        transport = Bone(board())
        transport.cycles = lambda: 1 / 0
        fabric = portico.Fabric(transport, config())
        self.assertLessEqual(transport.accesses, fabric.cycles)


class Adapters(unittest.TestCase):
    def test_cocotb_that_is_missing_is_named(self):
        with self.assertRaisesRegex(
            ImportError, r"portico.cocotb needs cocotb 2.0 and cocotbext-axi: pip install 'cocotb>=2.0'"
        ):
            importlib.import_module("portico.cocotb")

    def test_litex(self):
        from portico import litex

        class Shifted(Bone):
            """A client of a SoC whose bus has the fabric at 0x3000_0000."""

            def read(self, address, length=None, burst="incr"):
                self.words_at_most(length or 1)
                return super().read(address - 0x3000_0000, length)

            def write(self, address, words):
                self.words_at_most(len(words) if isinstance(words, list) else 1)
                super().write(address - 0x3000_0000, words)

            def words_at_most(self, count):
                """A record of LiteX's protocol counts its words in 8 bits."""
                if count > 255:
                    raise ValueError(f"{count} words in a record")

        client = Shifted(board())
        fabric = litex.open(client, 0x3000_0000, config())
        moves_words(self, fabric)
        before = client.accesses
        block = numpy.arange(512, dtype="uint32")
        fabric.write(fabric.host_node, 0, block)
        self.assertEqual(fabric.read(fabric.host_node, 0, 512).tolist(), block.tolist())
        # 255, 255 and 2 words, each way.
        self.assertEqual(client.accesses - before, 6)

    def test_litex_without_an_answer(self):
        from portico import litex

        class Silent:
            """LiteX's client when its server is gone: it would give zeros in place of words."""

            socket = types.SimpleNamespace(gettimeout=lambda: 2.0)

            def receive_packet(self, socket, addr_size):
                return 0

            def read(self, address, length=None, burst="incr"):
                self.receive_packet(self.socket, 4)
                return 0 if length is None else [0] * length

            def write(self, address, words):
                pass

        with self.assertRaisesRegex(ConnectionError, "has not answered within 2.0 s"):
            litex.open(Silent(), 0x3000_0000, config())

    def test_pynq(self):
        from portico import pynq

        asked = []

        def mmio(base, length):
            asked.append((base, length))
            return Bone(board())

        sys.modules["pynq"] = types.SimpleNamespace(MMIO=mmio)
        self.addCleanup(sys.modules.pop, "pynq")
        moves_words(self, pynq.open(0x4000_0000, config()))
        self.assertEqual(asked, [(0x4000_0000, 1 << 20)])


class Lines(unittest.TestCase):
    def test_serial(self):
        path = board()
        for _ in range(2):
            with portico.Fabric.serial(path, 1_000_000, config()) as fabric:
                moves_words(self, fabric)
        with self.assertRaisesRegex(WrongFabricError, "cols is 2, expected 4"):
            portico.Fabric.serial(path, None, portico.Config(rows=2))
        with self.assertRaises(TransportError):
            portico.Fabric.serial("/dev/none", None, config())
        for patience in (-1.0, float("nan")):
            with self.assertRaisesRegex(ValueError, "patience"):
                portico.Fabric.serial(path, None, config(), patience)

    def test_uio(self):
        with tempfile.NamedTemporaryFile() as blank:
            blank.truncate(1 << 20)
            with self.assertRaisesRegex(WrongFabricError, "magic is 0"):
                portico.Fabric.uio(blank.name, 0, config(), 50e6)
        with self.assertRaisesRegex(TransportError, "no such device"):
            portico.Fabric.uio("/dev/none", 0, config(), 50e6)
        for hertz in (0.0, -1.0, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "hertz"):
                portico.Fabric.uio("/dev/none", 0, config(), hertz)

    def test_a_simulation_is_what_the_program_serves(self):
        served = program(
            self,
            'test "$1 $2 $3 $5" = "bridge --once --config --golden" || exit 9\n'
            'grep -q "^rows = 2" $4 && ! grep -q "^edge_nodes" $4 || exit 9\n'
            "echo 'serving; a host begins with:'\n"
            f"echo '  portico run halo --on serial:{board()} --set cols=2 --patience 20'\n",
        )
        with portico.Fabric.simulated(config(), served, ["--golden"]) as fabric:
            moves_words(self, fabric)
        with self.assertRaisesRegex(FileNotFoundError, "portico-cli"):
            portico.Fabric.simulated(config(), "no-such-program")
        with self.assertRaisesRegex(RuntimeError, "expected 'portico"):
            portico.Fabric.simulated(config(), program(self, "", version="9.9.9"))
        with self.assertRaisesRegex(RuntimeError, "no compiler"):
            portico.Fabric.simulated(config(), program(self, "echo no compiler >&2; exit 1"))


class Threads(unittest.TestCase):
    def test_a_call_releases_the_gil_and_a_second_one_is_told(self):
        fabric = small()
        event = fabric.event(1)
        outcomes = []

        def wait():
            while not outcomes:
                try:
                    event.wait(2_000_000)
                except BusyError:
                    # The other thread was first.
                    continue
                except portico.errors.TimeoutError as error:
                    outcomes.append(str(error))

        waiting = threading.Thread(target=wait)
        waiting.start()
        told = 0
        while waiting.is_alive():
            try:
                fabric.read(0, 0, 1)
            except BusyError as error:
                self.assertIn("another thread", str(error))
                told += 1
        waiting.join()
        self.assertEqual(outcomes, ["event of node 1 not done within 2000000 cycles"])
        self.assertGreater(told, 0)
        moves_words(self, fabric)

    def test_threads_hand_a_fabric_on(self):
        fabric = small()
        thread = threading.Thread(target=moves_words, args=(self, fabric))
        thread.start()
        thread.join()
        moves_words(self, fabric)

    def test_a_child_after_a_fork_has_no_fabric(self):
        fabric = small()
        child = os.fork()
        if child == 0:
            try:
                fabric.read(0, 0, 1)
            except ClosedError as error:
                os._exit(7 if "forked" in str(error) and small().read(0, 0, 1)[0] == 0 else 8)
            os._exit(9)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        moves_words(self, fabric)

    def test_the_interpreter_ends_with_a_call_under_way(self):
        script = """
            import threading, time
            import portico
            fabric = portico.Fabric.golden(portico.Config(cols=2, rows=2))
            event = fabric.event(1)

            def wait():
                try:
                    event.wait(2**60)
                except portico.errors.ClosedError:
                    pass

            threading.Thread(target=wait, daemon=True).start()
            time.sleep(0.03)
            print("end", flush=True)
        """
        command = [sys.executable, "-c", textwrap.dedent(script)]
        for _ in range(10):
            ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "end\n", ""))


class Interrupts(unittest.TestCase):
    def interrupted(self, wait, times=1):
        """Ends a wait by Ctrl-C. Gives the seconds that it took to end."""
        begun = []

        def press():
            time.sleep(0.2)
            for _ in range(times):
                begun.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.05)

        thread = threading.Thread(target=press)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            wait()
        ended = time.monotonic()
        thread.join()
        return ended - begun[0]

    def test_ctrl_c_ends_a_wait_and_the_next_put_works(self):
        fabric = small()
        event = fabric.event(1)
        for wait in (lambda: event.wait(FOR_EVER), lambda: fabric.event(2).wait(FOR_EVER)):
            self.assertLess(self.interrupted(wait), 5)
            moves_words(self, fabric)

    def test_ctrl_c_ends_a_wait_of_an_operation(self):
        fabric = small(streams=True)
        # No accelerator takes the words.
        self.interrupted(lambda: fabric.send(0, 0, 8, timeout=FOR_EVER))
        with fabric.send(0, 0, 8, ticket=True) as ticket:
            self.interrupted(lambda: ticket.wait(FOR_EVER))
            self.assertEqual(len(fabric.stream_take(0, 4)), 4)
            ticket.wait()
        moves_words(self, fabric)

    def test_ctrl_c_waits_for_the_access_of_an_object(self):
        fabric = portico.Fabric(Bone(board()), config())
        event = fabric.event(1)
        for _ in range(3):
            self.assertLess(self.interrupted(lambda: event.wait(FOR_EVER)), 5)
            moves_words(self, fabric)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_a_second_ctrl_c_ends_an_access(self):
        transport = Failing(Bone(board()))
        fabric = portico.Fabric(transport, config())
        transport.check = lambda: time.sleep(3600)
        self.interrupted(lambda: fabric.read(0, 0, 1), times=2)
        with self.assertRaises(ClosedError):
            fabric.read(0, 0, 1)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_a_handler_of_the_user_runs_at_once(self):
        fabric = portico.Fabric(Bone(board()), config())
        event = fabric.event(1)
        seen = []
        before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        self.addCleanup(signal.signal, signal.SIGINT, before)
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(portico.errors.TimeoutError):
            event.wait(20_000)
        self.assertEqual(seen, [1])
        moves_words(self, fabric)

    def test_time_outs_are_told_in_whole(self):
        event = small().event(1)
        for timeout in (0, 1, 5000):
            with self.assertRaisesRegex(TimeoutError, f"within {timeout} cycles") as raised:
                event.wait(timeout)
            self.assertIsInstance(raised.exception, Error)


if __name__ == "__main__":
    unittest.main()
