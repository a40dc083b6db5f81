# A random program whose main joins its threads, looks at atomic variables and ends, perhaps with a failed assertion:
# awk -v seed=N -f tests/helpers/rest_program.awk. What main does there is mostly what src/guest/explore/reduce/rest.h leaves out.
function below(n) { return int(rand() * n) }
function variable() { return substr("xyz", 1 + below(3), 1) }
function order(kinds) { return "memory_order_" (below(2) ? "seq_cst" : below(2) ? "relaxed" : kinds) }
function load(v) { return "atomic_load_explicit(&" v ", " order("acquire") ")" }
function store(v, value) { return "atomic_store_explicit(&" v ", " value ", " order("release") ");" }
function action(depth,    kind) {
    kind = below(9)
    if (kind < 2) return store(variable(), 1 + below(2))
    if (kind < 4) return "atomic_fetch_add_explicit(&" variable() ", 1, " order("acq_rel") ");"
    if (kind == 4) return store(variable(), load(variable()) " + 1")
    if (kind == 5 && below(3) == 0) return "plain = 1;"
    if (kind == 6 && depth) return "if (" load(variable()) " == " below(2) ") return &x;"
    if (depth) return "if (" load(variable()) " == " below(3) ") { " action(depth - 1) " }"
    return store(variable(), 1)
}
# a test of main's: what it looks at next may depend on what it has seen
function test(depth) {
    if (depth == 0 || below(3) == 0) return below(6) ? load(variable()) " != " below(4) : "plain == 0"
    return "(" test(depth - 1) " ? " test(depth - 1) " : " test(depth - 1) ")"
}
BEGIN {
    srand(seed)
    threads = 2 + (below(3) == 0)
    child = below(5) == 0 ? 1 + below(threads) : 0
    print "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>"
    print "static atomic_int x, y, z;\nstatic int plain;"
    print "static void *grandchild(void *arg) { " action(1) " return arg; }"
    for (t = 1; t <= threads; t++) {
        printf "static void *work%d(void *arg) {\n    (void)arg; (void)plain; (void)grandchild;\n", t
        actions = 1 + below(threads == 2 ? 3 : 2)
        for (a = 0; a < actions; a++) print "    " action(1)
        if (child == t) {
            detached = below(2)
            printf "    if (%s == 1) { pthread_t c; pthread_create(&c, NULL, grandchild, NULL); pthread_%s; }\n", load("x"),
                detached ? "detach(c)" : "join(c, NULL)"
        }
        print "    return NULL;\n}"
    }
    print "int main(void)\n{\n    pthread_t t[4]; void *result = NULL; (void)result;"
    for (v = 1; v <= 3; v++) if (below(2)) print "    " store(substr("xyz", v, 1), 0)
    for (t = 1; t <= threads; t++) printf "    pthread_create(&t[%d], NULL, work%d, NULL);\n", t, t
    early = below(8) == 0
    for (t = 1; t <= threads; t++) {
        if (early && t == threads) print "    assert(" test(1) ");"
        printf "    pthread_join(t[%d], %s);\n", t, below(6) == 0 ? "&result" : "NULL"
    }
    print "    assert(" test(2) (below(2) ? " || " test(1) : "") ");"
    if (below(3) == 0) print "    return " load(variable()) " == 7;"
    print "    return result == &y;\n}"
}
