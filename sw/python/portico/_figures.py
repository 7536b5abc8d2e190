"""Benchmarks of the program portico, and their plots."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

from . import _program
from .errors import ArgumentError

# Of each benchmark: whether it has a short form, whether it writes a folder, and whether plots are in the folder.
_BENCHMARKS = {
    "area": (True, True, False),
    "blocks": (True, True, True),
    "clock": (False, True, False),
    "collectives": (True, True, True),
    "exchange": (True, True, False),
    "lists": (False, True, False),
    "mpi": (True, True, False),
    "noc": (True, True, True),
    "onesided": (True, True, True),
    "portals": (True, True, True),
    "soak": (True, False, False),
}
# Options whose effect a call has already, or that print.
_REFUSED = {"json", "csv", "svg", "out", "help", "verbose"}


class Figures(list[dict[str, Any]]):
    """The figures of a benchmark, as portico.bench gives them: a list of rows, each a dictionary.

    Every row has `bench`, `name`, `unit`, `value`, `paper`, `limit`, `bound` and `better` ("less" or "more"). `value`
    is a number in `unit`. `paper`, the figure of the paper that described it, `limit`, which no implementation can
    pass, and `bound`, which Portico must reach, are numbers in the same unit, or None. Further keys tell what was
    varied, such as `load`, `mesh` or `bytes`: numbers or text.

    Attributes: `speed`, the figures of wall-clock time, in the same form; `command`, the command line; `tools`, the versions
    of the tools by name; `config`, the keys of the configuration with their values: numbers, booleans or text; `plots`, the
    plots that the program drew, as SVG by name, empty if it draws none.
    """

    command: str
    speed: list[dict[str, Any]]
    tools: dict[str, str]
    config: dict[str, Any]
    plots: dict[str, str]

    def __init__(self, report: Mapping[str, Any], plots: Mapping[str, str]) -> None:
        super().__init__(report["rows"])
        self.speed = report.get("speed", [])
        self.command = report["command"]
        self.tools = report["tools"]
        self.config = report["config"]
        self.plots = dict(plots)


def bench(name: str, *arguments: str, quick: bool = True, program: str = "portico", **options: Any) -> Figures:
    """Measures by the installed program: `portico bench NAME`. Gives the figures as a list of dictionaries, see
    portico.Figures.

    name: "area", "blocks", "clock", "collectives", "exchange", "lists", "mpi", "noc", "onesided", "portals" or "soak".
    `portico bench NAME --help` tells what it measures, its arguments and its options.
    arguments: those of the program behind the name, such as blocks of "blocks".
    quick: the short form of the benchmark. "clock" and "lists" have only one form.
    program: name or path of the program, which must have the version of this package.
    options: those of the program, with _ for -. True gives an option without a value, False leaves it out. A list gives
    its items with commas between them. `set` takes a dictionary of keys of the configuration.

    >>> rows = portico.bench("noc", mesh="4x4", pattern="uniform", load=[0.1, 0.5], set={"width": 64})

    It takes as long as the program does: seconds to minutes of the short form once its models are compiled. Ctrl-C ends
    the program too. The program's files are in a temporary folder, which is removed in any case.

    Errors: ArgumentError if an argument is not allowed, with the program's words if it is one of the program's;
    FileNotFoundError without the program; RuntimeError if the program has another version or fails, with its words.
    """
    command = _command(name, arguments, quick, options)
    _program.check(program)
    _, folder, _ = _BENCHMARKS[name]
    with tempfile.TemporaryDirectory(prefix="portico-") as work:
        out = pathlib.Path(work, "out")
        files = f"--out={out}" if folder else f"--json={out / name}.json"
        # What the program leaves behind when it is ended goes with the folder.
        environment = {**os.environ, "TMPDIR": work}
        status, _, complained = _program.run(program, "bench", name, files, *command, environment=environment)
        if status != 0:
            # The usage says less than portico bench NAME --help.
            words = f"{program} bench {name}: " + complained.split("\n\nUsage:")[0].strip()
            raise ArgumentError(words) if status == 2 else RuntimeError(words)
        plots = {path.stem: path.read_text("utf-8") for path in out.glob("*.svg")}
        plots = dict(sorted(plots.items()))
        return Figures(json.loads((out / f"{name}.json").read_text("utf-8")), plots)


def plot(
    of: str | Figures,
    *arguments: str,
    which: str | None = None,
    path: str | os.PathLike[str] | None = None,
    quick: bool = True,
    program: str = "portico",
    **options: Any,
) -> str:
    """A plot of a benchmark, as the text of an SVG picture that the program drew.

    of: figures of portico.bench; or the name of a benchmark, which is measured: "blocks", "collectives", "noc",
    "onesided" or "portals".
    which: name of the plot, a key of Figures.plots. None takes the one with the name of the benchmark, or the only one.
    "onesided" draws "atomics" and "transfers"; "noc" draws "noc" and one of each mesh and pattern, such as
    "noc-4x4-uniform".
    path: file to which the text is written too. It is written whole or not at all, and replaces a file that is there.
    arguments, quick, program, options: as of portico.bench, for a benchmark that is measured.

    >>> portico.plot("noc", mesh="4x4", pattern="uniform", path="noc.svg")

    Errors: those of portico.bench; ArgumentError without such a plot; OSError if the file cannot be written, before
    anything is measured.
    """
    if isinstance(of, Figures):
        if arguments or options:
            given = ", ".join([*map(repr, arguments), *options])
            raise ArgumentError(f"{given}: not allowed with figures that are measured already")
    elif of in _BENCHMARKS and not _BENCHMARKS[of][2]:
        raise _not_allowed("of", of, [name for name, (_, _, plots) in _BENCHMARKS.items() if plots])
    with _replaced(path) as file:
        figures = of if isinstance(of, Figures) else bench(of, *arguments, quick=quick, program=program, **options)
        text = _chosen(figures, which)
        if file is not None:
            file.write_text(text, "utf-8")
    return text


def _command(name: str, arguments: Iterable[str], quick: bool, options: Mapping[str, Any]) -> list[str]:
    """Options and arguments of `portico bench NAME`. Each value is in one word with its option, so that it is never
    another."""
    if name not in _BENCHMARKS:
        raise _not_allowed("name", name, _BENCHMARKS)
    command = ["--quick"] if quick and _BENCHMARKS[name][0] else []
    for option, value in options.items():
        if option in _REFUSED:
            raise ArgumentError(f"{option} = {value!r} is not allowed: figures and plots are what the call gives")
        word = "--" + option.replace("_", "-")
        if isinstance(value, bool):
            command += [word] if value else []
        elif option == "set":
            if not isinstance(value, Mapping):
                raise TypeError(f"set = {value!r} is not allowed: allowed is a dictionary of keys of the configuration")
            command += [f"{word}={key}={_text(f'set[{key!r}]', setting)}" for key, setting in value.items()]
        elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
            command.append(f"{word}=" + ",".join(_text(option, item) for item in value))
        else:
            command.append(f"{word}={_text(option, value)}")
    rest = [_text("arguments", argument) for argument in arguments]
    return [*command, "--", *rest] if rest else command


def _text(field: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Real):
        return str(value)
    if isinstance(value, (str, os.PathLike)):
        path = os.fspath(value)
        if isinstance(path, str):
            return path
    raise TypeError(f"{field} = {value!r} is not allowed: allowed is text, a number, a bool or a path")


def _chosen(figures: Figures, which: str | None) -> str:
    plots = figures.plots
    if which is None:
        own = figures[0]["bench"] if figures else None
        name = own if own in plots else next(iter(plots), None)
        if name is not None and (name == own or len(plots) == 1):
            return plots[name]
    elif which in plots:
        return plots[which]
    raise _not_allowed("which", which, plots)


def _not_allowed(field: str, value: object, allowed: Iterable[str]) -> ArgumentError:
    names = ", ".join(repr(name) for name in allowed) or "none: the program drew no plot of these figures"
    return ArgumentError(f"{field} = {value!r} is not allowed: allowed is {names}")


@contextlib.contextmanager
def _replaced(path: str | os.PathLike[str] | None) -> Iterator[pathlib.Path | None]:
    """An empty file beside `path`, which replaces it at the end, and is gone after an exception."""
    if path is None:
        yield None
        return
    place = pathlib.Path(path).resolve()
    if place.is_dir():
        raise IsADirectoryError(f"path = {str(path)!r} is a folder, expected a file")
    part = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    part.touch(exist_ok=False)
    try:
        yield part
        os.replace(part, place)
    finally:
        part.unlink(missing_ok=True)
