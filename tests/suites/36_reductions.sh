# Each reduction can be switched off by its name: what is found stays right, and the answer says which of them acted.
# builds: kept
[ -x build/heddle ] || { echo "skip reductions: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAIL $2: $3"; fi; }
run() { HEDDLE_DEBUG=eager-confirm build/heddle run --json --quiet --no-record --jobs=1 "$@" 2>&1; }
field() { awk -v keys="$1" -f tests/json.awk; }
names() { tr -d '\n' | sed 's/.*"reductions": \[\([^]]*\)\].*/\1/' | grep -o '"name": "[a-z]*"' | cut -d'"' -f4 | tr '\n' ' '; }
treiber="-DP=2 -DQ=2 tests/oracle/treiber.c"

# --- one at a time. NAME|OPTIONS of a program in which it acts|verdict and complete executions without that reduction. The
# counts are derived where the programs are; without `sections`, or `counters`, loops of beside.c have no end (two threads count
# themselves in there: where one does, it writes to an atomic that nobody else writes, which needs no `counters`); each call of
# waiting/barrier.c has 3! orders of arrivals.
while IFS='|' read -r name options expected; do
    # shellcheck disable=SC2086
    all=$(run $options | names)
    grep -qw "$name" <<<"$all"; say $? "$name: acts in ${options##*/}" "$all"
    # shellcheck disable=SC2086
    out=$(run --reductions=-"$name" $options)
    ! grep -qw "$name" <<<"$(names <<<"$out")"; say $? "$name: does not when it is off" "$(names <<<"$out")"
    got=$(field "verdict executions" <<<"$out")
    [ "$got" = "${expected/ /	}" ] || [ "${got%%	*}" = "$expected" ]; say $? "$name: the answer without it" "$got, not $expected"
done <<'ROWS'
sections|-DCASE=1 tests/programs/waiting/beside.c|inconclusive 1
hopeless|-DCASE=1 tests/programs/waiting/beside.c|holds 5
hopeless|-DN=3 tests/oracle/mutex.c|holds 1
doomed|-DN=3 --model=sc tests/programs/waiting/mcs.c|holds 24
lost|-DN=3 --model=sc tests/programs/waiting/mcs.c|holds 24
confirm|tests/programs/waiting/own_node.c|holds 16
waiting|tests/programs/waiting/comes_back.c|holds 19
returning|tests/programs/waiting/comes_back.c|holds 5
counters|--event-bound=12 -DCASE=2 tests/programs/waiting/beside.c|inconclusive
barriers|tests/programs/waiting/barrier.c|holds 36
symmetry|-DN=3 tests/oracle/ainc.c|holds 6
ROWS

# --- errors are found whichever is off
for name in waiting sections counters hopeless confirm doomed returning lost barriers symmetry; do
    got=$(run --reductions=-$name -DWRONG -DCASE=3 tests/programs/waiting/beside.c | field verdict)
    [ "$got" = violated ]; say $? "without $name: an error is found" "$got"
done

# --- lists
# shellcheck disable=SC2086
for pair in "none|--no-reductions" "all|--jobs=1" "waiting,confirm,lost,hopeless,doomed,returning,sections,counters,barriers,symmetry|--jobs=1" \
    "-waiting|--reductions=barriers,symmetry" "lost|--reductions=waiting,confirm,lost" "-symmetry,-barriers|--reductions=counters,hopeless,doomed,returning,lost"; do
    one=$(run --reductions="${pair%|*}" $treiber | field "verdict executions blocked")
    two=$(run "${pair#*|}" $treiber | field "verdict executions blocked")
    [ -n "$one" ] && [ "$one" = "$two" ]; say $? "--reductions=${pair%|*} is ${pair#*|}" "$one and $two"
done
for list in "" bogus waiting,bogus -bogus waiting, ,waiting all,waiting; do
    got=$(build/heddle run --reductions="$list" tests/oracle/mutex.c 2>&1); [ $? = 2 ] && grep -q "is all, none or a list of names" <<<"$got"
    say $? "refused: --reductions=$list" "$got"
done
got=$(build/heddle run --verbose --no-record tests/oracle/ttas.c 2>&1); grep -q "reduction waiting left out [1-9]" <<<"$got"
say $? "--verbose tells" "$got"
# the names in help and manual are those of the list
words=$(sed -n 's/^    X(\([a-z]*\), .*/\1/p' src/record/reductions.h)
for name in $words; do
    build/heddle run --help | tr -d '\n' | grep -q "\b$name\b" && grep -q "^.B $name\$" man/heddle-run.1 && [ -f "doc/proofs/$name.md" ]
    say $? "$name: help, manual and proof name it" "one of them does not"
done

# --- --second-opinion: what is decided by executions is decided by states, too, or the answer says why not. MODEL|FILE|verdict,
# tests or programs that are confirmed, of how many (derived: each that states decide, see guest/states; tests of check need seq_cst under rc11)
second() { sed -n 's/.*"verdict": "\([a-z]*\)".*"second_opinion": {"confirmed": \([0-9]*\), "of": \([0-9]*\)}.*/\1 \2 \3/p'; }
while IFS='|' read -r model command expected; do
    # shellcheck disable=SC2086
    got=$(build/heddle $command --second-opinion --model=$model --json --quiet --no-record --no-repair 2>&1)
    [ "$(second <<<"$got")" = "$expected" ]; say $? "second opinion: $command under $model" "$(second <<<"$got"), not $expected: ${got:0:200}"
done <<'ROWS'
sc|run -DN=3 tests/oracle/mutex.c|holds 1 1
tso|run tests/oracle/sb.c|holds 1 1
rc11|run -DN=3 tests/oracle/mutex.c|holds 1 1
rc11|run tests/oracle/sb.c|holds 1 1
rc11|run tests/oracle/mp.c|holds 1 1
rc11|run tests/oracle/race.c|violated 1 1
pso|run tests/oracle/sb.c|holds 0 1
sc|run tests/oracle/deadlock.c|violated 1 1
sc|check --shape=2x1 tests/unbounded/treiber_stack.c|holds 6 6
sc|check --jobs=1 --shape=2x2 examples/queue_check.c examples/queue.c|violated 1 1
ROWS
got=$(build/heddle run --second-opinion --no-record tests/programs/correct/futex_semaphore.c 2>&1)
grep -q "there is no second opinion: states under rc11 do not follow a futex that finds one of several values" <<<"$(tr -s ' \n' ' ' <<<"$got")"; say $? "second opinion: why there is none" "$got"
for words in --schedules=3 --preemptions=1 --keep-going --unbounded --journal=x --shard=1/2; do
    got=$(build/heddle run --second-opinion $words tests/oracle/sb.c 2>&1); [ $? = 2 ] && grep -q "second-opinion does not go with ${words%=*}" <<<"$got"
    say $? "second opinion refused: $words" "$got"
done
