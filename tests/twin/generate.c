#include "generate.h"
#include "base/hash.h"
#include "program.h"

typedef struct Generator {
    Random random;
    Buffer *text;
    int locations;
    int budget;      /* events left */
    int style;       /* which orders are likely: see pick_order */
    int rmw_percent; /* how many accesses are read-modify-writes */
} Generator;

static int below(Generator *g, int bound)
{
    return (int)random_below(&g->random, (uint64_t)bound);
}
static bool chance(Generator *g, int percent)
{
    return below(g, 100) < percent;
}

/* Programs with free mixtures find most disagreements, but all-relaxed and nearly-all-seq_cst ones
 * reach different corners: a style is drawn a program, an order within it an access. */
static const char *pick_order(Generator *g, const char *const *allowed, int count)
{
    if (g->style == 1 && chance(g, 70))
        return "rlx";
    if (g->style == 2 && chance(g, 70))
        return "sc";
    return allowed[below(g, count)];
}
static const char *load_order(Generator *g)
{
    static const char *const orders[] = {"rlx", "acq", "sc", "rlx", "acq", "sc", "con"};
    return pick_order(g, orders, 7);
}
static const char *store_order(Generator *g)
{
    static const char *const orders[] = {"rlx", "rel", "sc"};
    return pick_order(g, orders, 3);
}
static const char *rmw_order(Generator *g)
{
    static const char *const orders[] = {"rlx", "acq", "rel", "ar", "sc"};
    return pick_order(g, orders, 5);
}
static const char *fence_order(Generator *g)
{
    static const char *const orders[] = {"acq", "rel", "ar", "sc", "sc", "sc"};
    return g->style == 1 ? orders[below(g, 6)] : pick_order(g, orders, 6);
}

static void put_value(Generator *g, int registers)
{
    if (registers && chance(g, 25))
        buffer_printf(g->text, "r%d%s", below(g, registers), chance(g, 50) ? "+1" : "");
    else
        buffer_printf(g->text, "%d", 1 + below(g, 3));
}
/* Guards compare with small values, which stores are likely to produce. */
static void put_guard(Generator *g, int registers)
{
    if (registers && chance(g, 35))
        buffer_printf(g->text, "[r%d%c%d] ", below(g, registers), chance(g, 60) ? '=' : '!',
                      below(g, 3));
}

static int put_fence(Generator *g)
{
    buffer_printf(g->text, "fence.%s", fence_order(g));
    g->budget--;
    return 0;
}
/* One access of a thread that has filled REGISTERS registers; how many it fills. */
static int put_access(Generator *g, int registers, int location, bool may_be_rmw, int load_percent)
{
    char name = twin_location_names[location];
    if (may_be_rmw && g->budget > 1 && chance(g, g->rmw_percent)) {
        int kind = below(g, 3);
        g->budget -= 2;
        if (kind == 0) {
            buffer_printf(g->text, "cas.%s", rmw_order(g));
            buffer_printf(g->text, ".%s %c %d ", load_order(g), name, below(g, 3));
        } else {
            buffer_printf(g->text, "%s.%s %c ", kind == 1 ? "xchg" : "add", rmw_order(g), name);
        }
        put_value(g, registers);
        buffer_printf(g->text, " r%d", registers);
        return 1;
    }
    g->budget--;
    if (chance(g, load_percent)) {
        buffer_printf(g->text, "ld.%s %c r%d", load_order(g), name, registers);
        return 1;
    }
    buffer_printf(g->text, "st.%s %c ", store_order(g), name);
    put_value(g, registers);
    return 0;
}

static void put_block(Generator *g, int instructions)
{
    int registers = 0, location = below(g, g->locations);
    for (int i = 0; i < instructions && g->budget > 0; i++) {
        buffer_printf(g->text, i ? "; " : "");
        put_guard(g, registers);
        if (chance(g, 60)) /* repeated accesses of one location show little */
            location = (location + 1 + below(g, 2)) % g->locations;
        registers += chance(g, 10) ? put_fence(g) : put_access(g, registers, location, true, 50);
        registers = MIN(registers, TWIN_REGISTERS - 1);
    }
}

/* The shape of the classic litmus tests (SB, MP, LB, R, S, 2+2W, WRC, IRIW, ISA2 and their kin): a
 * critical cycle. Thread i touches location i and then location i+1, the last one closes the ring.
 * What is left of the budget becomes fences between the two, stores that continue or break a
 * release sequence, and read-modify-writes of other threads on the same locations. */
static void put_cycle(Generator *g, int threads)
{
    int ring = MAX(2, MIN(threads, 3));
    g->locations = ring;
    for (int t = 0; t < threads; t++) {
        int registers = 0, extra = (g->budget - 2 * (threads - t)) / (threads - t);
        int first = t % ring, second = (t + 1) % ring;
        buffer_printf(g->text, t ? "|" : "");
        if (t >= ring) { /* an onlooker, or a writer in between */
            registers = put_access(g, registers, first, true, 50);
            if (extra >= 0 && chance(g, 50)) {
                buffer_printf(g->text, "; ");
                put_access(g, registers, second, false, 60);
            }
            continue;
        }
        registers += put_access(g, registers, first, extra > 0, t == 0 ? 20 : 50);
        while (extra > 0 && chance(g, 55)) {
            buffer_printf(g->text, "; ");
            if (chance(g, 50))
                put_fence(g);
            else
                registers += put_access(g, registers, first, extra > 1, 20);
            extra--;
        }
        buffer_printf(g->text, "; ");
        if (chance(g, 20))
            put_guard(g, registers);
        registers += put_access(g, registers, second, extra > 1, t == ring - 1 ? 70 : 50);
        if (extra > 0 && chance(g, 40)) {
            buffer_printf(g->text, "; ");
            put_access(g, registers, chance(g, 70) ? second : first, false, 40);
        }
    }
}

void twin_generate(uint64_t seed, int events, Buffer *text)
{
    Generator g = {.random = {hash_mix(seed + 1)}, .text = text, .budget = events};
    int threads = 2 + (chance(&g, 55) ? 0 : 1 + below(&g, 2));
    threads = MIN(threads, MAX(2, events / 2));
    g.locations = chance(&g, 15) ? 1 : 2 + below(&g, 2);
    g.style = below(&g, 4);
    g.rmw_percent = chance(&g, 25) ? 0 : 10 + below(&g, 40);
    if (chance(&g, 15))
        buffer_printf(text, "init: x=%d y=%d|", below(&g, 3), below(&g, 3));
    if (chance(&g, 60) && events >= 2 * threads) {
        put_cycle(&g, threads);
        return;
    }
    if (chance(&g, 10)) {
        buffer_printf(text, "pre: ");
        put_block(&g, 1);
        buffer_printf(text, "|");
    }
    int reserved = chance(&g, 15) && g.budget > threads + 1 ? 1 : 0; /* for main at the end */
    g.budget -= reserved;
    for (int t = 0; t < threads; t++) {
        int share = MAX(1, g.budget / (threads - t));
        buffer_printf(text, t ? "|" : "");
        put_block(&g, share);
    }
    g.budget += reserved;
    if (reserved) {
        buffer_printf(text, "|post: ");
        put_block(&g, 1);
    }
}

/* --- Plain data handed over ------------------------------------------------------------------ */

static void put_plain(Generator *g, int registers)
{
    if (chance(g, 50))
        buffer_printf(g->text, "ld.na x r%d", registers);
    else
        buffer_printf(g->text, "st.na x %d", 1 + below(g, 3));
}
/* Mostly the strong half of the orders, so that a good part of the programs is free of races. */
static const char *often(Generator *g, const char *strong, const char *(*any)(Generator *))
{
    return chance(g, 55) ? strong : any(g);
}
static void put_raise(Generator *g, char flag, int registers, const char *guard) /* flag = 1 */
{
    if (chance(g, 25))
        buffer_printf(g->text, "%sfence.%s; ", guard, often(g, "rel", fence_order));
    buffer_printf(g->text, "%s", guard);
    if (chance(g, 70))
        buffer_printf(g->text, "st.%s %c 1", often(g, "rel", store_order), flag);
    else
        buffer_printf(g->text, "xchg.%s %c 1 r%d", often(g, "ar", rmw_order), flag, registers);
}
static void put_wait(Generator *g, char flag,
                     int number) /* looks at a flag; r<number> = its value */
{
    int kind = below(g, 10);
    if (kind < 6)
        buffer_printf(g->text, "ld.%s %c r%d", often(g, "acq", load_order), flag, number);
    else if (kind < 8)
        buffer_printf(g->text, "add.%s %c 0 r%d", often(g, "acq", rmw_order), flag, number);
    else if (kind < 9) /* fails when it finds 1: its failure order counts */
        buffer_printf(g->text, "cas.rlx.%s %c 0 2 r%d", often(g, "acq", load_order), flag, number);
    else
        buffer_printf(g->text, "cas.%s.rlx %c 1 2 r%d", often(g, "acq", rmw_order), flag, number);
    if (chance(g, 25))
        buffer_printf(g->text, "; fence.%s", often(g, "acq", fence_order));
}

void twin_generate_handover(uint64_t seed, Buffer *text)
{
    Generator g = {.random = {hash_mix(seed + 0x5EED)}, .text = text, .style = 0};
    bool chain = chance(&g, 50), meddler = chance(&g, 30);
    if (chance(&g, 10))
        buffer_printf(text, "pre: st.na x 2|");
    put_plain(&g, 0);
    buffer_printf(text, "; ");
    put_raise(&g, 'y', 1, "");
    if (chance(&g, 15)) /* continues the release sequence, or not */
        buffer_printf(text, "; st.rlx y 1");
    buffer_printf(text, "|");
    put_wait(&g, 'y', 0);
    buffer_printf(text, "; ");
    if (!chain || chance(&g, 70)) {
        buffer_printf(text, chance(&g, 90) ? "[r0=1] " : "[r0=2] ");
        put_plain(&g, 1);
        buffer_printf(text, chain ? "; " : "");
    }
    if (chain) {
        put_raise(&g, 'z', 2, "[r0=1] ");
        buffer_printf(text, "|");
        put_wait(&g, 'z', 0);
        buffer_printf(text, "; [r0=1] ");
        put_plain(&g, 1);
    }
    if (meddler)
        buffer_printf(text, chance(&g, 60) ? "|add.%s y 0 r0" : "|xchg.%s y 1 r0", rmw_order(&g));
    if (chance(&g, 20))
        buffer_printf(text, "|post: ld.na x r0");
}

/* --- Plain accesses to several locations at once, which race -----------------------------------
 */

static void put_several(Generator *g, int first, int width)
{
    for (int k = 0; k < width; k++)
        buffer_printf(g->text, "%c", twin_location_names[first + k]);
}
/* What was read shows in the text by an atomic store to V or U that depends on it. Nothing plain is
 * guarded: so every execution has all accesses, and with them all boundaries between pieces. */
static int put_wide(Generator *g, int registers)
{
    int width = 1 + below(g, MIN(4, g->budget)), first = below(g, 5 - width);
    g->budget -= width;
    if (width == 1 && chance(g, 60)) {
        char name = twin_location_names[first];
        if (chance(g, 40))
            buffer_printf(g->text, "st.%s %c %d", store_order(g), name, 1 + below(g, 2));
        else if (g->budget && chance(g, 40) && g->budget--)
            buffer_printf(g->text, "add.%s %c 1 r%d", rmw_order(g), name, registers++);
        else
            buffer_printf(g->text, "ld.%s %c r%d", load_order(g), name, registers++);
        return registers;
    }
    if (registers + width > TWIN_REGISTERS || chance(g, 50)) {
        buffer_printf(g->text, "st.na ");
        put_several(g, first, width);
        buffer_printf(g->text, " %d", 1 + below(g, 2));
        return registers;
    }
    buffer_printf(g->text, "ld.na ");
    put_several(g, first, width);
    buffer_printf(g->text, " r%d", registers);
    for (int shown = below(g, 2); shown >= 0 && g->budget > 0; shown--, g->budget--)
        buffer_printf(g->text, "; [r%d=%d] st.rlx %c %d", registers + below(g, width), below(g, 3),
                      "vu"[below(g, 2)], 1 + below(g, 2));
    return registers + width;
}

void twin_generate_wide(uint64_t seed, int events, Buffer *text)
{
    Generator g = {.random = {hash_mix(seed + 0x51DE)}, .text = text};
    int threads = 2 + (events > 8 && chance(&g, 30));
    if (chance(&g, 30))
        buffer_printf(text, "init: x=%d y=%d z=1|", below(&g, 3), below(&g, 3));
    if (chance(&g, 15))
        buffer_printf(text, "pre: st.na xyzw 2|");
    for (int t = 0, left = events; t < threads; t++) {
        int registers = 0, share = left / (threads - t);
        g.budget = share;
        for (int n = 0; g.budget > 0 && n < 4; n++) {
            buffer_printf(text, n ? "; " : t ? "|" : "");
            registers = put_wide(&g, registers);
            registers = MIN(registers, TWIN_REGISTERS - 1);
        }
        left -= share;
    }
    if (chance(&g, 25))
        buffer_printf(text, "|post: ld.na %s r0; [r%d=1] st.rlx v 1", chance(&g, 50) ? "xyz" : "yz",
                      below(&g, 2));
}

/* --- A block of the heap, which main shares with the threads it created ------------------------
 */

/* Any access to the block, often plain, or (rarely) a plain one to the flag itself. */
static int put_use(Generator *g, int registers)
{
    if (chance(g, 8)) {
        buffer_printf(g->text, "ld.na v r%d", registers);
        return 1;
    }
    char name = "xxxyw"[below(g, 5)];
    g->budget -= 1;
    if (chance(g, 25)) {
        buffer_printf(g->text, "ld.na %c r%d", name, registers);
        return 1;
    }
    if (chance(g, 20)) {
        buffer_printf(g->text, "st.na %c %d", name, 1 + below(g, 2));
        return 0;
    }
    return put_access(g, registers, (int)(strchr(twin_location_names, name) - twin_location_names),
                      true, 50);
}
static void put_end(Generator *g)
{
    buffer_printf(g->text, chance(g, 25) ? "move" : "free");
}
/* What one thread, or main meanwhile, does: uses of the block, signs to the others, looks at their
 * signs, and perhaps the end of the block, the latter two mostly where the sign was seen. */
static void put_life(Generator *g, int items, int end_percent)
{
    int registers = 0, seen = -1;
    char flag = "vu"[below(g, 2)];
    for (int n = 0; n < items; n++) {
        buffer_printf(g->text, n ? "; " : "");
        if (seen < 0 && chance(g, 35)) {
            seen = registers++;
            put_wait(g, flag, seen);
            g->budget -= 2;
            continue;
        }
        if (n && chance(g, 35)) {
            put_raise(g, "vu"[below(g, 2)], registers++, "");
            g->budget -= 2;
            continue;
        }
        if (seen >= 0 && chance(g, 75))
            buffer_printf(g->text, "[r%d=1] ", seen);
        if (n + 1 == items && chance(g, end_percent))
            put_end(g);
        else
            registers += put_use(g, registers);
    }
}

void twin_generate_lives(uint64_t seed, Buffer *text)
{
    Generator g = {.random = {hash_mix(seed + 0x11FE)}, .text = text, .budget = 12};
    int threads = 1 + chance(&g, 40), items = threads == 2 ? 2 : 3;
    g.rmw_percent = 40;
    buffer_printf(text, "heap: %s|", chance(&g, 30) ? "calloc" : "malloc");
    for (int t = 0; t < threads; t++) {
        buffer_printf(text, t ? "|" : "");
        put_life(&g, 1 + below(&g, items), 15);
    }
    if (chance(&g, 75)) {
        buffer_printf(text, "|mid: ");
        put_life(&g, 1 + below(&g, items), 40);
    }
    if (chance(&g, 50)) {
        buffer_printf(text, "|post: ");
        if (chance(&g, 60))
            put_end(&g);
        else
            put_use(&g, 0);
    }
}

/* --- A block whose end follows from what its users say -------------------------------------- */

/* One step of a user of the block: mostly an access to it, else what may order such accesses, or
 * seems to. */
static int put_step(Generator *g, int registers)
{
    static const char *const stores[] = {"na", "na", "rlx", "rlx", "rel", "sc"};
    static const char *const loads[] = {"na", "na", "rlx", "acq", "sc"};
    static const char *const fences[] = {"rel", "acq", "ar", "sc", "rlx"};
    char name = "xxxyts"[below(g, 6)];
    switch (below(g, 10)) {
    case 0:
        buffer_printf(g->text, "fence.%s", fences[below(g, 5)]);
        return 0;
    case 1:
        buffer_printf(g->text, "add.rlx %c 1 r%d", name, registers);
        return 1;
    case 2:
        buffer_printf(g->text, "cas.rlx.%s %c 1 2 r%d", loads[2 + below(g, 3)], name, registers);
        return 1;
    case 3:
    case 4:
    case 5:
        buffer_printf(g->text, "ld.%s %c r%d", loads[below(g, 5)], name, registers);
        return 1;
    default:
        buffer_printf(g->text, "st.%s %c 1", stores[below(g, 6)], name);
        return 0;
    }
}
static void put_sign(Generator *g, char flag, const char *guard)
{
    static const char *const orders[] = {"rlx", "rlx", "rlx", "rel", "sc"};
    if (chance(g, 15))
        buffer_printf(g->text, "%sfence.%s; ", guard, chance(g, 70) ? "rel" : "sc");
    buffer_printf(g->text, "%sst.%s %c 1", guard, orders[below(g, 5)], flag);
    if (chance(g, 15))
        buffer_printf(g->text, "; %sst.rlx %c 1", guard, flag);
}

void twin_generate_ends(uint64_t seed, Buffer *text)
{
    static const char *const orders[] = {"rlx", "rlx", "acq", "sc"};
    Generator g = {.random = {hash_mix(seed + 0xE2D5)}, .text = text};
    int steps = 1 + below(&g, 3), registers = 0;
    char flag = "vvvw"[below(&g, 4)]; /* w lies in the block */
    buffer_printf(text, "heap: calloc|");
    for (int n = 0; n < steps; n++) {
        registers += put_step(&g, registers);
        buffer_printf(text, "; ");
    }
    put_sign(&g, flag, "");
    if (chance(&g, 15)) {
        buffer_printf(text, "; ");
        put_step(&g, registers);
    }
    buffer_printf(text, "|");
    if (chance(&g, 40)) { /* told by another thread */
        buffer_printf(text, "ld.%s %c r0; ", orders[below(&g, 4)], flag);
        if (chance(&g, 40)) {
            put_step(&g, 1);
            buffer_printf(text, "; ");
        }
        put_sign(&g, 'u', "[r0=1] ");
        buffer_printf(text, "|");
        flag = 'u';
    }
    buffer_printf(text, "ld.%s %c r0; ", orders[below(&g, 4)], flag);
    if (chance(&g, 20)) {
        put_step(&g, 1);
        buffer_printf(text, "; ");
    }
    buffer_printf(text, "[r0=1] %s", chance(&g, 10) ? "move" : "free");
}
