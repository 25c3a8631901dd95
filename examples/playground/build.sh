#!/usr/bin/env bash
# Builds the playground: one page, target/playground/index.html, that needs nothing else. The compiler is
# Debian's, which makes the standard library of WebAssembly from its source.
#
# apt-get install --no-install-recommends rustc-web cargo-web rust-web-src lld-22 python3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
# The linker's name without a version tells the compiler what it is.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=/usr/lib/llvm-22/bin/wasm-ld
cargo build --locked --profile web --target wasm32-unknown-unknown -Z build-std=std,panic_abort \
    --package ackclock-playground --lib
python3 examples/playground/page.py \
    "$CARGO_TARGET_DIR/wasm32-unknown-unknown/web/ackclock_playground.wasm" \
    "$CARGO_TARGET_DIR/playground/index.html"
