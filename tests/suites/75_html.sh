# HTML pages in a real Chromium (tests/html/pages.mjs); SARIF and JUnit files against their schemas. Needs
# chromium, node, xmllint and the packages of tests/html/package.json, which ./dev test installs.
heddle=$PWD/build/heddle; root=$PWD; tests=$PWD/tests/html
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
if ! command -v node >/dev/null || ! command -v xmllint >/dev/null || [ ! -d "$tests/node_modules/playwright-core" ]; then
    echo "skip html: needs node, xmllint and npm ci in tests/html (./dev test installs them)"
    exit 0
fi
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
[ -n "$CHROMIUM" ] || { echo "skip html: no chromium"; exit 0; }
export CHROMIUM
cd "$work" || exit 2

# make NAME STATUS ARGUMENT...: NAME.html, .txt, .sarif and .xml of one command
make_page() {
    local name=$1 status=$2 got; shift 2
    timeout 60 "$heddle" "$@" --html="$name.html" >"$name.txt" 2>"$name.err"; got=$?
    [ "$got" = "$status" ] && [ -s "$name.html" ] || echo "FAIL make $name: exit status $got, not $status: $(head -n 3 "$name.err")"
}
explore() {
    local name=$1 status=$2 command=$3; shift 3
    make_page "$name" "$status" "$command" -q --ascii --no-record --sarif="$name.sarif" --junit="$name.xml" "$@"
}
explore determined 1 run "$tests/determined.c"
explore race 1 run "$root/examples/ring.c"
explore holds 0 run -DFIXED "$root/examples/ring.c"
explore linearizability 1 check "$root/examples/queue_check.c"
explore stale 1 check --model=rc11 '--scenario=enqueue(1) enqueue(2) | dequeue()' -DRESERVE_ORDER=memory_order_relaxed "$root/corpus/classics/herlihy_wing_queue.c"
explore deadlock 1 run "$root/tests/programs/wrong/deadlock_philosophers.c"
explore stuck 1 check --model=sc --shape=2x1 --exhaustive -DNO_NEXT_WAIT "$root/corpus/classics/mcs_lock.c"
explore hostile 1 check -DLONG="\"$(printf '%10000s' '' | tr ' ' x)\"" "$tests/hostile_check.c"
explore inconclusive 3 run "$root/tests/programs/wrong/inline_asm.c"
explore states 0 check --unbounded "$tests/states_check.c"
explore states_wrong 1 check --unbounded -DWRONG "$tests/states_check.c"
explore states_long 1 check --unbounded "$root/tests/unbounded/pool_stack.c"
make_page model 1 refine --quiet -DBUG=1 "$root/corpus/refine/treiber_stack.hm"
node "$tests/make_history.mjs" 2000 12 wrong >history.jsonl
make_page history 1 history --spec=register:0 history.jsonl
printf '{:process %s, :type %s, :f %s, :value %s}\n' 0 :invoke :write 1 :nemesis :info :start-partition nil 0 :ok :write 1 \
    1 :invoke :read nil 1 :ok :read 1 2 :invoke :write 9 2 :fail :write 9 :nemesis :info :stop-partition nil >bands.edn
make_page bands 0 history --witness --spec=register bands.edn
# keys, values and process names that are hostile; get reads what nobody put
node -e '
    const words = ["<script>window.hacked=1</script>", "<img src=x onerror=\"window.hacked=1\">", "\"\u0027`&lt;&amp;", "</script><b>", "x".repeat(10000)];
    words.forEach((word, i) => console.log([
        { process: word.slice(0, 60) + i, type: "call", op: "put", args: ["k", word] }, { process: word.slice(0, 60) + i, type: "return", result: null },
        { process: "reader", type: "call", op: "get", args: ["k"] }, { process: "reader", type: "return", result: i < 4 ? word : "\u2028\u2029 never put" }].map((e) => JSON.stringify(e)).join("\n")));' >hostile.jsonl
make_page hostile_history 1 history --spec=kv hostile.jsonl

# a whole project in one JUnit file: a test that holds, one that is violated, one that is no test at all
printf '[[test]]\nname = "good"\ncommand = "run"\nfile = "%s"\nflags = ["-DFIXED"]\n' "$root/examples/ring.c" >project.toml
printf '[[test]]\nname = "<bad>"\nfile = "%s"\n[[test]]\nname = "gone"\nfile = "gone.c"\n' "$root/examples/queue_check.c" >>project.toml
timeout 60 "$heddle" check -q --no-record --config=project.toml --junit=project.xml >project.txt 2>&1
[ "$(grep -c '<testcase' project.xml)" = 3 ] && echo "ok project.xml" || echo "FAIL project.xml: $(cat project.txt)"

# with HEDDLE_NIGHTLY=1 the page of every wrong program, too
for program in ${HEDDLE_NIGHTLY:+"$root"/tests/programs/wrong/*}; do
    read -ra words <<<"$(sed -n 's|^// args: ||p' "$program")"
    timeout 60 "$heddle" run -q --no-record --time=20s "${words[@]}" --html="more-$(basename "$program").html" "$program" >/dev/null 2>&1
done

timeout ${HEDDLE_NIGHTLY:+9}120 node "$tests/pages.mjs" "$work" || echo "FAIL pages: see above"
mkdir answers && (cd "$root" && bash tests/helpers/json_answers.sh "$work/answers")
timeout 60 node "$tests/schemas.mjs" ./*.sarif ./*.xml answers/*.json || echo "FAIL schemas: see above"

# heddle report: the page of a record, also from another folder; bad input
"$heddle" check -q "$root/examples/queue_check.c" >/dev/null
mkdir elsewhere; cd elsewhere || exit 2
page=$("$heddle" report ../queue_check.heddle) && [ "$page" = queue_check.html ] && [ -s queue_check.html ] && echo "ok report" || echo "FAIL report: $page"
"$heddle" report -o other.html ../queue_check.heddle >/dev/null && cmp -s other.html queue_check.html && echo "ok report -o" || echo "FAIL report -o"
"$heddle" replay --allow-outside --html=replayed.html ../queue_check.heddle >/dev/null; [ -s replayed.html ] && echo "ok replay --html writes here" || echo "FAIL replay --html"
"$heddle" report --json ../queue_check.heddle | grep -q '"arrows"' && echo "ok report --json" || echo "FAIL report --json"
"$heddle" report nothing.heddle 2>/dev/null; [ $? = 2 ] && echo "ok report of nothing" || echo "FAIL report of nothing"
head -c 100 ../queue_check.heddle >cut.heddle
"$heddle" report cut.heddle 2>/dev/null; [ $? = 2 ] && [ ! -e cut.html ] && echo "ok report of a cut record" || echo "FAIL report of a cut record"
"$heddle" run -q --no-record --html=/nonexistent/x.html "$tests/determined.c" >/dev/null 2>err; [ $? = 2 ] && grep -q nonexistent err && echo "ok a page that can't be written" || echo "FAIL a page that can't be written: $(cat err)"
