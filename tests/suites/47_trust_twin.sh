# shellcheck shell=bash
# Random programs with a library that keeps state: compiled by heddle, and as an archive without instrumentation that is
# trusted (by --trust, and by the name of a test framework). The library works on objects of one thread each, on its own
# stack, on the heap and in its own variables, and calls the program back; so verdict and executions must be equal. Atomic
# objects on the stack come before and after objects that the library writes in their place without a word.
# HEDDLE_NIGHTLY=1: 150 programs. TWIN_SEED=N: that program only.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir "$work/lib"
cat >"$work/keep.h" <<'END_OF_HEADER'
struct session {
    long sum, used, room, *block;
    char text[16];
};
void keep_begin(struct session *session);
long keep_add(struct session *session, long value);
long keep_call(struct session *session, void (*function)(long *place, long by), long by);
long keep_words(struct session *session, int count);
long keep_total(long value);
END_OF_HEADER
cat >"$work/keep.c" <<'END_OF_LIBRARY'
#include <stdlib.h>
#include "keep.h"
static long total;
void keep_begin(struct session *session)
{
    session->sum = session->used = session->room = 0;
    session->block = 0;
    for (int i = 0; i < 16; i++)
        session->text[i] = 0;
}
long keep_add(struct session *session, long value)
{
    if (session->used == session->room) {
        long *block = calloc((size_t)session->room * 2 + 1, sizeof *block);
        for (long i = 0; i < session->used; i++)
            block[i] = session->block[i];
        for (long i = session->used; i <= session->room * 2; i++)
            if (block[i])
                abort();
        free(session->block);
        session->block = block;
        session->room = session->room * 2 + 1;
    }
    session->block[session->used++] = value;
    session->sum = 0;
    for (long i = 0; i < session->used; i++)
        session->sum += session->block[i];
    return session->sum;
}
long keep_call(struct session *session, void (*function)(long *place, long by), long by)
{
    long places[8];
    for (int i = 0; i < 8; i++)
        places[i] = 0;
    for (int i = 0; i < 8; i++)
        function(&places[(i * by) & 7], by);
    for (int i = 0; i < 8; i++)
        session->sum += places[i] * (i + 1);
    return session->sum;
}
long keep_words(struct session *session, int count)
{
    for (int i = 0; i < count; i++)
        session->text[i & 15] = (char)(session->text[i & 15] + i + 1);
    for (int i = 0; i < 16; i++)
        session->sum += session->text[i];
    return session->sum;
}
long keep_total(long value)
{
    return total += value;
}
END_OF_LIBRARY
generate() { # SEED
    awk -v seed="$1" 'function pick(n) { return int(rand() * n) }
    function statement(   k) {
        k = pick(10)
        if (k < 2) return "local += on_stack_" pick(2) "(" (1 + pick(9)) ");"
        if (k == 2) return "local += keep_add(&session, " (1 + pick(5)) " + (local & 1));"
        if (k < 5) return "local += keep_call(&session, " (pick(2) ? "plain" : "atomic") ", " (1 + pick(7)) ");"
        if (k == 5) return "local += keep_words(&session, " (1 + pick(20)) ");"
        if (k == 6) return "atomic_store(&shared[" pick(2) "], local & 3);"
        if (k == 7) return "local += atomic_fetch_add(&shared[" pick(2) "], 1);"
        return "local += atomic_load(&shared[" pick(2) "]);"
    }
    function body(name,   n) {
        print "static long " name "(void)\n{\n    struct session session;\n    long local = 0;\n    keep_begin(&session);"
        for (n = 2 + pick(5); n; n--) print "    " statement()
        print "    free(session.block);\n    return local;\n}"
    }
    BEGIN {
        srand(seed)
        print "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include \"keep.h\""
        print "static atomic_long shared[2];\nstatic atomic_int ready;"
        print "static void plain(long *place, long by)\n{\n    *place += by;\n}"
        print "static void atomic(long *place, long by)\n{\n    atomic_fetch_add((_Atomic long *)place, by);\n}"
        for (n = 0; n < 2; n++) {
            print "static __attribute__((noinline)) long on_stack_" n "(long value)\n{\n    atomic_long places[" (1 + pick(24)) "];"
            print "    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)\n        atomic_init(&places[i], value);"
            print "    atomic_fetch_add(&places[0], 1);\n    atomic_store(&places[sizeof places / sizeof *places - 1], " pick(3) ");"
            print "    return atomic_load(&places[0]);\n}"
        }
        body("first"); body("second")
        print "static void *other(void *result)\n{\n    atomic_store(&ready, 1);\n    *(long *)result = second();\n    return 0;\n}"
        print "int main(void)\n{\n    pthread_t thread;\n    long result = 0, mine;\n    keep_total(" pick(9) ");"
        print "    pthread_create(&thread, 0, other, &result);"
        if (pick(2)) print "#ifdef WAIT\n    while (!atomic_load(&ready))\n        ;\n#endif"
        print "    mine = first();\n    pthread_join(thread, 0);"
        print "    assert((mine + 3 * result + keep_total(1)) % 11 != " pick(11) ");\n    return 0;\n}"
    }'
}
answer() { # ARGUMENTS...
    (cd "$work" && timeout 60 "$heddle" run -w --quiet --no-record --json --time=30s -Llib "$@" 2>&1) | awk -v keys="verdict violation executions" -f tests/json.awk
}
twin() { # SEED
    local seed=$1 level=-O$(($1 % 3)) seen trusted
    generate "$seed" >"$work/program.c"
    rm -f "$work"/lib/*.a
    gcc -w "$level" -c -o "$work/keep.o" "$work/keep.c"
    ar rc "$work/lib/libkeep.a" "$work/keep.o" && cp "$work/lib/libkeep.a" "$work/lib/libgmock.a"
    seen=$(answer "$level" program.c keep.c)
    trusted=$(answer "$level" program.c -lkeep "--trust=library keep")
    [ "$seen" = "$trusted" ] || { echo "FAIL trust twin $seed: announced $seen, trusted $trusted"; return; }
    seen=$(answer "$level" -DWAIT program.c keep.c)
    trusted=$(answer "$level" -DWAIT program.c -lgmock)
    [ "$seen" = "$trusted" ] || { echo "FAIL trust twin $seed, as a framework: announced $seen, trusted $trusted"; return; }
    echo "ok trust twin $seed: $seen"
}
if [ -n "${TWIN_SEED:-}" ]; then twin "$TWIN_SEED"; exit 0; fi
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then for ((seed = 1; seed <= 150; seed++)); do twin $seed; done
else twin 4; fi # a string in the place of an atomic object
exit 0
