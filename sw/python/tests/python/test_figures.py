"""Benchmarks and plots, by programs in the shell that stand for the program portico."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import numpy
import portico
from bench import ROOT, program
from portico.errors import ArgumentError

PLOT = '<svg width="10" height="10" xmlns="http://www.w3.org/2000/svg">\n<text>µ</text>\n</svg>\n'


class Benchmarks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log"

    def measuring(self, name="noc", plots=("noc", "noc-4x4-uniform")):
        """A program that notes its arguments and its folder of temporary files, and gives the figures of the
        documentation."""
        drawn = self.folder / "drawn.svg"
        drawn.write_text(PLOT, "utf-8")
        copies = "".join(f"cp {drawn} $out/{plot}.svg\n" for plot in plots)
        return program(
            self,
            f'printf "%s\\n" "$@" >{self.log}; echo $TMPDIR >{self.log}.folder\n'
            "for word; do case $word in --out=*) out=${word#*=} ;; --json=*) out=$(dirname ${word#*=}) ;; esac; done\n"
            f"mkdir -p $out\ncp {ROOT}/docs/figures/noc.json $out/{name}.json\n{copies}",
        )

    def asked(self):
        """The words of the last command line, without the folder."""
        words = self.log.read_text("utf-8").splitlines()
        return [word for word in words if not word.startswith(("--out=", "--json="))]

    def test_rows_are_those_of_the_program(self):
        figures = portico.bench("noc", program=self.measuring())
        report = json.loads((ROOT / "docs/figures/noc.json").read_text())
        self.assertEqual(list(figures), report["rows"])
        self.assertEqual(
            (figures.command, figures.tools, figures.config), (report["command"], report["tools"], report["config"])
        )
        self.assertEqual(figures.plots, {"noc": PLOT, "noc-4x4-uniform": PLOT})
        self.assertGreater(len(figures), 10)
        for row in figures:
            self.assertLessEqual({"bench", "name", "unit", "value", "paper", "limit", "bound", "better"}, set(row))
            self.assertIsInstance(row["value"], float, row["name"])
        self.assertFalse(os.path.exists(self.log.with_suffix(".folder").read_text().strip()))

    def test_options_are_those_of_the_program(self):
        measuring = self.measuring()
        for options, words in (
            ({}, ["--quick"]),
            ({"quick": False}, []),
            ({"mesh": "4x4"}, ["--quick", "--mesh=4x4"]),
            ({"load": [0.25, numpy.float64(0.5)]}, ["--quick", "--load=0.25,0.5"]),
            ({"fifo": numpy.array([2, 4]), "pattern": ("hotspot",)}, ["--quick", "--fifo=2,4", "--pattern=hotspot"]),
            ({"set": {"width": 64, "monitors": False}}, ["--quick", "--set=width=64", "--set=monitors=false"]),
            (
                {"config": pathlib.Path("-a b.toml"), "by_part": True, "ends": False},
                ["--quick", "--config=-a b.toml", "--by-part"],
            ),
        ):
            with self.subTest(options=options):
                portico.bench("noc", program=measuring, **options)
                self.assertEqual(self.asked(), ["bench", "noc", *words])
        portico.bench("blocks", "fp-add", "--json", program=self.measuring("blocks"))
        self.assertEqual(self.asked(), ["bench", "blocks", "--quick", "--", "fp-add", "--json"])

    def test_forms_are_those_of_the_program(self):
        folder = ROOT / "sw/cli/src/command/bench"
        names = re.findall(r"What::(\w+)\(", (folder.parent / "bench.rs").read_text())
        self.assertEqual([name.lower() for name in names], list(portico._figures._BENCHMARKS))
        for name, forms in portico._figures._BENCHMARKS.items():
            with self.subTest(name=name):
                source = (folder / f"{name}.rs").read_text()
                has = tuple(f"\n    {field}: " in source for field in ("quick", "out"))
                self.assertEqual((*has, "svg" in source), forms)
                portico.bench(name, program=self.measuring(name, ()))
                self.assertEqual(self.asked(), ["bench", name, *["--quick"] * has[0]])
                self.assertIn(f'"{name}"', portico.bench.__doc__)

    def test_what_is_not_allowed_is_told_before_anything_is_measured(self):
        measuring = self.measuring()
        for name in ("nox", "", "--help", "noc --quick"):
            with (
                self.subTest(name=name),
                self.assertRaisesRegex(ArgumentError, "name = .* allowed is 'area', .*'soak'"),
            ):
                portico.bench(name, program=measuring)
        for option in ("json", "csv", "svg", "out", "help", "verbose"):
            with self.subTest(option=option), self.assertRaisesRegex(ArgumentError, f"{option} = 'a'"):
                portico.bench("noc", program=measuring, **{option: "a"})
        for options in (
            {"mesh": None},
            {"mesh": b"4x4"},
            {"load": [None]},
            {"load": {"a": 1}},
            {"set": ["width=64"]},
            {"set": {"width": []}},
        ):
            with self.subTest(options=options), self.assertRaisesRegex(TypeError, "is not allowed: allowed is "):
                portico.bench("noc", program=measuring, **options)
        self.assertFalse(self.log.exists())

    def test_failures_have_the_words_of_the_program(self):
        for text, kind, told in (
            ("echo 'error: no mesh 0x4'; exit 1", RuntimeError, "bench noc: $"),
            ("echo 'error: no compiler' >&2; exit 1", RuntimeError, "bench noc: error: no compiler$"),
            (
                "printf 'error: bad mesh\\n\\nUsage: portico bench\\n' >&2; exit 2",
                ArgumentError,
                "bench noc: error: bad mesh$",
            ),
            ("kill -9 $$", RuntimeError, "bench noc: $"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(kind, told):
                portico.bench("noc", program=program(self, text))
        with self.assertRaisesRegex(FileNotFoundError, "portico-cli.*PATH"):
            portico.bench("noc", program="no-such-program")
        with self.assertRaisesRegex(RuntimeError, "expected 'portico"):
            portico.bench("noc", program=program(self, "", version="9.9.9"))

    def test_ctrl_c_ends_the_program_and_what_it_has_started(self):
        hanging = program(
            self,
            f"sleep 3600 & echo $$ $! $TMPDIR >{self.log}.new; mv {self.log}.new {self.log}; touch $TMPDIR/half; wait",
        )
        place = self.folder / "noc.svg"
        place.write_text("before")

        def press():
            while not self.log.exists():
                time.sleep(0.01)
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=press)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            portico.plot("noc", path=place, program=hanging)
        thread.join()
        *processes, folder = self.log.read_text().split()
        self.assertFalse(os.path.exists(folder))
        latest = time.monotonic() + 10
        for process in processes:
            ps = ["ps", "-o", "stat=", "-p", process]
            # A Z has ended, and nobody has waited for it.
            while subprocess.run(ps, capture_output=True, text=True, check=False).stdout.strip() not in (
                "",
                "Z",
                "ZN",
                "Z+",
            ):
                self.assertLess(time.monotonic(), latest, process)
        self.assertEqual(place.read_text(), "before")
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"log", "noc.svg"})

    def test_a_program_that_does_not_want_to_end_is_ended(self):
        deaf = program(self, f'trap "" TERM INT; echo >{self.log}; while :; do sleep 0.05; done')
        script = f"""
            import portico, portico._program
            portico._program._GRACE = 0.2
            portico.bench("noc", program={deaf!r})
        """
        process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stderr=subprocess.PIPE, text=True)
        while not self.log.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, complained = process.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", complained)

    def test_a_plot_is_what_the_program_drew(self):
        measuring = self.measuring()
        self.assertEqual(portico.plot("noc", program=measuring, mesh="4x4"), PLOT)
        self.assertEqual(self.asked(), ["bench", "noc", "--quick", "--mesh=4x4"])
        self.assertEqual(portico.plot("noc", which="noc-4x4-uniform", program=measuring, quick=False), PLOT)
        self.assertEqual(self.asked(), ["bench", "noc"])
        figures = portico.bench("noc", program=measuring)
        figures.plots["noc"] = "<svg/>"
        self.assertEqual((portico.plot(figures), portico.plot(figures, which="noc-4x4-uniform")), ("<svg/>", PLOT))
        two = portico.Figures(
            {"rows": figures, "command": "", "tools": {}, "config": {}}, {"atomics": "a", "transfers": "t"}
        )
        self.assertEqual(portico.plot(two, which="transfers"), "t")
        with self.assertRaisesRegex(ArgumentError, "which = None is not allowed: allowed is 'atomics', 'transfers'"):
            portico.plot(two)
        del two.plots["atomics"]
        self.assertEqual(portico.plot(two), "t")
        for which in ("nox", "noc.svg"):
            with self.assertRaisesRegex(
                ArgumentError, f"which = '{which}' is not allowed: allowed is 'noc', 'noc-4x4-uniform'"
            ):
                portico.plot(figures, which=which)
        with self.assertRaisesRegex(ArgumentError, "none: the program drew no plot"):
            portico.plot(portico.bench("soak", program=self.measuring("soak", ())))
        for name in ("area", "soak"):
            with self.assertRaisesRegex(
                ArgumentError, f"of = '{name}' .*allowed is 'blocks', 'collectives', 'noc', 'onesided', 'portals'"
            ):
                portico.plot(name, program=measuring)
        with self.assertRaisesRegex(ArgumentError, "'a', mesh: not allowed with figures"):
            portico.plot(figures, "a", mesh="4x4")

    def test_a_plot_is_written_whole_or_not_at_all(self):
        figures = portico.bench("noc", program=self.measuring())
        folder = self.folder / "plots"
        folder.mkdir()
        place = folder / "a.svg"
        for path in (place, str(place)):
            self.assertEqual(portico.plot(figures, path=path), PLOT)
            self.assertEqual(place.read_text("utf-8"), PLOT)
        for call, kind in (
            (lambda: portico.plot(figures, which="nox", path=place), ArgumentError),
            (lambda: portico.plot("noc", path=place, program=program(self, "exit 1")), RuntimeError),
            (lambda: portico.plot(figures, path=folder), IsADirectoryError),
        ):
            with self.assertRaises(kind):
                call()
            self.assertEqual([path.name for path in folder.iterdir()], ["a.svg"])
            self.assertEqual(place.read_text("utf-8"), PLOT)
        self.log.unlink()
        with self.assertRaises(FileNotFoundError):
            portico.plot("noc", path=folder / "none" / "a.svg", program=self.measuring())
        self.assertFalse(self.log.exists())


if __name__ == "__main__":
    unittest.main()
