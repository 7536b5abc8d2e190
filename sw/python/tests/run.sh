#!/usr/bin/env bash
# Checks all Python of the repository by ruff. Builds the wheel, installs it in a fresh Python environment without an index, and runs the
# tests, the examples and the programs of docs/python.md there; then, with the tools of the tests, mypy and the notebook. The test of
# Cargo beside this file starts it, and serves the boards of PORTICO_BOARDS.
set -euo pipefail
unset CDPATH "${!PYTHON@}"
work=${1:?run.sh: the folder to work in is missing}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

tools=$("$root/sw/python/tools.sh")
checks=$("$root/sw/python/tools.sh" tests)
export RUFF_NO_CACHE=true
# The rules of ruff name folders from here. Other folders have Python that is not the repository's, of tools and of what is built.
cd "$root"
sources=(examples hdl sw synth testbench)
"$checks/bin/ruff" check --quiet "${sources[@]}"
"$checks/bin/ruff" format --quiet --diff "${sources[@]}"

# From nothing, a level more takes the compiler twice as long, and the tests no less.
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=false
"$root/sw/python/wheel.sh" "$work/wheels" --offline --profile dev

# Of the user's settings of pip, none may name packages or places.
unset "${!PIP_@}"
export PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1
"$tools/bin/python3" -m venv "$work/venv"
python=$work/venv/bin/python3
# The installation finds no compiler.
PATH=/nowhere "$python" -m pip install --quiet --no-deps "$work"/wheels/portico-*.whl
# Without numpy, what needs no array works.
without='import portico; fabric = portico.Fabric.golden(portico.Config(cols=2, rows=2)); fabric.event(0).state(); fabric.read(0, 0, 1)'
said=$(cd "$work" && "$python" -c "$without" 2>&1) && { echo "run.sh: an array can be read without numpy" >&2; exit 1; }
[[ $said == *"ImportError: arrays of portico need numpy: pip install numpy" ]] || { echo "run.sh: $said" >&2; exit 1; }

# numpy of the tools stands for the one that an index would give.
packages=$(cd "$tools" && echo "$tools"/lib/python3*/site-packages)
for part in "$packages"/numpy*; do ln -s "$part" "$work"/venv/lib/python3*/site-packages/; done
"$python" -m pip check
export PYTHONDONTWRITEBYTECODE=1 PORTICO_ROOT=$root
cd "$root/sw/python/tests/python"
"$python" -W error -m unittest

# From here on the environment also has what the tests alone need.
echo "$checks"/lib/python3*/site-packages >"$(echo "$work"/venv/lib/python3*/site-packages)/tests.pth"
# And cocotb, whose types portico.cocotb uses.
for part in "$root"/.tools/lib/python3*/site-packages/cocotb*; do ln -s "$part" "$work"/venv/lib/python3*/site-packages/; done
"$checks/bin/mypy" --strict --python-executable "$python" --cache-dir "$work/mypy" "$root/examples/python"
"$checks/bin/mypy" --strict --python-executable "$python" --cache-dir "$work/mypy" --package portico
export IPYTHONDIR=$work/ipython JUPYTER_CONFIG_DIR=$work/jupyter JUPYTER_RUNTIME_DIR=$work/jupyter MPLCONFIGDIR=$work/matplotlib
"$python" -m unittest notebook
