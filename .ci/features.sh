#!/usr/bin/env bash
# Checks that the core compiles without features, with each alone, with all, and with sets that are
# useful together. A warning is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

export RUSTFLAGS=-Dwarnings
# Other flags than everybody's: what was built with those stays.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/features

check() {
    printf 'features: %s\n' "${1:-none}"
    cargo check --quiet --package ackclock --lib --no-default-features --features "$1"
}

mapfile -t each < <(cargo metadata --format-version 1 --no-deps | python3 -c '
import json, sys
packages = json.load(sys.stdin)["packages"]
core = next(package for package in packages if package["name"] == "ackclock")
print(*(name for name in core["features"] if name != "default"), sep="\n")')

check ""
for feature in "${each[@]}"; do
    check "$feature"
done
cargo check --quiet --package ackclock --lib --all-features
while read -r _ features; do
    check "$features"
done <<'SETS'
hosts std,full
least reassembly,ipv4,ethernet
lossless ipv4,ethernet
firmware recovery-rfc6675,timestamps,window-scaling,ipv4,ethernet
fast-firmware fast-path,recovery-rfc6675,timestamps,window-scaling,ipv4,ethernet
reno active-open,recovery-rfc6675,ipv4,undo
newreno tuning,reassembly,ipv4,ethernet
cubic recovery-rfc6675,window-scaling
loss-and-time active-open,icmp-errors,timestamps,window-scaling,recovery-rack,ipv4,undo,ecn,window-validation
rates active-open,timestamps,window-scaling,delivery-rate,pacing,recovery-rack,ipv4,ipv6
heap alloc,active-open,icmp-errors,timestamps,window-scaling,recovery-rack,ipv4,segmentation,many-connections,counters
history reassembly,recovery-tahoe,recovery-go-back-n,ipv4,historic,urgent
delay recovery-reno,ipv6
radio recovery-sack-pipe
SETS
