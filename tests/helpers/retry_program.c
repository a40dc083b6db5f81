/* Prints a random program of two or three threads with retry loops: retry_program SEED. Operations
 * are loads, stores, fences, exchanges, additions, compare-exchange loops that reload or reuse the
 * value found, loops that read until two reads agree, bounded searches, with orders mixed freely.
 * What a thread has seen ends in atomic locations of its own, so that final values tell everything.
 * Every loop ends after finitely many rounds, for it goes on only if someone else wrote. */
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

static void print_operation(unsigned t, unsigned k, bool retry)
{
    unsigned x = below(variables), y = below(variables), number = 10 * (t + 1) + k;
    char desired[32];
    snprintf(desired, sizeof desired, below(2) ? "v + 1" : "%u", number);
    printf("\t{\n\tint v = 0, w = 0;\n\t(void)w;\n");
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
        printf(")\n\t\t;\n");
        print_result("v + 1");
        break;
    case 6: /* loads again */
        printf("\tfor (;;) {\n\t\tv = ");
        print_load(x);
        printf(";\n\t\tif (");
        print_cas(x, desired);
        printf(")\n\t\t\tbreak;\n\t}\n");
        break;
    case 7: /* until two reads agree */
        printf("\tdo {\n\t\tv = ");
        print_load(x);
        printf(";\n\t\tw = ");
        print_load(y);
        printf(";\n\t} while (v != ");
        print_load(x);
        printf(");\n");
        print_result("100 * v + w");
        break;
    case 8: /* through a function, with something plain on the stack */
        printf("\tstruct pair p = {0, 0};\n\twhile (!snap(&x%u, &x%u, &p))\n\t\t;\n", x, y);
        print_result("100 * p.a + p.b");
        break;
    default: /* a bounded search */
        printf("\tfor (int i = 0; i < 2; i++)\n\t\tif ((v = ");
        print_load(x);
        printf("))\n\t\t\tbreak;\n");
        print_result("v + 1");
    }
    printf("\t}\n");
}

int main(int argc, char **argv)
{
    dice.state = argc > 1 ? strtoull(argv[1], NULL, 10) * 7919 : 0;
    unsigned threads = 2 + below(2);
    variables = 2 + below(2);
    printf("#include <pthread.h>\n#include <stdatomic.h>\n");
    for (unsigned i = 0; i < 3; i++)
        printf("atomic_int x%u;\n", i);
    for (unsigned i = 0; i < 12; i++)
        printf("atomic_int r%u;\n", i);
    printf("struct pair { int a, b; };\n"
           "static int snap(atomic_int *x, atomic_int *y, struct pair *p)\n{\n"
           "\tp->a = atomic_load_explicit(x, memory_order_acquire);\n"
           "\tp->b = atomic_load_explicit(y, memory_order_acquire);\n"
           "\treturn atomic_load_explicit(x, memory_order_relaxed) == p->a;\n}\n");
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
