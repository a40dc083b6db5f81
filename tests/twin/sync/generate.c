#include "generate.h"
#include <string.h>
#include "base/hash.h"
#include "base/vec.h"
#include "sync.h"

enum { BUDGET = 12 }; /* operations of a body, and a few more to end it well */

typedef struct Generator {
    Random random;
    Buffer *text;
    const char *letters; /* operations of the theme */
    int registers;       /* of this thread that have a value */
    int threads, left;   /* operations that still fit into the body */
    bool function;
} Generator;

/* Each letter is an item of put_item. */
static const char *const themes[] = {
    "ppxRlaXAJJyF", /* lives */
    "xqiRXOQlsaA",  /* ends of the program */
    "JJyFFpRlA",    /* joins in every order */
    "vvgpRxLlaA",   /* the key and its destructor */
    "LLTMUKpAl",    /* mutexes of every kind */
    "LLKpTRA",      /* mutexes whose owners end */
    "cckSbslA",     /* condition variables */
    "ccSbpRLK",     /* and mutexes whose owners end */
    "DEdeuwrlA",    /* the read-write lock */
    "PVYGlsArw",    /* the semaphore */
    "NNlawrA",      /* the barrier */
    "oolaArw",      /* once */
    "LcSPVNDoJ",    /* all of them */
    "LDVNoWxpJy",   "WsPVLcSxR",
};

static int below(Generator *g, int bound)
{
    return (int)random_below(&g->random, (uint64_t)bound);
}

static void put(Generator *g, char code, int about, int number, int target, int guard, int value)
{
    if (g->left-- > 0)
        buffer_printf(g->text, "%c%d%d%d%d%d", code, about, number, target, guard, value);
}

static void put_access(Generator *g, int guard, int value)
{
    put(g, "swrla"[below(g, 5)], below(g, 2), 1, SYNC_REGISTERS - 1, guard, value);
}

/* A register that gets a result. */
static int fresh(Generator *g)
{
    int target = MIN(g->registers, SYNC_REGISTERS - 1);
    g->registers = target + 1;
    return target;
}

static void put_section(Generator *g, char code, int guard, int value)
{
    int about = below(g, 3) == 0, target = fresh(g), at = g->left;
    put(g, code, about, 0, target, guard, value);
    if (below(g, 4) == 0)
        put(g, 'A', 0, 1 + below(g, 4), target, guard, value);
    if (below(g, 3))
        put_access(g, guard, value);
    if (below(g, 3) == 0)
        put(g, 'K', about, 0, SYNC_REGISTERS - 1, target, SYNC_OWNER_DEAD);
    if (below(g, 6) && at > 1)
        put(g, 'U', about, 0, SYNC_REGISTERS - 1, target, below(g, 4) ? 0 : SYNC_OWNER_DEAD);
}

static void put_wait(Generator *g, char code, int guard, int value)
{
    int cond = below(g, 5) == 0, mutex = below(g, 8) == 0, target = fresh(g);
    bool locks = below(g, 8) != 0, by_state = below(g, 2);
    if (locks)
        put(g, 'L', mutex, 0, SYNC_REGISTERS - 1, guard, value);
    if (code == 'S' || code == 'b') {
        if (below(g, 2))
            put(g, 's', 0, 1, 0, guard, value);
        put(g, code, cond, 0, SYNC_REGISTERS - 1, guard, value);
    } else {
        if (by_state)
            put(g, 'l', 0, 0, target, guard, value);
        put(g, code, cond, mutex, by_state ? SYNC_REGISTERS - 1 : target, by_state ? target : guard,
            by_state ? 0 : value);
        if (below(g, 3) == 0)
            put(g, 'A', 0, below(g, 2) ? SYNC_OWNER_DEAD : SYNC_TIMED_OUT,
                by_state ? SYNC_REGISTERS - 1 : target, guard, value);
    }
    if (locks && below(g, 8))
        put(g, 'U', mutex, 0, SYNC_REGISTERS - 1, guard, value);
}

static void put_rwlock(Generator *g, char code, int guard, int value)
{
    int target = fresh(g);
    put(g, code, 0, 0, target, guard, value);
    if (code == 'u')
        return;
    if (below(g, 3))
        put_access(g, guard, value);
    if (below(g, 6))
        put(g, 'u', 0, 0, SYNC_REGISTERS - 1, target, 0);
}

/* An operation, or some that belong together. */
static void put_item(Generator *g)
{
    char code = g->letters[below(g, (int)strlen(g->letters))];
    int guard = g->registers && below(g, 3) == 0 ? below(g, g->registers) : SYNC_NO_GUARD;
    int value = below(g, 2), number = 1 + below(g, 2);
    if (g->function && strchr("pxqiRJyFo", code))
        code = "alPA"[below(g, 4)];
    if (strchr("LTM", code))
        put_section(g, code, guard, value);
    else if (strchr("ckSb", code))
        put_wait(g, code, guard, value);
    else if (strchr("DEdeu", code))
        put_rwlock(g, code, guard, value);
    else if (strchr("JyF", code))
        put(g, code, below(g, 5) ? below(g, g->threads - 1) + 1 : 0, 0, fresh(g), guard, value);
    else if (strchr("xqi", code))
        put(g, code, 0, below(g, 3) == 0, 0, guard, value);
    else if (strchr("pR", code))
        put(g, code, 0, below(g, 3), 0, guard, value);
    else if (strchr("XOQ", code))
        put(g, code, 0, SYNC_AT_EXIT + below(g, 2), 0, guard, value);
    else if (code == 'v')
        put(g, code, 0, below(g, 4) ? 1 : 0, 0, guard, value);
    else if (code == 'A')
        put(g, code, 0, number, g->registers ? below(g, g->registers) : 0, guard, value);
    else if (code == 'C')
        put(g, code, 0, 2, fresh(g), guard, value);
    else if (strchr("UK", code))
        put(g, code, below(g, 3) == 0, 0, SYNC_REGISTERS - 1, guard, value);
    else
        put(g, code, below(g, 3) == 0, number, strchr("lraYGNVg", code) ? fresh(g) : 3, guard,
            value);
}

/* Which thread creates each thread, and which one joins it at its end (-1: none). */
typedef struct Family {
    int creator[SYNC_THREADS], joiner[SYNC_THREADS];
} Family;

static void put_thread(Generator *g, const Family *family, int t, int items)
{
    g->registers = 0;
    g->left = BUDGET;
    for (int u = 1; u < g->threads; u++)
        if (family->creator[u] == t) {
            put(g, 'B', u, 0, 0, SYNC_NO_GUARD, 0);
            if (below(g, 4) == 0)
                put_item(g);
        }
    while (items-- > 0 && g->left > 0)
        put_item(g);
    for (int u = 1; u < g->threads; u++)
        if (family->joiner[u] == t) {
            int target = fresh(g);
            put(g, 'J', u, 0, target, SYNC_NO_GUARD, 0);
            if (below(g, 4) == 0)
                put(g, 'A', 0, 1 + below(g, 2), target, SYNC_NO_GUARD, 0);
        }
}

/* Main and threads that nothing tells apart. */
static void put_equal_threads(Generator *g)
{
    int equal = g->threads - 1;
    g->left = BUDGET;
    if (below(g, 4) == 0)
        put_item(g);
    put(g, 'H', 1, equal, 3, SYNC_NO_GUARD, 0);
    if (below(g, 2))
        put_item(g);
    g->left = MAX(g->left, 3);
    int tried = below(g, 3) ? 0 : 1 + below(g, equal);
    if (tried) { /* who has been joined is not joined again: nothing else is put into register 2 */
        put(g, 'z', tried, 0, 2, SYNC_NO_GUARD, 0);
        g->registers = MAX(g->registers, 3);
        put_item(g);
        g->left = MAX(g->left, 2);
        put(g, 'h', 1, equal, 3, 2, SYNC_BUSY);
    } else if (below(g, 4) == 0) {
        put(g, 'h', 1 + below(g, equal), 1, 3, SYNC_NO_GUARD, 0);
    } else if (below(g, 6)) {
        put(g, 'h', 1, equal, 3, SYNC_NO_GUARD, 0);
    }
    if (below(g, 2))
        put_item(g);
    buffer_printf(g->text, "|");
    g->registers = 0;
    g->left = BUDGET;
    for (int items = 1 + below(g, equal == 2 ? 3 : 2); items > 0; items--)
        put_item(g);
    for (int i = 1; i < equal; i++)
        buffer_printf(g->text, "|=");
}

void sync_generate(uint64_t seed, Buffer *text)
{
    Generator g = {.random = {hash_mix(seed + 4711)}, .text = text};
    g.letters = themes[below(&g, (int)COUNT_OF(themes))];
    g.threads = 2 + (below(&g, 2) == 0) + (below(&g, 12) == 0);
    Family family = {{0}, {0}};
    bool nested = below(&g, 4) == 0, functions = strpbrk(g.letters, "vXOQo") || below(&g, 6) == 0;
    for (int u = 1; u < g.threads; u++) {
        family.creator[u] = nested ? below(&g, u) : 0;
        family.joiner[u] = below(&g, 4) == 0 ? -1 : below(&g, 5) ? 0 : below(&g, g.threads);
    }
    const char *kinds = strchr(g.letters, 'K') ? "nrebbb" : "nnnreb";
    buffer_printf(text, "%c%c%d%d:", kinds[below(&g, 6)], kinds[below(&g, 6)], below(&g, 2),
                  below(&g, 6) ? 2 : 1 + below(&g, 3));
    bool equal = below(&g, 4) == 0;
    if (equal) {
        g.threads = 3 + (below(&g, 4) == 0);
        put_equal_threads(&g);
    }
    for (int t = 0; !equal && t < g.threads; t++) {
        if (t)
            buffer_printf(text, "|");
        put_thread(&g, &family, t, g.threads == 2 ? 1 + below(&g, 4) : 1 + below(&g, 2));
    }
    g.function = true;
    for (int f = 0; functions && f < SYNC_FUNCTIONS; f++) {
        buffer_printf(text, "/");
        g.registers = 0;
        g.left = 4;
        for (int items = below(&g, 3); items > 0; items--)
            put_item(&g);
    }
    vec_push(text, 0);
}
