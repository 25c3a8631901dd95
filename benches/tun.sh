#!/bin/sh
# Measures stacks against the kernel over TUN: `sudo benches/tun.sh [ROUNDS]`, on the processor CPU
# (0 unless it is set). It needs cargo, ip and taskset.
set -eu
cd "$(dirname "$0")/.."
cargo bench --quiet -p ackclock-benches --bench tun --no-run
exec taskset -c "${CPU:-0}" cargo bench --quiet -p ackclock-benches --bench tun -- "${1:-5}"
