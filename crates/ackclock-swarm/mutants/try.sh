#!/usr/bin/env bash
# Applies each patch of this folder, or those that are named, to a copy of the tree, builds it, and lets the
# swarm look for what is wrong: from seed 0, for ten minutes at most. It fails if one is not found.
#
#   crates/ackclock-swarm/mutants/try.sh [NAME...]
#   crates/ackclock-swarm/mutants/try.sh --check    only whether each can be applied
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
if [ "${1:-}" = --check ]; then
    for patch in "$here"/*.patch; do
        patch -d "$root" -p1 --dry-run --quiet <"$patch"
    done
    exit
fi
if [ $# -eq 0 ]; then
    mapfile -t names < <(cd "$here" && ls -- *.patch | sed 's/\.patch$//')
    set -- "${names[@]}"
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar -C "$root" -c --exclude=./target --exclude=.git . | tar -C "$copy" -x
cd "$copy"
export CARGO_TARGET_DIR=${MUTANTS_TARGET_DIR:-$root/target/mutants}
missed=0
for name in "$@"; do
    patch -p1 -s <"$here/$name.patch"
    cargo build --release -q -p ackclock-cli
    patch -R -p1 -s <"$here/$name.patch"
    begun=$SECONDS
    found=$copy/found-$name
    # The first finding ends the run.
    timeout 600 "$CARGO_TARGET_DIR/release/ackclock" swarm --hours 1 --out "$found" \
        | sed '/^seed /q' >"$copy/$name.txt" || true
    echo "== $name: $((SECONDS - begun)) s"
    if ! grep '^seed ' "$copy/$name.txt"; then
        echo "nothing was found"
        missed=1
        continue
    fi
    cat "$found"/*.toml
done
exit "$missed"
