"""A simulated board, which the program portico serves."""

from __future__ import annotations

import os
import re
import tempfile
import threading

from . import _program
from ._portico import Config

_ADDRESS = re.compile(r"serial:(\S+).*?(?:--patience (\S+))?$")


def serve(program: str, config: Config, arguments: list[str]) -> tuple[str, float | None]:
    """Starts `portico bridge`. Gives the path of its terminal, and the patience in seconds that a host needs. It ends
    when the terminal is closed."""
    _program.check(program)
    # The fabric of a board decides on its edge nodes itself.
    text = "\n".join(line for line in config.toml.splitlines() if not line.startswith("edge_nodes"))
    with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
        file.write(text)
    try:
        process = _program.start(program, "bridge", "--once", "--config", file.name, *arguments)
        assert process.stdout is not None and process.stderr is not None
        try:
            for line in process.stdout:
                found = _ADDRESS.search(line.rstrip())
                if found:
                    # A full pipe would block the program: a thread reads on.
                    threading.Thread(target=process.communicate, daemon=True).start()
                    return found[1], float(found[2]) if found[2] else None
            raise RuntimeError(f"{program} bridge: {process.communicate()[1].strip()}")
        except BaseException:
            _program.end(process)
            raise
    finally:
        os.unlink(file.name)
