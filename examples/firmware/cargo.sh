#!/usr/bin/env bash
# Runs cargo for a microcontroller, where the compiler comes from Debian, without the library of any
# such target: the first call for a target builds core, alloc and compiler_builtins from source (half
# a minute) and keeps them in the target folder.
#
#     examples/firmware/cargo.sh thumbv7em-none-eabihf build -p ackclock --no-default-features
#
# apt-get install --no-install-recommends rustc-web cargo-web rust-web-src lld-22
set -euo pipefail
# Debian's compiler and the library of the same version; others may be first in PATH.
export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc
target=$1
shift

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$("$RUSTC" --print sysroot)/lib/rustlib/src/rust/library
if [ ! -d "$library" ]; then
    echo "no source of the library in $library: install rust-web-src" >&2
    exit 1
fi
kept=${CARGO_TARGET_DIR:-$here/../../target}/sysroot

# Many units, so that of compiler_builtins only what is called is linked. Copying, clearing and dividing
# are to be as small as what they serve, but not slow: "z" would have no unrolled copying.
manifest="[package]
name = \"sysroot\"
edition = \"2024\"
[workspace]
[dependencies]
alloc = { path = \"$library/alloc\", features = [\"compiler-builtins-mem\"] }
[profile.release.package.compiler_builtins]
codegen-units = 10000
opt-level = \"s\"
"
sysroot=$kept/$target-$({ "$RUSTC" --version; echo "$manifest"; } | sha256sum | cut -c 1-8)

build_sysroot() {
    local work=$sysroot.build
    rm -rf "$work"
    mkdir -p "$work/src" "$work/sysroot/lib/rustlib/$target/lib"
    touch "$work/src/lib.rs"
    echo "$manifest" >"$work/Cargo.toml"
    # The library needs the compiler's own features; bitcode is what link-time optimisation reads.
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$work/target \
        RUSTFLAGS="-Cembed-bitcode=yes -Zforce-unstable-if-unmarked" \
        cargo build --release --quiet --package alloc --target "$target" \
        --manifest-path "$work/Cargo.toml"
    cp "$work/target/$target/release/deps/"*.rlib "$work/sysroot/lib/rustlib/$target/lib"
    rm -rf "$sysroot"
    mv "$work/sysroot" "$sysroot"
    rm -rf "$work"
}

mkdir -p "$kept"
(
    flock 9
    [ -d "$sysroot" ] || build_sysroot
) 9>"$kept/$target.lock"

name=CARGO_TARGET_$(tr a-z- A-Z_ <<<"$target")
# Functions that come out the same are linked once: instances of one for types of one layout.
flags="-Clinker-flavor=ld.lld -Clink-arg=--icf=all"
export "${name}_RUSTFLAGS=--sysroot $(realpath "$sysroot") $flags"
export "${name}_LINKER=ld.lld-22"
command=$1
shift
exec cargo "$command" --target "$target" "$@"
