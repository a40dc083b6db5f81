# Kills at random moments: no process, no file, no wrong answer. 28 here, 1000 with HEDDLE_NIGHTLY=1.
# Sourced by suite 52_attack. KILLS and SEED choose others.
export TMPDIR=$PWD/tmp; mkdir tmp here
cp "$root/tests/programs/wrong/race_counter.c" "$root"/examples/queue* "$root/corpus/prove/treiber.hp" "$root/corpus/refine/treiber_stack.hm" here
printf '#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x[5];\nstatic void *f(void *a) { for (int i = 0; i < 5; i++) atomic_fetch_add(&x[i], 1); return a; }\nint main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }\n' >here/long.c
printf '#include <heddle_spec.h>\ntypedef struct { int n; long v[40]; } S;\nHEDDLE_SPEC_STATE(S);\nHEDDLE_SPEC_INIT(s) { *s = (S){0}; }\nHEDDLE_SPEC_OP(enq, s, c) { s->v[s->n++] = heddle_int(c, 0); return HEDDLE_DONE; }\nHEDDLE_SPEC_OP(deq, s, c) { return s->n ? HEDDLE_INT(s->v[0]) : HEDDLE_NONE; }\n' >here/golden.c
for ((i = 0; i < 14; i++)); do echo '{"process":'$i',"type":"call","op":"enq","args":['$i']}'; done >here/hard.jsonl
for ((i = 0; i < 14; i++)); do echo '{"process":'$i',"type":"return"}'; done >>here/hard.jsonl
printf '{"process":0,"type":"call","op":"deq"}\n{"process":0,"type":"return","result":99}\n' >>here/hard.jsonl
mkdir -p project/.heddle-cache here/sub; cp here/queue* here/race_counter.c project
printf '[[test]]\nname = "queue"\nfile = "queue_check.c"\nshape = "2x2"\n[[test]]\nname = "again"\nfile = "queue_check.c"\nmodel = "sc"\n' >project/heddle.toml
cd here || exit 2
"$heddle" run -q --record=../r.heddle race_counter.c >/dev/null 2>&1
ls -A >../before
kills=${KILLS:-28}; [ -n "${HEDDLE_NIGHTLY:-}" ] && kills=${KILLS:-1000}
RANDOM=${SEED:-17}
bad=0
for ((i = 0; i < kills; i++)); do
    case $((i % 14)) in
    0) words=(run -q --no-record race_counter.c) right='violated: race' ;;
    1) words=(run -q --no-record --jobs=2 long.c) right='holds' ;;
    2) words=(check -q --no-record queue_check.c) right='violated: linearizability' ;;
    3) words=(replay -C . ../r.heddle) right='violated: race' ;;
    4) words=(report -o ../report.html ../r.heddle) right='report.html' ;;
    5) words=(weaken -q long.c) right='.' ;;
    6) words=(prove treiber.hp) right='holds' ;;
    7) words=(refine -q treiber_stack.hm) right='.' ;;
    9) words=(history --spec=golden.c hard.jsonl) right='NOT' ;;
    10) words=(history --jobs=2 --spec=golden.c hard.jsonl hard.jsonl) right='NOT' ;;
    11) words=(check -q --config=../project/heddle.toml) right='violated: linearizability' ;;
    12) words=(run -q --no-record --journal=../journal long.c) right='holds' ;;
    13) words=(check -q --no-record --unbounded queue_check.c) right='.' ;;
    8) words=(run -q --no-record --html=../page.html race_counter.c) right='violated: race' ;;
    esac
    signals=(INT TERM KILL HUP); signal=${signals[$((RANDOM % 4))]}
    # a shell lets its background jobs ignore SIGINT
    env --default-signal=INT "$heddle" "${words[@]}" >../out 2>../err & pid=$!
    sleep "0.$(printf %03d $((RANDOM % 700)))"
    kill "-$signal" $pid 2>/dev/null; wait $pid 2>/dev/null; status=$?
    # whatever was said of the verdict is right
    if grep -qE '^(holds|violated)|: linearizable' ../out && ! grep -q -- "$right" ../out; then echo "FAIL kill $i: heddle ${words[*]} says $(head -n 1 ../out)"; bad=$((bad + 1)); fi
    case $status in 0|1|3|129|130|137|143) ;; *) echo "FAIL kill $i: heddle ${words[*]}: status $status after SIG$signal: $(head -n 2 ../err)"; bad=$((bad + 1)) ;; esac
    for ((wait = 0; wait < 75; wait++)); do # the keeper may be slow on a busy machine
        left=$(ls -A "$TMPDIR"; pgrep -u "$(id -u)" -f "^$TMPDIR/" 2>/dev/null)
        [ -z "$left" ] && break
        sleep 0.2
    done
    # what a project or a journal keeps is whole, and has its name
    other=$(ls -A ../project | grep -vE '^(heddle\.toml|queue.*\.c|queue\.c|race_counter\.c|[a-z]+\.heddle|\.heddle-cache)$'; ls -A .. | grep -E 'journal.+|html.+')
    for record in ../project/*.heddle; do [ ! -e "$record" ] || "$heddle" report --json "$record" >/dev/null 2>../err || other="$other $record: $(cat ../err)"; done
    [ -z "$other" ] || { echo "FAIL kill $i: heddle ${words[*]}: SIG$signal leaves $other"; bad=$((bad + 1)); }
    if [ -n "$left" ] || ! ls -A | diff -q ../before - >/dev/null; then
        echo "FAIL kill $i: heddle ${words[*]}: SIG$signal leaves $left $(ls -A | diff ../before -)"; bad=$((bad + 1))
        rm -rf "${TMPDIR:?}"/*; ls -A >../before
    fi
done
[ $bad = 0 ] && echo "ok $kills kills: no process, no file, no wrong answer"
# a compiler of golden code does not outlive the command, nor does what it makes
printf '#!/bin/sh\necho $$ >%s/compiler\nexec sleep 20\n' "$PWD/.." >../slow-cc; chmod +x ../slow-cc
for signal in TERM KILL; do
    rm -f ../compiler
    CC=$PWD/../slow-cc "$heddle" history --spec=golden.c hard.jsonl >/dev/null 2>&1 & pid=$!
    for ((wait = 0; wait < 100; wait++)); do [ -s ../compiler ] && break; sleep 0.1; done
    kill "-$signal" $pid; wait $pid 2>/dev/null
    for ((wait = 0; wait < 50; wait++)); do
        left=$(ls -A "$TMPDIR"; kill -0 "$(cat ../compiler)" 2>/dev/null && echo "its compiler")
        [ -z "$left" ] && break
        sleep 0.1
    done
    if [ -z "$left" ] && [ -s ../compiler ]; then echo "ok SIG$signal while golden code is compiled"; else echo "FAIL SIG$signal while golden code is compiled leaves $left"; kill "$(cat ../compiler)"; fi
done
# nor does a worker of weaken whose parent ends before it has asked to be told: asking takes long here
printf '#define _GNU_SOURCE\n#include <stdarg.h>\n#include <sys/prctl.h>\n#include <sys/syscall.h>\n#include <unistd.h>\nint prctl(int what, ...) { va_list rest; va_start(rest, what); unsigned long a = va_arg(rest, unsigned long); va_end(rest); if (what == PR_SET_PDEATHSIG) usleep(700000); return (int)syscall(SYS_prctl, what, a, 0, 0, 0); }\n' >../late.c
gcc -shared -fPIC -o ../late.so ../late.c; sed 's/x\[5\]/x[6]/; s/i < 5/i < 6/' long.c >../longer.c
LD_PRELOAD=$PWD/../late.so "$heddle" weaken -q --jobs=1 ../longer.c >/dev/null 2>&1 & pid=$!
for ((wait = 0; wait < 300; wait++)); do worker=$(pgrep -P $pid heddle-keeper >/dev/null && pgrep -P $pid -x heddle); [ -n "$worker" ] && break; sleep 0.1; done
kill -KILL $pid; wait $pid 2>/dev/null
for ((wait = 0; wait < 100; wait++)); do kill -0 "$worker" 2>/dev/null || break; sleep 0.1; done
if [ -n "$worker" ] && ! kill -0 "$worker" 2>/dev/null; then echo "ok a worker of weaken ends with its parent"; else echo "FAIL a worker of weaken outlives its parent: ${worker:-none was seen}"; kill "$worker"; fi
# nor does the program under test, with its workers, when the command and its keeper are killed at the same moment
sed 's/x\[5\]/x[9]/; s/i < 5/i < 9/' long.c >../endless.c
"$heddle" run --jobs=2 -q --no-record ../endless.c >/dev/null 2>&1 & pid=$!
for ((wait = 0; wait < 300; wait++)); do program=$(pgrep -P $pid -x program); [ -n "$program" ] && break; sleep 0.1; done
sleep 0.3; keeper=$(pgrep -P $pid heddle-keeper)
kill -STOP $pid; kill -KILL "$keeper" $pid; wait $pid 2>/dev/null
for ((wait = 0; wait < 50; wait++)); do
    left=$(pgrep -g "${program:-1}" | while read -r one; do grep -q '^State:.Z' "/proc/$one/status" 2>/dev/null || echo "$one"; done)
    [ -z "$left" ] && break
    sleep 0.1
done
if [ -n "$program" ] && [ -z "$left" ]; then echo "ok the program ends with the command and its keeper"; else
    echo "FAIL the program outlives the command and its keeper: ${program:-none was seen}"; [ -z "$program" ] || kill -KILL -- "-$program"; fi
rm -rf "${TMPDIR:?}"/* # nobody was left to do that
# a compiler that is interrupted ends the command with status 3
printf '#include <regex>\nint main() { return 0; }\n' >slow.cc
env --default-signal=INT "$heddle" run -q slow.cc >/dev/null 2>../err & pid=$!
sleep 0.4; kill -INT $pid; wait $pid; status=$?
[ $status = 3 ] && echo "ok an interrupted build ends with status 3" || echo "FAIL an interrupted build: status $status: $(cat ../err)"
# a keeper that is killed
"$heddle" run -q --time=2s long.c >/dev/null 2>&1 & pid=$!
sleep 0.6; keeper=$(pgrep -P $pid heddle-keeper); [ -n "$keeper" ] && kill -KILL "$keeper"; wait $pid
left=$(ls -A "$TMPDIR"); [ -z "$left" ] && echo "ok a killed keeper leaves no workspace" || echo "FAIL a killed keeper leaves $left"
# writes that fail leave nothing, links are not followed to a victim by temporary names
mkdir ../full; if mount -t tmpfs -o size=4k none ../full 2>/dev/null; then
    head -c 4096 /dev/zero >../full/filler
    for option in --html --junit --sarif --record; do
        "$heddle" run -q $option=../full/file race_counter.c >/dev/null 2>&1
        [ -e ../full/file ] && echo "FAIL a full disk: $option leaves $(stat -c %s ../full/file) bytes" || echo "ok a full disk: $option leaves nothing"
    done
    umount ../full
else echo "skip a full disk (no mount here)"; fi
