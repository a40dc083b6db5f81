# heddle history: recorded logs with known verdicts, golden code, limits, pipes, the log header, fuzzing.
# Logs of others are tested where they exist: HEDDLE_HISTORIES, or ../shared/histories.
tool=build/heddle
if ! [ -x $tool ]; then echo "skip history (not built)"; exit 0; fi
logs=${HEDDLE_HISTORIES:-../shared/histories}
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
# expect NAME STATUS TEXT COMMAND...: exit status and a text in the output
expect() {
    local name=$1 status=$2 text=$3 got output; shift 3
    output=$("$@" 2>&1); got=$?
    if [ "$got" = "$status" ] && grep -q -e "$text" <<<"$output"; then echo "ok $name"
    else echo "FAIL $name: exit status $got, wanted $status and \"$text\"; got: $(head -n 5 <<<"$output")"; fi
}
line() { printf '%s\n' "$@"; }
call() { echo "{\"process\":$1,\"type\":\"call\",\"op\":\"$2\",\"args\":[$3]}"; }
ret() { echo "{\"process\":$1,\"type\":\"return\",\"result\":$2}"; }

if [ -f "$logs/verdicts.csv" ]; then
    bad=0; count=0
    while IFS=, read -r file _ operations linearizable; do
        [ "$file" = file ] && continue
        result=$($tool history --json "$logs/$file"); status=$?
        want=$([ "$linearizable" = yes ] && echo 0 || echo 1)
        seen=$(sed -n 's/.*"operations": \([0-9]*\),.*/\1/p' <<<"$result" | head -n 1)
        count=$((count + 1))
        # operations that are known not to have happened (:fail :read) leave the history
        if [ "$status" != "$want" ] || [ "$seen" -gt "$operations" ]; then
            bad=1; echo "FAIL history verdict of $file: $status, wanted $want"
        fi
    done <"$logs/verdicts.csv"
    [ $bad = 0 ] && echo "ok history verdicts of $count recorded logs"
    expect "history in processes" 1 "60 histories: 13 linearizable, 47 not" $tool history --jobs=2 "$logs"/etcd/*.log
    expect "history whole" 0 "linearizable (kv)" $tool history --no-partition "$logs/kv/c10-ok.txt"
    cat "$logs"/kv/c10-ok.txt | gzip >"$dir/c10.gz"
    expect "history gzip" 0 "linearizable (kv)" $tool history "$dir/c10.gz"
    expect "history pipe" 1 "line 158" bash -c "cat $logs/kv/c10-bad.txt | $tool history -"
else
    echo "skip history logs (no $logs)"
fi

# Small histories with answers that follow from the definitions; several were once answered wrongly.
bad=0; count=0
while IFS=, read -r file arguments answer; do
    [ "$file" = file ] && continue
    # shellcheck disable=SC2086
    timeout 20 $tool history --time=10s $arguments "tests/histories/$file" >"$dir/out" 2>&1
    case $?:$answer in 0:holds|1:violated|2:error|3:inconclusive) ;; *)
        bad=1; echo "FAIL history $file $arguments: wanted $answer, got: $(head -n 2 "$dir/out")" ;; esac
    count=$((count + 1))
done <tests/histories/expected.csv
[ $bad = 0 ] && echo "ok history answers of $count small logs"

# what values and results mean, by the rules of EDN and JSON
shopt -s lastpipe # so that what `means` counts is not lost
bad=0; count=0
event() { printf '{:process %s :type %s :f %s :value %s}\n' "$@"; }
json() { printf '{"process":0,"type":"%s",%s}\n' "$@"; }
means() { # SPEC STATUS, the log on standard input
    cat >"$dir/means"; count=$((count + 1))
    $tool history --spec="$1" "$dir/means" >"$dir/out" 2>&1
    local got=$?
    [ $got = "$2" ] || { bad=1; echo "FAIL history meaning $count ($1): exit status $got, wanted $2: $(head -n 1 "$dir/out")"; }
}
wrote() { event 0 :invoke :write "$1" 0 :ok :write "$1" 0 :invoke :read nil 0 :ok :read "$2"; }
wrote 1 1.0 | means register 1
wrote 1 1N | means register 0
wrote '##NaN' '##NaN' | means register 0
wrote '{:a 1 :b 2}' '{:b 2, :a 1}' | means register 0
wrote ':a' '":a"' | means register 1
wrote true 1 | means register 1
while read -r status written got; do wrote "$written" "$got" | means register "$status"; done <<'PAIRS'
0 1/2 2/4
0 4/2 2
1 1/2 1/3
0 -0.0 0.0
0 1e999 ##Inf
1 ##Inf Inf
1 1.0M 1.00M
0 \u0041 \A
0 \newline \u000A
0 \; \;
0 [\(\a] [\(,\a]
1 \a "a"
0 "\uD83D\uDE00" "😀"
0 #my/tag[1] #my/tag(1)
1 #my/tag[1] #your/tag[1]
2 0x1F 31
2 017 15
2 1abc 1abc
2 1/0 1
2 \foo \foo
2 ^:m[1] 1
PAIRS
# keys and objects that are different values are different objects
tuple() { printf '#jepsen.independent.Tuple{:key %s :value %s}' "$@"; }
for keys in '1 "1" 0' '1 1N 1' ':a ":a" 0' 'a "a" 0' 'nil "" 0'; do
    read -r one other status <<<"$keys"
    event 0 :invoke :write "$(tuple "$one" 5)" 0 :ok :write "$(tuple "$one" 5)" 0 :invoke :read "$(tuple "$other" nil)" 0 :ok :read "$(tuple "$other" nil)" | means register "$status"
done
{ json call '"op":"write","args":[5],"object":1'; json return '"result":null'; json call '"op":"read","object":"1"'; json return '"result":null'; } | means register 0
printf 'process,call,return,op,value,result,object\n1,1,2,write,7,,1\n1,3,4,read,,,"""1"""\n' | means register 0
# a log that ends inside an event
printf '0\t:invoke\t:write\t1\n0\t:ok\t:write' | means register 2
event 0 :invoke :add-and-get 1 0 :ok :add-and-get 1 | means counter 0
event 0 :invoke :add-and-get 1 0 :ok :add-and-get 1 0 :invoke :add-and-get 1 0 :ok :add-and-get 1 | means counter 1
event 0 :invoke :read nil 0 :ok :read '#{}' 0 :invoke :add 5 0 :ok :add 5 0 :invoke :read nil 0 :ok :read '#{5}' | means set 0
event 0 :invoke :add 5 0 :ok :add 5 0 :invoke :read nil 0 :ok :read '#{}' | means set 1
event 0 :invoke :dequeue nil 0 :ok :dequeue :empty | means fifo 0
event 0 :invoke :dequeue nil 0 :ok :dequeue :exhausted | means fifo 2
event 0 :invoke :transfer '{:from 0 :to 1 :amount 3}' 0 :ok :transfer '{:amount 3 :to 1 :from 0}' 0 :invoke :read nil 0 :ok :read '{1 13, 0 7}' | means bank:2x10 0
event 0 :invoke :read nil 0 :ok :read '{0 10, 1 11}' | means bank:2x10 1
# a client may have the name of the nemesis as a string; only the keyword is the nemesis
event '"nemesis"' :invoke :write 1 '"nemesis"' :ok :write 1 0 :invoke :read nil 0 :ok :read 1 :nemesis :info :kill nil | means register 0
event 0 :invoke :cas '[3 2]' 0 :ok :cas '[3 2]' | means cas-register 1
event 0 :invoke :write 1 0 :info :write 1 1 :invoke :read nil 1 :ok :read nil 1 :invoke :read nil 1 :ok :read 1 | means register 0
for pair in '1 1.0 0' 'true 1 1' '"1" 1 1' '{"a":1,"b":2} {"b":2,"a":1} 0' '1.50 1.5 0' '1.5 "1.5" 1'; do
    read -r written got status <<<"$pair"
    { json call "\"op\":\"write\",\"args\":[$written]"; json return '"result":null'; json call '"op":"read"'; json return "\"result\":$got"; } | means register "$status"
done
[ $bad = 0 ] && echo "ok history meaning of $count small logs"

{ call 0 enq 1; ret 0 null; call 0 enq 2; ret 0 null; call 1 deq; ret 1 2; } >"$dir/over.jsonl"
expect "history fifo" 1 "deq must return 1" $tool history --spec=fifo "$dir/over.jsonl"
sed "s/enq/push/; s/deq/pop/" "$dir/over.jsonl" >"$dir/stack.jsonl"
expect "history lifo" 0 "linearizable (lifo)" $tool history --spec=lifo "$dir/stack.jsonl"
expect "history json" 1 '"violation": "linearizability"' $tool history --json --spec=fifo "$dir/over.jsonl"
expect "history kooo" 0 "linearizable" $tool history --spec=fifo --quasi=deq:1 "$dir/over.jsonl"
expect "history slot" 1 "NOT" $tool history --spec=fifo --quasi=deq:1 --semantics=slot "$dir/over.jsonl"
expect "history def4" 1 "NOT" $tool history --spec=fifo --quasi=deq:1,enq:0 --semantics=def4 "$dir/over.jsonl"
{ cat "$dir/over.jsonl"; call 1 deq; ret 1 1; } >"$dir/drained.jsonl"
expect "history slot, complete" 0 "linearizable" $tool history --spec=fifo --quasi=deq:1 --semantics=slot "$dir/drained.jsonl"
expect "history quasi factor 0" 1 "NOT" $tool history --spec=fifo --quasi=deq:0 "$dir/drained.jsonl"
{ call 0 deq; ret 0 1; call 0 enq 1; ret 0 null; } >"$dir/early.jsonl"
expect "history def4 is not causal" 0 "linearizable" $tool history --spec=fifo --quasi=deq:0,enq:0 --semantics=def4 "$dir/early.jsonl"
expect "history kooo is causal" 1 "NOT" $tool history --spec=fifo --quasi=deq:2,enq:0 "$dir/early.jsonl"
# an increment gives nothing back: two that give 1 are not two that are done
{ call 0 inc; ret 0 1; call 0 inc; ret 0 1; } >"$dir/numbers.jsonl"
expect "history a number is a result" 1 "inc must return nothing" $tool history --spec=counter "$dir/numbers.jsonl"
sed 's/:1}/:true}/' "$dir/numbers.jsonl" >"$dir/done.jsonl"
expect "history done" 0 "linearizable (counter)" $tool history --spec=counter "$dir/done.jsonl"

expect "history no spec" 2 "spec is missing" $tool history "$dir/over.jsonl"
expect "history unknown spec" 2 "there are: fifo" $tool history --spec=queue "$dir/over.jsonl"
expect "history unknown operation" 2 "has no operation enq" $tool history --spec=register "$dir/over.jsonl"
expect "history bad quasi" 2 "no operation \"dequeu\"" $tool history --spec=fifo --quasi=dequeu:1 "$dir/over.jsonl"
expect "history no file" 2 "No such file" $tool history --spec=fifo "$dir/none"
expect "history usage" 2 "no log is named" $tool history --spec=fifo
expect "history stores empty" 2 "line\|:1: " bash -c "{ echo '$(call 0 enq null)'; } | $tool history --spec=fifo -"
expect "history return without call" 2 ":1: a return without a call" bash -c "echo '$(ret 0 1)' | $tool history --spec=fifo -"

line '#include <heddle_spec.h>' 'typedef struct { int count; long items[64]; } Stack;' \
    'HEDDLE_SPEC_STATE(Stack);' 'HEDDLE_SPEC_INIT(s) { s->count = 0; }' \
    'HEDDLE_SPEC_OP(enq, s, c) { s->items[s->count++] = heddle_int(c, 0); return HEDDLE_DONE; }' \
    'HEDDLE_SPEC_OP(deq, s, c) { if (!s->count) return HEDDLE_NONE; long v = s->items[--s->count];' \
    '  s->items[s->count] = 0; return HEDDLE_INT(v); }' >"$dir/stack.c"
expect "history golden" 0 "linearizable" $tool history --spec="$dir/stack.c" "$dir/over.jsonl"
expect "history golden, violated" 1 "NOT" $tool history --spec="$dir/stack.c" "$dir/early.jsonl"
expect "history golden, relaxed" 1 "NOT" $tool history --spec="$dir/stack.c" --quasi=deq:1 --semantics=slot "$dir/early.jsonl"
sed 's/if (!s->count)/while (!s->count) {} if (0)/' "$dir/stack.c" >"$dir/hangs.c"
expect "history golden that hangs" 3 "time" $tool history --time=1ms --spec="$dir/hangs.c" "$dir/early.jsonl"
sed 's/if (!s->count)/if (!s->count) *(volatile int *)0 = 1; if (0)/' "$dir/stack.c" >"$dir/crashes.c"
expect "history golden that crashes" 2 "crashed (Segmentation fault) in deq" $tool history --spec="$dir/crashes.c" "$dir/early.jsonl"
for way in 'exit(0)' '_exit(0)' 'quick_exit(1)' '_exit(3)'; do
    { echo '#include <stdlib.h>'; echo '#include <unistd.h>'; sed "s/if (!s->count)/if (!s->count) $way; if (0)/" "$dir/stack.c"; } >"$dir/leaves.c"
    expect "history golden that calls $way" 2 "golden code" $tool history --spec="$dir/leaves.c" "$dir/early.jsonl"
done
expect "history golden that leaves a worker" 2 "golden code\|worker" $tool history --jobs=2 --spec="$dir/leaves.c" "$dir/early.jsonl" "$dir/early.jsonl"
echo 'int x = ;' >"$dir/broken.c"
expect "history golden that does not compile" 2 "the compiler rejects it" $tool history --spec="$dir/broken.c" "$dir/early.jsonl"
echo 'int x;' >"$dir/empty.c"
expect "history golden without state" 2 "no HEDDLE_SPEC_STATE" $tool history --spec="$dir/empty.c" "$dir/early.jsonl"
line '#include <heddle_spec.h>' 'typedef struct { int n; } S; HEDDLE_SPEC_STATE(S); HEDDLE_SPEC_INIT(s) { s->n = 0; }' \
    'HEDDLE_SPEC_OP(roll, s, c) { return HEDDLE_INT(1 + heddle_choose(c, 6)); }' >"$dir/dice.c"
expect "history golden with choice" 0 "linearizable" bash -c "{ echo '$(call 0 roll)'; echo '$(ret 0 6)'; } | $tool history --spec=$dir/dice.c -"
expect "history golden, no such choice" 1 "roll may return 1 or 2" bash -c "{ echo '$(call 0 roll)'; echo '$(ret 0 7)'; } | $tool history --spec=$dir/dice.c -"

# a search that can't be finished: overlapping appends of texts that begin with each other, an impossible read
{ text=; for i in $(seq 0 39); do text=${text}a; call "$i" append "\"k\",\"$text\""; done; for i in $(seq 0 39); do ret "$i" null; done
  call 0 get '"k"'; ret 0 '"b"'; } >"$dir/hard.jsonl"
expect "history time limit" 3 "the time limit was reached" timeout 10 $tool history --time=300ms --memory=4G --spec=kv "$dir/hard.jsonl"
expect "history memory limit" 3 "the memory limit was reached" timeout 60 $tool history --time=50s --memory=16M --spec=kv "$dir/hard.jsonl"

# two hard keys and one that is wrong: found, and what was decided is told
{ cat "$dir/hard.jsonl"; sed 's/"k"/"l"/' "$dir/hard.jsonl"; call 0 put '"m",1'; ret 0 null; call 0 get '"m"'; ret 0 2; } >"$dir/parts.jsonl"
expect "history parts in turn" 1 'key "m"' timeout 20 $tool history --time=10s --spec=kv "$dir/parts.jsonl"
sed '$d' "$dir/parts.jsonl" >"$dir/parts2.jsonl"
expect "history parts decided" 3 "1 of 3 parts were decided" timeout 20 $tool history --time=300ms --spec=kv "$dir/parts2.jsonl"
# an interrupted check answers with what it knows
expect "history interrupted" 3 "interrupted; .*1 of 3 parts were decided" \
    bash -c "$tool history --spec=kv $dir/parts2.jsonl & sleep 1; kill -TERM \$!; wait \$!"
expect "history interrupted, processes" 3 "interrupted; .*1 of 3 parts were decided" \
    bash -c "$tool history --jobs=2 --spec=kv $dir/parts2.jsonl & sleep 1; kill -INT \$!; wait \$!"

# many files: one that can't be read does not hide the others
expect "history some unreadable" 1 "1 histories: 0 linearizable, 1 not, 0 inconclusive; 2 could not be read" \
    $tool history --spec=fifo "$dir/none" "$dir/over.jsonl" tests/histories/mixed.edn
expect "history others unreadable" 2 "1 quasi linearizable, 0 not" $tool history --spec=fifo "$dir/drained.jsonl" --quasi=deq:1 "$dir/none"
expect "history errors in JSON" 2 '"verdict": "inconclusive"' $tool history --json --quasi=deq:1 --spec=fifo "$dir/drained.jsonl" "$dir/none"
# a witness keeps real time and is what the specification allows
{ call 0 enq 1; call 1 enq 2; ret 0 null; ret 1 null; call 0 deq; ret 0 2; } >"$dir/two.jsonl"
expect "history witness" 0 "  1. line 2 .* enq(2)" $tool history --witness --spec=fifo "$dir/two.jsonl"
expect "history witness in JSON" 0 '"witness": \[' $tool history --witness --json --spec=fifo "$dir/two.jsonl"

# beyond linearizability: a stale read, Dekker's two stores, transactions, k-atomicity
{ call 0 write 1; ret 0 null; call 1 read; ret 1 null; } >"$dir/stale.jsonl"
expect "history stale read" 1 "NOT linearizable" $tool history --spec=register "$dir/stale.jsonl"
expect "history stale read, sequential" 0 "sequentially consistent (register)" $tool history --consistency=sequential --spec=register "$dir/stale.jsonl"
expect "history stale read, 2-atomic" 0 "k-atomic (k-register:2)" $tool history --spec=k-register:2 "$dir/stale.jsonl"
{ call 0 put '"x",1'; ret 0 null; call 1 put '"y",1'; ret 1 null; call 0 get '"y"'; ret 0 null; call 1 get '"x"'; ret 1 null; } >"$dir/dekker.jsonl"
expect "history Dekker, sequential" 1 "NOT sequentially consistent" $tool history --consistency=sequential --spec=kv "$dir/dekker.jsonl"
{ call 0 write 1; ret 0 null; call 0 write 2; ret 0 null; call 0 write 3; ret 0 null; call 1 read; ret 1 1; } >"$dir/old.jsonl"
expect "history 2-atomic" 1 "NOT" $tool history --spec=k-register:2 "$dir/old.jsonl"
expect "history 3-atomic" 0 "k-atomic" $tool history --spec=k-register:3 "$dir/old.jsonl"
expect "history k missing" 2 "k-register:2" $tool history --spec=k-register "$dir/old.jsonl"
# sessions: a process that does not see its own write; one that reads backwards
{ call 0 write 1; ret 0 null; call 0 read; ret 0 null; } >"$dir/own.jsonl"
expect "history read your writes" 1 "NOT read-your-writes" $tool history --consistency=read-your-writes --spec=register "$dir/own.jsonl"
expect "history monotonic reads" 0 "monotonic-reads (register)" $tool history --consistency=monotonic-reads --spec=register "$dir/own.jsonl"
{ call 0 write 1; ret 0 null; call 0 write 2; ret 0 null; call 1 read; ret 1 2; call 1 read; ret 1 1; } >"$dir/back.jsonl"
expect "history monotonic reads alone" 0 "monotonic-reads" $tool history --consistency=monotonic-reads --spec=register "$dir/back.jsonl"
expect "history sessions" 1 "NOT consistent in its sessions" $tool history --consistency=session --spec=register "$dir/back.jsonl"
{ call 0 read; ret 0 1; call 0 write 1; ret 0 null; } >"$dir/ahead.jsonl" # a process reads what it writes later
expect "history sessions, read before written" 1 "NOT writes-follow-reads" $tool history --consistency=writes-follow-reads --spec=register "$dir/ahead.jsonl"
expect "history sessions, values repeat" 3 "distinct values" $tool history --consistency=session --spec=register <(cat "$dir/own.jsonl" "$dir/own.jsonl")
# write skew: each transaction reads what the other writes
line '{:process 0 :type :invoke :f :txn :value [[:r :x nil] [:w :y 1]]}' '{:process 1 :type :invoke :f :txn :value [[:r :y nil] [:w :x 1]]}' \
    '{:process 0 :type :ok :f :txn :value [[:r :x nil] [:w :y 1]]}' '{:process 1 :type :ok :f :txn :value [[:r :y nil] [:w :x 1]]}' >"$dir/skew.edn"
expect "history write skew" 1 "NOT strictly serializable (transactions)" $tool history --spec=transactions "$dir/skew.edn"
sed 's/:ok :f :txn :value \[\[:r :y nil\]/:ok :f :txn :value [[:r :y 1]/' "$dir/skew.edn" >"$dir/serial.edn"
expect "history transactions" 0 "strictly serializable (transactions)" $tool history --spec=transactions "$dir/serial.edn"

# a dequeue that finds nothing beside an unfinished enqueue, and one that is alone
{ call 0 enq 1; ret 0 null; call 1 enq 2; call 0 deq; ret 0 null; ret 1 null; } >"$dir/beside.jsonl"
expect "history fails beside another" 1 "NOT linearizable" $tool history --spec=fifo "$dir/beside.jsonl"
expect "history may fail beside another" 0 "linearizable (fifo): 2 operations" $tool history --may-fail=deq --spec=fifo "$dir/beside.jsonl"
expect "history may fail, any operation" 0 "linearizable" $tool history --may-fail=auto --spec=fifo "$dir/beside.jsonl"
expect "history may fail, another result" 1 "NOT linearizable" $tool history --may-fail=deq:false --spec=fifo "$dir/beside.jsonl"
expect "history may fail, another operation" 1 "NOT linearizable" $tool history --may-fail=enq --spec=fifo "$dir/beside.jsonl"
# the null of an enqueue means that it is done, and 0 is an element like others
{ call 0 enq 1; call 1 enq 2; ret 0 null; ret 1 null; call 0 deq; ret 0 1; call 0 deq; ret 0 2; } >"$dir/done.jsonl"
expect "history may fail, but was done" 0 "linearizable (fifo): 4 operations" $tool history --may-fail=auto --spec=fifo "$dir/done.jsonl"
{ call 0 enq 1; call 1 enq 2; ret 0 null; ret 1 null; call 0 deq; ret 0 null; } >"$dir/lost.jsonl"
expect "history may fail, but lost two" 1 "NOT linearizable" $tool history --may-fail=auto --spec=fifo "$dir/lost.jsonl"
{ call 0 enq 0; ret 0 null; call 1 enq 1; call 0 deq; ret 0 0; ret 1 null; call 0 deq; ret 0 0; } >"$dir/zero.jsonl"
expect "history may fail, but took 0" 1 "NOT linearizable" $tool history --may-fail=deq --spec=fifo "$dir/zero.jsonl"
expect "history may fail, code" 1 "NOT linearizable" $tool history --may-fail=auto --spec="$dir/stack.c" "$dir/lost.jsonl"
{ call 0 enq 1; ret 0 null; call 0 deq; ret 0 null; } >"$dir/lonely.jsonl"
expect "history may not fail alone" 1 "NOT linearizable" $tool history --may-fail=deq --spec=fifo "$dir/lonely.jsonl"
expect "history may fail, not understood" 2 "OP:RESULT" $tool history --may-fail=deq:nothing --spec=fifo "$dir/lonely.jsonl"
expect "history may fail, sequential" 2 "overlap in real time" $tool history --may-fail=deq --consistency=sequential --spec=fifo "$dir/lonely.jsonl"

# the smallest factor: 1 is passed over by 2 and by 3, so 2; a value that nobody put has none
{ call 0 enq 1; ret 0 null; call 0 enq 2; ret 0 null; call 0 enq 3; ret 0 null; call 1 deq; ret 1 2; call 1 deq; ret 1 3; call 1 deq; ret 1 1; } >"$dir/passed.jsonl"
expect "history quasi auto" 0 "deq:2 is the smallest factor" $tool history --spec=fifo --quasi=auto "$dir/passed.jsonl"
expect "history quasi auto, named" 0 "deq:2 is the smallest factor" $tool history --spec=fifo --quasi=deq:auto "$dir/passed.jsonl"
expect "history quasi auto, one less" 1 "NOT quasi linearizable" $tool history --spec=fifo --quasi=deq:1 "$dir/passed.jsonl"
expect "history quasi auto, JSON" 0 '"specification": "fifo, quasi deq:2' $tool history --json --spec=fifo --quasi=auto "$dir/passed.jsonl"
sed 's/"result":3}/"result":9}/' "$dir/passed.jsonl" >"$dir/nobody.jsonl"
expect "history quasi auto, none" 1 "no factor up to" $tool history --spec=fifo --quasi=auto "$dir/nobody.jsonl"
expect "history quasi auto, nothing takes" 2 "known to take" $tool history --spec=counter --quasi=auto "$dir/numbers.jsonl"

# the answer names what was asked for
while read -r word name options; do
    # shellcheck disable=SC2086
    expect "history violation $word" 1 "\"violation\": \"$word\"" $tool history --json $options "$dir/$name"
done <<WORDS
linearizability stale.jsonl --spec=register
sequential-consistency dekker.jsonl --spec=kv --consistency=sequential
read-your-writes own.jsonl --spec=register --consistency=read-your-writes
session-guarantees back.jsonl --spec=register --consistency=session
k-atomicity old.jsonl --spec=k-register:2
strict-serializability skew.edn --spec=transactions
quasi-linearizability early.jsonl --spec=fifo --quasi=deq:2,enq:0
WORDS
{ call 0 write 1; ret 0 null; call 1 read; ret 1 1; call 1 write 2; ret 1 null; call 0 write 3; ret 0 null; call 2 read; ret 2 3; call 2 read; ret 2 2; call 2 read; ret 2 1; } >"$dir/order.jsonl"
expect "history violation monotonic-reads" 0 '"violation": null' $tool history --json --spec=register --consistency=monotonic-reads "$dir/order.jsonl"
expect "history violation monotonic-writes" 0 '"violation": null' $tool history --json --spec=register --consistency=monotonic-writes "$dir/order.jsonl"
expect "history violation writes-follow-reads" 0 '"violation": null' $tool history --json --spec=register --consistency=writes-follow-reads "$dir/order.jsonl"
{ cat "$dir/order.jsonl"; call 2 read; ret 2 3; } >"$dir/forth.jsonl"
expect "history violation monotonic-reads" 1 '"violation": "monotonic-reads"' $tool history --json --spec=register --consistency=monotonic-reads "$dir/forth.jsonl"
{ call 0 read; ret 0 2; call 0 write 1; ret 0 null; call 1 read; ret 1 1; call 1 write 2; ret 1 null; } >"$dir/follow.jsonl"
expect "history violation writes-follow-reads" 1 '"violation": "writes-follow-reads"' $tool history --json --spec=register --consistency=writes-follow-reads "$dir/follow.jsonl"

# TLA+: the sequence alone; a variable of the last state that TLC prints; what is no history
line '<< [process |-> p1, type |-> "call", op |-> "write", args |-> <<1>>], [process |-> p1, type |-> "return", result |-> NULL],' \
    '   [process |-> p2, type |-> "call", op |-> "read", args |-> << >>],' '   [process |-> p2, type |-> "return", result |-> 1] >>' >"$dir/seq.tla"
expect "history TLA+" 0 "linearizable (register): 2 operations" $tool history --spec=register "$dir/seq.tla"
line 'TLC2 Version 2.18' 'Error: Invariant Linearizable is violated.' 'State 1: <Initial predicate>' '/\ hist = <<>>' '/\ pc = [p1 |-> "start"]' '' \
    'State 2: <Write(p1) line 20, col 5 of module Register>' '/\ hist = << [process |-> p1, type |-> "invoke", f |-> "write", value |-> 1] >>' '/\ pc = [p1 |-> "busy"]' '' \
    'State 3: <Read(p2) line 30>' '/\ hist = << [process |-> p1, type |-> "invoke", f |-> "write", value |-> 1],' \
    '     [process |-> p1, type |-> "ok", f |-> "write", value |-> 1],' '     [process |-> p2, type |-> "invoke", f |-> "read", value |-> NULL],' \
    '     [process |-> p2, type |-> "ok", f |-> "read", value |-> NULL] >>' '/\ pc = [p1 |-> "done"]' '' '7 states generated' >"$dir/trace.tla"
expect "history trace of TLC" 1 "NOT linearizable (register)" $tool history --spec=register "$dir/trace.tla"
sed 's/NULL\] >>/1] >>/' "$dir/trace.tla" >"$dir/good.tla"
expect "history good trace of TLC" 0 "2 operations" $tool history --spec=register "$dir/good.tla"
sed 's/hist =/x =/; s/pc = .*/y = <<1, 2>>/' "$dir/trace.tla" | sed 's/process/who/' >"$dir/nothing.tla"
expect "history trace without a history" 2 "no variable of the last state" $tool history --spec=register "$dir/nothing.tla"
sed 's/pc = .*/h2 = << [process |-> 1] >>/' "$dir/trace.tla" >"$dir/twice.tla"
expect "history trace with two histories" 2 "may be the history: hist and h2" $tool history --spec=register "$dir/twice.tla"
sed 's/type |-> "return", result/type |-> "give", result/' "$dir/seq.tla" >"$dir/badtype.tla"
expect "history TLA+, unknown type" 2 'seq.tla\|badtype.tla:1:.*"type" must be' $tool history --spec=register "$dir/badtype.tla"
expect "history TLA+, cut off" 2 ":[23]: .*truncated" bash -c "head -n 2 $dir/seq.tla | $tool history --spec=register -"
expect "history TLA+, a function" 2 ":1: .*not understood" bash -c "sed 's/<<1>>/<<(1 :> 2)>>/' $dir/seq.tla | $tool history --spec=register -"

# Maelstrom's lin-kv: history.txt and history.edn, keys in the values, errors beside them, the nemesis between
printf '%s\t%s\t%s\t%s\n' 0 :invoke :write '[0 3]' 1 :invoke :read '[0 nil]' :nemesis :info :start-partition :majority 0 :ok :write '[0 3]' \
    1 :ok :read '[0 3]' 2 :invoke :cas '[0 [3 4]]' 2 :ok :cas '[0 [3 4]]' 3 :invoke :cas '[0 [1 2]]' 3 :fail :cas '[0 [1 2]]' \
    :nemesis :info :stop-partition nil 4 :invoke :read '[0 nil]' 4 :info :read '[0 nil]' 5 :invoke :read '[0 nil]' 5 :ok :read '[0 4]' >"$dir/history.txt"
expect "history of Maelstrom" 0 "linearizable (cas-register): 5 operations, 1 pending" $tool history --spec=cas-register "$dir/history.txt"
sed '$s/4\]/3]/' "$dir/history.txt" >"$dir/maelstrom.txt"
expect "history of Maelstrom, stale" 1 "NOT linearizable (cas-register" $tool history --spec=cas-register "$dir/maelstrom.txt"
awk -F '\t' '{ printf "{:process %s, :type %s, :f %s, :value %s, :index %d, :time %d%s}\n", $1, $2, $3, $4, NR - 1, NR * 1000,
    $2 == ":fail" ? ", :error [:precondition-failed \"1 is not 4\"]" : $2 == ":info" && $1 == "4" ? ", :error :net-timeout" : "" }' "$dir/history.txt" >"$dir/history.edn"
expect "history.edn of Maelstrom" 0 "linearizable (cas-register): 5 operations, 1 pending" $tool history --spec=cas-register "$dir/history.edn"
# Jepsen's events as JSON
{ echo '{"process":0,"type":"invoke","f":"write","value":1,"time":7}'; echo '{"process":1,"type":"invoke","f":"cas","value":[1,2]}'
  echo '{"process":0,"type":"ok","f":"write","value":1}'; echo '{"process":1,"type":"ok","f":"cas","value":[1,2]}'
  echo '{"process":2,"type":"invoke","f":"read","value":null}'; echo '{"process":2,"type":"ok","f":"read","value":2}'; } >"$dir/jepsen.json"
expect "history of Jepsen as JSON" 0 "linearizable (cas-register): 3 operations" $tool history --spec=cas-register "$dir/jepsen.json"
sed '$s/2}$/1}/' "$dir/jepsen.json" >"$dir/jepsen-bad.json"
expect "history of Jepsen as JSON, stale" 1 "NOT linearizable" $tool history --spec=cas-register "$dir/jepsen-bad.json"

# a growing log: a violation ends it at once, a closed pipe in the end
expect "history follow" 1 "deq must return 1" timeout 30 bash -c "$tool history --follow --spec=fifo - < <(cat $dir/over.jsonl; exec sleep 4 2>/dev/null)"
expect "history follow a pipe" 0 "linearizable (fifo): 4 operations" timeout 30 bash -c "{ head -n 4 $dir/drained.jsonl; sleep 0.2; echo '$(call 1 deq)'; echo '$(ret 1 1)'; echo '$(call 1 deq)'; echo '$(ret 1 2)'; } | $tool history --follow --spec=fifo -"
head -n 4 "$dir/over.jsonl" >"$dir/grows.jsonl"
expect "history follow a file" 1 "deq must return 1" timeout 30 bash -c "{ sleep 0.3; tail -n 2 $dir/over.jsonl >>$dir/grows.jsonl; } & $tool history --follow --spec=fifo $dir/grows.jsonl"
expect "history follow, interrupted" 0 "2 operations" timeout 30 bash -c "head -n 4 $dir/over.jsonl >$dir/calm.jsonl; $tool history --follow --spec=fifo $dir/calm.jsonl & sleep 1; kill -INT \$!; wait \$!"

# events whose turn has not come yet are no part of the beginning, though their lines are there
{ echo '{"seq":0,"process":1,"type":"call","op":"read"}'; echo '{"seq":3,"process":1,"type":"return","result":7}'; } >"$dir/late.jsonl"
{ echo '{"seq":1,"process":0,"type":"call","op":"write","args":[7]}'; echo '{"seq":2,"process":0,"type":"return","result":null}'; } >"$dir/later.jsonl"
expect "history follow, out of order" 0 "linearizable (register): 2 operations" timeout 30 bash -c "{ cat $dir/late.jsonl; sleep 0.5; cat $dir/later.jsonl; } | $tool history --follow --spec=register -"
expect "history follow, out of order, interrupted" 0 "1 operations, 1 pending" timeout 30 bash -c "$tool history --follow --time=1s --spec=register - < <(cat $dir/late.jsonl; exec sleep 20 2>/dev/null)"
printf 'process,call,return,op,value,result\n1,3,4,read,,7\n' >"$dir/rows.csv"
expect "history follow, rows" 2 "rows of operations can't be followed" timeout 30 bash -c "$tool history --follow --spec=register - < <(cat $dir/rows.csv; exec sleep 20 2>/dev/null)"
expect "history follow, a wrong line" 2 ":2: a return without a call" timeout 30 bash -c "$tool history --follow --spec=register - < <(echo '$(call 0 read)'; echo '$(ret 1 1)'; exec sleep 20 2>/dev/null)"
expect "history follow, a list of EDN" 1 "must return" timeout 30 bash -c "$tool history --follow --spec=register - < <(printf '[{:process 0, :type :invoke, :f :read, :value nil}\\n {:process 0, :type :ok,\\n :f :read, :value 7}\\n{:process\\n'; exec sleep 20 2>/dev/null)"

# rotated: the rest is in a new file of the same name; truncated: nobody knows what was there
head -n 4 "$dir/over.jsonl" >"$dir/turns.jsonl"
expect "history follow, rotated" 1 "deq must return 1" timeout 30 bash -c "{ sleep 0.3; mv $dir/turns.jsonl $dir/turns.1; tail -n 2 $dir/over.jsonl >$dir/turns.jsonl; } & $tool history --follow --spec=fifo $dir/turns.jsonl"
head -n 4 "$dir/over.jsonl" >"$dir/short.jsonl"
expect "history follow, truncated" 2 "truncated while it was followed" timeout 30 bash -c "{ sleep 0.3; head -n 2 $dir/over.jsonl >$dir/short.jsonl; } & $tool history --follow --spec=fifo $dir/short.jsonl"
expect "history follow, compressed" 2 "compressed" timeout 30 bash -c "gzip -c $dir/over.jsonl >$dir/over.gz; $tool history --follow --spec=fifo $dir/over.gz"
expect "history follow, folder" 2 "is a folder" timeout 30 $tool history --follow --spec=fifo "$dir"
# what is missing from these may be explained by what follows: drained.jsonl has what over.jsonl has not
for options in --semantics=slot --semantics=def4 --consistency=sequential --consistency=session; do
    expect "history follow $options" 2 "may have them" $tool history --follow --spec=fifo --quasi=deq:1 $options "$dir/drained.jsonl"
done
printf 'process,call,return,op,value,result\n1,1,5,write,7,\n1,3,4,read,,7\n' >"$dir/overlaps.csv"
expect "history overlapping process" 0 "linearizable (register)" $tool history --spec=register "$dir/overlaps.csv"
expect "history overlapping process, sequential" 2 ":3: .*same process" $tool history --spec=register --consistency=sequential "$dir/overlaps.csv"

# the observation file of Line-Up's Figure 7: serial histories of a queue, one stuck; and its violation report: TryTake
# fails although both Adds returned before it and one value is left
expect "history Figure 7" 0 "4 histories: 4 linearizable" $tool history --spec=fifo corpus/lineup/figures/figure7.xml
expect "history Figure 7, violation" 1 "TryTake must return 400" $tool history --spec=fifo corpus/lineup/figures/figure7_report.xml
line '<observation><thread id="A">1</thread><thread id="B">2B</thread><op id="1" name="Add">value="1"</op>' \
    '<op id="2" name="Take" /><history>1[ ]1 2[ #</history></observation>' >"$dir/stuck.xml"
expect "history stuck" 1 "waits for ever" $tool history --spec=fifo "$dir/stuck.xml"

line '<observation><thread id="A">1 2</thread><op id="1" name="Add">value="1"</op>' \
    '<op id="2" name="Take">result="2"</op><history>1[ ]1 2[ ]2 #</history></observation>' >"$dir/stuck2.xml"
expect "history stuck, nothing pending" 1 "NOT" $tool history --spec=fifo "$dir/stuck2.xml"

# a real program that logs itself: a locked queue, four threads
cat >"$dir/program.c" <<'PROGRAM'
#define HEDDLE_LOG_IMPLEMENTATION
#include "heddle_log.h"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[100000], head, tail;
static FILE *out;
static void *work(void *argument)
{
    int me = (int)(long)argument;
    for (int i = 0; i < 500; i++) {
        char text[32];
        snprintf(text, sizeof text, "%d", me * 10000 + i);
        heddle_log_call(out, me, "enq", text);
        pthread_mutex_lock(&lock);
        items[tail++] = me * 10000 + i;
        pthread_mutex_unlock(&lock);
        heddle_log_return(out, me, "null");
        heddle_log_call(out, me, "deq", "");
        pthread_mutex_lock(&lock);
        int got = head < tail ? items[head++] : -1;
        pthread_mutex_unlock(&lock);
        snprintf(text, sizeof text, "%d", got);
        heddle_log_return(out, me, got < 0 ? "null" : text);
    }
    return 0;
}
int main(void)
{
    pthread_t threads[4];
    out = stdout;
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
PROGRAM
for language in "cc -std=c11" "c++ -x c++ -std=c++11"; do
    # shellcheck disable=SC2086
    if $language -Wall -Wextra -Wpedantic -Werror -Iinclude -o "$dir/program" "$dir/program.c" -pthread; then
        "$dir/program" >"$dir/program.jsonl"
        expect "history of a program (${language%% *})" 0 "4000 operations" $tool history --spec=fifo "$dir/program.jsonl"
    else
        echo "FAIL history: heddle_log.h does not compile with $language"
    fi
done
sed 's/"result":1\([0-9]*\)}/"result":1\1999}/;' "$dir/program.jsonl" >"$dir/wrong.jsonl"
expect "history of a program, changed" 1 "never put" $tool history --spec=fifo "$dir/wrong.jsonl"
expect "history of a program, searched" 0 "linearizable" $tool history --no-monitors --spec=fifo "$dir/program.jsonl"

# random histories of every model: brute force against everything faster, and through every format
if cc -std=c17 -D_GNU_SOURCE -O2 -Isrc -Iinclude -o "$dir/twin" tests/fuzz/history_twin.c build/tool.a -lz -lm; then
    expect "history twin" 0 "histories agree" timeout 3000 "$dir/twin" "$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 1000000 || echo 12000)"
else
    echo "FAIL history twin: does not compile"
fi
# endings that are impossible at once, however many operations overlap before them
for k in 12 1000; do
    while read -r spec op result put; do
        awk -v k="$k" -v put="${put%%:*}" -v args="${put#*:}" -v op="${op%%:*}" -v opargs="${op#*:}" -v result="$result" 'BEGIN {
            for (i = 1; i <= k; i++) { a = args; gsub(/N/, i, a); print "{\"process\":" i ",\"type\":\"call\",\"op\":\"" put "\",\"args\":[" a "]}" }
            for (i = 1; i <= k; i++) print "{\"process\":" i ",\"type\":\"return\"}"
            print "{\"process\":0,\"type\":\"call\",\"op\":\"" op "\",\"args\":[" opargs "]}"
            print "{\"process\":0,\"type\":\"return\",\"result\":" result "}" }' >"$dir/end.jsonl"
        expect "history impossible $op -> $result of $spec, $k operations" 1 "NOT linearizable" \
            $tool history --time=5s --spec="$spec" "$dir/end.jsonl"
    done <<ENDINGS
fifo deq: 0 enq:N
fifo size: $((k + 1)) enq:N
fifo size: $((k - 1)) enq:N
fifo peek: 0 enq:N
fifo isempty: true enq:N
fifo deq: null enq:N
lifo pop: 0 push:N
lifo isempty: true push:N
deque pop_front: 0 push_back:N
priority-queue deqmin: 2 insert:N
priority-queue deqmin: 0 insert:N
priority-queue min: 0 insert:N
bag trytake: 0 add:N
set size: $((k + 1)) add:N
set read: [0] add:N
counter get: $((k + 1)) inc:
counter get: -1 inc:
bank:2x10 read: [10,11] transfer:0,1,1
bank:2x10 read: [9,10] transfer:0,1,0
semaphore:1 try_acquire: false release:
kv size: $((k + 1)) put:N,N
ENDINGS
done >"$dir/endings"
grep FAIL "$dir/endings" || echo "ok history impossible endings, $(wc -l <"$dir/endings") of them"
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then # a gigabyte that is no history, and one that is too long
    expect "history 1 GB line" 2 "more than 16 MB" bash -c "{ printf '{\"a\"'; head -c 1000000000 /dev/zero | tr '\\0' x; } | $tool history --spec=fifo -"
    expect "history 1 GB" 2 "does not fit the memory limit" bash -c "{ i=0; yes '$(call 0 enq 7)
$(ret 0 null)' | head -c 1000000000; } | $tool history --spec=fifo --memory=100M -"
fi
# the orders that are shown are runs of the specification, word for word (tests/histories/replay.awk follows them by itself)
number=$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 3400 || echo 100)
for spec in fifo register:0 cas-register; do
    mkdir -p "$dir/orders"; rm -f "$dir"/orders/*
    awk -v number="$number" -v spec="$spec" 'BEGIN { for (i = 1; i <= number; i++) print i, 10 + i % 31 }' </dev/null |
        while read -r seed events; do awk -v seed="$seed" -v events="$events" -v spec="$spec" -f tests/histories/random.awk >"$dir/orders/$seed.jsonl"; done
    $tool history --json --spec="$spec" "$dir"/orders/*.jsonl >"$dir/orders.json" 2>"$dir/err"
    said=$(awk -v spec="$spec" -f tests/histories/replay.awk "$dir/orders.json")
    if [ "$(wc -l <<<"$said")" = 1 ] && [ "${said%% *}" -gt "$number" ]; then echo "ok history orders are runs: $spec, $said"
    else echo "FAIL history orders are runs: $spec: $(tail -n 3 <<<"$said" | cut -c1-300) $(head -n 1 "$dir/err")"; fi
    # "none can be left out", by a search that shares nothing with ours (tests/histories/core.py): shorter logs
    command -v python3 >/dev/null || { echo "skip history cores: no python3"; continue; }
    rm -f "$dir"/orders/*
    for seed in $(seq 35 $((35 + number / 2))); do awk -v seed="$seed" -v events=$((8 + seed % 13)) -v spec="$spec" -f tests/histories/random.awk >"$dir/orders/$seed.jsonl"; done
    $tool history --json --spec="$spec" "$dir"/orders/*.jsonl >"$dir/orders.json" 2>"$dir/err"
    if said=$(python3 tests/histories/core.py "$spec" "$dir/orders.json"); then echo "ok history cores: $spec, $said"
    else echo "FAIL history cores: $spec: $(tail -n 3 <<<"$said" | cut -c1-300)"; fi
done
{ call 0 write 1; ret 0 null; call 1 write 2; ret 1 null; call 0 read; ret 0 1; } >"$dir/stale.jsonl"
if $tool history --spec=register:0 "$dir/stale.jsonl" | grep -q 'may have happened'; then echo "FAIL history: what has returned has happened"
else echo "ok history: what has returned has happened"; fi
