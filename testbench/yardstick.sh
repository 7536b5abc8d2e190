#!/usr/bin/env bash
# A yardstick for changes that must leave the hardware as it is.
#
#   yardstick.sh write DIR      writes the Verilog of all blocks in six configurations below DIR, a file for each module
#   yardstick.sh compare A B    compares two such folders, module by module
#
# Two modules are equal if their texts are, but for comments. If not, Yosys proves them equivalent: registers and instances are
# matched by their names, and modules inside are black boxes. `compare` prints each module that is neither, and fails then.
# PORTICO names the program, Yosys is that of .tools or of PORTICO_TOOLS.
set -euo pipefail
unset CDPATH BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
portico=${PORTICO:-$root/target/release/portico}
tools=$(realpath -s "${PORTICO_TOOLS:-$root/.tools}")

usage() {
    echo "yardstick.sh: wanted is 'write DIR' or 'compare A B'" >&2
    exit 2
}

# The keys of each configuration that differ from the defaults.
configurations=(
    "full: mpe=2 probe=true streams=true tile_ports=true memories=1"
    "compact: profile=compact registers_at_tiles=true"
    "leaf: profile=leaf mpe=1"
    "wide: width=64 memories=1 probe=true streams=true"
    "wide-leaf: profile=leaf width=64 tile_ports=true"
    "small: cols=1 rows=1 cores=1 fifo=2 monitors=false"
)

blocks() {
    "$portico" generate --help | sed -nE 's/^ +- ([a-z-]+): .*/\1/p'
}

write() {
    local configuration name key block arguments refusal
    for configuration in "${configurations[@]}"; do
        name=${configuration%%:*}
        arguments=()
        for key in ${configuration#*:}; do arguments+=(--set "$key"); done
        for block in $(blocks); do
            refusal=$("$portico" generate "$block" "${arguments[@]}" --split --out "$1/$name/$block" 2>&1 >/dev/null) ||
                echo "yardstick.sh: $name: no $block: $refusal"
        done
        echo "yardstick.sh: $name: $(find "$1/$name" -name '*.v' | wc -l) modules"
    done
}

# A module without comments and empty lines.
text() {
    sed -E 's|//.*||; s|/\*[^*]*\*/||; s|[ \t]+$||; /^$/d' "$1"
}

# Proves the file of a module equivalent in the folders ./a and ./b.
prove() {
    local name=${1%.v} side script=""
    for side in a b; do
        script+="read_verilog $side/$1; "
        for other in $side/*.v; do
            [[ $other == "$side/$1" ]] || script+="read_verilog -lib $other; "
        done
        script+="hierarchy -check -top $name; proc; memory_dff; memory_collect; opt_clean; rename $name $side; "
        script+="design -stash $side; design -reset; "
    done
    script+="design -copy-from a a; design -copy-from b b; equiv_make a b both; hierarchy -top both; opt_clean; "
    script+="equiv_struct; equiv_simple -undef; equiv_induct -undef; equiv_status -assert"
    "$tools/bin/yosys" -q -p "$script"
}

compare() {
    local work file equal=0 proven=0 failed=0
    work=$(mktemp -d)
    trap 'rm -rf "$work"' RETURN
    if ! diff <(cd "$1" && find . -name '*.v' | sort) <(cd "$2" && find . -name '*.v' | sort); then
        echo "yardstick.sh: the folders have other modules" >&2
        failed=1
    fi
    while read -r file; do
        if [[ ! -e $2/$file ]]; then
            continue
        elif cmp -s <(text "$1/$file") <(text "$2/$file"); then
            equal=$((equal + 1))
            continue
        fi
        rm -rf "$work"/a "$work"/b
        cp -r "$1/$(dirname "$file")" "$work/a"
        cp -r "$2/$(dirname "$file")" "$work/b"
        if (cd "$work" && prove "$(basename "$file")") >"$work/log" 2>&1; then
            proven=$((proven + 1))
        else
            failed=$((failed + 1))
            echo "yardstick.sh: $file differs" >&2
        fi
    done < <(cd "$1" && find . -name '*.v' | sort)
    echo "yardstick.sh: $equal modules are equal but for comments, $proven are proven equivalent, $failed differ"
    ((failed == 0))
}

case ${1-} in
    write) (($# == 2)) || usage; write "$2" ;;
    compare) (($# == 3)) || usage; compare "$2" "$3" ;;
    *) usage ;;
esac
