#!/bin/sh
# Measures stacks against the kernel over TUN: `sudo benches/tun.sh [ROUNDS]`, on the processor CPU
# (0 unless it is set), and then one queue and two on two processors. It needs cargo, ip and taskset.
set -eu
cd "$(dirname "$0")/.."
cargo bench --quiet -p ackclock-benches --bench tun --no-run
taskset -c "${CPU:-0}" cargo bench --quiet -p ackclock-benches --bench tun -- "${1:-5}"
exec cargo bench --quiet -p ackclock-benches --bench tun -- queues "${1:-5}"
