#!/usr/bin/env bash
# Runs all tests, or those that the arguments of `cargo test` choose, and prints the slowest: seconds, then the test.
#
#   testbench/slowest.sh                            of the whole workspace
#   testbench/slowest.sh -p portico-testbench       of one crate
#
# The test runner tells times only where unstable options are allowed, so that is allowed to it alone: what is compiled
# stays as it is.
set -euo pipefail
# What the caller's shell has set for other programs: it would change what cd, grep, sort, make and Python do here.
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS MAKEFLAGS MFLAGS MAKELEVEL "${!PYTHON@}"
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shown=40

chosen=("$@")
if ((${#chosen[@]} == 0)); then chosen=(--workspace); fi
cargo test "${chosen[@]}" --tests --no-fail-fast \
    --config "target.'cfg(all())'.runner = ['env', 'RUSTC_BOOTSTRAP=1']" -- -Z unstable-options --report-time |
    tee >(cat >&2) |
    sed -n 's/^test \(.*\) \.\.\. .* <\(.*\)s>$/\2\t\1/p' | sort -rn | head -n "$shown"
