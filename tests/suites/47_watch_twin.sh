# shellcheck shell=bash
# Random functions, compiled by heddle and, as objects or shared libraries of their own, without it: what is announced and what is watched
# must give the same verdict, and without optimisation the same number of executions. Loads, stores and
# read-modify-writes of every size (by one instruction in the object, locked or not), by pointer and by index, moves of
# structures, fences, under a lock or not. An assertion looks at what is left in one place.
# HEDDLE_NIGHTLY=1: 150 programs. TWIN_SEED=N: that program only.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
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
answer() { # KEYS ARGUMENTS...
    local keys=$1; shift
    (cd "$work" && timeout 60 "$heddle" run -w --quiet --no-record --json --time=30s "$@" 2>&1) | awk -v keys="$keys" -f tests/json.awk
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
            [ $model = sc ] && keys="verdict violation executions"
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
if [ -n "${TWIN_SEED:-}" ]; then twin "$TWIN_SEED"; exit 0; fi
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then for ((seed = 1; seed <= 150; seed++)); do twin $seed; done
else twin 2; fi # one instruction that loads and stores
exit 0
