#!/usr/bin/env bash
# campaign.sh: tests/hardware/campaign.sh OUT FROM TO runs parts FROM to TO - 1 of the campaign (campaign.c), 10,000 random
# programs each, and every tenth 1,000 as C text, compiled by gcc or clang; OUT is a folder for what it builds. Each part adds
# two rows, with all reductions and without confirming reads, to tests/hardware/campaigns.csv, or to the file that
# CAMPAIGN_LEDGER names. A part that misses something keeps its output in OUT and is not added. Sourced: its functions.
. tests/random/build.sh
campaign_build() { # OUT
    random_build "$1" &&
        gcc -std=gnu17 -O2 -w -Isrc -o "$1/campaign" tests/hardware/campaign.c tests/hardware/asked.c tests/random/engine.c \
            tests/random/oracle.c tests/random/machine.c tests/random/axioms.c
}
campaign_printed() { # OUT SEED COUNT COMPILER LEVEL
    local here=$1/printed
    rm -rf "$here" && mkdir -p "$here" && cp "$1"/{random,table,heddle_rt.o} "$here" || return
    "$1/campaign" print "" "$2" "$3" | "$here/random" print >"$here/all.c" && random_build "$here" "$4" "$5" "$here/all.c" &&
        "$1/campaign" "$here/interp" "$here/interp.table" "$2" "$3" printed
}
campaign_part() { # OUT NUMBER
    local compilers=("gcc -O2" "clang -O2" "gcc -O0")
    if (($2 % 10 < 9)); then
        "$1/campaign" "$1/interp" "$1/interp.table" $((1000 + $2)) 10000
    else
        # shellcheck disable=SC2086
        campaign_printed "$1" $((1000 + $2)) 1000 ${compilers[$2 / 10 % 3]}
    fi
}
campaign_run() { # OUT FROM TO
    local ledger=${CAMPAIGN_LEDGER:-tests/hardware/campaigns.csv} number commit
    mkdir -p "$1" && campaign_build "$1" || return
    commit=$(git log -1 --format=%h -- src tests/hardware/*.[ch])
    for ((number = $2; number < $3; number++)); do
        campaign_part "$1" $number >"$1/part.$number" 2>&1
        if grep -qE '^(MISSED|CRASHED)' "$1/part.$number" || ! grep -q '^plain,' "$1/part.$number"; then
            echo "part $number: look at $1/part.$number"
            continue
        fi
        sed -n "s/^\(reduced\|plain\),/$commit,$number,&/p" "$1/part.$number" >>"$ledger"
        rm -f "$1/part.$number"
    done
}
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    cd "$(dirname "$0")/../.." || exit 2
    [ $# = 3 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
    campaign_run "$@"
fi
