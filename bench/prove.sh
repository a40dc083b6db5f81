#!/usr/bin/env bash
# Where the time of `heddle prove` goes, for each structure of the paper's Table I: seconds for the facts,
# the reduction, serial runs; then the tables of Figure 5 and, in milliseconds, Algorithm 1 on them (the
# paper: 3 to 29 ms with tables made by hand).
set -eu
cd "$(dirname "$0")/.."
heddle=${HEDDLE:-$PWD/build/heddle}
field() { grep -o "\"$1\":[-0-9.a-z\"]*" <<<"$2" | head -n 1 | cut -d: -f2; }
printf '%-16s %-14s %5s %7s %8s %8s %9s %8s %8s %10s\n' structure verdict steps queries facts reduction serial total tables alg.1_ms
for file in ms_queue twolock_queue dglm_queue herlihy_wing_queue treiber elimination ts_stack lazy_set vy_cas_set \
    vy_dcas_set orvyy_set snapshot rdcss; do
    [ -f "corpus/prove/$file.hp" ] || continue
    json=$("$heddle" prove --json --no-search "corpus/prove/$file.hp" || true)
    full=$("$heddle" prove --json --no-search --explain "corpus/prove/$file.hp" || true)
    printf '%-16s %-14s %5s %7s %8.3f %8.3f %9.3f %8.3f %8.3f %10.3f\n' "$file" "$(field verdict "$json" | tr -d '"')" \
        "$(field sub_operations "$json")" "$(field questions "$json")" "$(field facts "$json")" \
        "$(field reduction "$json")" "$(field serial "$json")" "$(field seconds "$json")" "$(field tables "$full")" \
        "$(awk "BEGIN{print 1000 * $(field algorithm1 "$full")}")"
done
