#!/usr/bin/env bash
# Measures processor time and disk space of `make program` and of `make`, each in a new clone of HEAD without compiled crates, tools
# and models. Writes docs/figures/first.json.
#
#   testbench/first.sh
#
# Processor time is that of all programs that the command starts, in seconds. Space, in GB, is what it leaves beside the sources.
# Crates and wheels in the caches of Cargo and pip are not downloaded again.
set -euo pipefail
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS MAKEFLAGS MFLAGS MAKELEVEL OBJCACHE RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER \
    "${!CARGO_BUILD_@}" "${!PORTICO_@}" "${!PYTHON@}"
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
figures=$root/docs/figures/first.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clone=$work/clone
export PORTICO_CACHE=$clone/cache CARGO_TARGET_DIR=$clone/target

exec 3>&2
rows=
# A row of the figures: name, measure, unit, value.
row() {
    local line
    line=$(printf '"bench": "first", "name": "%s", "measure": "%s", "unit": "%s", "value": %s' "$@")
    rows+="${rows:+,}"$'\n'"    {$line, \"paper\": null, \"limit\": null, \"bound\": null, \"better\": \"less\"}"
}

megabytes() { du -s --block-size=1MB "$clone" | cut -f 1; }

# Runs a command in a clone of its own, and notes its processor time and its space.
measure() {
    local before seconds
    git clone --quiet "$root" "$clone"
    before=$(megabytes)
    echo "first.sh: $*" >&2
    seconds=$(
        cd "$clone"
        TIMEFORMAT='%U %S'
        { time "$@" >&3 2>&3; } 2>&1
    )
    row "$*" processors s "$(awk '{ printf "%.0f", $1 + $2 }' <<<"$seconds")"
    row "$*" space GB "$(awk -v before="$before" '{ printf "%.1f", ($1 - before) / 1000 }' <<<"$(megabytes)")"
    version=$(cd "$clone" && cargo run --quiet --release -p portico-cli -- --version)
    rm -rf "$clone"
}

measure make program
measure make
cat >"$work/first.json" <<EOF
{
  "command": "make first",
  "tools": { "portico": "${version#portico }" },
  "config": {},
  "rows": [$rows
  ]
}
EOF
mv "$work/first.json" "$figures"
echo "first.sh: wrote ${figures#"$root"/}" >&2
