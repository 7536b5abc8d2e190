"""The installed program portico: how it is started, checked and ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping

from ._portico import __version__

_GRACE = 5.0
"""Seconds that the program and what it has started have to end."""


def start(*command: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Starts a command with pipes for what it prints, in a group of its own, so that `end` reaches what it starts
    too."""
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no program {command[0]}: build it with `cargo build --release -p portico-cli`, and put it on "
            "PATH or give its path as `program`"
        ) from None


def check(program: str) -> None:
    """Refuses a program of another version than this package: its options and its figures may differ."""
    _, said, _ = run(program, "--version")
    if said.split() != ["portico", __version__]:
        raise RuntimeError(f"{program} --version prints {said.strip()!r}, expected 'portico {__version__}'")


def run(*command: str, environment: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Runs a command to its end. Gives its status, and what it printed on standard output and on standard error. An
    exception meanwhile, such as KeyboardInterrupt, ends the command before it goes on."""
    process = start(*command, environment=environment)
    try:
        said, complained = process.communicate()
    except BaseException:
        end(process)
        raise
    return process.returncode, said, complained


def end(process: subprocess.Popen[str]) -> None:
    """Ends a command of `start` and all that it has started, in at most some seconds."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
        try:
            latest = time.monotonic() + _GRACE
            while time.monotonic() < latest:
                process.poll()
                os.killpg(process.pid, 0)
                time.sleep(0.01)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
