# Isolation levels of transactions: anomalies of the literature by their names; a twin that enumerates all orders of
# the versions (tests/isolation/twin.py); session guarantees, PRAM and causality against theirs (sessions.py); planted anomalies in longer logs; the search for strict serializability
# beside the graphs; options that make no sense.
command -v python3 >/dev/null || { echo "skip isolation (no python3)"; exit 0; }
export PYTHONDONTWRITEBYTECODE=1
tool=$PWD/build/heddle dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
event() { printf '{"process":%s,"type":"%s"%s}\n' "$@"; }
expect() {
    local name=$1 status=$2 text=$3 got output; shift 3
    output=$(timeout 120 "$@" 2>&1); got=$?
    if [ "$got" = "$status" ] && grep -q -e "$text" <<<"$output"; then echo "ok $name"
    else echo "FAIL $name: exit status $got, wanted $status and \"$text\"; got: $(head -n 5 <<<"$output")"; fi
}
python3 tests/isolation/papers.py "$tool" tests/isolation/papers.txt
count=400; [ -z "${HEDDLE_NIGHTLY:-}" ] || count=20000
if timeout 3000 python3 tests/isolation/twin.py "$tool" $count >"$dir/twin"; then echo "ok isolation twin: $(tail -n 1 "$dir/twin")"
else echo "FAIL isolation twin: $(grep -v '^{' "$dir/twin" | head -n 3)"; fi

# what counts no real time, against its definitions
python3 tests/isolation/sessions.py "$tool" cases
count=40; [ -z "${HEDDLE_NIGHTLY:-}" ] || count=20000
if timeout 3000 python3 tests/isolation/sessions.py "$tool" $count >"$dir/twin"; then echo "ok sessions twin: $(tail -n 1 "$dir/twin")"
else echo "FAIL sessions twin: $(grep -v '^{' "$dir/twin" | head -n 3)"; fi

# a store that is serializable, and the same with an anomaly in the middle
python3 tests/isolation/generate.py 3000 16 >"$dir/good.jsonl"
expect "isolation, lists" 0 "strictly serializable (transactions): 3000" "$tool" history --spec=transactions "$dir/good.jsonl"
python3 tests/isolation/generate.py 400 8 registers >"$dir/registers.jsonl"
expect "isolation, registers" 0 "strictly serializable (transactions): 400" "$tool" history --spec=transactions "$dir/registers.jsonl"
while read -r plant name level below; do
    python3 tests/isolation/generate.py 2000 8 lists "$plant" >"$dir/plant.jsonl"
    expect "isolation, planted $plant" 1 "^  $name" "$tool" history --spec=transactions --consistency="$level" "$dir/plant.jsonl"
    [ -z "$below" ] || expect "isolation, planted $plant, $below" 0 "(transactions)" "$tool" history --spec=transactions --consistency="$below" "$dir/plant.jsonl"
done <<'PLANTS'
G0 G0: read-uncommitted
G1a G1a: read-committed read-uncommitted
G1b G1b: read-committed read-uncommitted
G1c G1c: read-committed read-uncommitted
G-single G-single: parallel-snapshot-isolation cut-isolation
G-nonadjacent G-nonadjacent snapshot-isolation parallel-snapshot-isolation
long-fork G-nonadjacent.*long-fork snapshot-isolation parallel-snapshot-isolation
G2-item G2-item.*write-skew serializable strong-snapshot-isolation
lost-update lost-update: parallel-snapshot-isolation monotonic-atomic-view
internal internal: read-uncommitted
non-repeatable-read non-repeatable-read: cut-isolation monotonic-atomic-view
duplicate-elements duplicate-elements: read-uncommitted
incompatible-order incompatible-order: read-uncommitted
dirty-update dirty-update: read-committed read-uncommitted
garbage-read garbage-read: read-uncommitted
observed-transaction-vanishes observed-transaction-vanishes: monotonic-atomic-view read-committed
PLANTS

# a cycle in the middle does not spoil the guess of an order for what comes behind it
python3 tests/isolation/generate.py 2000 8 lists G2-item >"$dir/plant.jsonl"
expect "isolation, an order beside a cycle" 0 "one was found" "$tool" history --spec=transactions --consistency=auto "$dir/plant.jsonl"

python3 tests/isolation/generate.py 4000 8 >"$dir/limit.jsonl"

# the graphs and the search for a serial order give the same answer
agree=0
for seed in $(seq 1 12); do
    python3 tests/isolation/generate.py 12 4 $([ $((seed % 2)) = 0 ] && echo registers || echo lists) - "$seed" >"$dir/h.jsonl"
    # one read gives what another read of its key gave
    python3 - "$dir/h.jsonl" "$seed" <<'BREAK'
import json, random, sys
rng = random.Random(int(sys.argv[2]))
events = [json.loads(l) for l in open(sys.argv[1])]
reads = [s for e in events if e["type"] == "return" for s in e["result"] if s[0] == "r"]
if reads and rng.random() < 0.7:
    a = rng.choice(reads)
    a[2] = rng.choice([r for r in reads if r[1] == a[1]])[2]
open(sys.argv[1], "w").write("".join(json.dumps(e) + "\n" for e in events))
BREAK
    "$tool" history --quiet --spec=transactions "$dir/h.jsonl" >/dev/null; graphs=$?
    "$tool" history --quiet --spec=transactions --no-monitors "$dir/h.jsonl" >/dev/null; search=$?
    if [ $graphs = $search ]; then agree=$((agree + 1)); else echo "FAIL isolation, search: $search, graphs: $graphs: $(cat "$dir/h.jsonl")"; fi
done
echo "ok isolation, $agree answers of the search"

# transactions are shown whole, by graphs and by the search
python3 - >"$dir/wide.jsonl" <<'WIDE'
import json
writes = [["w", "k%d" % i, i] for i in range(60)]
reads = [["r", "k%d" % i, i] for i in range(59)] + [["r", "k59", None]]
for txn in writes, reads:
    print(json.dumps({"process": 0, "type": "call", "op": "txn", "args": [[s if s[0] == "w" else s[:2] + [None] for s in txn]]}))
    print(json.dumps({"process": 0, "type": "return", "result": txn}))
WIDE
for search in "" --no-monitors; do
    # shellcheck disable=SC2086
    expect "isolation, wide transactions $search" 1 "k29.*k30" "$tool" history --spec=transactions $search "$dir/wide.jsonl"
done

# where an edge is explained, a long list is its end
python3 - >"$dir/long.jsonl" <<'LONG'
import json
first, read = [["append", "x", i] for i in range(1, 11)], ["r", "x", list(range(1, 11))]
for group in [[first], [[read, ["append", "y", 1]], [["r", "y", []], ["append", "x", 11]]]]:
    for p, txn in enumerate(group):
        asked = [[f, k, None if f == "r" else v] for f, k, v in txn]
        print(json.dumps({"process": p, "type": "call", "op": "txn", "args": [asked]}))
    for p, txn in enumerate(group):
        print(json.dumps({"process": p, "type": "return", "result": txn}))
LONG
expect "isolation, the end of a list" 1 'read "x" as \[\.\.\., 5, 6, 7, 8, 9, 10\], and T3 appended 11' "$tool" history --spec=transactions --consistency=serializable "$dir/long.jsonl"

# each key of a store that is only put and got is a register: near-linear, however many clients there are
for keys in 1 5; do
    python3 tests/isolation/store.py $keys 32 5000 $keys good >"$dir/good.jsonl"
    expect "history store, $keys keys, 32 clients" 0 "linearizable (kv): 5000" "$tool" history --time=5s --spec=kv "$dir/good.jsonl"
    python3 tests/isolation/store.py $keys 32 5000 $keys bad >"$dir/bad.jsonl"
    expect "history store, $keys keys, broken" 1 "NOT linearizable (kv, key" "$tool" history --time=5s --spec=kv "$dir/bad.jsonl"
done

# a bank of many clients: an order by what was seen of all accounts; each account in its bounds
for kind in ok bad; do
    python3 bench/porcupine/bank.py 2000 24 24 $kind >"$dir/bank.jsonl"
    if [ $kind = ok ]; then
        expect "history bank, 24 clients" 0 "linearizable (bank:8x100): 2000" "$tool" history --time=20s --spec=bank:8x100 "$dir/bank.jsonl"
        expect "history bank, 24 clients, the order" 0 "balance" "$tool" history --time=20s --witness --spec=bank:8x100 "$dir/bank.jsonl"
    else
        expect "history bank, 24 clients, broken" 1 "NOT linearizable" "$tool" history --time=20s --spec=bank:8x100 "$dir/bank.jsonl"
    fi
done

# a violation at the end of a followed log that then rests is told at once, not at the time limit
python3 tests/isolation/store.py 1 16 20000 3 good >"$dir/long.jsonl"
{ event 99 call ',"op":"get","args":["k0"]'; event 99 return ',"result":-1'; } >"$dir/wrong.jsonl"
start=$SECONDS
expect "history follow, a log that rests" 1 "never written" bash -c "$tool history --follow --time=60s --spec=kv - < <(cat $dir/long.jsonl; sleep 0.3; cat $dir/wrong.jsonl; exec sleep 50 2>/dev/null)"
[ $((SECONDS - start)) -lt 30 ] || echo "FAIL history follow, a log that rests: after $((SECONDS - start)) s"
# where a look while the log grows is limited (200,000 configurations; this takes 235,628), one at rest is not
python3 tests/histories/repeat.py 300 26 5 1 >"$dir/repeat.jsonl"
start=$SECONDS
expect "history follow, a hard log that rests" 1 "NOT linearizable" bash -c "$tool history --follow --time=60s --quiet --spec=register - < <(cat $dir/repeat.jsonl; exec sleep 70 2>/dev/null)"
[ $((SECONDS - start)) -lt 50 ] || echo "FAIL history follow, a hard log that rests: after $((SECONDS - start)) s"
python3 tests/isolation/generate.py 300 4 lists G-single >"$dir/single.jsonl"
expect "history follow, transactions" 1 "G-single" bash -c "$tool history --follow --time=60s --spec=transactions --consistency=snapshot-isolation - < <(cat $dir/single.jsonl; exec sleep 50 2>/dev/null)"
expect "history follow, auto" 2 "may have them" "$tool" history --follow --spec=transactions --consistency=auto "$dir/single.jsonl"

if timeout 3000 python3 tests/histories/follow.py "$tool" "$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 3000 || echo 25)" >"$dir/twin"; then echo "ok history follow: $(tail -n 1 "$dir/twin")"
else echo "FAIL history follow: $(head -n 5 "$dir/twin")"; fi

# a folder of Jepsen's store; what a read of nil is taken for
mkdir "$dir/store"
printf '{:process 0, :type :invoke, :f :write, :value 1}\n{:process 0, :type :ok, :f :write, :value 1}\n{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :ok, :f :read, :value nil}\n' >"$dir/store/history.edn"
expect "history nil, a value" 1 "gave what the object holds before the first write.*ONLY THEN" "$tool" history --spec=register --nil-reads=value "$dir/store"
expect "history nil decides" 3 "IT DEPENDS on what this test means by reads of nil (1 in this log)" "$tool" history --spec=register "$dir/store"
sed 's/:value nil}$/:value 7}/' "$dir/store/history.edn" | cat - <(printf '{:process 1, :type :invoke, :f :read, :value nil}\n{:process 1, :type :ok, :f :read, :value nil}\n') >"$dir/nil.edn"
expect "history nil does not decide" 1 "is violated whatever reads of nil (1 in this log) mean" "$tool" history --spec=register "$dir/nil.edn"
expect "history nil, unknown" 0 "ASSUMED: reads of nil (1 in this log) gave something" "$tool" history --spec=register --nil-reads=unknown "$dir/store"
expect "history nil, JSON" 3 '"without_nil": "holds"' "$tool" history --json --spec=register "$dir/store"
expect "history nil, followed" 3 "IT DEPENDS" timeout 30 bash -c "cat $dir/store/history.edn | $tool history --follow --spec=register -"
expect "history nil, followed, violated anyhow" 1 "violated whatever" timeout 30 bash -c "$tool history --follow --time=60s --spec=register - < <(cat $dir/nil.edn; exec sleep 50 2>/dev/null)"
if timeout 300 python3 tests/histories/nil.py "$tool" "$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 20000 || echo 200)" >"$dir/twin"; then echo "ok history nil: $(tail -n 1 "$dir/twin")"
else echo "FAIL history nil: $(head -n 5 "$dir/twin")"; fi
# the store itself stands for all its runs; latest and current name them again
mkdir -p "$dir"/jepsen/set/2026111{8T090000.000+0100,9T100000.000Z} "$dir/jepsen/txn/20261119T110000.000Z/n1"
ln -s set/20261119T100000.000Z "$dir/jepsen/latest"
cp "$dir/nil.edn" "$dir/jepsen/set/20261118T090000.000+0100/history.edn"
sed 's/:value nil}$/:value 1}/' "$dir/store/history.edn" >"$dir/jepsen/set/20261119T100000.000Z/history.edn"
touch "$dir/jepsen/txn/20261119T110000.000Z/test.jepsen"
expect "history store, a test" 1 "2 histories: 1 linearizable, 1 not, 0 inconclusive$" "$tool" history --spec=register "$dir/jepsen/set"
expect "history store, all" 1 "2 histories: 1 linearizable, 1 not, 0 inconclusive; 1 could not be read$" "$tool" history --spec=register "$dir/jepsen"
expect "history store, latest" 0 "latest/history.edn: linearizable (register): 2" "$tool" history --spec=register "$dir/jepsen/latest"
expect "history store, binary" 2 "write-history!" "$tool" history --spec=register "$dir/jepsen/txn"
# a folder whose history has changed is another log
"$tool" history --spec=register --journal="$dir/kept" "$dir/jepsen/latest" >/dev/null
sed -i '$s/1}$/2}/' "$dir/jepsen/latest/history.edn"
expect "history store, journal" 2 "the logs have changed" "$tool" history --spec=register --journal="$dir/kept" "$dir/jepsen/latest"
# auto names the strongest levels of each of several logs
python3 tests/isolation/generate.py 50 3 lists G2-item >"$dir/skew.jsonl"
expect "isolation, auto, several" 0 "Strongest: strong-snapshot-isolation" "$tool" history --spec=transactions --consistency=auto "$dir/single.jsonl" "$dir/skew.jsonl"

expect "history folder without a history" 2 "no folder of Jepsen's store" "$tool" history --spec=register "$dir"

expect "isolation, memory limit" 3 "memory limit" "$tool" history --spec=transactions --consistency=serializable --memory=1M "$dir/limit.jsonl"

expect "isolation, not of a register" 2 "about transactions" "$tool" history --spec=register --consistency=serializable "$dir/good.jsonl"
expect "isolation, no such level" 2 "snapshot-isolation" "$tool" history --spec=transactions --consistency=snapshots "$dir/good.jsonl"
{ event 0 call ',"op":"txn","args":[[["w","x",1],["w","x",1]]]'; event 0 return ',"result":[["w","x",1],["w","x",1]]'; } >"$dir/same.jsonl"
expect "isolation, values that repeat" 3 "writes of distinct values" "$tool" history --spec=transactions --consistency=serializable "$dir/same.jsonl"
expect "isolation, values that repeat, by search" 0 "strictly serializable" "$tool" history --spec=transactions "$dir/same.jsonl"
# a multi-register: keys that hold 0 at first
printf '{:process %s, :type :%s, :f :txn, :value %s}\n' 0 invoke '[[:r :x nil] [:w :y 1]]' 0 ok '[[:r :x 0] [:w :y 1]]' \
    1 invoke '[[:r :y nil] [:r :x nil]]' 1 ok '[[:r :y 1] [:r :x 0]]' >"$dir/multi.edn"
for search in "" --no-monitors; do
    # shellcheck disable=SC2086
    expect "isolation, initial value $search" 0 "strictly serializable" "$tool" history --spec=transactions:0 $search "$dir/multi.edn"
    # shellcheck disable=SC2086
    expect "isolation, initial value, stale $search" 1 "NOT strictly" "$tool" history --spec=transactions:0 $search <(sed 's/:r :y 1/:r :y 0/' "$dir/multi.edn")
    # shellcheck disable=SC2086
    expect "isolation, initial value, nothing read $search" 1 "NOT strictly" "$tool" history --spec=transactions:0 $search <(sed 's/:r :x 0\] \[:w/:r :x nil] [:w/' "$dir/multi.edn")
done
expect "isolation, initial value, nothing read, a level" 3 "inconclusive" "$tool" history --spec=transactions:0 --consistency=serializable <(sed 's/:r :x 0\] \[:w/:r :x nil] [:w/' "$dir/multi.edn")
expect "isolation, initial value, not asked for" 1 "garbage-read" "$tool" history --spec=transactions "$dir/multi.edn"
expect "isolation, JSON" 1 '"also": "write-skew"' "$tool" history --json --spec=transactions --consistency=serializable <(python3 tests/isolation/generate.py 50 3 lists G2-item)
