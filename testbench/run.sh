#!/usr/bin/env bash
# Runs what has to pass, part by part, and prints the time of each: on the wall, and of all processors. The tests of
# testbench/long.sh are left out: `make long` runs them.
#
#   run.sh            all of it: make test
#   run.sh --quick    format, lints, unit tests, and the suites without the tests that take longest: make quick
#
# It ends with the first part that fails. A test program that takes longer than TEST_LIMIT is ended, and named.
set -euo pipefail
# What the caller's shell has set for other programs: it would change what cd, grep, sort, make and Python do here.
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS MAKEFLAGS MFLAGS MAKELEVEL "${!PYTHON@}"
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1-} in
    "") quick= ;;
    --quick) quick=yes ;;
    *)
        echo "run.sh: unknown argument $1; allowed: --quick" >&2
        exit 2
        ;;
esac

# Tests that take longest, by a part of their names: soaks, benchmarks, planted faults that need a model of their own,
# netlists, all tops under all tools, and other test benches.
LONG=(mutants:: netlist cocotb:: soak:: bench:: emission:: is_caught are_caught in_mid_flight random_sizes
    as_many_transactions commands_of applications_run examples_and_soaks random_circuits)
# Tests that `make long` runs.
filters=$(testbench/long.sh --filters)
mapfile -t ELSEWHERE <<<"$filters"
elsewhere=("${ELSEWHERE[@]/#/--skip=}")

# Cargo takes it from this folder, whose name may hold a quote or a blank.
runner="target.'cfg(all())'.runner = ['testbench/within-limit.sh']"
table=$(mktemp)
summary() {
    echo
    awk -F '|' '{ printf "%-36s %8s %14s\n", $1, $2, $3 }' "$table"
    rm -f "$table"
}
trap summary EXIT
echo "part|wall, s|processors, s" >"$table"

# Runs the command behind the name of the part.
part() {
    local name=$1 status=0 times
    shift
    echo "run.sh: $name" >&2
    times=$(mktemp)
    TIMEFORMAT='%R %U %S'
    { time "$@" 2>&3; } 3>&2 2>"$times" || status=$?
    awk -v name="$name" '{ printf "%s|%.0f|%.0f\n", name, $1, $2 + $3 }' "$times" >>"$table"
    rm -f "$times"
    return "$status"
}

# Two lanes on two cores: the program that takes longest, and beside it all others, whose words come after.
lanes() { # arguments for the tests' programs
    local beside status=0 other=0
    beside=$(mktemp)
    part "tests, other programs" others "$@" >"$beside" 2>&1 &
    part "tests, suites" cargo test --workspace --test 's*' --config "$runner" -- "$@" || status=$?
    wait $! || other=$?
    cat "$beside"
    rm -f "$beside"
    ((status == 0 && other == 0))
}
# All but the suites, by `--tests`: `--lib` would also link the module for Python as a program, which takes a Python.
others() {
    LEAVE='s*' cargo test --workspace --tests --examples --config "$runner" -- "$@" &&
        cargo test --workspace --doc -- "$@"
}
models=$(mktemp)
trap 'summary; rm -f "$models"' EXIT
export PORTICO_MODEL_LOG=$models

part "format" cargo fmt --check
part "lints" cargo clippy --workspace --all-targets -- -D warnings
part "compilation of the tests" cargo test --workspace --no-run
if [[ -n $quick ]]; then
    part "tests, the short half" cargo test --workspace --tests --config "$runner" -- "${elsewhere[@]}" "${LONG[@]/#/--skip=}"
else
    lanes "${elsewhere[@]}"
    part "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
fi
# Without a cache the models are gone.
if [[ ${PORTICO_CACHE-} != off ]]; then testbench/models.sh "$models"; fi
