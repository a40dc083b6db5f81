# shellcheck shell=bash
# What the suites share that compare code which is watched with the same code announced: a folder $work of their own,
# the answer of heddle by keys, and the choice of seeds.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
answer() { # KEYS ARGUMENTS...
    local keys=$1; shift
    (cd "$work" && timeout 60 "$heddle" run -w --quiet --no-record --json --time=30s "$@" 2>&1) | awk -v keys="$keys" -f tests/json.awk
}
# Prints the seeds to try: TWIN_SEED if that is given, 1 to 150 at night, else SEED.
seeds() { # SEED
    if [ -n "${TWIN_SEED:-}" ]; then echo "$TWIN_SEED"
    elif [ -n "${HEDDLE_NIGHTLY:-}" ]; then seq 150
    else echo "$1"; fi
}
