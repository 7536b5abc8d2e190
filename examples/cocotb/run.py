"""Generates the fabric of fabric.toml with the program portico, builds it under Verilator, and runs test_put.py on it."""

import subprocess
import sys

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

TOP = "portico_fabric"
subprocess.run(["portico", "generate", "fabric", "--config", "fabric.toml", "--out", "build"], check=True)
runner = get_runner("verilator")
# Verilator 5.48 merges shifts wrongly without the first argument. With it, it takes some vectors for loops.
arguments = ["-fno-dfg", "-Wno-UNOPTFLAT"]
runner.build(
    sources=[f"build/{TOP}.v"], hdl_toplevel=TOP, build_dir="build", build_args=arguments, timescale=("1ns", "1ps")
)
_, failed = get_results(runner.test(hdl_toplevel=TOP, test_module="test_put", build_dir="build", test_dir="."))
sys.exit(failed)
