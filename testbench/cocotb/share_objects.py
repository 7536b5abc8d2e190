#!/usr/bin/env python3
"""Compiles as it is told, for make: `share_objects.py c++ ... -c -o OBJECT SOURCE`.

Objects of Verilator's runtime are the same for every model. They are kept in the folder that PORTICO_OBJECTS names, by the
command that makes them, and copied from there the next time.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    command = sys.argv[1:]
    source, folder = Path(command[-1]), os.environ.get("PORTICO_OBJECTS")
    is_runtime = source.parent.name == "include" and source.name.startswith("verilated")
    if not folder or not is_runtime or "-o" not in command:
        sys.exit(subprocess.call(command))
    built = Path(command[command.index("-o") + 1])
    kept = Path(folder) / (hashlib.sha256("\0".join(command).encode()).hexdigest() + ".o")
    if kept.is_file():
        shutil.copyfile(kept, built)
        return
    status = subprocess.call(command)
    if status == 0:
        # Another simulation may do the same meanwhile: the object appears there whole.
        with tempfile.TemporaryDirectory(dir=folder) as aside:
            shutil.copyfile(built, Path(aside) / "object")
            os.replace(Path(aside) / "object", kept)
    sys.exit(status)


if __name__ == "__main__":
    main()
