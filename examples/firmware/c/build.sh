#!/usr/bin/env bash
# Builds the echo server in C and what it links: build.sh FOLDER makes FOLDER/c-echo.
# Needs gcc-arm-none-eabi; there is no C library in it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../..
target=thumbv7m-none-eabi
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
"$here/../cargo.sh" "$target" rustc --manifest-path "$root/Cargo.toml" -p ackclock-capi --lib --locked \
    --crate-type staticlib --release --config 'profile.release.opt-level="z"'
library=$CARGO_TARGET_DIR/$target/release/libackclock_capi.a
mkdir -p "$1"
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -Wall -Wextra -Werror -ffreestanding -nostdlib \
    -I "$root/crates/ackclock-capi/include" -T "$here/link.ld" -Wl,--gc-sections,-z,noexecstack \
    "$here/board.c" "$here/echo.c" "$library" -o "$1/c-echo"
