#!/usr/bin/env bash
# Checks that the core and its adapters compile for a microcontroller, without a heap and with one:
# targets.sh TARGET. A warning is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1

# Flags for a target are cargo.sh's; refusing warnings of this workspace only is not for everybody yet.
export RUSTC_BOOTSTRAP=1 CARGO_BUILD_WARNINGS=deny
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}

while read -r features; do
    printf '%s: %s\n' "$target" "${features:-none}"
    examples/firmware/cargo.sh "$target" check -Z warnings --quiet --locked --package ackclock --lib \
        --target-dir "$CARGO_TARGET_DIR/targets" --no-default-features --features "$features" </dev/null
done <<'SETS'

ipv6
full
full,alloc,log
full,smoltcp-phy,embassy-net-driver,embedded-nal-async,defmt
ipv4,embedded-io-async,log
SETS
