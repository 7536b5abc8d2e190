#!/usr/bin/env bash
# Builds the wheel of the package portico with the pinned maturin.
#
#   wheel.sh OUT [ARGUMENT...]   into the folder OUT; further arguments are those of maturin, such as `--profile wheel`
#
# The target is named, so that what is built for the wheel does not displace what `cargo build` makes: maturin sets variables that
# the build scripts of PyO3 depend on.
set -euo pipefail
unset CDPATH
out=${1:?wheel.sh: the folder for the wheel is missing}
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$("$here/tools.sh")/bin
target=$(rustc -vV | sed -n 's/^host: //p')
# The build ignores the variables that Cargo sets for a test.
# shellcheck disable=SC2086
unset ${!CARGO_PKG_@} ${!CARGO_MANIFEST_@}
exec "$bin/maturin" build --locked --interpreter "$bin/python3" --target "$target" --manifest-path "$here/Cargo.toml" --out "$out" "$@"
