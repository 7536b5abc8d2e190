#!/usr/bin/env bash
# The tests that take long and whose outcome seldom changes. testbench/long.txt has a line for each: the hash of all that
# decides its outcome, with which it last passed.
#
#   long.sh [NAME...]  runs those of these names, or all, and writes the line of each that passes: make long
#   long.sh --due      runs those whose line differs, and a short one more, chosen by the commit; writes nothing. Part of .ci/run
#   long.sh --list     prints each entry: its name, current or due, its hash, the folders that decide its outcome
#   long.sh --filters  prints the names of their tests, which `make test` leaves out
#
# After a merge that changes testbench/long.txt on both sides, take neither: run `make long` anew. LONG_RECORD names another
# file in place of testbench/long.txt.
set -euo pipefail
# What the caller's shell has set for other programs: it would change what cd, grep, sort, make and Python do here.
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS MAKEFLAGS MFLAGS MAKELEVEL "${!PYTHON@}"
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
record=${LONG_RECORD:-testbench/long.txt}

suite=testbench/tests/suite
fabric="hdl sw/spec sw/golden sw/driver sw/sim synth/src testbench/src $suite/promises"
backend="hdl/verilog hdl/macros sw/sim/src synth/src"
simulated="hdl/rtl/src/prim hdl/rtl/src/bus hdl/macros hdl/verilog/src/prelude.rs sw/spec/src/*.rs testbench/src/device testbench/src/model"
python="docs/python.md examples/python sw/cli/src/command/bench sw/cli/src/command/bench.rs sw/cli/tests testbench/cocotb ruff.toml"
# name | tests, by a part of their names | files that decide the outcome | program of the tests, if it is not suite
ENTRIES=(
    "random-sizes|fabric::suites_hold_at_random_sizes|$fabric $suite/fabric.rs"
    "random-soaks|soak::nodes_of_more_random_sizes|$fabric $suite/soak.rs"
    "board-netlist|board::the_netlist_of_a_ulx3s|$fabric constraints $suite/board.rs"
    "ten-thousand-calls|fabric::the_same_call_ten_thousand_times|$fabric $suite/fabric.rs"
    "long-chains|fabric::tokens_keep_their_pace|$fabric $suite/fabric.rs"
    "sixteen-members|fabric::the_least_timeout_of_sixteen|$fabric $suite/fabric.rs"
    "largest-row|fabric::the_largest_row_and_counts_on_verilog|$fabric $suite/fabric.rs"
    "lists|fabric::lists_of_every_length_run|$fabric $suite/fabric.rs"
    "serial-bridge|serial::the_bridge_answers|$fabric $suite/serial.rs"
    "serial-line|serial::most_of_the_line|$fabric $suite/serial.rs"
    "portals-soak|soak::portals_alone|$fabric $suite/soak.rs"
    "portals-rounds|portals::a_thousand_rounds|$fabric $suite/fabric.rs $suite/fabric"
    "portals-netlist|soak::the_netlist_of_a_tile|$fabric $suite/soak.rs"
    "memories|of_both_families|hdl sw/spec synth/src $suite/emission.rs"
    "families|families::|hdl sw/spec synth/src $suite/families.rs"
    "routers-simulated|routers_of_rust_hdl_keep|hdl/rtl/src/noc $simulated testbench/src/traffic $suite/router.rs $suite/promises/router.rs $suite/promises/routing.rs"
    "lists-simulated|lists_in_simulation|hdl/rtl/src/portals $simulated sw/spec/src/portals sw/golden/src/portals $suite/list_manager.rs $suite/promises/list $suite/promises/list.rs"
    "adders-simulated|adders_of_rust_hdl|hdl/rtl/src/mpe/fp_adder $simulated sw/golden/src/fp sw/golden/src/fp.rs $suite/fp_adder.rs $suite/promises/fp_adder.rs"
    "random-circuits|random_circuits_behave_alike|$backend"
    "stock-equivalence|stock_equivalence::|$backend"
    "litex-soc|litex::|$fabric sw/python/src sw/python/portico examples/litex $suite/cocotb $suite/litex.rs"
    "installed-program|an_installed_program_works_outside|hdl sw/spec sw/golden sw/driver sw/sim sw/cli/src sw/cli/Cargo.toml sw/cli/tests/shell.rs synth/src testbench/src|shell"
    "data-frame|a_table_of_a_sweep_is_a_data_frame|$fabric sw/cli/src sw/cli/tests/cli.rs sw/python/tools.sh sw/python/tests/requirements.txt docs/first.md examples/sweep.toml|cli"
    "python-wheel|a_wheel_in_a_fresh_venv|sw/python sw/driver sw/golden sw/spec $python|wheel"
)

# Those that take longer than five minutes.
SLOW=" random-sizes board-netlist portals-netlist portals-rounds sixteen-members largest-row lists families installed-program "

# The hash of the files $* and of what decides every outcome, by name and content: what is committed and what is not.
hash_of() {
    git ls-files -z --cached --others --exclude-standard -- "$@" Cargo.toml Cargo.lock synth/requirements.txt |
        LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1
}

recorded() { sed -n "s/^$1 //p" "$record" 2>/dev/null || true; }

# Runs an entry; a filter that meets no test is a failure.
run() {
    local name=$1 tests=$2 program=$3 log
    log=$(mktemp)
    echo "long.sh: $name" >&2
    local TIMEFORMAT="long.sh: $name: %0R s on the wall, %0U and %0S s of processors"
    # Cargo takes it from this folder, whose name may hold a quote or a blank.
    local runner="target.'cfg(all())'.runner = ['testbench/within-limit.sh']"
    # The whole workspace, as `make test` names it: for one crate alone cargo takes other features, and compiles all anew.
    if time cargo test --workspace --test "$program" --config "$runner" -- "$tests" 2>&1 | tee "$log" &&
        grep -Eq '^test result: ok\. [1-9][0-9]* passed' "$log"; then
        rm -f "$log"
    else
        rm -f "$log"
        echo "long.sh: $name failed" >&2
        return 1
    fi
}

# Writes the line of an entry, whole or not at all.
write() {
    local aside
    aside=$(mktemp "$record.XXXXXX")
    { grep -v "^$1 " "$record" 2>/dev/null || true; echo "$1 $2"; } | sort >"$aside"
    mv "$aside" "$record"
}

mode=${1-}
names=$(printf '%s\n' "${ENTRIES[@]%%|*}")
case $mode in
    "" | --due | --list | --filters) ;;
    *)
        mode=
        for name in "$@"; do
            grep -Fqx -e "$name" <<<"$names" && continue
            echo "long.sh: unknown argument $name; allowed: --due, --list, --filters, or of" $names >&2
            exit 2
        done
        ;;
esac
wanted=" $* "

# The entry that `--due` runs whatever the file says, so that a wrong line is found soon. It is a short one, so that the run ends
# in time.
commit=$(git rev-parse --verify --quiet HEAD 2>/dev/null || echo 0)
short=()
for entry in "${ENTRIES[@]}"; do [[ $SLOW == *" ${entry%%|*} "* ]] || short+=("${entry%%|*}"); done
chosen=${short[16#${commit:0:7} % ${#short[@]}]}
left=() failed=()
for at in "${!ENTRIES[@]}"; do
    IFS='|' read -r name tests files program <<<"${ENTRIES[at]}"
    program=${program:-suite}
    # Without a hash, so that this needs no git.
    if [[ $mode == --filters ]]; then
        echo "$tests"
        continue
    fi
    # shellcheck disable=SC2086
    hash=$(hash_of $files)
    state=due
    [[ $(recorded "$name") != "$hash" ]] || state=current
    case $mode in
        --list) echo "$name $state $hash $files" ;;
        --due)
            if [[ $state == current && $name != "$chosen" ]]; then
                left+=("$name")
            else
                run "$name" "$tests" "$program" || failed+=("$name")
            fi
            ;;
        *)
            [[ $wanted == "  " || $wanted == *" $name "* ]] || continue
            if run "$name" "$tests" "$program"; then write "$name" "$hash"; else failed+=("$name"); fi
            ;;
    esac
done
if ((${#left[@]})); then echo "long.sh: left out, passed with the same files before: ${left[*]}"; fi
if ((${#failed[@]})); then
    echo "long.sh: failed: ${failed[*]}" >&2
    exit 1
fi
