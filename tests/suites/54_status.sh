# builds: kept
# Exit statuses are 0 to 4 and mean what heddle(1) says when the world outside fails: a result that can't be written, an
# output that is an input, a folder for temporary files where nothing may run, a worker that is killed, a full disk.
heddle=${HEDDLE:-$PWD/build/heddle}; root=$PWD
work=$(mktemp -d); trap 'umount "$work/noexec" "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir tmp; export TMPDIR=$work/tmp
printf 'int main(void) { return 0; }\n' >p.c
printf '#include <heddle.h>\nstatic int n;\nHD_INIT { n = 0; }\nHD_OP(a) { return HD_INT(n); }\n' >c.c
printf '#include <pthread.h>\nint x;\nstatic void *f(void *a) { x++; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); return 0; }\n' >race.c
cp "$root/corpus/prove/treiber.hp" m.hp; cp "$root/corpus/refine/treiber_stack.hm" m.hm; printf 'void put(int);\n' >q.h
printf '{"process":1,"type":"call","op":"enq","args":[1]}\n{"process":1,"type":"return"}\n' >log.jsonl
printf '#include <heddle_spec.h>\ntypedef struct { int n; } S;\nHEDDLE_SPEC_STATE(S);\nHEDDLE_SPEC_INIT(s) { s->n = 0; }\nHEDDLE_SPEC_OP(enq, s, c) { SLOW; s->n++; return HEDDLE_DONE; }\n' >golden.c
"$heddle" run -q --record=r.heddle race.c >/dev/null 2>&1
"$heddle" run -q --no-record --journal=j p.c >/dev/null 2>&1
"$heddle" run -q --no-record --shard=1/1 p.c >/dev/null 2>&1
words() { # of each command, as far as it has an answer to print
    case $1 in
    run) echo -q p.c ;; check) echo -q --shape=1x1 --model=sc c.c ;; replay) echo -q r.heddle ;; report) echo r.heddle ;; weaken | repair) echo -q p.c ;;
    history) echo --spec=fifo log.jsonl ;; refine) echo -q m.hm ;; prove) echo m.hp ;; init) echo -o - q.h ;; merge) echo p.part-1-of-1 ;; status) echo j ;;
    completion) echo bash ;; serve | cc | c++ | debug) echo --help ;;
    *) echo "FAIL status: tests/suites/54_status.sh knows no command $1" >&2 ;;
    esac
}
meets_full() { # WORDS...
    timeout 60 "$heddle" "$@" >/dev/full 2>err </dev/null; local got=$?
    if [ $got = 2 ] && [ "$(grep -c "can't be written" err)" = 1 ]; then return; fi
    echo "FAIL status: heddle $* >/dev/full: exit status $got: $(head -c 200 err)"
}
commands=$("$heddle" --help | sed -nE 's/^  ([a-z+]+)  .*/\1/p' | sort -u)
[ "$(wc -w <<<"$commands")" -ge 12 ] || echo "FAIL status: only these commands: $commands"
bad=$(for command in $commands; do
    case $command in serve | cc | c++) [ "$command" != serve ] || meets_full serve --help; continue ;; esac
    # shellcheck disable=SC2046
    meets_full "$command" $(words "$command") 2>&1
    if "$heddle" "$command" --help | grep -q -- '--json' && [ "$command" != report ]; then meets_full "$command" --json $(words "$command"); fi
done; meets_full --help; meets_full --version; meets_full run --help)
if [ -z "$bad" ]; then echo "ok status: a full device as stdout"; else echo "$bad"; fi
# an output that is an input
for line in 'run -q --html=race.c race.c' 'run -q --junit=race.c race.c' 'run -q --sarif=race.c race.c' 'refine -q --html=m.hm m.hm' 'prove --html=m.hp m.hp' 'history --spec=fifo --html=log.jsonl log.jsonl' \
    'history --spec=golden.c --cc=gcc --html=golden.c log.jsonl' 'report -o r.heddle r.heddle' 'init --force -o q.h q.h' 'run -q --html=./sub/../race.c race.c'; do
    mkdir -p sub before; cp -p ./*.* before
    # shellcheck disable=SC2086
    CFLAGS='' timeout 60 "$heddle" $line >out 2>err; got=$?; file=${line##* }; [[ "$line" == *golden.c\ log* ]] && file=golden.c
    if [ $got != 2 ] || ! cmp -s "$file" "before/$file"; then echo "FAIL status: heddle $line: exit status $got: $(cat err)"
    else echo "ok status: heddle $line"; fi
    cp before/* .
done
# worker of golden code: whoever kills it gets no silence, and no status of a shell
sed -i 's/SLOW/for (volatile long i = 0; i < 4000000000; i++) ;/' golden.c
"$heddle" history --spec=golden.c log.jsonl >out 2>err & pid=$!
for ((i = 0; i < 200; i++)); do worker=$(pgrep -P $pid -x heddle) && grep -q golden.so "/proc/$worker/maps" 2>/dev/null && break; sleep 0.05; done
kill -KILL "$worker"; wait $pid; got=$?
[ $got = 3 ] && grep -q 'was killed' err && echo "ok status: a killed worker of golden code" || echo "FAIL status: a killed worker of golden code: exit status $got: $(cat out err)"
mkdir noexec full
if mount -t tmpfs -o noexec none noexec 2>/dev/null; then
    for line in 'run -q --no-record p.c' 'check -q --no-record --shape=1x1 c.c' 'history --spec=golden.c log.jsonl'; do
        # shellcheck disable=SC2086
        HEDDLE_BUILDS='' TMPDIR=$work/noexec timeout 60 "$heddle" $line >out 2>err; got=$?
        [ $got = 2 ] && grep -q 'noexec' err && echo "ok status: TMPDIR is mounted noexec: ${line%% *}" || echo "FAIL status: TMPDIR is mounted noexec: heddle $line: $got: $(cat err)"
    done
    umount noexec
else echo "skip status: no mount here"; fi
if mount -t tmpfs -o size=4k none full 2>/dev/null; then
    head -c 4096 /dev/zero >full/filler 2>/dev/null
    for line in 'run -q --no-record --journal=full/j p.c' 'check -q --no-record --shape=1x1 --journal=full/j c.c' 'refine -q --journal=full/j m.hm' 'history --spec=fifo --journal=full/j log.jsonl' \
        'weaken -q --journal=full/j p.c' 'run -q --no-record --shard=1/1 --journal=full/j p.c'; do
        # shellcheck disable=SC2086
        timeout 60 "$heddle" $line >out 2>err; got=$?
        [ $got = 2 ] && grep -q "can't be written" err && [ "$(ls full)" = filler ] && echo "ok status: a full disk: ${line%% *}" || echo "FAIL status: a full disk before the first write: heddle $line: $got: $(ls full) $(cat err)"
    done
    umount full
else echo "skip status: no mount here"; fi
