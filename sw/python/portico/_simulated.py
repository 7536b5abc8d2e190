"""The program portico, which serves a simulated board."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading

from ._portico import Config, __version__

_ADDRESS = re.compile(r"serial:(\S+).*?(?:--patience (\S+))?$")


def _run(*command: str) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no program {command[0]}: build it with `cargo build --release -p portico-cli`, and put it on PATH or give "
            "its path as `program`"
        ) from None


def serve(program: str, config: Config, arguments: list[str]) -> tuple[str, float | None]:
    """Starts `portico bridge`. Gives the path of its terminal, and the patience in seconds that a host needs. It ends when the
    terminal is closed."""
    said, _ = _run(program, "--version").communicate()
    if said.split() != ["portico", __version__]:
        raise RuntimeError(f"{program} --version prints {said.strip()!r}, expected 'portico {__version__}'")
    # The fabric of a board decides on its edge nodes itself.
    text = "\n".join(line for line in config.toml.splitlines() if not line.startswith("edge_nodes"))
    with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
        file.write(text)
    try:
        process = _run(program, "bridge", "--once", "--config", file.name, *arguments)
        assert process.stdout is not None and process.stderr is not None
        for line in process.stdout:
            found = _ADDRESS.search(line.rstrip())
            if found:
                # A full pipe would block the program: a thread reads on.
                threading.Thread(target=process.communicate, daemon=True).start()
                return found[1], float(found[2]) if found[2] else None
        raise RuntimeError(f"{program} bridge: {process.communicate()[1].strip()}")
    finally:
        os.unlink(file.name)
