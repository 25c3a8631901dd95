#!/usr/bin/env bash
# Builds all images of some targets, or of all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/../../target}
if [ $# -eq 0 ]; then
    set -- thumbv6m-none-eabi thumbv7m-none-eabi thumbv7em-none-eabihf riscv32imac-unknown-none-elf
fi
for target; do
    # One after the other: what smoltcp is compiled with for one must not reach the other.
    for package in firmware firmware-smoltcp; do
        "$here/cargo.sh" "$target" build --release --locked --package "$package" \
            --manifest-path "$here/Cargo.toml"
    done
    if [ "$target" = thumbv7m-none-eabi ]; then
        "$here/c/build.sh" "$CARGO_TARGET_DIR/$target/release"
    fi
done
