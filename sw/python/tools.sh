#!/usr/bin/env bash
# Puts the pinned tools of sw/python/requirements.txt into a Python environment, build/python-tools, unless they are there already.
# Prints its folder.
set -euo pipefail
# Variables of the caller for other programs, and settings of pip that would take the packages elsewhere.
unset CDPATH "${!PYTHON@}" PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_CONSTRAINT PIP_REQUIRE_VIRTUALENV PIP_DRY_RUN
export PIP_DISABLE_PIP_VERSION_CHECK=1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
pins=sw/python/requirements.txt tools=$PWD/build/python-tools

# The path counts too: programs of a Python environment name it.
stamp="$(sha256sum <"$pins") $tools"
mkdir -p build
# One installation at a time; the next one finds it done.
exec 9>"$tools.lock"
if command -v flock >/dev/null; then flock 9; fi
if [[ ! -f $tools/stamp || $(<"$tools/stamp") != "$stamp" ]]; then
    echo "tools.sh: installing the packages of $pins into build/python-tools" >&2
    rm -rf "$tools"
    python3 -m venv "$tools" >&2
    "$tools/bin/python3" -m pip install --quiet --no-deps --only-binary :all: -r "$pins" >&2
    echo "$stamp" >"$tools/stamp"
fi
echo "$tools"
