# The stages of a script in this folder: each with a time limit, a table of seconds at the end. To be
# sourced.

names=()
seconds=()
current=

summary() {
    local status=$?
    printf '\n%-32s %8s\n' stage seconds
    local total=0 i
    for i in "${!seconds[@]}"; do
        printf '%-32s %8d\n' "${names[$i]}" "${seconds[$i]}"
        total=$((total + seconds[i]))
    done
    printf '%-32s %8d\n' total "$total"
    case $status in
    0) echo "all stages passed" ;;
    124 | 137) echo "FAILED: stage '$current' ran into its time limit" ;;
    *) echo "FAILED: stage '$current' (exit status $status)" ;;
    esac
}
trap summary EXIT
trap 'kill "$!"; exit 130' INT TERM

# stage NAME LIMIT COMMAND...: runs the command with its output as it is.
stage() {
    local name=$1 limit=$2 begin=$SECONDS status=0
    shift 2
    current=$name
    printf '\n== %s: %s\n' "$name" "$*"
    # In the background, so that an interrupt is heard; such a job would ignore SIGINT otherwise.
    timeout --kill-after=30s "$limit" env --default-signal=INT "$@" &
    wait "$!" || status=$?
    names+=("$name")
    seconds+=($((SECONDS - begin)))
    return "$status"
}

# fuzz SECONDS LIMIT TARGET...: fuzzes each target for so long; needs a nightly compiler.
fuzz() {
    local time=$1 limit=$2 target
    shift 2
    for target in "$@"; do
        mkdir -p "fuzz/corpus-work/$target"
        stage "fuzz: $target" "$limit" cargo +nightly fuzz run "$target" \
            "fuzz/corpus-work/$target" "fuzz/corpus/$target" -- "-max_total_time=$time"
    done
}

# Builds the fuzz targets, with the tool for it if need be.
prepare_fuzzing() {
    cargo fuzz --version 2>/dev/null | grep -qx "cargo-fuzz $CARGO_FUZZ" ||
        stage "cargo-fuzz" 20m cargo install cargo-fuzz --version "$CARGO_FUZZ" --locked --force
    stage "fuzz: build" 20m cargo +nightly fuzz build
}

CARGO_FUZZ=0.13.2
FUZZ_TARGETS=(interface negotiation operations packets reassembly scoreboard wire)
