#!/usr/bin/env bash
# Checks that the core compiles without features, with each alone, and with all. A warning is an error.
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
