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
    images=("$here/cargo.sh" "$target" build --release --locked --package firmware
        --manifest-path "$here/Cargo.toml")
    # In a folder of its own: it is another image of the same name.
    "${images[@]}" --bin echo --features least \
        --target-dir "$CARGO_TARGET_DIR/least"
    cp "$CARGO_TARGET_DIR/least/$target/release/echo" "$CARGO_TARGET_DIR/$target/release/echo-least"
    if [ "$target" = thumbv7em-none-eabihf ]; then
        # For a Cortex-M7, which has its controller elsewhere.
        images+=(--target-dir "$CARGO_TARGET_DIR/an500")
        "${images[@]}" --features an500
    fi
    if [ "$target" = thumbv7m-none-eabi ]; then
        "$here/cargo.sh" "$target" build --release --locked --package firmware-embassy \
            --manifest-path "$here/Cargo.toml"
        "$here/c/build.sh" "$CARGO_TARGET_DIR/$target/release"
    fi
done
