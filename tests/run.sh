#!/usr/bin/env bash
# All tests, or the suites that are named. Each suite tests/suites/*.sh prints "ok NAME", "FAIL NAME ..." or
# "skip NAME ..." a case and is counted here; a suite that prints none of these has failed. One suite more than there
# are processors runs at a time (HEDDLE_TEST_JOBS), since some wait, the long ones first; those that measure time say so in
# a line "# alone: why" and run by themselves at the end. All of them share the tool in build/. Suites that run the same
# programs in many ways say "# builds: kept": what they build is kept until they end (tool/instrument/builds.h); with
# "# builds: kept with GROUP" until all suites have ended, for those that run the same programs. HEDDLE_NIGHTLY=1 builds
# everything every time.
set -u
cd "$(dirname "$0")/.." || exit 2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
jobs=${HEDDLE_TEST_JOBS:-$(($(nproc) + 1))}

# Runs one suite and leaves its output in $out/NAME, its summary in $out/NAME.sum: passed, failed, skipped.
run_suite() {
    local suite=$1 name start status ok bad skip group='' builds=''
    name=$(basename "$suite" .sh)
    start=$(date +%s.%N)
    TIMEFORMAT='%U %S'
    if [ -z "${HEDDLE_NIGHTLY:-}" ] && grep -q '^# builds: kept' "$suite"; then
        group=$(sed -n 's/^# builds: kept with //p' "$suite")
        builds=$out/${group:-$name}.builds
    fi
    { time HEDDLE_BUILDS=$builds bash "$suite" >"$out/$name" 2>&1; status=$?; } 2>"$out/$name.cpu"
    [ -n "$group" ] || rm -rf "$out/$name.builds"
    ok=$(grep -c '^ok ' "$out/$name")
    bad=$(grep -c '^FAIL' "$out/$name")
    skip=$(grep -c '^skip ' "$out/$name")
    if [ "$bad" = 0 ] && [ "$status" != 0 ]; then
        bad=1
        echo "FAIL $name: exit status $status" >>"$out/$name"
    elif [ $((ok + bad + skip)) = 0 ]; then
        bad=1
        echo "FAIL $name: it tested nothing" >>"$out/$name"
    fi
    echo "$ok $bad $skip" >"$out/$name.sum"
    {
        printf '%-18s %5d passed %3d failed %3d skipped  %6.1f s, %6.1f s of processor time\n' "$name" "$ok" "$bad" "$skip" \
            "$(awk "BEGIN{print $(date +%s.%N) - $start}")" "$(awk '{ print $1 + $2 }' "$out/$name.cpu")"
        [ "$bad" = 0 ] || grep -v '^ok ' "$out/$name" | head -n 60
        [ $((ok + bad)) != 0 ] || grep '^skip ' "$out/$name" | head -n 3 # nothing ran: why
    } >"$out/$name.text"
    cat "$out/$name.text"
}

together=() alone=()
# The suites that take longest, so that no core is idle at the end; a wrong guess only costs time.
first='40_programs 15_sanitizers 37_unbounded 70_corpus 37_waiting 52_attack 36_search 12_lint 30_oracle 35_twin 20_unit 45_liveness 71_libraries 47_unseen 74_weaken 75_annotations 72_check_counts 72_check_edges 41_found 36_symmetry 72_check_twin 75_html 37_journal 65_replay 73_marked 66_gdb 62_reports 80_prove'
for name in $first $(cd tests/suites && printf '%s\n' *.sh | sed 's/\.sh$//'); do
    suite=tests/suites/$name.sh
    [ -f "$suite" ] || continue
    [ $# -gt 0 ] && [[ " $* " != *" $name "* ]] && continue
    case " ${together[*]-} ${alone[*]-} " in *" $suite "*) continue ;; esac
    if grep -q '^# alone:' "$suite"; then alone+=("$suite"); else together+=("$suite"); fi
done
for name in "$@"; do
    [ -f "tests/suites/$name.sh" ] || { echo "tests/run.sh: there is no suite $name" >&2; exit 2; }
done
for suite in "${together[@]-}"; do
    [ -n "$suite" ] || continue
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    run_suite "$suite" &
done
wait
for suite in "${alone[@]-}"; do
    [ -n "$suite" ] && run_suite "$suite"
done
read -r passed failed skipped < <(cat "$out"/*.sum | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
