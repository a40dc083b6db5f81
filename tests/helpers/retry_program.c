/* Prints a random program of two or three threads with retry loops: retry_program SEED. Operations
 * are loads, stores, fences, exchanges, additions, compare-exchange loops that reload or reuse the
 * value found, loops that read until two reads agree, bounded searches, with orders mixed freely.
 * What a thread has seen ends in atomic locations of its own, so that final values tell everything.
 * Loops back off or count their rounds. Every loop ends after finitely many rounds, for it goes on
 * only if someone else wrote. */
#include <stdio.h>
#include <stdlib.h>
#include "base/hash.h"

static Random dice;
static unsigned below(unsigned n)
{
    return (unsigned)random_below(&dice, n);
}

static const char *load_order(void)
{
    static const char *const orders[] = {"relaxed", "acquire", "seq_cst", "acquire"};
    return orders[below(4)];
}
static const char *store_order(void)
{
    static const char *const orders[] = {"relaxed", "release", "seq_cst", "release"};
    return orders[below(4)];
}
static const char *rmw_order(void)
{
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    return orders[below(5)];
}

static unsigned variables, results;

static void print_cas(unsigned x, const char *desired)
{
    printf("atomic_compare_exchange_%s_explicit(&x%u, &v, %s, memory_order_%s, memory_order_%s)",
           below(2) ? "strong" : "weak", x, desired, rmw_order(), load_order());
}

static void print_load(unsigned x)
{
    printf("atomic_load_explicit(&x%u, memory_order_%s)", x, load_order());
}

static void print_result(const char *value)
{
    printf("\tatomic_store_explicit(&r%u, %s, memory_order_relaxed);\n", results++, value);
}

/* What a loop does in each round beside: it backs off, so that its counters only stretch the wait
 * (tool/instrument/liveness/idle.h), or counts in a way that shows, and print_count shows it. */
enum { COUNTS = 9 }; /* from this one on they show */
static unsigned print_round(void)
{
    static const char *const rounds[] = {
        "",
        "b *= 2;",
        "for (volatile unsigned i = 0; i < b; i++) ; b = b < 8 ? 2 * b : 8;",
        "if (++b > 3) sched_yield();",
        "wait_for(b); b = longer(b);",
        "if (b < 5) b += 2; else { unsigned c = b; while (c) c--; b = 1; }",
        "c += b; b ^= c; if (c & 4) usleep(b & 7);",
        "stretch(&b);",
        "for (unsigned i = 0; i < b; i += 2) relax(); b = (b * 3 + 1) % 7;",
        "b++;",
        "if (++b == 3) break;",
        "c += b; if (c == 6) w = 7; b++;",
        "count(&b);"};
    unsigned which = below(3) ? below(sizeof rounds / sizeof *rounds) : 0;
    printf(" { %s }", rounds[which]);
    return which;
}

static void print_count(unsigned which)
{
    if (which == COUNTS || which > COUNTS + 2)
        print_result("(int)b");
    else if (which == COUNTS + 2)
        print_result("w + 1");
}

static void print_operation(unsigned t, unsigned k, bool retry)
{
    unsigned x = below(variables), y = below(variables), number = 10 * (t + 1) + k;
    char desired[32];
    snprintf(desired, sizeof desired, below(2) ? "v + 1" : "%u", number);
    unsigned rounds = 0;
    printf("\t{\n\tint v = 0, w = 0;\n\tunsigned b = 1, c = 0;\n\t(void)w, (void)b, (void)c;\n");
    switch (retry ? 5 + below(5) : below(5)) {
    case 0:
        printf("\tv = ");
        print_load(x);
        printf(";\n");
        print_result("v + 1");
        break;
    case 1:
        printf("\tatomic_store_explicit(&x%u, %u, memory_order_%s);\n", x, number, store_order());
        break;
    case 2:
        printf("\tatomic_thread_fence(memory_order_%s);\n", rmw_order());
        break;
    case 3:
        printf("\tv = atomic_exchange_explicit(&x%u, %u, memory_order_%s);\n", x, number,
               rmw_order());
        print_result("v + 1");
        break;
    case 4:
        printf("\tv = atomic_fetch_add_explicit(&x%u, 1, memory_order_%s);\n", x, rmw_order());
        print_result("v + 1");
        break;
    case 5: /* the value found is the next one expected */
        printf("\tv = ");
        print_load(x);
        printf(";\n\twhile (!");
        print_cas(x, desired);
        printf(")");
        rounds = print_round();
        printf("\n");
        print_result("v + 1");
        break;
    case 6: /* loads again */
        printf("\tfor (;;) {\n\t\tv = ");
        print_load(x);
        printf(";\n\t\tif (");
        print_cas(x, desired);
        printf(")\n\t\t\tbreak;\n\t");
        rounds = print_round();
        printf("\n\t}\n");
        break;
    case 7: /* until two reads agree */
        printf("\tdo {\n\t\tv = ");
        print_load(x);
        printf(";\n\t\tw = ");
        print_load(y);
        printf(";\n\t");
        rounds = print_round();
        printf("\n\t} while (v != ");
        print_load(x);
        printf(");\n");
        print_result("100 * v + w");
        break;
    case 8: /* through a function, with something plain on the stack */
        printf("\tstruct pair p = {0, 0};\n\twhile (!snap(&x%u, &x%u, &p))", x, y);
        rounds = print_round();
        printf("\n");
        print_result("100 * p.a + p.b");
        break;
    default: /* a bounded search */
        printf("\tfor (int i = 0; i < 2; i++)\n\t\tif ((v = ");
        print_load(x);
        printf("))\n\t\t\tbreak;\n");
        print_result("v + 1");
    }
    print_count(rounds);
    printf("\t}\n");
}

int main(int argc, char **argv)
{
    dice.state = argc > 1 ? strtoull(argv[1], NULL, 10) * 7919 : 0;
    unsigned threads = 2 + below(2);
    variables = 2 + below(2);
    printf(
        "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n#include <unistd.h>\n");
    for (unsigned i = 0; i < 3; i++)
        printf("atomic_int x%u;\n", i);
    for (unsigned i = 0; i < 24; i++)
        printf("atomic_int r%u;\n", i);
    printf("struct pair { int a, b; };\n"
           "static int snap(atomic_int *x, atomic_int *y, struct pair *p)\n{\n"
           "\tp->a = atomic_load_explicit(x, memory_order_acquire);\n"
           "\tp->b = atomic_load_explicit(y, memory_order_acquire);\n"
           "\treturn atomic_load_explicit(x, memory_order_relaxed) == p->a;\n}\n"
           "static void relax(void) { __builtin_ia32_pause(); }\n"
           "static void wait_for(unsigned n) { for (unsigned i = 0; i < n; i++) relax(); }\n"
           "static unsigned longer(unsigned n) { return n < 9 ? 2 * n : n; }\n"
           "static void stretch(unsigned *n) { for (unsigned i = 0; i < *n; i++) ; *n *= 2; }\n"
           "static void count(unsigned *n) { ++*n; }\n");
    for (unsigned t = 0; t < threads; t++) {
        printf("static void *thread%u(void *argument)\n{\n", t);
        unsigned count = threads == 3 ? 1 + below(2) : 2 + below(2), retry = below(count);
        for (unsigned k = 0; k < count; k++)
            print_operation(t, k, k == retry || !below(3));
        printf("\treturn argument;\n}\n");
    }
    printf("int main(void)\n{\n\tpthread_t t[%u];\n", threads);
    for (unsigned t = 0; t < threads; t++)
        printf("\tpthread_create(&t[%u], 0, thread%u, 0);\n", t, t);
    printf("\tfor (int i = 0; i < %u; i++)\n\t\tpthread_join(t[i], 0);\n\treturn 0;\n}\n", threads);
    return 0;
}
