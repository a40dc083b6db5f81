#!/usr/bin/env bash
# campaign.sh: tests/random/campaign.sh OUT FROM TO runs parts FROM to TO - 1 of the campaign, 2,000 programs each (500 parts are a
# million) with the tools that build.sh builds into OUT, and adds a row for each to tests/random/campaigns.csv, or to the file
# that CAMPAIGN_LEDGER names, with the commit that OUT was built from. By its number a part has programs of one kind, of one
# seed; every sixth part is C text, compiled by gcc or clang at -O0 or -O2, in 20 batches. tests/random/campaign.sh rules: how
# often each reduction has left something out in all parts; status 1 where one has done so less than 1,000 times. A part with a
# difference keeps its output in OUT and is not added.
set -u
cd "$(dirname "$0")/../.." || exit 2
ledger=${CAMPAIGN_LEDGER:-tests/random/campaigns.csv}
. tests/random/build.sh
part() { # NUMBER SEED COUNT [OPTION...]: the driver, by kind
    local kind=$(($1 % 6)) round=$(($1 / 6)) seed=$2 count=$3 features=only,leave,again,equal,barrier
    shift 3
    ((round % 3 == 0)) && features=only,leave
    ((round % 3 == 1)) && features=only,again
    local common=(--ways=2 --most=1500 --ms=1000)
    case $kind in
    0) "$out/random" "${common[@]}" --engine="$out/interp,$out/interp.table" --size=2 "$@" run "$seed" "$count" ;;
    1) "$out/random" "${common[@]}" --engine="$out/interp,$out/interp.table" --size=3 "$@" run "$seed" "$count" ;;
    2) "$out/random" "${common[@]}" --engine="$out/interp,$out/interp.table" --words --size=2 "$@" run "$seed" "$count" ;;
    3) "$out/random" "${common[@]}" --engine="$out/interp,$out/interp.table" --words --size=1 "$@" run "$seed" "$count" ;;
    4) "$out/random" "${common[@]}" --engine="$out/interp,$out/interp.table" --size=2 \
        --features=$features "$@" run "$seed" "$count" ;;
    esac
}
compiled() { # NUMBER SEED COUNT
    local at=$2 here=$out/compiled compiler=gcc level=-O2
    (($1 / 6 % 2)) && compiler=clang
    (($1 / 12 % 2)) && level=-O0
    for _ in $(seq 20); do
        rm -rf "$here" && mkdir -p "$here" && cp "$out"/{random,table,heddle_rt.o} "$here"
        "$out/random" --words --size=2 print "$at" $(($3 / 20)) >"$here/all.c"
        random_build "$here" $compiler $level "$here/all.c" || return
        "$out/random" --ways=2 --most=1500 --ms=1000 --engine="$here/interp,$here/interp.table" --words --size=2 --printed run "$at" $(($3 / 20))
        at=$((at + $3 / 20))
    done
}
rules() {
    awk -F, 'NR == 1 { for (i = 8; i <= NF; i++) name[i] = $i; fields = NF } NR > 1 && NF >= fields { for (i = 8; i <= NF; i++) sum[i] += $i }
        END { for (i = 8; i <= fields; i++) { printf "%-10s %12d%s\n", name[i], sum[i], sum[i] < 1000 ? "  less than 1,000" : ""; few += sum[i] < 1000 } exit few > 0 }' $ledger
}
[ "${1:-}" = rules ] && { rules; exit; }
[ $# = 3 ] || { echo "usage: campaign.sh OUT FROM TO | rules" >&2; exit 2; }
out=$1
mkdir -p "$out"
[ -f "$out/interp.table" ] || random_build "$out" || exit
[ -f "$out/commit" ] || git log -1 --format=%h -- src tests/random/*.[ch] >"$out/commit"
for ((number = $2; number < $3; number++)); do
    seed=$((100000000 + number * 2000)) count=${CAMPAIGN_COUNT:-2000} said=$out/part.$number
    if ((number % 6 == 5)); then compiled $number $seed "$count" >"$said" 2>&1; else part $number $seed "$count" >"$said" 2>&1; fi
    if grep -q '^DIFFERENT' "$said" || ! grep -q ' differ; ' "$said"; then
        echo "part $number: look at $said"
        continue
    fi
    awk -v part="$number" -v commit="$(cat "$out/commit")" '/ differ; / { p += $1; e += $3; d += $5; large += $13; none += $19; long += $21 }
        / left out: / { if (!($1 in times)) order[++n] = $1; times[$1] += $4 }
        END { printf "%s,%s,%d,%d,%d,%d,%d", commit, part, p, e, d, large, none + long; for (i = 1; i <= n; i++) printf ",%d", times[order[i]]; print "" }' "$said" >>$ledger
    rm -f "$said"
done
