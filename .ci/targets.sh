#!/usr/bin/env bash
# Checks that the core and its adapters compile for a microcontroller: targets.sh TARGET [all]. By itself with all
# features, with `all` also with others, without a heap and with one. A warning is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1
sets=${2:-}

# Flags for a target are cargo.sh's; refusing warnings of this workspace only is not for everybody yet.
export RUSTC_BOOTSTRAP=1 CARGO_BUILD_WARNINGS=deny
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}

check() {
    printf '%s: %s\n' "$target" "${1:-none}"
    examples/firmware/cargo.sh "$target" check -Z warnings --quiet --locked --package ackclock --lib \
        --target-dir "$CARGO_TARGET_DIR/targets" --no-default-features --features "$1"
}

check full,alloc,log,smoltcp-phy,embassy-net-driver,embedded-nal-async,defmt
if [ "$sets" = all ]; then
    check ""
    check ipv6
    check full
    check full,smoltcp-phy,embassy-net-driver,embedded-nal-async,defmt
    check ipv4,embedded-io-async,log
fi
