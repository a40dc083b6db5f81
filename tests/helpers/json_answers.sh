# json_answers.sh FOLDER: one answer of every command and verdict as FOLDER/COMMAND-VERDICT.json.
set -u
tool=$PWD/build/heddle to=$1
line() { printf '{"process":%s,"type":"%s",%s}\n' "$@"; }
{ line 0 call '"op":"enq","args":[1]'; line 0 return '"result":null'; } >"$to/good.jsonl"
{ cat "$to/good.jsonl"; line 1 call '"op":"deq","args":[]'; line 1 return '"result":2'; } >"$to/bad.jsonl"
cat >"$to/program.c" <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifdef UNSEEN
#include <unistd.h>
#endif
static atomic_int x;
static void *add(void *p)
{
    atomic_fetch_add(&x, 1);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    int seen = atomic_load(&x);
    pthread_join(t, 0);
#ifdef WRONG
    assert(seen == 0);
#endif
#ifdef UNSEEN
    fork();
#endif
    return seen > 1;
}
EOF
"$tool" run --json --no-record "$to/program.c" >"$to/run-holds.json" 2>/dev/null
(cd "$to" && "$tool" run --json --record=r.heddle -DWRONG program.c >run-violated.json 2>/dev/null)
"$tool" run --json --no-record -DUNSEEN "$to/program.c" >"$to/run-inconclusive.json" 2>/dev/null
(cd "$to" && "$tool" replay --json r.heddle >replay-violated.json 2>/dev/null)
"$tool" check --json --no-record --shape=2x1 examples/queue_check.c >"$to/check-holds.json" 2>/dev/null
"$tool" weaken --json tests/weaken/mp.c >"$to/weaken-holds.json" 2>/dev/null
"$tool" history --json --spec=fifo "$to/good.jsonl" >"$to/history-holds.json" 2>/dev/null
"$tool" history --json --spec=fifo "$to/bad.jsonl" >"$to/history-violated.json" 2>/dev/null
"$tool" refine --json -q corpus/refine/treiber_stack.hm >"$to/refine-holds.json" 2>/dev/null
"$tool" refine --json -q -DBUG=1 corpus/refine/treiber_stack.hm >"$to/refine-violated.json" 2>/dev/null
"$tool" refine --json -q --states=10 corpus/refine/treiber_stack.hm >"$to/refine-inconclusive.json" 2>/dev/null
"$tool" prove --json corpus/prove/treiber.hp >"$to/prove-holds.json" 2>/dev/null
"$tool" prove --json corpus/prove/treiber_bad1.hp >"$to/prove-violated.json" 2>/dev/null
rm -f "$to"/*.jsonl "$to/program.c" "$to/r.heddle"
