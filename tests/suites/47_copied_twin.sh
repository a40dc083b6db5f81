# shellcheck shell=bash
# Random programs that call functions of the C library which no table knows: watched in a copy of the library, and as
# the program's own code (tests/unseen/copied_own.h), which is announced. The verdicts must be the same; without a race,
# the number of executions under sc as well. HEDDLE_NIGHTLY=1: 150 programs. TWIN_SEED=N: that program only.
# shellcheck source=tests/unseen/twin.sh
. tests/unseen/twin.sh
here=$PWD/tests/unseen
generate() { # SEED
    awk -v seed="$1" 'function pick(n) { return int(rand() * n) }
    function node() { return "&nodes[" pick(3) "]" }
    function key() { return "&keys[" pick(3) "]" }
    function table() { return pick(2) ? "first" : "second" }
    function statement(   k, t) {
        k = pick(11)
        if (k == 0) return "insque(" node() ", " (pick(4) ? node() : "0") ");"
        if (k == 1) return "remque(" node() ");"
        if (k < 4) { t = table(); return "local += lfind(" key() ", " t ".numbers, &" t ".count, sizeof(int), compare) != 0;" }
        if (k < 6) { t = table(); return "if (" t ".count < 3) lsearch(" key() ", " t ".numbers, &" t ".count, sizeof(int), compare);" }
        if (k == 6) return "memfrob(bytes + " pick(4) ", " (1 + pick(4)) ");"
        if (k == 7) return "bytes[" pick(8) "] = " pick(9) ";"
        if (k == 8) return "local += bytes[" pick(8) "];"
        if (k == 9) return "wcstok(text + " pick(4) ", L\" \", &rest);"
        return pick(2) ? "keys[" pick(3) "] = " pick(3) ";" : "local += first.numbers[" pick(3) "];"
    }
    function body(name,   n, locked) {
        print "static void *" name "(void *unused)\n{\n    long local = 0;\n    wchar_t *rest;"
        locked = pick(4)
        if (locked) print "    pthread_mutex_lock(&lock);"
        for (n = 1 + pick(3); n; n--) print "    " statement()
        if (locked) print "    pthread_mutex_unlock(&lock);"
        print "    (void)rest;\n    sink_" name " = local;\n    return unused;\n}"
    }
    BEGIN {
        srand(seed)
        print "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\n#include <search.h>\n#include \"copied_own.h\""
        print "static struct element nodes[3];\nstatic int keys[3] = {1, 2, 3};\nstatic char bytes[8];"
        print "static struct { int numbers[6]; size_t count; } first, second;\nstatic wchar_t text[8] = L\"a b c d\";"
        print "static long sink_one, sink_two;\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;"
        print "static int compare(const void *a, const void *b)\n{\n    return *(const int *)a - *(const int *)b;\n}"
        body("one"); body("two")
        print "int main(void)\n{\n    pthread_t thread;\n    pthread_create(&thread, 0, two, 0);\n    one(0);\n    pthread_join(thread, 0);"
        print "    assert(first.count + sink_one + bytes[" pick(8) "] != " (1 + pick(9)) ");\n    return 0;\n}"
    }'
}
twin() { # SEED
    local own watched
    generate "$1" >"$work/program.c"
    own=$(answer "verdict violation" "-I$here" -DOWN program.c)
    watched=$(answer "verdict violation" "-I$here" program.c)
    if [ "$own" = "$watched" ] && [[ $own != *race* ]]; then
        own=$(answer "verdict violation executions" "-I$here" -DOWN --model=sc program.c)
        watched=$(answer "verdict violation executions" "-I$here" --model=sc program.c)
    fi
    if [ "$own" = "$watched" ] && [ -n "$own" ]; then echo "ok copied twin $1: $own"
    else echo "FAIL copied twin $1: own $own, watched $watched"; fi
}
for seed in $(seeds 2); do twin "$seed"; done
exit 0
