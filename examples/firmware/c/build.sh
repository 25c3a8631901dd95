#!/usr/bin/env bash
# Builds the echo server in C and what it links: build.sh FOLDER makes FOLDER/c-echo, and FOLDER/c-all
# with all functions of the library, so that one can look for what can panic.
# Needs gcc-arm-none-eabi; there is no C library in it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../..
target=thumbv7m-none-eabi
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
# As the images in Rust are built.
"$here/../cargo.sh" "$target" rustc --manifest-path "$root/Cargo.toml" -p ackclock-capi --lib --locked \
    --crate-type staticlib --release --config 'profile.release.opt-level="z"' \
    --config 'profile.release.lto="fat"' --config 'profile.release.debug="line-tables-only"'
library=$CARGO_TARGET_DIR/$target/release/libackclock_capi.a
header=$root/crates/ackclock-capi/include/ackclock.h
mkdir -p "$1"

# link NAME OPTION...
link() {
    local name=$1
    shift
    arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -Wall -Wextra -Werror -ffreestanding -nostdlib \
        -I "$(dirname "$header")" -T "$here/link.ld" -Wl,--gc-sections,-z,noexecstack "$@" \
        "$here/board.c" "$here/echo.c" "$library" -o "$name"
}
link "$1/c-echo"
mapfile -t functions < <(grep -o 'ackclock_[a-z_]*(' "$header" | tr -d '(' | sort -u)
link "$1/c-all" "${functions[@]/#/-Wl,--undefined=}"
