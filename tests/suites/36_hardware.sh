#!/usr/bin/env bash
# builds: kept
# "No load buffering is possible" (guest/explore/graph/load_buffering.h) against IMM's axioms (tests/hardware/imm.c): it is
# never said of a program that does under IMM what rc11 forbids, with reductions and without; and it is said of nearly all
# others. The argument is in doc/proofs/load_buffering.md.
set -u
cd "$(dirname "$0")/../.." || exit 2
heddle=${HEDDLE:-build/heddle}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -o "$work/imm" tests/hardware/imm.c || { echo "FAIL imm.c does not compile"; exit 1; }
both() { # WORDS...: what the answer says of load buffering, and with single instructions
    timeout 60 "$heddle" run --json "$@" 2>/dev/null | sed -n 's/.*"load_buffering": *\(null\|"[a-z]*"\), *"load_buffering_lse": *\(null\|"[a-z]*"\).*/\1 \2/p' | tr -d '"' | head -n 1
}
said() { both "$@" | cut -d' ' -f1; }
expect() { # NAME EXPECTED WORDS...
    local name=$1 expected=$2 got
    shift 2
    got=$(said "$@")
    if [ "$got" = "$expected" ]; then echo "ok $name"; else echo "FAIL $name: $got, not $expected: heddle run $*"; fi
}

# --- the criterion, by the programs that break without each part of it (registers of the left thread / of the right one)
program() { # NAME EXPECTED TEXT [OPTION...]
    local name=$1 expected=$2 text=$3
    shift 3
    expect "$name" "$expected" "$@" tests/hardware/interp.c -- "$text"
}
program lb possible LxrSyr1/LyrSxr1
program lb_ring possible LxrSyr1/LyrSzr1/LzrSxr1
program lb_dependent_on_one_side possible LxrSyr1/LyrSxr*
program lb_acquire_on_one_side possible LxaSyr1/LyrSxr1
program lb_release_on_one_side possible LxrSyl1/LyrSxr1
program lb_acquire impossible LxaSyr1/LyaSxr1
program lb_release impossible LxrSyl1/LyrSxl1
program lb_acquire_and_release impossible LxaSyr1/LyrSxl1
program lb_fences impossible LxrFlSyr1/LyrFaSxr1
program lb_fence_on_one_side possible LxrFbSyr1/LyrSxr1
program ordered_by_others impossible LxrSyl1AzaSyr2/AyrSzl1/LyrSxl1
program ordered_beyond_hb impossible LxrSzr1Syl1/LzrAyrSxl1
program exchange_seen_at_home impossible Xyr1LyaSzr1/LzaSyr1
program sb impossible Sxr1Lyr/Syr1Lxr
program mp impossible Sxr1Syr1/LyrLxr
program exchange_is_one impossible Xxr1/Xxr1
# an iteration that is left out contains the read: under IMM it sees the store behind the loop
program left_out unknown "ByrxrSzr1/LzrSxr*/Syr1"
program left_out_release impossible ByrxrSzl1/LzaSxl1/Syr1
program left_out_alone impossible AxrSyr1/Sxr1
# the iteration ends in a thread that stores nothing behind it; unless what comes behind is joined
program left_out_leads_nowhere impossible LxrSzr1/Byrzr/Syr1
expect left_out_joined unknown -DJOINS tests/hardware/behind.c
expect left_out_not_joined impossible tests/hardware/behind.c
# stores that only follow exclusive loads; the one that the exit of the loop would order comes before what was left out
program left_out_exclusive impossible Bxryr/Xxr1
program left_out_acquire unknown ByaxrSzr1/LzrSxr*/Syr1
# read-modify-writes as single instructions: what follows one may overtake it (by ARM's aarch64.cat; the last two are random
# programs that only this can tell from IMM)
single() { # EXPECTED TEXT
    local got
    got=$(both tests/hardware/interp.c -- "$2")
    if [ "$got" = "impossible $1" ]; then echo "ok single_$2"; else echo "FAIL single $2: $got, not impossible $1"; fi
}
single impossible Xxa1Syr1/LyrSxl1
single impossible Xxr1Syl1/LyaSxl1
single impossible Xxr1FlSyr1/LyaSxl1
single impossible Xxr1Lya/LxrSyl1
single unknown Xxr1Syr1/Lyr
single unknown Cxr1Syr1/Lyr
single unknown Cya1Xxa1/Xxr1Xxa1Cyr1Syl*
single unknown LysSxr*Xxr1Syl1/Xxr1LyrCxb1Xyr1
expect samples unknown --schedules=10 tests/hardware/interp.c -- LxrSyl1/LyaSxr1
expect other_models null --model=tso tests/hardware/interp.c -- LxrSyr1/LyrSxr1

# --- the table of heddle-run(1): each model and each litmus test
table=$(sed -n '/^\.SH REAL PROCESSORS/,/^\.TE/p' man/heddle-run.1)
for test in SB 2+2W MP WRC IRIW LB; do
    define=${test/2+2W/TWO_WRITES}
    for model in sc tso pso rc11 imm; do
        allowed=no # imm beside rc11: what a load then sees is a value that no dependency excludes here
        timeout 60 "$heddle" run --json --no-repair --model=$model "-D$define" tests/hardware/litmus.c 2>/dev/null |
            grep -qE '"violation": *"assertion"|unless a dependency excludes that: assertion' && allowed=yes
        listed=$(awk -F'\t' -v test="$test" -v model=$model '
            /^model\t/ { for (i = 2; i <= NF; i++) if ($i == test) column = i }
            $1 == model { print $column }' <<<"$table")
        for document in README.md doc/answers.md; do # the same table
            grep -qF "| $model |$(awk -F'\t' -v model=$model '$1 == model { for (i = 2; i <= NF; i++) printf " %s |", $i }' <<<"$table")" $document ||
                echo "FAIL table $model: $document says something else"
        done
        if [ "$allowed" = "$listed" ]; then echo "ok table $model $test"; else echo "FAIL table $model $test: $allowed, but heddle-run(1) says $listed"; fi
    done
done
# --- --model=imm: families with their answers in the literature; then what is explored
for row in LB_DATA:0 LB_DATA_ONE:3 LB_CTRL:0 LB_CTRL_ONE:3 LB_ADDR:0 LB_FENCE_ONE:3 LB_FENCES:0 LB_RING:3 LB_RING_DATA:0 LB_RING_FENCES:0 LB:3 SB:1; do
    timeout 60 "$heddle" run --quiet --no-record --no-repair --model=imm "-D${row%:*}" tests/hardware/litmus.c >"$work/said" 2>&1
    status=$?
    [ $status = "${row#*:}" ] && { [ $status != 3 ] || grep -q 'assertion' "$work/said"; } && echo "ok imm ${row%:*}" || echo "FAIL imm ${row%:*}: status $status"
done
explored() { expect "imm_$2" "$1" --model=imm tests/hardware/interp.c -- "$2"; }
explored explored LxrSyr1/LyrSxr1
explored explored LxrSyr1/LyrSzr1/LzrSxr1
explored explored LxaSyr1/LyrSxr1
explored impossible LxaSyr1/LyaSxr1
explored impossible LxrSyl1/LyrSxl1
explored impossible LxrFlSyr1/LyrFaSxr1
explored impossible Xxr1Syr1/LyrSxl1
explored null ByrxrSzr1/LzrSxr*/Syr1
for row in 'SB:Sxr1Lyr/Syr1Lxr:0 0' 'LB:LxrSyr1/LyrSxr1:1 1' 'LB+swap:Xxr1Syr1/LyaSxl1:0 1'; do # what IMM adds to rc11
    IFS=: read -r test text new <<<"$row"
    if [ "$("$work/imm" "$text")" = "$text $new" ]; then echo "ok imm $test"; else echo "FAIL imm $test"; fi
done

# --- random programs, many in a process (tests/hardware/campaign.c), at night as C text, too
. tests/hardware/campaign.sh
campaign_build "$work" || { echo "FAIL the campaign can't be built"; exit 1; }
compare() { # ROWS: what campaign.c has printed
    local missed
    grep -E '^(MISSED|CRASHED)' <<<"$1"
    while IFS=, read -r way seed programs _ _ crashed missed noticed silent rest lse_missed _ lse_silent lse_rest _; do
        local name="random programs, $way"
        echo "$name: $programs of seed $seed, $((missed + lse_missed)) missed, $noticed noticed; of the others $silent impossible, $rest not; with single instructions $lse_silent, $lse_rest"
        [ $((missed + lse_missed + crashed)) = 0 ] && [ "$noticed" -gt 0 ] && [ $((100 * silent)) -ge $((94 * (silent + rest))) ] &&
            [ $((100 * lse_silent)) -ge $((78 * (lse_silent + lse_rest))) ] && echo "ok $name" || echo "FAIL $name"
    done < <(grep -E '^(reduced|plain),' <<<"$1")
}
seed=${HEDDLE_SEED:-1} count=${HEDDLE_COUNT:-${HEDDLE_NIGHTLY:+50000}}
count=${count:-400}
compare "$("$work/campaign" "$work/interp" "$work/interp.table" "$seed" "$count" 2>&1)"
# what --model=imm explores beside rc11: all outcomes of IMM, and none that it has not even without dependencies
row=$("$work/campaign" "$work/interp" "$work/interp.table" "$seed" "$count" promises 2>&1 | tee "$work/promises" | tail -n 1)
echo "random programs, imm: $row"
grep -E '^(MISSED|MADE UP)' "$work/promises"
awk -F, '{ exit !($1 == "promises" && $6 > 0 && $5 + $6 > 50 * ($7 + $8)) }' <<<"$row" && ! grep -qE '^(MISSED|MADE UP)' "$work/promises" &&
    echo "ok random programs, imm" || echo "FAIL random programs, imm"
[ -z "${HEDDLE_NIGHTLY:-}" ] || for how in "gcc -O2" "gcc -O0" "clang -O2"; do
    # shellcheck disable=SC2086
    compare "$(campaign_printed "$work" "$seed" 400 $how)"
done
