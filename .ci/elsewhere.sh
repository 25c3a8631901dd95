#!/usr/bin/env bash
# Checks that all but what needs Linux compiles for another system. The compiler is Debian's, which can
# make the standard library of any system from its source; nothing is linked. A warning is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc
# Making the library is not for everybody yet; nor is refusing warnings of this workspace only.
export RUSTC_BOOTSTRAP=1 CARGO_BUILD_WARNINGS=deny
cargo check --locked --target aarch64-apple-darwin -Z warnings -Z build-std=std,panic_abort \
    --target-dir "${CARGO_TARGET_DIR:-target}/elsewhere" \
    --package ackclock-cli --package ackclock-net --package ackclock-packetdrill \
    --package ackclock-packetdrill-preload \
    --package ackclock-smoltcp-peer --features ackclock-net/futures-io,ackclock-net/sim
