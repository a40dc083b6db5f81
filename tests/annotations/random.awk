# awk -v seed=N -f random.awk: an annotated program with random memory orders, conditions, rules and ordering points,
# some in loops that wait or retry. Whether it is violated must not depend on which executions the search leaves out.
function chance(p) { return rand() < p }
function one(list, parts, n, chosen) {
    n = split(list, parts, "|"); chosen = parts[1 + int(rand() * n)]
    sub(" or ", " || ", chosen)
    return chosen
}
function load(place) { return "atomic_load_explicit(&o->" place ", memory_order_" one("relaxed|acquire") ")" }
function store(place) { return "    atomic_store_explicit(&o->" place ", v, memory_order_" one("relaxed|release") ");" }
function check(label, condition) { print "    /** @Ordering_Point_Label_Check: " condition "\n        @Label: " label " */" }
function potential(condition) { print "    /** @Potential_Ordering_Point: " condition "\n        @Label: Seen */" }
function confirm(condition) {
    print "    /** @Ordering_Point_Check: " condition "\n        @Potential_Ordering_Point_Label: Seen\n        @Label: Read_Point */"
}
BEGIN {
    srand(seed)
    print "#include <pthread.h>\n#include <stdatomic.h>\ntypedef struct { atomic_int x, y; } obj;"
    print "/** @Structure_Define:\n    @DeclareVar: int a, b;\n    @InitVar: a = b = 0;"
    n = split("Write Read Add Try", methods, " ")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= n; j++)
            if (chance(seed % 4 ? 0.02 : 0.15))
                rules = rules " " methods[i] " -> " methods[j]
    print (rules ? "    @Happens_Before:" rules : "") " */"

    print "/** @Method: Write\n    @Ordering_Point_Set: Write_Point\n    @SideEffect: a = v; */\nstatic void put(obj *o, int v)\n{"
    if (chance(0.5)) print store("y")
    print store("x"); check("Write_Point", "true")
    if (chance(0.3)) print store("y")
    print "}"

    print "/** @Method: Read\n    @Ordering_Point_Set: Read_Point"
    print "    @PostCondition: " one("__RET__ == a|1|__RET__ <= a + 1|__RET__ != 0 or a == 0") " */\nstatic int get(obj *o)\n{\n    int v;"
    kind = int(rand() * 4)
    if (kind == 0) {
        print "    v = " load("x") ";"; check("Read_Point", "true")
    } else if (kind == 1) {
        print "    do {\n    v = " load("x") ";"; check("Read_Point", "v"); print "    } while (!v);"
    } else if (kind == 2) {
        print "    v = " load("x") ";"; potential("true")
        print "    while (!v) {\n    v = " load("x") ";"
        if (chance(0.5)) potential("true")
        print "    }"; confirm("true")
    } else {
        print "    int t = " load("y") ";"; potential("t")
        print "    v = " load("x") ";"; check("Read_Point", "true"); confirm("t")
    }
    print "    return v;\n}"

    print "/** @Method: Add\n    @Ordering_Point_Set: Add_Point\n    @SideEffect: int old = a; a++;"
    print "    @PostCondition: " one("__RET__ == old|1") " */\nstatic int add(obj *o)\n{\n    int v = " load("x") ";"
    if (chance(0.4)) check("Add_Point", "true")
    print "    for (;;) {\n    int done = atomic_compare_exchange_strong_explicit(&o->x, &v, v + 1, memory_order_" \
        one("relaxed|acq_rel|release") ", memory_order_" one("relaxed|acquire") ");"
    check("Add_Point", chance(0.7) ? "done" : "true")
    if (chance(0.5)) print "    /** @Ordering_Point_Clear: !done\n        @Label: Again */"
    print "    if (done) break;\n    }\n    return v;\n}"

    print "/** @Method: Try\n    @Ordering_Point_Set: Try_Point\n    @SideEffect: if (__RET__) b++;"
    print "    @PostCondition: " one("__RET__ == 0 or a > 0|1|b <= 2") " */\nstatic int try(obj *o)\n{\n    int v = " load("x") ";"
    check("Try_Point", "true"); print "    return v != 0;\n}\nstatic obj o;"

    threads = chance(0.3) ? 3 : 2
    for (t = 1; t <= threads; t++) {
        body = t == 1 ? "put(&o, 1);" : ""
        for (i = chance(0.5) ? 1 : 2; i > 0; i--)
            body = body " " one("put(&o, " t ");|get(&o);|add(&o);|try(&o);|while (!try(&o)) ;")
        print "static void *thread" t "(void *unused)\n{\n    " body "\n    return unused;\n}"
    }
    print "int main(void)\n{\n    pthread_t p[4];"
    for (t = 1; t <= threads; t++) print "    pthread_create(&p[" t "], 0, thread" t ", 0);"
    for (t = 1; t <= threads; t++) print "    pthread_join(p[" t "], 0);"
    print "    (void)get, (void)add, (void)try;\n    return 0;\n}"
}
