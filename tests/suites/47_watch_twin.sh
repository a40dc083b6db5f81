# shellcheck shell=bash
# Random functions, compiled by heddle and, as objects or shared libraries of their own, without it: what is announced and what is watched
# must give the same verdict, and without optimisation the same number of executions. Loads, stores and
# read-modify-writes of every size (by one instruction in the object, locked or not), by pointer and by index, moves of
# structures, fences, under a lock or not. An assertion looks at what is left in one place.
# Random programs whose threads share variables of main through nested functions, and the same with global variables:
# gcc announces the latter only, and the former are watched. Same verdicts; without optimisation same executions.
# HEDDLE_NIGHTLY=1: 150 programs of each. TWIN_SEED=N: that program only.
# shellcheck source=tests/unseen/twin.sh
. tests/unseen/twin.sh
cat >"$work/main.c" <<'END_OF_MAIN'
#include <pthread.h>
void first(void);
void second(void);
void check(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused)
{
    second();
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    first();
    pthread_join(thread, 0);
    check();
    return 0;
}
END_OF_MAIN
generate() { # SEED
    awk -v seed="$1" 'function pick(n) { return int(rand() * n) }
    function word(   t) { t = pick(4); return (t == 0 ? "c" : t == 1 ? "s" : t == 2 ? "i" : "l") }
    function place(   w) { w = word(); return "shared." w "[" (pick(2) ? pick(2) : "index") "]" }
    function statement(   k) {
        k = pick(10)
        if (k < 2) return place() " = " (1 + pick(9)) ";"
        if (k < 4) return "local += " place() ";"
        if (k == 4) return "UPDATE(" place() ", +, \"add\", " (1 + pick(5)) ");"
        if (k == 5) return "UPDATE(" place() (pick(2) ? ", ^, \"xor\", 3);" : ", |, \"or\", 4);")
        if (k == 6) return "if (" place() " > 2) local++;"
        if (k == 7) return pick(2) ? "pairs[0] = pairs[1];" : "pairs[1] = pairs[0];" # a compiler may leave out a copy onto itself
        if (k == 8) return "LOCKED(" (pick(2) ? "counter" : place()) ", add, \"lock add\", " (1 + pick(5)) ");"
        return pick(2) ? "local += EXCHANGE(" place() ", " pick(5) ");" : "FENCE;"
    }
    function body(name,   n, locked) {
        print "void " name "(void)\n{\n    long local = 0;"
        locked = pick(2)
        if (locked) print "    pthread_mutex_lock(&lock);"
        for (n = 1 + pick(3); n; n--) print "    " statement()
        if (locked) print "    pthread_mutex_unlock(&lock);"
        print "    sink_" name " = local;\n}"
    }
    BEGIN {
        srand(seed)
        print "#include <assert.h>\n#include <pthread.h>\nextern pthread_mutex_t lock;"
        print "#ifdef CHECK\n#define PLACE extern\n#else\n#define PLACE\n#endif"
        print "#ifdef __SANITIZE_THREAD__\n#define UPDATE(place, op, word, by) place = place op by"
        print "#define LOCKED(place, op, word, by) __atomic_fetch_##op(&place, by, __ATOMIC_SEQ_CST)"
        print "#define EXCHANGE(place, by) __atomic_exchange_n(&place, by, __ATOMIC_SEQ_CST)"
        print "#define FENCE __atomic_thread_fence(__ATOMIC_SEQ_CST)\n#else"
        print "#define LOCKED(place, op, word, by) UPDATE(place, op, word, by)"
        print "#define EXCHANGE(place, by) __atomic_exchange_n(&place, by, __ATOMIC_SEQ_CST)"
        print "#define FENCE __atomic_thread_fence(__ATOMIC_SEQ_CST)"
        print "#define UPDATE(place, op, word, by) __asm__ volatile(word \"%z0 %1, %0\" : \"+m\"(place) : \"ri\"((__typeof__(place))by) : \"cc\")\n#endif"
        print "PLACE union { char c[2]; short s[2]; int i[2]; long l[2]; } shared;"
        print "PLACE struct { long a, b; } pairs[2];\nPLACE long sink_first, sink_second, counter;\n#ifdef CHECK\nextern int index;\n#else\nint index = 1;\n#endif"
        print "#ifdef CHECK\nvoid check(void)\n{\n    assert(" place() " != " (1 + pick(9)) ");\n}\n#else"
        body("first"); body("second"); print "#endif"
    }'
}
twin() { # SEED
    local seed=$1 model level seen watched keys foreign
    generate "$seed" | sed 's/\bindex\b/place/g' >"$work/body.c"
    { echo "#define CHECK"; cat "$work/body.c"; } >"$work/check.c"
    for level in -O0 -O2; do
        gcc -w $level -c -o "$work/body$level.o" "$work/body.c"
        gcc -w $level -fPIC -shared -o "$work/libbody.so" "$work/body.c"
        # every second time from a shared library, with its symbols or without
        foreign=("body$level.o") && ((seed % 2)) && foreign=("-L$work" "-Wl,-rpath,$work" -lbody)
        ((seed % 4 == 1)) && strip "$work/libbody.so"
        for model in rc11 sc; do
            keys="verdict violation"
            # the optimiser takes out accesses of its own choice, so that only races can be compared
            [ $level = -O2 ] && [ $model = sc ] && continue
            # gcc copies the halves of a structure in another order where code may be moved: other executions
            [ $model = sc ] && { ! ((seed % 2)) || ! grep -q 'pairs.*= pairs' "$work/body.c"; } && keys="verdict violation executions"
            seen=$(answer "$keys" --model=$model $level main.c check.c body.c)
            watched=$(answer "$keys" --model=$model $level main.c check.c "${foreign[@]}")
            watched=${watched/#inconclusive$'\t'race/violated$'\t'race} # machine code does not tell plain from atomic
            [ "$seen" = "$watched" ] && continue
            echo "FAIL watch twin $seed $model $level: announced $seen, watched $watched"
            return
        done
    done
    echo "ok watch twin $seed: $seen"
}
generate_nested() { # SEED NESTED
    awk -v seed="$1" -v nested="$2" 'function pick(n) { return int(rand() * n) }
    function word(   t) { t = pick(9); return t < 7 ? substr("csildvb", t + 1, 1) : t == 7 ? "array[1]" : "pair.a" }
    function statement(   k) {
        k = pick(9)
        if (k < 2) return word() " = " (1 + pick(3)) ";"
        if (k < 4) return "local += " word() ";"
        if (k == 4) return word() " += " (1 + pick(3)) ";"
        if (k == 5) return word() " = " word() ";"
        if (k == 6) return "if (" word() " > 1) local++;"
        if (k == 7) return pick(2) ? "pair = other;" : "other = pair;"
        return pick(2) ? "taken = 1 + taken;" : "lonely[0] = " word() ";"
    }
    function body(name, deep,   n, locked, code) {
        locked = pick(3) == 0
        code = "long local = 0;\n" (locked ? "pthread_mutex_lock(&lock);\n" : "")
        for (n = 2 + pick(4); n; n--) code = code statement() "\n"
        code = code (locked ? "pthread_mutex_unlock(&lock);\n" : "") "sink_" name " = local;\n"
        if (deep && nested) code = "void deep(void)\n{\n" code "}\ndeep();\n"
        return "void " name "(void)\n{\n" code "}\n"
    }
    BEGIN {
        srand(seed)
        data = "char c = 0; short s = 0; int i = 0; long l = 0; double d = 0; volatile int v = 0; _Bool b = 0;\n" \
               "int array[3] = {0, 0, 0}, lonely[1] = {0}, taken = 0; struct Pair pair = {0, 0}, other = {1, 1};\n" \
               "long sink_first = 0, sink_second = 0;\n"
        functions = body("first", pick(2)) body("second", pick(2)) "void *run(void *unused)\n{\nsecond();\nreturn unused;\n}\n"
        end = pick(3) ? "" : "assert(" word() " + " word() " != " (1 + pick(3)) ");\n"
        print "#include <assert.h>\n#include <pthread.h>\nstruct Pair { long a, b; };"
        print "pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nint *volatile address;"
        if (!nested) print data functions
        print "int main(void)\n{\npthread_t thread;"
        if (nested) print data functions
        print "address = &taken;\npthread_create(&thread, 0, run, 0);\nfirst();\npthread_join(thread, 0);"
        print end "return 0;\n}"
    }'
}
nested() { # SEED
    local seed=$1 model level global inner keys
    generate_nested "$seed" 0 >"$work/global.c"
    generate_nested "$seed" 1 >"$work/nested.c"
    for level in -O0 -O2; do
        for model in rc11 sc; do
            keys="verdict violation"
            [ $level = -O2 ] && [ $model = sc ] && continue
            # the halves of a structure are copied in an order that hooks do not tell
            [ $model = sc ] && ! grep -q 'other;\|= pair;' "$work/global.c" && keys="verdict violation executions"
            global=$(answer "$keys" --cc=gcc --model=$model $level global.c)
            inner=$(answer "$keys" --cc=gcc --model=$model $level nested.c)
            [ "$global" = "$inner" ] && continue
            echo "FAIL nested twin $seed $model $level: global $global, nested $inner"
            return
        done
    done
    echo "ok nested twin $seed: $inner"
}
for seed in $(seeds 2); do twin "$seed"; done # one instruction that loads and stores
for seed in $(seeds 1); do nested "$seed"; done
exit 0
