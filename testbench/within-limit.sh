#!/usr/bin/env bash
# Runs a test program, and ends it with its name said when it takes too long: what hangs must not hang its caller.
#
#   CARGO_TARGET_..._RUNNER=testbench/within-limit.sh cargo test
#
# TEST_LIMIT is the most time of a program, in the words of `timeout`. A program whose name fits the pattern LEAVE is not run.
set -euo pipefail
name=${1##*/}
# shellcheck disable=SC2053 # LEAVE is a pattern
if [[ $name == ${LEAVE-} ]]; then exit 0; fi
limit=${TEST_LIMIT:-60m}
status=0
timeout --kill-after=30s "$limit" "$@" || status=$?
if ((status == 124 || status == 137)); then
    echo "within-limit.sh: $1 did not end within $limit, and was ended; TEST_LIMIT=90m gives it more time" >&2
fi
exit "$status"
