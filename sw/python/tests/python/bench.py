"""Shared by the tests: fabrics of the reference model in this process, and boards of it behind pseudo-terminals, which
the test in Rust serves; programs in the shell that stand for the program portico."""

import os
import pathlib
import struct
import tempfile
import termios
import tty

import portico

ROOT = pathlib.Path(os.environ["PORTICO_ROOT"])
BOARDS = os.environ["PORTICO_BOARDS"].split(":")


def config(**keys):
    """Four tiles and a host."""
    return portico.Config(cols=2, rows=2, **keys)


def small(**keys):
    """A fabric of four tiles and a host, of the reference model."""
    return portico.Fabric.golden(config(**keys))


def board():
    """The path of a board after reset, which no test has used."""
    return BOARDS.pop()


def program(test, text, version=portico.__version__):
    """The path of a program in the shell that tells this version, and else does what the text says. It goes with the
    test."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as file:
        file.write(f"#!/bin/sh\nif [ $1 = --version ]; then echo portico {version}; exit; fi\n{text}")
    test.addCleanup(os.unlink, file.name)
    os.chmod(file.name, 0o700)
    return file.name


class Bone:
    """A board's bridge by the frames of LiteX's UARTBone: what LiteX's RemoteClient does, with its read and write. Also
    a transport as it is."""

    def __init__(self, path):
        self.line = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.line, termios.TCSANOW)
        self.accesses = 0

    def __del__(self):
        os.close(self.line)

    def read(self, address, length=None):
        self.accesses += 1
        words = []
        for at in range(0, length or 1, 255):
            count = min(255, (length or 1) - at)
            os.write(self.line, struct.pack(">BBI", 2, count, address // 4 + at))
            answer = b""
            while len(answer) < 4 * count:
                answer += os.read(self.line, 4 * count - len(answer))
            words += struct.unpack(f">{count}I", answer)
        return words[0] if length is None else words

    def write(self, address, words):
        self.accesses += 1
        words = words if isinstance(words, list) else [words]
        for at in range(0, len(words), 255):
            part = words[at : at + 255]
            os.write(self.line, struct.pack(f">BBI{len(part)}I", 1, len(part), address // 4 + at, *part))
