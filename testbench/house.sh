#!/usr/bin/env bash
# Measures how the blocks of hdl/rtl are written, in this checkout or in the folder of another one.
#
#   house.sh [CHECKOUT]   prints lines of code, interfaces that are written twice, casts by hand
#
# Tests and what only they use do not count, nor do comments and empty lines. Lines of ports are counted by
# `cargo test -p portico-testbench house:: -- --nocapture`.
set -euo pipefail
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
blocks=${1:-$root}/hdl/rtl/src
[[ -d $blocks ]] || {
    echo "house.sh: there is no $blocks; wanted is the folder of a checkout" >&2
    exit 2
}

# The code: of each file what stands before its tests.
code=$(find "$blocks" -name '*.rs' ! -name tests.rs ! -name testing.rs ! -path '*/tests/*' -print0 | sort -z |
    xargs -0 awk 'FNR == 1 { over = 0 } /^#\[cfg\(test\)\]/ { test = FNR } /^(pub\(crate\) )?mod tests \{/ && test == FNR - 1 { over = 1 }
        !over && !/^[ \t]*(\/\/|$)/')
count() { grep -oE "$1" <<<"$code" | wc -l; }
printf '%-48s %6d\n' "lines of code" "$(wc -l <<<"$code")" \
    "interfaces whose other side is written by hand" "$(($(count '#\[join = ') / 2))" \
    "bit_cast" "$(count 'bit_cast')" "bits::<" "$(count 'bits::<')"
