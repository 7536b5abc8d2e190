#!/usr/bin/env bash
# Measures what a newcomer waits for: `make program` and then `make`, each in a clone of the commit at hand, without a compiled
# crate, tool or model. Writes docs/figures/first.json.
#
#   testbench/first.sh
#
# Seconds are those of processors, of all programs that a command starts. Space is what the command leaves on the disk beside the
# sources: programs, tools and models. Crates that Cargo has downloaded before are not downloaded again.
set -euo pipefail
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS MAKEFLAGS MFLAGS MAKELEVEL CARGO_TARGET_DIR "${!PORTICO_@}"
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
figures=$root/docs/figures/first.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

exec 3>&2
rows=
# A row of the figures: name, measure, unit, value.
row() {
    local line
    line=$(printf '"bench": "first", "name": "%s", "measure": "%s", "unit": "%s", "value": %s' "$@")
    rows+="${rows:+,}"$'\n'"    {$line, \"paper\": null, \"limit\": null, \"bound\": null, \"better\": \"less\"}"
}

# Runs a command in a clone of its own, and notes its seconds and its space.
measure() {
    local clone=$work/clone before seconds
    git clone --quiet "$root" "$clone"
    before=$(du -sm "$clone" | cut -f 1)
    echo "first.sh: $*" >&2
    seconds=$(
        cd "$clone"
        export PORTICO_CACHE=$clone/cache
        TIMEFORMAT='%U %S'
        { time "$@" >&3 2>&3; } 2>&1
    )
    row "$*" processors s "$(awk '{ printf "%.0f", $1 + $2 }' <<<"$seconds")"
    row "$*" space GB "$(awk -v before="$before" '{ printf "%.1f", ($1 - before) / 1000 }' <(du -sm "$clone"))"
    version=$("$clone/target/release/portico" --version)
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
