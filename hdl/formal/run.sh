#!/usr/bin/env bash
# Proves the properties of the primitives with SymbiYosys, on the Verilog that the generator emits.
#
#   run.sh             proofs by induction, and the witnesses that the properties are not empty
#   run.sh --short     the same properties for the first cycles after reset only
#   run.sh --mutants   plants a fault in the Verilog at a time, and wants its property to fail
#
# One line a proof; the exit status is 0 if all went as wanted. Works in build/formal, or below the folder that FORMAL_OUT
# names. SymbiYosys is that of .tools or of PORTICO_TOOLS, unless PORTICO_SBY names another; FORMAL_VERILOG may name a folder
# with the Verilog, emitted already, and FORMAL_JOBS how many proofs run at a time.
set -euo pipefail
# What the caller's shell has set for other programs: it would change what cd, grep, sort, make and Python do here.
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS MAKEFLAGS MFLAGS MAKELEVEL "${!PYTHON@}"
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
tools=$(realpath -s "${PORTICO_TOOLS:-.tools}")
sby=${PORTICO_SBY:-$tools/bin/sby}
export PATH=$tools/bin:$PATH

# Longest a proof may take, in seconds: a program that hangs must not hang its caller.
limit=1800

case ${1-} in
    "") mode=proofs tasks=' (prove|cover)' ;;
    --short) mode=short tasks=' short' ;;
    --mutants) mode=mutants ;;
    *)
        echo "run.sh: unknown argument $1; allowed: --short, --mutants" >&2
        exit 2
        ;;
esac
work=${FORMAL_OUT:-$root/build/formal}/$mode
command -v "$sby" >/dev/null || {
    echo "run.sh: no SymbiYosys at $sby; run synth/install-tools.sh, or name one with PORTICO_SBY" >&2
    exit 1
}

rm -rf "$work" 2>/dev/null && mkdir -p "$work" 2>/dev/null || {
    echo "run.sh: $work cannot be made anew; FORMAL_OUT names another folder" >&2
    exit 1
}
verilog=${FORMAL_VERILOG:-$work/verilog}
if [[ -z ${FORMAL_VERILOG-} ]]; then
    # Of the whole workspace, as the tests are: for one crate alone cargo takes other features, and compiles all anew.
    cargo run --quiet --example formal -- "$verilog"
fi

# Puts the properties and the Verilog into the folder $1. SymbiYosys runs inside it and by relative paths, because tools
# made for WebAssembly see no others.
prepare() {
    mkdir -p "$1/verilog"
    cp hdl/formal/*.sby hdl/formal/*.sv hdl/formal/*.svh "$1"
    cp "$verilog"/*.v "$1/verilog"
}

# Runs task $3 of block $2 in folder $1, and prints its outcome: PASS, FAIL, or whatever else came of it.
prove() {
    (cd "$1" && timeout "$limit" "$sby" -f "$2.sby" "$3") >"$1/$2_$3.log" 2>&1 || true
    sed -n 's/.*DONE (\([A-Z]*\),.*/\1/p' "$1/$2_$3.log" | grep . || echo "no result"
}

# Proofs that run at a time.
at_once=${FORMAL_JOBS:-2}
started=0

# Runs a command that reports a proof beside others, once there is room for it.
beside() {
    started=$((started + 1))
    while (($(jobs -rp | wc -l) >= at_once)); do wait -n || true; done
    "$@" &
}

# Reports a proof $1 that came out as $2 and should have as $3, with its log in $4.
report() {
    echo "$1" >>"$work/reported"
    if [[ $2 == "$3" ]]; then
        printf '%-52s ok%s\n' "$1" "${5:+, $5}"
    else
        printf '%-52s %s, see %s\n' "$1" "$2" "${4#"$root"/}"
        echo "$1" >>"$work/failures"
    fi
}

# Wants task $2 of block $1 to pass. It has a folder of its own: tasks of one block that begin at once in one folder race for
# SymbiYosys's file of their states.
proof() {
    local folder=$work/$1_$2 start=$SECONDS outcome
    prepare "$folder"
    outcome=$(prove "$folder" "$@")
    report "$1 $2" "$outcome" PASS "$folder/$1_$2.log" "$((SECONDS - start)) s"
}

prove_all() {
    local sbyfile block task
    for sbyfile in hdl/formal/*.sby; do
        block=$(basename "$sbyfile" .sby)
        for task in $("$sby" --dumptasks "$sbyfile"); do
            if [[ "$block $task" =~ $tasks ]]; then beside proof "$block" "$task"; fi
        done
    done
}

# Plants the fault that the sed expression $5 makes in file $4, and wants task $3 of block $2 to fail; $1 says what it is.
mutant() {
    local folder="$work/$2_$3_${1// /_}" start=$SECONDS log outcome failed
    prepare "$folder"
    sed -i "$5" "$folder/verilog/$4"
    if cmp -s "$folder/verilog/$4" "$verilog/$4"; then
        report "$2 $3: $1" "the fault did not take" FAIL "$folder/verilog/$4"
        return
    fi
    log=$folder/$2_$3.log
    outcome=$(prove "$folder" "$2" "$3")
    failed=$(sed -n 's/.*failed assertion [a-z_.]*\.\([a-z_]*\) at.*/\1/p' "$log" | sort -u | paste -sd ' ')
    report "$2 $3: $1" "$outcome" FAIL "$log" "$((SECONDS - start)) s, caught by $failed"
}

plant_soon_caught() {
    local depth
    for depth in 1 2 3 4; do
        beside mutant "written while full" fifo "short_$depth" "fifo_$depth.v" 's/storing = write & has_room/storing = write/'
        beside mutant "read while empty" fifo "short_$depth" "fifo_$depth.v" 's/taking = read & has_word/taking = read/'
        beside mutant "room forgotten" fifo "short_$depth" "fifo_$depth.v" 's/has_room <= taking | /has_room <= /'
        beside mutant "last lost" fifo "short_$depth" "fifo_$depth.v" 's/\.write_last(s_axis_tlast)/.write_last(1'"'"'b0)/'
    done
    for depth in 2 3 4; do
        beside mutant "reader stands still" fifo "short_$depth" "fifo_$depth.v" 's/\.advance(taking)/.advance(1'"'"'b0)/'
    done
    beside mutant "ring cut elsewhere" fifo short_3 fifo_3.v "s/place == 2'd3/place == 2'd1/"
    beside mutant "always the first" round_robin_arbiter short round_robin_arbiter.v 's/preferred = request & behind/preferred = request \& 5'"'"'d0/'
    beside mutant "turn stays" round_robin_arbiter short round_robin_arbiter.v 's/if (served & /if (1'"'"'b0 \& /'
    beside mutant "two at once" round_robin_arbiter short round_robin_arbiter.v 's/grant = chosen & ~above/grant = chosen/'
    beside mutant "taken from none" credit_counter short credit_counter.v 's/taking = take & (|count)/taking = take/'
    beside mutant "given beyond the maximum" credit_counter short credit_counter.v "s/count != 4'd8/count != 4'd9/"
    beside mutant "error kept silent" credit_counter short credit_counter.v 's/refused <= .*(give/refused <= (give/'
    beside mutant "sent on before it comes" mpe_heads short mpe_scheduler.v 's/assign own_packets = packets_here\[7:0\];/assign own_packets = packets_here[7:0] | way;/'
    beside mutant "sent without a credit" mpe_heads short mpe_scheduler.v "s/assign own_credits = credits_here\[7:0\];/assign own_credits = 8'hff;/"
}

plant_in_buddy() {
    beside mutant "granted without a mark" buddy deep_4 buddy_4.v "s/mark = is_enough/mark = 1'b0/"
    beside mutant "freed without a trace" buddy frees_4 buddy_4.v "s/unmark = is_live/unmark = 1'b0/"
    beside mutant "freed from inside" buddy frees_4 buddy_4.v 's/(used & ~past_start)/used/'
    beside mutant "an error counts as a free" buddy deep_4 buddy_4.v 's/freed = succeeds & releasing/freed = (current == BUDDY_STAGE_SETTLE) \& releasing/'
    beside mutant "buddies stay apart" buddy frees_4 buddy_4.v 's/is_live = joining | /is_live = /'
    beside mutant "result dropped" buddy deep_4 buddy_4.v "s/if (taken) begin/if (1'b1) begin/"
    beside mutant "reset keeps the upper nodes" buddy deep_4 buddy_4.v "s/first <= 2'd1;/first <= first;/"
}

if [[ $mode == mutants ]]; then
    plant_soon_caught
    plant_in_buddy
else
    prove_all
fi
wait
# A proof whose shell ended early has reported nothing.
mkdir -p "$work"
touch "$work/reported" "$work/failures"
# One of each kind, so that a task that is renamed or left out is noticed.
wanted() {
    case $mode in
        proofs) printf '%s\n' "fifo prove_1" "fifo prove_4" "fifo cover_4" "round_robin_arbiter prove" \
            "credit_counter prove" "buddy prove_4" "buddy prove_8" "mpe_heads prove" ;;
        mutants) printf '%s\n' "fifo short_4: last lost" "round_robin_arbiter short: turn stays" \
            "credit_counter short: error kept silent" "buddy deep_4: result dropped" \
            "mpe_heads short: sent on before it comes" ;;
    esac
}
while read -r name; do
    grep -qxF -- "$name" "$work/reported" && continue
    echo "run.sh: $name was not tried" >&2
    echo "$name" >>"$work/failures"
done < <(wanted)
failures=$(($(wc -l <"$work/failures") + started - $(wc -l <"$work/reported")))
if ((failures > 0 || started == 0)); then
    echo "run.sh: $failures of $started did not come out as wanted" >&2
    exit 1
fi
