# heddle refine: the corpus with its expected verdicts, bad models with the messages they must give, the
# command line's contract, and models that are programs too.
here=$PWD
heddle=$PWD/build/heddle
"$heddle" refine --help >/dev/null 2>&1 || { echo "skip refine (the tool has no refine)"; exit 0; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT

# the corpus
while IFS= read -r line; do
    [ "${line%%,*}" = arguments ] && continue
    # the first field has commas only inside quotes
    if [ "${line:0:1}" = '"' ]; then rest=${line#\"}; arguments=${rest%%\"*}; rest=${rest#*\",}
    else arguments=${line%%,*}; rest=${line#*,}; fi
    verdict=${rest%%,*}; rest=${rest#*,}; violation=${rest%%,*}
    # shellcheck disable=SC2086
    (cd corpus/refine && timeout 60 "$heddle" $arguments --json --quiet) >"$out/json" 2>"$out/err"
    IFS=$'\t' read -r got kind <<<"$(awk -v keys="verdict violation" -f "$here/tests/json.awk" "$out/json")"; kind=${kind#-}
    if [ "$got" = "$verdict" ] && [ "$kind" = "$violation" ]; then echo "ok refine corpus: $arguments"
    else echo "FAIL refine corpus: $arguments: $got ($kind), expected $verdict ($violation)"; fi
done <corpus/refine/expected.csv

# bad models: each says what must be said about it
for model in tests/golden/refine/*.hm; do
    name=$(basename "$model" .hm)
    status=$(sed -n 's|^// status: ||p' "$model"); arguments=$(sed -n 's|^// arguments: ||p' "$model")
    # shellcheck disable=SC2086
    (cd tests/golden/refine && timeout 60 "$heddle" refine --quiet --ascii $arguments "$name.hm") >"$out/text" 2>&1
    got=$?
    good=yes
    [ "$got" = "$status" ] || { good=no; echo "exit status $got, expected $status"; }
    sed -n 's|^// says: ||p' "$model" >"$out/says"
    while IFS= read -r text; do
        grep -qF -- "$text" "$out/text" || { good=no; echo "does not say: $text"; }
    done <"$out/says"
    if [ $good = yes ]; then echo "ok refine golden: $name"; else echo "FAIL refine golden: $name"; cat "$out/text"; fi
done

# the contract: exit status, JSON, HTML, jobs, limits
check() { if [ "$2" = "$3" ]; then echo "ok refine $1"; else echo "FAIL refine $1: $2, expected $3"; fi; }
cd corpus/refine || exit 2
"$heddle" refine --quiet treiber_stack.hm >/dev/null 2>&1; check "exit status when it holds" $? 0
"$heddle" refine --quiet -DBUG=1 treiber_stack.hm >/dev/null 2>&1; check "exit status when violated" $? 1
"$heddle" refine --quiet nothing.hm >/dev/null 2>&1; check "exit status without a file" $? 2
"$heddle" refine --quiet --nonsense treiber_stack.hm >/dev/null 2>&1; check "exit status of a wrong option" $? 2
"$heddle" refine --quiet --states=10 treiber_stack.hm >/dev/null 2>&1; check "exit status at a limit" $? 3
"$heddle" refine --quiet --json -DBUG=1 treiber_stack.hm >"$out/json" 2>&1
check "JSON is well formed" "$(python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(d["verdict"], d["violation"], d["exhaustive"], len(d["counterexample"]) > 4)' "$out/json" 2>&1)" "violated refinement False True"
"$heddle" refine --quiet --html="$out/page.html" -DBUG=1 treiber_stack.hm >/dev/null 2>&1
check "HTML page" "$(grep -c '</html>' "$out/page.html")" 1
"$heddle" refine --quiet --jobs=2 -DBUG=2 segmented_queue.hm >/dev/null 2>&1; check "two jobs, violated" $? 1
"$heddle" refine --quiet --jobs=2 segmented_queue.hm >/dev/null 2>&1; check "two jobs, holds" $? 0
# traces only: what waits for ever shows no wrong result (the empty traces after it are the specification's, too); what does is found
for model in stuck stuck_first; do
    "$heddle" refine --quiet ../../tests/golden/refine/$model.hm >/dev/null 2>&1; check "$model" $? 1
    said=$("$heddle" refine --quiet --traces ../../tests/golden/refine/$model.hm 2>&1); check "$model, traces only" "$? $(grep -c 'whether threads can go on was not asked' <<<"$said")" "0 1"
done
"$heddle" refine --quiet --traces -DBUG=1 treiber_stack.hm >/dev/null 2>&1; check "traces only, a wrong result" $? 1
"$heddle" refine --quiet --traces --explore treiber_stack.hm >/dev/null 2>&1; check "traces only, without a specification" $? 2
# K slots a segment allow K - 1 out of order and no less: the smallest factor is found
found=$("$heddle" refine --quiet --quasi=deq:auto -DFACTOR=2 segmented_queue.hm | sed -n 's/.*quasi factors \(.*\); FACTOR.*/\1/p')
check "the smallest factor" "$found" "deq:2"
found=$("$heddle" refine --quiet --quasi=auto -DFACTOR=2 segmented_queue.hm | sed -n 's/.*quasi factors \(.*\); FACTOR.*/\1/p')
check "the smallest factor of what takes" "$found" "deq:2"
two=../../tests/golden/refine-programs/two_factors.hm # says why 1 and 2
found=$("$heddle" refine --quiet --quasi=first:auto,second:auto $two | sed -n 's/.*quasi factors \(.*\)\./\1/p')
check "the smallest factors of two groups" "$found" "first:1, second:2"
"$heddle" refine --quiet --quasi=auto $two >/dev/null 2>&1; check "auto where nothing takes" $? 2
# limits are for all factors together: those of 0 and 1 are violated within fewer states
"$heddle" refine --quiet --states=800 --quasi=deq:2 -DFACTOR=2 -DSEGMENTS=1 segmented_queue.hm >/dev/null 2>&1; check "a limit that one factor keeps" $? 0
"$heddle" refine --quiet --states=800 --quasi=deq:auto -DFACTOR=2 -DSEGMENTS=1 segmented_queue.hm >/dev/null 2>&1; check "a limit for all factors" $? 3
"$heddle" refine --quiet '--quasi=deq:?' segmented_queue.hm >/dev/null 2>&1; check "no other spelling of auto" $? 2
# the shortest counterexample is the same length whoever searches
one=$("$heddle" refine --quiet --json -DBUG=2 segmented_queue.hm | sed -n 's/.*"depth": \([0-9]*\).*/\1/p')
two=$("$heddle" refine --quiet --json --jobs=2 -DBUG=2 segmented_queue.hm | sed -n 's/.*"depth": \([0-9]*\).*/\1/p')
check "two jobs find as short a counterexample" "$two" "$one"
# no false alarm of block expansion: 2 4 1 6 3 5 is a permutation within distance 2 that no blocks of 5 give
cd ../..
"$heddle" refine --quiet tests/golden/refine-programs/no_blocks.hm >/dev/null 2>&1
check "a permutation that does not fall into blocks" $? 0
for factor in 0 1 2 3; do # the model says why
    "$heddle" refine --quiet --quasi=put+exchange:$factor tests/golden/refine-programs/foreign_value.hm >/dev/null 2>&1
    check "a value that belongs to another call, factor $factor" $? 1
done

# calls in operands happen where C evaluates them
found=$("$heddle" refine --quiet --outcomes tests/golden/refine-programs/calls_in_operands.hm | sed -n 's/^outcome //p')
check "calls in && || ?:" "$found" "a=2 b=0 c=2 d=2 e=10 f=6 calls=15"

# programs: the outcomes of a model equal those of the C program
if [ -x tests/pairs/compare.sh ]; then tests/pairs/compare.sh; fi
