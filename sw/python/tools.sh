#!/usr/bin/env bash
# Puts pinned tools into a Python environment, unless they are there already. Prints its folder.
#
#   tools.sh          what builds the wheel, and what the wheel needs: requirements.txt into build/python-tools
#   tools.sh tests    what else its tests need: tests/requirements.txt into build/python-tests; Python 3.11 or later
set -euo pipefail
# Variables of the caller for other programs, and settings of pip that would take the packages elsewhere.
unset CDPATH "${!PYTHON@}" PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_CONSTRAINT PIP_REQUIRE_VIRTUALENV PIP_DRY_RUN
export PIP_DISABLE_PIP_VERSION_CHECK=1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
case ${1-tools} in
    tools) pins=sw/python/requirements.txt tools=$PWD/build/python-tools ;;
    tests) pins=sw/python/tests/requirements.txt tools=$PWD/build/python-tests ;;
    *) echo "tools.sh: $1 is not allowed: allowed is tests, or nothing" >&2; exit 2 ;;
esac

# The path counts too: programs of a Python environment name it.
stamp="$(sha256sum <"$pins") $tools"
mkdir -p build
# One installation at a time; the next one finds it done.
exec 9>"$tools.lock"
if command -v flock >/dev/null; then flock 9; fi
if [[ ! -f $tools/stamp || $(<"$tools/stamp") != "$stamp" ]]; then
    echo "tools.sh: installing the packages of $pins into ${tools#"$PWD"/}" >&2
    rm -rf "$tools"
    python3 -m venv "$tools" >&2
    "$tools/bin/python3" -m pip install --quiet --no-deps --only-binary :all: -r "$pins" >&2
    echo "$stamp" >"$tools/stamp"
fi
echo "$tools"
