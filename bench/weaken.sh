#!/usr/bin/env bash
# bench/weaken.sh [OPTION of heddle weaken...]: the experiment of CDSSpec's Figure 7 on corpus/cdsspec. Every memory
# order that the tests reach is weakened to relaxed, one at a time: how is it noticed? DR: a data race; UL: an
# uninitialised load; Correctness: an assertion, a condition of the specification, a crash; Sync: a happens-before rule;
# Hang: threads wait for ever. What is not noticed must stand in corpus/cdsspec/equivalent.csv, with the reason why it
# makes no difference; what does not is Missed. Then the same for the next weaker orders
# (seq_cst as acq_rel, acq_rel as acquire or release, ...). The last columns are the paper's. Two tables: the paper's
# own tests (corpus/cdsspec/NAME.c), which do not reach everything, and ours (NAME_more.c), which must: a miss there is
# exit status 1.
set -u
cd "$(dirname "$0")/../corpus/cdsspec" || exit 2
heddle=$PWD/../../build/heddle
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT

# The tries of a report, one a line: file, line, function, order to try, what came of it; a tab between.
tries() {
    awk '
        function flush() {
            if (to != "") print file "\t" line "\t" name "\t" to "\t" result
            to = ""
        }
        /^  [^ ]+:[0-9]+.*  in / {
            flush(); split($1, place, ":"); file = place[1]; line = place[2]; sub(/#.*/, "", line); name = $NF
        }
        /^      (relaxed|acquire|release|acq_rel): / {
            flush(); to = $1; sub(/:$/, "", to)
            result = $2; sub(/[:,]$/, "", result)
        }
        END { flush() }' "$1"
}

# Of one structure: injections, then how many of each kind; first to relaxed, then the next weaker ones.
count() {
    tries "$1" | while IFS=$'\t' read -r file line name to result; do
        if [ "$result" = holds ]; then
            source=$(sed -n "${line}s/^ *//p" "$file")
            result=missed
            grep -F "$file,$name," equivalent.csv | grep -qF -e "$source,$to," -e "$source\",$to," && result=equivalent
            [ $result = equivalent ] || echo "$file:$line: $to in place of the order in $name is not noticed" >>"$out/missed"
        fi
        printf '%s\t%s\n' "$([ "$to" = relaxed ] && echo relaxed || echo weaker)" "$result"
    done | awk -F'\t' '
        { n[$1]++; kind = $2
          if (kind ~ /^(livelock|deadlock|stuck)$/) kind = "hang"
          else if (kind ~ /^(synchronisation)$/) kind = "sync"
          else if (kind !~ /^(race|uninitialised-read|equivalent|missed|not)$/) kind = "wrong"
          k[$1 kind]++ }
        END {
            printf "%d %d %d %d %d %d %d %d ", n["relaxed"], k["relaxedrace"], k["relaxeduninitialised-read"],
                k["relaxedwrong"], k["relaxedsync"], k["relaxedhang"], k["relaxedequivalent"],
                k["relaxedmissed"] + k["relaxednot"]
            printf "%d %d %d\n", n["weaker"], n["weaker"] - k["weakerequivalent"] - k["weakermissed"] - k["weakernot"],
                k["weakerequivalent"]
        }'
}

# table SUFFIX: the structures' tests with that ending, a line each, and their sum.
table() {
    local suffix=$1 name file injections rate n i total=(0 0 0 0 0 0 0 0 0 0 0)
    shift
    printf '%-20s %9s %4s %4s %11s %4s %4s %5s %6s %5s   %22s   %s\n' Benchmark Injection DR UL Correctness Sync Hang \
        Equiv Missed Rate 'weaker: n/found/equiv' 'paper: injections, rate'
    while IFS='|' read -r name file injections rate; do
        "$heddle" weaken --quiet --jobs=2 "$@" "$file$suffix.c" >"$out/report" 2>&1 ||
            { echo "$name: failed"; head -n 3 "$out/report"; exit 1; }
        read -r -a n <<<"$(count "$out/report")"
        for i in "${!n[@]}"; do total[i]=$((total[i] + n[i])); done
        printf '%-20s %9d %4d %4d %11d %4d %4d %5d %6d %4d%%   %12d /%3d /%3d   %10d %9s\n' "$name" "${n[@]:0:8}" \
            $((100 * (n[0] - n[6] - n[7]) / (n[0] - n[6] > 0 ? n[0] - n[6] : 1))) "${n[@]:8}" "$injections" "$rate"
    done <<'TABLE'
Chase-Lev Deque|chase_lev_deque|10|70%
SPSC Queue|spsc_queue|2|100%
RCU|rcu|3|100%
Lockfree Hashtable|lockfree_hashtable|5|40%
MCS Lock|mcs_lock|4|100%
MPMC Queue|mpmc_queue|6|33%
M&S Queue|ms_queue|11|82%
Linux RW Lock|linux_rwlock|8|100%
TABLE
    n=("${total[@]}")
    printf '%-20s %9d %4d %4d %11d %4d %4d %5d %6d %4d%%   %12d /%3d /%3d   %10d %9s\n' Total "${n[@]:0:8}" \
        $((100 * (n[0] - n[6] - n[7]) / (n[0] - n[6]))) "${n[@]:8}" 49 76%
}
echo "The paper's own tests (what they miss is no fault):"
table "" "$@"
[ ! -s "$out/missed" ] || sed 's/^/  /' "$out/missed"
rm -f "$out/missed"
echo
echo "Our stronger tests (nothing may be missed):"
table _more "$@"
[ ! -s "$out/missed" ] || { cat "$out/missed"; exit 1; }
