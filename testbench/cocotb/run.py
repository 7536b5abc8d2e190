"""Builds a Verilog file under Verilator for cocotb, or runs a module of tests on what was built; succeeds if there are tests
and all of them pass.

Verilator and make are found on PATH. The last line says how many tests passed. PORTICO_OBJECTS names a folder in which
simulations share the objects of Verilator's runtime.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

from cocotb_tools import config
from cocotb_tools.runner import get_runner

# A packaged Verilator was configured on another machine: this is what gcc needs in place of that.
MAKE = "CXX={cxx} LINK={cxx} AR=ar PYTHON3=python3 CFG_CXXFLAGS_PCH_I=-include CFG_GCH_IF_CLANG= OPT_FAST=-O0 -j{jobs}"
# One of the passes that are switched off merges shifts wrongly in the pinned version. Without them Verilator takes a
# vector whose bits depend on one another for a loop, which it only would not optimise.
# One file: to read the headers for each of many takes longer than to compile what is in them.
BUILD = ["-fno-dfg", "-Wno-UNOPTFLAT", "-O3", "--output-split", "0"]


def environment():
    """What make and the compiler read; whatever is built finds the modules beside this file."""
    here = Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    os.environ["MAKEFLAGS"] = MAKE.format(cxx=os.environ.get("CXX") or "c++", jobs=os.cpu_count() or 1)
    os.environ["OBJCACHE"] = str(here / "share_objects.py")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # A simulation looks for cocotb's libraries where it was built, which may be gone.
    os.environ["LD_LIBRARY_PATH"] = str(config.libs_dir)


def build(arguments):
    """Leaves the simulation, one program, in the folder."""
    aside = arguments.build / "objects"
    get_runner("verilator").build(
        sources=[arguments.verilog],
        hdl_toplevel=arguments.top,
        build_dir=aside,
        build_args=BUILD,
        timescale=("1ns", "1ps"),
    )
    shutil.move(aside / arguments.top, arguments.build)
    shutil.rmtree(aside)


def test(arguments):
    """Runs the tests in the current folder."""
    here = Path.cwd()
    results = get_runner("verilator").test(
        test_module=arguments.module,
        hdl_toplevel=arguments.top,
        hdl_toplevel_lang="verilog",
        build_dir=arguments.build,
        test_dir=here,
        results_xml=str(here / "results.xml"),
    )
    cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    missed = [case.get("name") for case in cases if len(case.findall("failure") + case.findall("error"))]
    skipped = [case.get("name") for case in cases if case.find("skipped") is not None]
    if missed or skipped or not cases:
        sys.exit(f"{len(cases)} tests, failed: {missed}, skipped: {skipped}")
    print(f"{len(cases)} tests passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(required=True)
    for step in (build, test):
        arguments = steps.add_parser(step.__name__, help=step.__doc__)
        arguments.set_defaults(step=step)
        arguments.add_argument("--top", required=True, help="the top module")
        arguments.add_argument("--build", type=Path, required=True, help="folder of the simulation")
        if step is build:
            arguments.add_argument("--verilog", type=Path, required=True, help="the design, one file")
        else:
            arguments.add_argument("--module", required=True, help="the tests: a Python module beside this file")
    arguments = parser.parse_args()
    environment()
    arguments.step(arguments)


if __name__ == "__main__":
    main()
