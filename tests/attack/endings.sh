# Code that ends instead of returning: never a silent zero. Sourced by suite 52_attack.
# answers NAME STATUS PATTERN COMMAND...
answers() {
    local name=$1 status=$2 pattern=$3 got; shift 3
    timeout 60 "$@" >out 2>&1; got=$?
    if [ $got = "$status" ] && tr -s '\n ' ' ' <out | grep -qE -- "$pattern"; then echo "ok ending: $name"
    else echo "FAIL ending: $name: exit status $got, not $status: $(head -c 400 out)"; fi
}
deep='static int rec_(int n) { volatile char b[4096]; b[0] = (char)n; return n + rec_(n + 1) + b[0]; } int rec(int n); int rec(int n) { return rec_(n); }'
printf '#include <stdlib.h>\n#include <unistd.h>\n#include <pthread.h>\n#include <heddle_spec.h>\n%s\ntypedef struct { int n; } S;\nHEDDLE_SPEC_STATE(S);\nHEDDLE_SPEC_INIT(s) { s->n = 0; }\nHEDDLE_SPEC_OP(push, s, c) { s->n++; return HEDDLE_DONE; }\nHEDDLE_SPEC_OP(pop, s, c) { KILL; return HEDDLE_DONE; }\n' "$deep" >template.c
printf '{"process":0,"type":"call","op":"push","args":[1]}\n{"process":0,"type":"return"}\n{"process":1,"type":"call","op":"pop"}\n{"process":1,"type":"return","result":1}\n' >log.jsonl
golden() { sed "s|KILL|$1|" template.c >golden.c; answers "golden code: $1" "$2" "$3" "$heddle" history --time="${4:-40s}" --spec=golden.c log.jsonl; }
golden 'exit(0)' 2 'called exit in pop'
golden '_exit(0)' 2 'called _exit .*in pop'
golden '_Exit(0)' 2 'called _Exit .*in pop'
golden 'quick_exit(0)' 2 'called (quick_)?exit .*in pop'
golden 'pthread_exit(0)' 2 'called pthread_exit .*in pop'
golden 'abort()' 2 'crashed .*in pop'
golden '*(volatile int *)8 = 1' 2 'crashed .*in pop'
golden 'rec(1)' 2 'crashed .*in pop'
golden 'for (;;) ;' 3 'inconclusive' 3s
# arguments that are not there or of another kind, and too many choices, are no answers either
golden 'heddle_int(c, 0)' 2 "golden code's pop: argument 1 is not there"
golden 'heddle_text(c, 1)' 2 "golden code's pop: argument 2 is not there"
golden 'for (int i = 0; i < 17; i++) heddle_choose(c, i < 15 ? 1 : 2)' 2 "golden code's pop chooses too often"
golden 'for (int i = 0; i < 16; i++) heddle_choose(c, i < 14 ? 1 : 2)' 1 'NOT linearizable'
kind() { # ASKED ARGUMENT STATUS PATTERN: push asks so for what the log says
    sed "s|s->n++|(void)heddle_$1(c, 0)|; s|KILL|(void)0|" template.c >golden.c
    printf '{"process":0,"type":"call","op":"push","args":[%s]}\n{"process":0,"type":"return"}\n' "$2" >kind.jsonl
    answers "golden code: $1 of $2" "$3" "$4" "$heddle" history --spec=golden.c kind.jsonl
}
kind int '"red"' 2 'argument 1 is asked for as a number and is none'
kind int '[1]' 2 'argument 1 is asked for as a number and is none'
kind int true 0 ': linearizable'
kind int null 0 ': linearizable'
kind text 5 2 'argument 1 is asked for as text and is none'
kind text null 0 ': linearizable'
printf '#include <heddle.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <unistd.h>\n%s\nstatic int n, m;\nHD_INIT { n = 0; }\nHD_OP(a) { n++; IMPLEMENTATION; return HD_VOID; }\nHD_OP(b) { return HD_INT(n); }\nHD_GOLDEN_INIT { m = 0; }\nHD_GOLDEN(a) { m++; GOLDEN; return HD_VOID; }\nHD_GOLDEN(b) { return HD_INT(m); }\n' "$deep" >check.c
for what in IMPLEMENTATION GOLDEN; do
    other=$([ $what = GOLDEN ] && echo IMPLEMENTATION || echo GOLDEN)
    operation() { answers "check, $what: $1" "$2" "$3" "$heddle" check -q --no-record --model=sc --shape=2x1 --hang=2s "-D$what=$1" "-D$other=" check.c; }
    operation 'exit(0)' 3 'inconclusive.*must return'
    operation '_exit(0)' 3 'inconclusive.*must return'
    operation 'quick_exit(0)' 3 'inconclusive.*must return'
    operation 'pthread_exit(0)' 3 'inconclusive.*ends its thread; .* must return'
    operation 'rec(1)' 1 'stack overflowed'
    operation 'for (;;)' 3 'nothing happened'
done
# a solver that has no time has not found that a fact is wrong
for model in orvyy_set elimination lazy_set; do
    answers "prove --time=20ms $model" 3 'inconclusive.*the time limit was reached' "$heddle" prove --time=20ms "$root/corpus/prove/$model.hp"
done
for command in "prove --explain $root/corpus/prove/dglm_queue.hm" "refine -q $root/corpus/refine/priority_queue.hm"; do
    # shellcheck disable=SC2086
    env --default-signal=INT "$heddle" $command >out 2>&1 & pid=$!
    sleep 0.5; kill -INT $pid 2>/dev/null; wait $pid; got=$?
    case $got in
    3) grep -q interrupted out && echo "ok ending: heddle ${command%% *} is interrupted" || echo "FAIL ending: heddle ${command%% *}: $(cat out)" ;;
    0|1) echo "skip ending: heddle ${command%% *} was faster" ;;
    *) echo "FAIL ending: heddle ${command%% *} is interrupted: exit status $got: $(cat out)" ;;
    esac
done
# the page of a proof may load nothing
"$heddle" prove --html=page.html "$root/corpus/prove/treiber.hp" >/dev/null && grep -q "Content-Security-Policy.*default-src 'none'" page.html && echo "ok the page of a proof loads nothing" || echo "FAIL the page of a proof has no content policy"
