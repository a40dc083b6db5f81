# Writes a C program from `seed`: functions with plain, volatile and atomic locals at overlapping places of their
# threads' stacks, some of which helpers get by address and some of which a child thread changes. Two threads call them
# in other orders. What a thread computes does not depend on the other: run natively with an argument, the program
# prints it, and `-DWANTED=...` makes it an assertion.
function pick(n) { return int(rand() * n) }
function one(list,   items) { return items[1 + pick(split(list, items, " "))] }
function value() { return one("0 0 0 1 1 2 5") }
function access_of(v,   how, at) { # a statement about local V of the kind kinds[v]
    at = "&" v
    if (kinds[v] == "atomic") {
        how = pick(6)
        if (how == 0) return sprintf("atomic_store_explicit(%s, %d, memory_order_%s);", at, value(), one("relaxed release seq_cst"))
        if (how == 1) return sprintf("h = h * 7 + atomic_load_explicit(%s, memory_order_%s);", at, one("relaxed acquire seq_cst"))
        if (how == 2) return sprintf("h = h * 5 + atomic_fetch_%s(%s, %d);", one("add sub or and xor"), at, value())
        if (how == 3) return sprintf("h = h * 3 + atomic_exchange(%s, %d);", at, value())
        if (how == 4) return sprintf("e = %d; h = h * 3 + atomic_compare_exchange_strong(%s, &e, %d); h += e;", value(), at, value())
        return sprintf("h = h * 7 + look_atomic(%s);", at)
    }
    how = pick(7)
    if (how == 0) return sprintf("%s = %d;", v, value())
    if (how == 1) return sprintf("h = h * 7 + %s;", v)
    if (how == 2) return sprintf("%s = %s + %d;", v, v, value())
    if (how == 3) return sprintf("h = h * 5 + look(%s%s);", kinds[v] == "volatile" ? "(int *)" : "", at)
    if (how == 4) return sprintf("h = h * 5 + look_volatile(%s);", at)
    if (how == 5) return sprintf("put_volatile(%s, %d);", at, value())
    return sprintf("put(%s%s, %d);", kinds[v] == "volatile" ? "(int *)" : "", at, value())
}
function shared_by_child(v) {
    return sprintf("pthread_create(&child, 0, change_%s, (void *)&%s); pthread_join(child, 0);", kinds[v], v)
}
function write_function(f,   n, i, v, kind, declarations) {
    n = 1 + pick(3)
    printf "__attribute__((noinline)) static unsigned f%d(void)\n{\n    unsigned h = 1; int e = 0; pthread_t child; (void)e; (void)child;\n", f
    for (i = 0; i < n; i++) {
        v = "v" i
        kinds[v] = kind = one("atomic atomic volatile plain")
        if (pick(3) == 0) printf "    long pad%d[%d]; __asm__ volatile(\"\" : : \"r\"(pad%d) : \"memory\");\n", i, 1 + pick(2), i
        printf "    %s %s = %d;\n", kind == "atomic" ? "atomic_int" : kind == "volatile" ? "volatile int" : "int", v, value()
    }
    for (i = 0; i < 2 + pick(5); i++) print "    " access_of("v" pick(n))
    if (pick(3) == 0) { # what the child leaves is perhaps the last that is done to it
        v = "v" pick(n); print "    " shared_by_child(v)
        if (pick(2)) { print "    " access_of(v); print "    " access_of(v) }
    }
    print "    return h;\n}"
}
BEGIN {
    srand(seed)
    functions = 8
    print "// expect: holds\n#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>"
    print "__attribute__((noinline)) static int look(const int *p) { return *p + 1; }"
    print "__attribute__((noinline)) static int look_volatile(const volatile int *p) { return *p + 1; }"
    print "__attribute__((noinline)) static int look_atomic(atomic_int *p) { return atomic_load(p) + 1; }"
    print "__attribute__((noinline)) static void put(int *p, int v) { *p = v; }"
    print "__attribute__((noinline)) static void put_volatile(volatile int *p, int v) { *p = v; }"
    print "static void *change_plain(void *p) { *(int *)p += 3; return p; }"
    print "static void *change_volatile(void *p) { *(volatile int *)p = *(volatile int *)p + 3; return p; }"
    print "static void *change_atomic(void *p) { atomic_fetch_add((atomic_int *)p, 3); return p; }"
    print "static void *(*const used[])(void *) = {change_plain, change_volatile, change_atomic};"
    print "typedef int (*Look)(const int *); typedef int (*Look2)(const volatile int *); typedef int (*Look3)(atomic_int *);"
    print "static Look const looks = look; static Look2 const looks2 = look_volatile; static Look3 const looks3 = look_atomic;"
    print "static void (*const puts1)(int *, int) = put; static void (*const puts2)(volatile int *, int) = put_volatile;"
    for (f = 0; f < functions; f++) write_function(f)
    for (t = 0; t < 2; t++) {
        printf "static void *thread%d(void *to)\n{\n    unsigned h = 0;\n", t
        for (i = 0; i < 10; i++) printf "    h = h * 31 + f%d();\n", pick(functions)
        print "    *(unsigned *)to = h;\n    return to;\n}"
    }
    print "int main(int argc, char **argv)\n{\n    static unsigned result[2];\n    pthread_t threads[2];\n    (void)argv; (void)used; (void)looks; (void)looks2; (void)looks3; (void)puts1; (void)puts2;"
    print "    pthread_create(&threads[0], 0, thread0, &result[0]);\n    pthread_create(&threads[1], 0, thread1, &result[1]);"
    print "    pthread_join(threads[0], 0);\n    pthread_join(threads[1], 0);"
    print "    if (argc > 1) printf(\"%uu,%uu\\n\", result[0], result[1]);"
    print "#ifdef WANTED\n    static const unsigned wanted[2] = {WANTED};\n    assert(result[0] == wanted[0] && result[1] == wanted[1]);\n#endif\n    return 0;\n}"
}
