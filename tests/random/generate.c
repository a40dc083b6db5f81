#include "generate.h"

static uint64_t state;

static unsigned below(unsigned n)
{
    state += 0x9E3779B97F4A7C15u;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (unsigned)((z ^ z >> 31) >> 16) % n;
}
static bool one_in(unsigned n)
{
    return !below(n);
}

/* FEATURE(name): each program has about half of them. */
#define FEATURES(X)                                                                                       \
    X(rmw) X(cas) X(weak) X(fence) X(plain) X(vol) X(lock) X(try) X(await) X(retry) X(section) X(counter)    \
    X(spin) X(for) X(if) X(node) X(stack) X(free) X(lent) X(barrier) X(assert) X(look) X(again) X(leave) X(equal)
#define X(name) F_##name,
enum { FEATURES(X) F_COUNT };
#undef X
#define X(name) #name,
static const char *const feature_names[] = {FEATURES(X)};
#undef X

static struct {
    Code *code;
    uint32_t has;
    int orders; /* 0 mixed, 1 seq_cst, 2 release and acquire, 3 relaxed */
    int cells;  /* so many of a b c d are used */
} now;

static bool has(int feature)
{
    return now.has >> feature & 1;
}
static Step *emit(int op)
{
    static Step spare;
    Code *c = now.code;
    Step *s = c->length < STEPS ? &c->step[c->length++] : &spare;
    *s = (Step){.op = (uint8_t)op, .reg = -1, .flag = -1, .value = {-1, 0}, .expected = {-1, 0}};
    return s;
}
static bool is_room(int steps)
{
    return now.code->length + steps <= STEPS;
}
static uint8_t pick(int op)
{
    static const uint8_t loads[] = {RLX, ACQ, SC}, stores[] = {RLX, REL, SC},
                         both[] = {RLX, ACQ, REL, AR, SC};
    bool load = op == OP_LOAD, store = op == OP_STORE;
    if ((load || store) && has(F_vol) && one_in(5))
        return VOL;
    switch (now.orders) {
    case 1:
        return SC;
    case 2:
        return load ? ACQ : store ? REL : AR;
    case 3:
        return RLX;
    default:
        return load ? loads[below(3)] : store ? stores[below(3)] : both[below(5)];
    }
}
static uint8_t pick_failure(void)
{
    static const uint8_t loads[] = {RLX, ACQ, SC};
    return now.orders == 1 ? SC : now.orders == 2 ? ACQ : now.orders == 3 ? RLX : loads[below(3)];
}
static uint8_t cell(void)
{
    return (uint8_t)below((unsigned)now.cells);
}
static int8_t number_register(void)
{
    return (int8_t)below(3); /* r3 counts, or tells whether something succeeded */
}

static Step *access(int op, int place, int order)
{
    Step *s = emit(op);
    s->place = (uint8_t)place, s->order = (uint8_t)order;
    return s;
}
static void load(int place, int order, int reg)
{
    access(OP_LOAD, place, order)->reg = (int8_t)reg;
}
static void store(int place, int order, int number)
{
    access(OP_STORE, place, order)->value.number = (int8_t)number;
}
static void store_register(int place, int order, int reg)
{
    access(OP_STORE, place, order)->value.reg = (int8_t)reg;
}
static void add(int place, int number, int reg)
{
    Step *s = access(OP_ADD, place, pick(OP_ADD));
    s->value.number = (int8_t)number, s->reg = (int8_t)reg;
}
static void exchange(int place, int number, int reg)
{
    Step *s = access(OP_XCHG, place, pick(OP_XCHG));
    s->value.number = (int8_t)number, s->reg = (int8_t)reg;
}
static Step *compare(int place, Value expected, Value desired, int reg, int flag)
{
    Step *s = access(has(F_weak) && one_in(3) ? OP_WEAK : OP_CAS, place, pick(OP_CAS));
    s->failure = pick_failure();
    s->expected = expected, s->value = desired, s->reg = (int8_t)reg, s->flag = (int8_t)flag;
    return s;
}
static void condition(int op, int reg, bool equal, int number)
{
    Step *s = emit(op);
    s->reg = (int8_t)reg, s->equal = equal, s->value.number = (int8_t)number;
}
static void with_register(int op, int reg)
{
    emit(op)->reg = (int8_t)reg;
}

static int plain_order(void)
{
    return has(F_vol) && one_in(4) ? VOL : one_in(6) ? RLX : NA;
}
static int field(int reg, int f)
{
    return PLACE_FIELD + reg * FIELDS + f;
}

/* What a loop may look at in passing. */
static void look(void)
{
    if (!has(F_look) || one_in(2))
        return;
    switch (below(6)) {
    case 0:
        store(6 + (int)below(2), plain_order(), 1 + (int)below(2));
        break;
    case 1:
        if (has(F_node)) {
            load(field(4 + (int)below(2), 0), plain_order(), 2);
            break;
        } /* fall through */
    case 2:
    case 3:
        load(6 + (int)below(2), plain_order(), 2);
        break;
    case 4:
        load(cell(), pick(OP_LOAD), 2);
        break;
    default:
        if (has(F_lock)) {
            emit(OP_LOCK)->place = (uint8_t)below(2);
            load(6, NA, 2);
            emit(OP_UNLOCK);
        }
    }
}

/* The end of a loop that goes on until REG is NUMBER, or is not: what failing rounds alone look at
 * comes before. */
static void until(int reg, bool equal, int number)
{
    if (has(F_look) && one_in(2)) {
        condition(OP_BREAK, reg, equal, number);
        look();
        if (one_in(3))
            look();
        if (one_in(2)) /* what a compiler would not keep */
            for (int r = 0; r < 3; r++)
                if (r != reg)
                    emit(OP_SET)->reg = (int8_t)r;
    }
    condition(OP_UNTIL, reg, equal, number);
}

static void take_node(int reg)
{
    with_register(has(F_lent) && one_in(2) ? (one_in(2) ? OP_STACK : OP_TLS)
                  : one_in(3)              ? OP_OWN
                                           : OP_NEW,
                  reg);
}

static void simple(void);
static void statement(int depth);

static void block(int depth)
{
    for (unsigned n = 1 + below(2); n; n--)
        depth > 0 && one_in(3) ? statement(depth - 1) : simple();
}

static void simple(void)
{
    int r = number_register();
    Value expected = {-1, (int8_t)below(2)}, desired = {-1, (int8_t)(1 + below(2))};
    switch (below(10)) {
    case 0:
    case 1:
        load(cell(), pick(OP_LOAD), r);
        return;
    case 2:
    case 3:
        store(cell(), pick(OP_STORE), (int)below(3));
        return;
    case 4:
        if (has(F_rmw)) {
            one_in(2) ? add(cell(), 1, one_in(3) ? -1 : r) : exchange(cell(), (int)below(3), r);
            return;
        } /* fall through */
    case 5:
        if (has(F_cas)) {
            compare(cell(), expected, desired, r, 3);
            return;
        } /* fall through */
    case 6:
        if (has(F_fence)) {
            emit(OP_FENCE)->order =
                (uint8_t)(now.orders == 1 ? SC : (uint8_t[]){ACQ, REL, AR, SC}[below(4)]);
            return;
        } /* fall through */
    case 7:
        if (has(F_plain)) {
            if (one_in(2))
                load(6 + (int)below(2), plain_order(), r);
            else
                store(6 + (int)below(2), plain_order(), 1 + (int)below(2));
            return;
        } /* fall through */
    case 8:
        if (one_in(2)) {
            Step *s = access(OP_STORE, cell(), pick(OP_STORE));
            s->value = (Value){(int8_t)r, (int8_t)below(2)};
            return;
        } /* fall through */
    default:
        load(cell(), pick(OP_LOAD), r);
    }
}

static void retry(void)
{
    int c = cell();
    bool again = one_in(2);
    Value desired = one_in(2) ? (Value){0, 1} : (Value){-1, (int8_t)below(3)};
    if (!again)
        load(c, pick(OP_LOAD), 0);
    emit(OP_LOOP);
    if (again)
        load(c, pick(OP_LOAD), 0);
    look();
    if (one_in(3))
        condition(OP_BREAK, 0, true, (int)below(3));
    compare(c, (Value){0, 0}, desired, again ? 1 : 0, 3);
    until(3, true, 1);
}

static void await(void)
{
    int c = cell();
    emit(OP_LOOP);
    if (one_in(4))
        look();
    load(c, pick(OP_LOAD), 0);
    look();
    if (one_in(5))
        condition(OP_BREAK, 0, true, 2);
    bool equal = one_in(3);
    until(0, equal, equal ? (int)below(3) : (int)below(2));
}

static void section(int depth)
{
    int c = cell();
    bool own = one_in(3);
    emit(OP_LOOP);
    if (own) {
        emit(OP_LOOP);
        exchange(3, 1, 1);
        condition(OP_UNTIL, 1, true, 0);
    } else {
        emit(OP_LOCK)->place = (uint8_t)below(2);
    }
    load(one_in(4) ? 6 : c, one_in(4) ? NA : pick(OP_LOAD), 0);
    look();
    if (own)
        store(3, one_in(4) ? RLX : REL, 0);
    else
        emit(OP_UNLOCK);
    if (depth && one_in(4))
        simple();
    until(0, false, 0);
}

static void counter(void)
{
    int c = 3, flag = (int)below(2), step = one_in(4) ? 2 : 1;
    emit(OP_LOOP);
    add(c, step, one_in(5) ? 1 : -1);
    load(flag, pick(OP_LOAD), 0);
    look();
    if (one_in(3))
        condition(OP_BREAK, 0, false, 0);
    add(c, -step, one_in(5) ? 1 : -1);
    until(0, false, 0);
}

static void push(void)
{
    int top = 4 + (int)below(2);
    if (one_in(3))
        take_node(4);
    else
        with_register(OP_NEW, 4);
    store(field(4, 0), plain_order(), 1 + (int)below(2));
    load(top, pick(OP_LOAD), 5);
    emit(OP_LOOP);
    store_register(field(4, 1), plain_order(), 5);
    compare(top, (Value){5, 0}, (Value){4, 0}, 5, 3);
    condition(OP_UNTIL, 3, true, 1);
}

static void pop(void)
{
    int top = 4 + (int)below(2);
    emit(OP_LOOP);
    load(top, pick(OP_LOAD), 4);
    condition(OP_BREAK, 4, true, 0);
    load(field(4, 1), plain_order(), 5);
    compare(top, (Value){4, 0}, (Value){5, 0}, one_in(2) ? 4 : 5, 3);
    until(3, true, 1);
    switch (below(4)) {
    case 0:
        load(field(4, 0), plain_order(), 1);
        break;
    case 1:
        store(field(4, 0), plain_order(), 3);
        break;
    case 2:
        if (has(F_free))
            with_register(OP_FREE, 4);
        break;
    default:
        store_register(4 + (int)below(2), pick(OP_STORE), 4);
    }
}

static void use_node(void)
{
    int top = 4 + (int)below(2), reg = 4 + (int)below(2);
    switch (below(5)) {
    case 0:
        take_node(4);
        store(field(4, 0), plain_order(), 1 + (int)below(2));
        store_register(top, pick(OP_STORE), 4);
        return;
    case 1:
        load(top, pick(OP_LOAD), reg);
        load(field(reg, 0), plain_order(), number_register());
        return;
    case 2:
        load(top, pick(OP_LOAD), reg);
        store(field(reg, 0), plain_order(), 1 + (int)below(3));
        return;
    case 3:
        exchange(top, 0, reg);
        if (has(F_free))
            with_register(OP_FREE, reg);
        return;
    default:
        emit(OP_LOOP);
        load(top, pick(OP_LOAD), reg);
        until(reg, false, 0);
        load(field(reg, (int)below(1)), plain_order(), 1);
    }
}

/* Waits for a value of a cell, looks elsewhere and reads the cell again until the value is still
 * there; or, beside that, gives the cell values that come back. (`returning') */
static void again(void)
{
    int x = cell();
    int value = (int)below(2);
    if (one_in(2)) {
        for (unsigned n = 2 + below(3); n; n--)
            one_in(3) && has(F_rmw) ? exchange(x, (int)below(3), 3)
                                    : store(x, pick(OP_STORE), (int)below(3));
        return;
    }
    if (one_in(2)) { /* whatever the value was */
        int y = cell();
        emit(OP_LOOP);
        load(x, pick(OP_LOAD), 0);
        load(y, pick(OP_LOAD), 1);
        if (one_in(2))
            load(y, pick(OP_LOAD), 1);
        load(x, pick(OP_LOAD), 2);
        condition(OP_UNTIL, 2, true, 0);
        now.code->step[now.code->length - 1].value.reg = 0;
        return;
    }
    emit(OP_LOOP);
    emit(OP_LOOP);
    load(x, pick(OP_LOAD), 0);
    until(0, true, value);
    load(cell(), pick(OP_LOAD), 1);
    load(x, pick(OP_LOAD), 2);
    until(2, true, value);
}

/* Makes itself the last one of a queue of one cell, and leaves it by a compare-exchange; if that
 * fails it waits for whoever has come. (`doomed', `lost') */
static void leave(void)
{
    int x = cell(), y = cell(), mine = 1 + (int)below(3), order = pick(OP_LOAD);
    bool looks = one_in(2);
    exchange(x, mine, one_in(2) ? -1 : 2);
    if (one_in(2)) {
        store(y, pick(OP_STORE), 1);
        return;
    }
    if (looks) {
        load(y, order, 1);
        condition(OP_IF, 1, true, 0);
    }
    compare(x, (Value){-1, (int8_t)mine}, (Value){-1, 0}, one_in(2) ? -1 : 0, 3);
    condition(OP_IF, 3, true, 0);
    bool again = one_in(2);
    if (again)
        emit(OP_LOOP);
    emit(OP_LOOP);
    load(y, order, 1);
    until(1, false, 0);
    if (again) {
        load(y, order, 1);
        condition(OP_UNTIL, 1, false, 0);
    }
    emit(OP_END);
    if (looks)
        emit(OP_END);
}

static void statement(int depth)
{
    Step *s;
    if (!is_room(14))
        return;
    int feature = F_COUNT;
    for (int tries = one_in(3) ? 0 : 40; tries && (feature == F_COUNT || !has(feature)); tries--)
        feature = (int)below(F_COUNT);
    if (feature == F_COUNT || !has(feature)) {
        simple();
        return;
    }
    switch (feature) {
    case F_lock:
        emit(OP_LOCK)->place = (uint8_t)below(2);
        block(depth);
        emit(OP_UNLOCK);
        return;
    case F_try: {
        bool repeats = has(F_await) && one_in(2);
        if (repeats)
            emit(OP_LOOP);
        if (repeats && one_in(3))
            load(cell(), pick(OP_LOAD), 1);
        s = emit(one_in(4) ? OP_TIMED : OP_TRY);
        s->place = (uint8_t)below(2), s->reg = 3;
        simple();
        emit(OP_UNLOCK);
        if (repeats)
            until(3, true, 1);
        return;
    }
    case F_await:
        await();
        return;
    case F_retry:
        retry();
        return;
    case F_section:
        section(depth);
        return;
    case F_counter:
        counter();
        return;
    case F_spin:
        emit(OP_LOOP);
        exchange(3, 1, 1);
        until(1, true, 0);
        block(0);
        store(3, one_in(4) ? RLX : REL, 0);
        return;
    case F_for:
        s = emit(OP_FOR);
        s->reg = 3, s->value.number = 2;
        if (one_in(2)) {
            load(cell(), pick(OP_LOAD), 0);
            condition(OP_BREAK, 0, one_in(2), (int)below(2));
        } else {
            if (has(F_rmw))
                add(cell(), 1, 0);
            else
                store(cell(), pick(OP_STORE), 1);
        }
        emit(OP_NEXT);
        return;
    case F_if:
        condition(OP_IF, number_register(), one_in(2), (int)below(2));
        block(depth);
        emit(OP_END);
        return;
    case F_node:
        use_node();
        return;
    case F_stack:
        one_in(2) ? push() : pop();
        return;
    case F_barrier:
        emit(OP_BARRIER);
        return;
    case F_again:
        again();
        return;
    case F_leave:
        leave();
        return;
    case F_assert:
        condition(OP_ASSERT, number_register(), false, 2 + (int)below(2));
        return;
    default:
        simple();
    }
}

static void begin_code(Code *code)
{
    now.code = code;
    code->length = 0;
}

static void main_code(Program *p, bool tells)
{
    bool joins_all = !one_in(5);
    begin_code(&p->thread[0]);
    if (one_in(4))
        simple();
    for (int t = 1; t < p->threads; t++) {
        Step *s = emit(OP_CREATE);
        s->place = (uint8_t)t;
        if (one_in(8) && p->threads < 4)
            simple();
    }
    if (one_in(6) && p->threads < 4)
        statement(0);
    bool all = true;
    for (int t = 1; t < p->threads; t++) {
        if (!joins_all && one_in(2)) {
            all = false;
            continue;
        }
        emit(OP_JOIN)->place = (uint8_t)t;
    }
    if (all && one_in(5))
        simple();
    if (all && tells)
        emit(OP_TELL);
}

void generate_program(uint64_t seed, int size, const char *features, Program *p)
{
    do {
        seed++;
        state = seed * 0xD1342543DE82EF95u;
        memset(p, 0, sizeof *p);
        now.has = 0;
        for (int f = 0; f < F_COUNT; f++)
            now.has |= (uint32_t)(one_in(3) && !(features && strstr(features, "only"))) << f;
        for (int f = 0; features && f < F_COUNT; f++)
            if (strstr(features, feature_names[f]))
                now.has |= 1u << f;
        now.orders = (int)below(6);
        now.cells = 1 + (int)below(3);
        p->threads = one_in(3) ? 4 : 3;
        bool tells = !one_in(3), equal = now.has >> F_equal & 1;
        unsigned most = (unsigned)size + (p->threads == 3);
        for (int t = 1; t < p->threads; t++) {
            begin_code(&p->thread[t]);
            if (equal && t > 1 && !one_in(4)) {
                p->thread[t] = p->thread[t - 1];
                continue;
            }
            for (unsigned n = 1 + below(most); n; n--)
                statement(1);
            if (tells)
                emit(OP_TELL);
        }
        main_code(p, tells);
        for (int t = 0; t < p->threads; t++)
            if (!program_link(&p->thread[t]))
                p->threads = 0;
        seed += 1ull << 40;
    } while (!generate_is_valid(p));
}

/* ---- all small ones ---- */

static const char *const small[] = {
    "st.rlx a 1",
    "st.rel a 1",
    "st.rel a 2",
    "st.rlx a 0",
    "ld.acq a r0",
    "ld.rlx b r1",
    "st.rel b 1",
    "st.rel b 2",
    "st.rel b 0",
    "add.ar a 1 r0",
    "add.rlx a -1 -",
    "xchg.ar a 1 r0",
    "xchg.rlx b 0 r1",
    "cas.ar.acq a 0 1 r0 r3",
    "cas.ar.rlx a 1 0 r1 r3",
    "weak.ar.rlx b 0 2 r1 r3",
    "fence.sc",
    "fence.acq",
    "fence.rel",
    "st.na x 1",
    "ld.na x r2",
    "st.vol x 2",
    "ld.vol y r2",
    "loop { ld.acq a r0 } r0!0",
    "loop { ld.rlx b r1 } r1=1",
    "loop { ld.rlx a r0 } r0=0",
    "loop { ld.acq a r0; ld.na x r2 } r0!0",
    "loop { ld.acq a r0; break r0!0; ld.na x r2 } r0!0",
    "loop { ld.acq a r0; break r0!0; st.na x 1 } r0!0",
    "loop { ld.rlx a r0; break r0!0; ld.rlx x r2 } r0!0",
    "loop { ld.acq a r0; ld.acq b r1 } r1!0",
    "loop { xchg.ar b 1 r1 } r1=0",
    "loop { xchg.ar b 1 r1; break r1=0; ld.na x r2 } r1=0",
    "loop { xchg.ar b 1 r1 } r1=0; st.na x 1; st.rel b 0",
    "loop { xchg.rlx b 1 r1 } r1=0; ld.acq a r0; st.rlx b 0",
    "loop { loop { xchg.ar b 1 r1 } r1=0; ld.acq a r0; st.rel b 0 } r0!0",
    "loop { loop { xchg.rlx b 1 r1 } r1=0; ld.rlx a r0; st.rlx b 0 } r0!0",
    "loop { loop { cas.acq.rlx b 0 1 r1 r3 } r3=1; ld.acq a r0; st.rel b 0 } r0!0",
    "lock m { ld.na x r2 }",
    "lock m { st.na x 1 }",
    "lock m { add.rlx a 1 r0 }",
    "lock m { ld.rlx b r1; st.rlx b r1+1 }",
    "loop { lock m { ld.rlx a r0 } } r0!0",
    "loop { lock m { ld.na x r0 } } r0!0",
    "loop { lock m { ld.rlx a r0; ld.na x r2 } } r0!0",
    "loop { lock m { ld.rlx a r0 }; break r0!0; ld.na x r2 } r0!0",
    "loop { lock m { ld.rlx a r0; st.na x 1 } } r0!0",
    "try m r3 { st.na x 1 }",
    "try m r3 { }",
    "loop { try m r3 { ld.rlx a r0 } } r3=1",
    "loop { try m r3 { }; break r3=1; ld.na x r2 } r3=1",
    "loop { ld.acq a r0; break r0!0; try m r3 { ld.rlx b r1 } } r0!0",
    "ld.acq a r0; loop { cas.ar.acq a r0 r0+1 r0 r3 } r3=1",
    "ld.rlx a r0; loop { cas.rlx.rlx a r0 2 r0 r3 } r3=1",
    "loop { ld.acq a r0; ld.na x r2; cas.ar.rlx a r0 0 r1 r3 } r3=1",
    "loop { ld.acq a r0; ld.rlx b r1; cas.ar.rlx a r0 r1 r2 r3 } r3=1",
    "loop { ld.acq a r0; break r0=0; cas.ar.rlx a r0 0 r1 r3 } r3=1",
    "loop { ld.acq a r0; ld.rlx b r1; break r1=1; cas.ar.acq a r0 r0+1 r2 r3 } r3=1",
    "loop { ld.acq a r0; cas.ar.rlx a r0 1 r1 r3; break r3=1; ld.na x r2 } r3=1",
    "loop { ld.sc a r0; ld.sc b r1; cas.sc.sc a r0 2 r2 r3 } r3=1",
    "loop { cas.acq.rlx a 1 2 r0 r3 } r3=1",
    "for r3 2 { ld.acq a r0; break r0!0 }",
    "for r3 2 { cas.ar.rlx a 0 1 r0 r1; break r1=1 }",
    "loop { add.ar b 1 -; ld.acq a r0; add.ar b -1 - } r0!0",
    "loop { add.ar b 1 -; ld.acq a r0; break r0!0; add.ar b -1 - } r0!0",
    "loop { ld.acq b r1 } r1=0",
    "add.ar b 1 -; add.ar b -1 -",
    "add.ar b 2 r1; add.ar b -2 -",
    "if r0!0 { st.na x 1 }",
    "if r3=1 { st.na x 1 }",
    "if r0=2 { st.rel b 1 }",
    "if r1=1 { st.rel a 2 }",
    "if r3=0 { ld.acq b r1 }",
    "new r4; st.na r4.v 1; st.rel p r4",
    "own r4; st.na r4.v 1; ld.rlx p r5; loop { st.na r4.n r5; cas.rel.rlx p r5 r4 r5 r3 } r3=1",
    "new r4; ld.acq p r5; loop { st.na r4.n r5; cas.ar.acq p r5 r4 r5 r3 } r3=1",
    "ld.acq p r5; ld.na r5.v r1",
    "xchg.ar p 0 r4; free r4",
    "xchg.acq p 0 r4; st.na r4.v 2",
    "loop { ld.acq p r5 } r5!0; ld.na r5.v r1",
    "loop { ld.acq p r4; break r4=0; ld.na r4.n r5; cas.ar.rlx p r4 r5 r5 r3 } r3=1",
    "loop { ld.acq p r4; break r4=0; ld.rlx r4.n r5; cas.acq.rlx p r4 r5 r5 r3 } r3=1",
    "st.na r4.v 3",
    "st.na r4.n 0",
    "free r4",
    "st.rel p r4",
    "loop { ld.acq p r4; break r4=0; ld.na r4.v r1; cas.ar.acq p r4 0 r5 r3 } r3=1",
    "lent.stack r4; st.na r4.v 1; st.rel p r4",
    "barrier",
    "assert r0!2",
    "st.na y 1",
    "ld.na y r2",
    /* a value that is read, and read again until it is still there */
    "loop { ld.sc a r0; ld.sc b r1; ld.sc b r1; ld.sc a r2 } r2=r0; st.sc b 2",
    "loop { ld.sc a r0; ld.sc b r1; ld.sc a r2 } r2=r0",
    "loop { ld.acq a r0; ld.acq b r1; ld.acq a r2 } r2=r0; add.ar a 1 -",
    "loop { ld.rlx a r0; ld.rlx b r1; fence.acq; ld.rlx a r2 } r2=r0; if r1=1 { st.na x 1 }",
    "loop { ld.acq a r0; ld.acq b r1; ld.acq c r1; ld.acq a r2; break r2!r0; cas.ar.acq a r0 r0+1 "
    "r2 r3 } r3=1",
    "loop { ld.acq a r0; cas.ar.rlx b 3 1 r1 r3; ld.acq a r2 } r2=r0",
    "loop { ld.acq a r0; fence.rel; ld.acq b r1; add.ar a 0 r2 } r2=r0",
    "st.sc a 1; ld.sc b r0; ld.sc b r0; add.sc b 1 -",
    "loop { loop { ld.acq a r0 } r0=0; ld.acq b r1; ld.acq a r2 } r2=0",
    "loop { loop { ld.sc a r0 } r0=1; ld.sc b r1; ld.sc a r2 } r2=1",
    "loop { ld.sc a r0; break r0=1; ld.sc b -; ld.sc a r2 } r2=1",
    "loop { loop { ld.rlx a r0 } r0=0; ld.rlx b r1; fence.acq; ld.rlx a r2 } r2=0",
    "loop { loop { ld.acq a r0 } r0!0; ld.acq b -; fence.sc; ld.acq a r2 } r2=1",
    "loop { ld.acq a r0; ld.acq b r1; add.ar a 0 r2 } r2=0",
    "loop { ld.rlx a r0; ld.acq b r1; cas.ar.acq a 1 r1 r2 r3; set r1 0; set r2 0 } r3=1",
    "loop { ld.rlx a r0; ld.rlx b r1; cas.acq.rlx a r0 r1 - r3; set r1 0 } r3=1",
    "loop { ld.sc a r0; ld.rlx b r1; break r1=1; cas.sc.sc a r0 2 - r3; set r1 0 } r3=1",
    "loop { ld.acq a r0; ld.acq b r1; break r1=1; ld.acq a r2; break r2=0; ld.acq b r1; "
    "cas.ar.acq a r0 0 - r3 } r3=1",
    "loop { ld.acq a r0; ld.acq b -; xchg.ar a 1 r2; break r2=0; ld.na x r2 } r2=0",
    /* who leaves a queue of one */
    "xchg.ar a 1 -; loop { ld.acq b r1; break r1!0; cas.ar.acq a 1 0 - r3 } r3=1",
    "xchg.ar a 2 -; loop { ld.rlx b r1; break r1!0; cas.rlx.rlx a 2 0 - r3 } r3=1",
    "xchg.ar a 1 -; loop { ld.acq b r1; break r1!0; ld.na x r2; cas.ar.acq a 1 0 - r3 } r3=1",
    "xchg.ar a 1 -; loop { ld.acq b r1; break r1!0; cas.ar.acq a 1 0 r2 r3; if r2=2 { st.rlx c 1 } "
    "} r3=1",
    "xchg.ar a 2 r0; if r0!0 { st.rel b 1 }",
    "xchg.ar a 1 -; ld.acq b r1; if r1=0 { cas.ar.acq a 1 0 - r3; if r3=0 { loop { loop { ld.acq b "
    "r1 } r1!0; ld.acq b r1 } r1!0 } }",
    "xchg.ar a 1 -; ld.rlx b r1; if r1=0 { cas.rlx.rlx a 1 0 - r3; if r3=0 { loop { ld.acq b r1; "
    "break r1!0; ld.acq c r1 } r1!0 } }; st.rel b 2",
    "xchg.ar a 3 r0; if r0=1 { st.rlx b 1 }",
    /* values that come twice */
    "st.sc a 1; st.sc a 0",
    "st.rlx a 2; st.rlx b 1; st.rlx a 0",
    "xchg.sc a 1 r0; xchg.sc a 0 r1",
    "st.rlx c 1; st.sc b 1",
    "ld.rlx c r0; if r0=1 { ld.na x r2 }",
    "st.na x 1; st.rlx c 1",
    "loop { xchg.acq b 1 r1; ld.rlx a r0; st.rlx b 0 } r0!0",
    "loop { xchg.rlx b 1 r1; ld.rlx a r0; st.rel b 0 } r0!0",
    "loop { add.ar b 1 r1; ld.acq a r0; add.ar b -1 -; if r1=1 { st.na x 1 } } r0!0",
    "loop { ld.acq b r1; break r1=1; ld.na y r2 } r1=1",
    "loop { lock m { st.na x 1; ld.acq a r0; st.na x 0 } } r0!0",
    "loop { lock m { lock k { ld.acq a r0 } } } r0!0",
    "try k r3 { st.rel a 1 }",
    "loop { try m r3 { } } r3=0; st.rel a 1",
    /* rounds with something of their own: nodes, and cells that nobody else writes */
    "loop { new r4; ld.acq a r0; free r4 } r0!0",
    "loop { new r4; st.na r4.v 1; ld.acq a r0; ld.na r4.v r1; free r4; set r4 0 } r0!0",
    "loop { ld.acq a r0; break r0!0; free r4; new r4; st.na r4.v 2 } r0!0",
    "loop { new r4; ld.acq p r5; st.na r4.n r5; cas.ar.acq p r5 r4 - r3; break r3=1; free r4 } "
    "r3=1",
    "loop { new r5; ld.acq a r0; st.na r5.v r1+1; ld.na r5.v r1; free r5; set r5 0 } r0!0",
    "loop { ld.acq a r0; st.rel c 1 } r0!0",
    "loop { ld.acq a r0; st.rlx c 1; st.rlx c 0 } r0!0",
    "loop { st.rlx c 1; ld.rlx a r0; st.rlx c 0 } r0!0",
    "loop { ld.acq a r0; xchg.ar c 1 -; xchg.ar c 0 - } r0!0",
    "loop { ld.acq a r0; st.na x 1; st.rel c 1; st.na x 0 } r0!0",
    "loop { lent.stack r4; ld.acq a r0; st.sc r4.v r0; ld.sc r4.v r1 } r1!0",
    "ld.acq c r1; ld.na x r2",
    "ld.rlx c r1; ld.rlx c r2",
    "loop { ld.acq c r1 } r1=1; ld.na x r2; st.rel a 1",
    "loop { ld.rlx c r1 } r1=0",
    "st.rlx c 2",
    /* plain writes before and after a fence */
    "st.na x 0; fence.rel; loop { ld.rlx a r0; break r0!0; st.na x 0 } r0!0; st.rlx b 1",
    "new r4; fence.sc; loop { ld.acq a r0; break r0!0; st.na r4.v 0 } r0!0; st.rlx p r4",
    "ld.acq b r0; if r0=1 { ld.na x r2 }",
    "ld.acq p r4; ld.na r4.v r1",
    /* who stores to a lock without having taken it */
    "loop { xchg.ar b 1 r1; ld.acq a r0; st.rel b r1 } r0!0",
    "loop { ld.acq b r3 } r3=2; st.rel a 1",
    "st.rel b 2",
    /* two locks, the second one tried */
    "loop { lock m { try k r3 { st.na x 1 } } } r3=1",
    "loop { lock k { try m r3 { ld.na x r2 } } } r3=1",
    "loop { lock k { try m r3 { st.rlx c 2 } } } r3=1",
    "loop { lock m { try k r3 { } }; break r3=1; lock k { try m r3 { } } } r3=1",
    /* who counts itself in goes on if few are there, else out and in again */
    "set r1 3; loop { add.ar b 1 r1; break r1=0; add.ar b -1 -; set r1 3 } r1=0; st.na x 1; "
    "add.ar b -1 -",
    "set r1 3; loop { add.acq b 1 r1; break r1=0; add.rel b -1 -; set r1 3 } r1=0; ld.na x r2; "
    "add.rel b -1 -",
    "set r1 3; loop { add.ar b 1 r1; break r1=0; break r1=1; add.ar b -1 -; set r1 3 } r1=0; "
    "st.rlx c 1; add.ar b -1 -",
    "set r1 3; loop { add.rlx b 1 r1; break r1=0; add.rlx b -1 -; set r1 3 } r1=0; st.rel a 1",
    "set r1 3; loop { add.ar b 1 r1; break r1=0; ld.na x r2; add.ar b -1 -; set r1 3 } r1=0; "
    "add.ar b -1 -",
    "set r1 3; loop { add.ar b 1 r1; break r1=1; add.ar b -1 -; set r1 3 } r1=1; st.rel a 1; "
    "add.ar b -1 -",
};
enum { SMALL = sizeof small / sizeof small[0] };

void generate_from_words(uint64_t seed, int size, Program *p)
{
    char text[8192], *at;
    do {
        state = seed * 0xD1342543DE82EF95u + 77;
        seed += 1ull << 40;
        int threads = one_in(3) ? 3 : 2;
        bool begins = one_in(3), joins = !one_in(5);
        at = text;
        if (begins) /* a node is there, or a value */
            at += sprintf(at, "%s; ",
                          (const char *[]){"new r4; st.rel p r4",
                                           "own r4; new r5; st.na r4.n r5; st.rel p r4",
                                           "st.rlx a 1"}[below(3)]);
        for (int t = 1; t <= threads; t++)
            at += sprintf(at, "create %d; ", t);
        for (int t = 1; t <= threads && joins; t++)
            at += sprintf(at, "join %d; ", t);
        bool tells = one_in(2);
        if (tells && joins)
            at += sprintf(at, "tell");
        char *last = at;
        for (int t = 0; t < threads; t++) {
            char *now_at = at;
            at += sprintf(at, " | ");
            if (t && one_in(8)) { /* like the one before */
                int bytes = (int)(now_at - last);
                memmove(now_at, last, (size_t)bytes);
                at = now_at + bytes;
                *at = 0;
                last = now_at;
                continue;
            }
            for (unsigned n = 1 + below((unsigned)size); n; n--)
                at += sprintf(at, "%s; ", small[below(SMALL)]);
            if (tells)
                at += sprintf(at, "tell");
            last = now_at;
        }
    } while (program_parse(text, p) || !generate_is_valid(p));
}

uint64_t generate_small_count(int threads, int length)
{
    uint64_t n = 1;
    for (int i = 0; i < threads * length; i++)
        n *= SMALL;
    return n;
}

bool generate_small(uint64_t n, int threads, int length, Program *p, bool *canonical)
{
    char text[4096], *at = text;
    uint64_t last = 0;
    *canonical = true;
    if (n >= generate_small_count(threads, length))
        return false;
    for (int t = 1; t <= threads; t++)
        at += sprintf(at, "create %d; ", t);
    for (int t = 1; t <= threads; t++)
        at += sprintf(at, "join %d; ", t);
    at += sprintf(at, "tell");
    for (int t = 0; t < threads; t++) {
        uint64_t own = 0;
        at += sprintf(at, " | ");
        for (int i = 0; i < length; i++, n /= SMALL) {
            own = own * SMALL + n % SMALL;
            at += sprintf(at, "%s; ", small[n % SMALL]);
        }
        at += sprintf(at, "tell");
        *canonical &= own >= last; /* threads in order of what they do */
        last = own;
    }
    if (program_parse(text, p))
        abort();
    return true;
}

/* ---- what is valid, and what is smaller ---- */

bool generate_is_valid(const Program *p)
{
    uint32_t created = 0, joined = 0;
    int next = 1;
    if (p->threads < 2)
        return false;
    for (int t = 0; t < p->threads; t++)
        for (int i = 0, depth = 0; i < p->thread[t].length; i++) {
            const Step *s = &p->thread[t].step[i];
            depth += opens_block(s->op) - closes_block(s->op);
            if (s->op == OP_CREATE || s->op == OP_JOIN) {
                uint32_t bit = 1u << s->place;
                if (t || depth || s->place >= p->threads ||
                    (s->op == OP_CREATE && s->place != next++) ||
                    (s->op == OP_JOIN && (!(created & bit) || joined & bit)))
                    return false;
                *(s->op == OP_CREATE ? &created : &joined) |= bit;
            }
            if (s->flag >= 0 && s->flag == s->reg) /* which of the two comes last? */
                return false;
            if (s->op == OP_TELL && (depth || (!t && joined != (1u << p->threads) - 2)))
                return false;
        }
    return created == (1u << p->threads) - 2;
}

static void remove_steps(Code *c, int from, int to)
{
    memmove(&c->step[from], &c->step[to], (size_t)(c->length - to) * sizeof c->step[0]);
    c->length -= to - from;
}

static bool remove_thread(Program *p, int t)
{
    for (int u = t; u + 1 < p->threads; u++)
        p->thread[u] = p->thread[u + 1];
    p->threads--;
    Code *c = &p->thread[0];
    for (int i = c->length - 1; i >= 0; i--) {
        Step *s = &c->step[i];
        if ((s->op == OP_CREATE || s->op == OP_JOIN) && s->place == t)
            remove_steps(c, i, i + 1);
        else if ((s->op == OP_CREATE || s->op == OP_JOIN) && s->place > t)
            s->place--;
    }
    return true;
}

/* A weaker variant of step S: number 0 to 2; false: there is none. */
static bool weaken(Step *s, int n)
{
    if (n == 0 && s->op == OP_WEAK) {
        s->op = OP_CAS;
        return true;
    }
    if (n == 1 && (s->op == OP_TIMED)) {
        s->op = OP_TRY;
        return true;
    }
    if (n == 2 && is_access(s->op) && s->order == VOL) {
        s->order = RLX;
        return true;
    }
    return false;
}

bool generate_shrink(const Program *p, int n, Program *q)
{
    for (int t = 1; t < p->threads; t++, n--)
        if (!n) {
            *q = *p;
            remove_thread(q, t);
            return true;
        }
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->thread[t].length; i++) {
            int op = p->thread[t].step[i].op;
            if (op == OP_CREATE || closes_block(op))
                continue;
            for (int way = 0; way < 5; way++, n--)
                if (!n) {
                    *q = *p;
                    Code *c = &q->thread[t];
                    int end = opens_block(op) ? c->step[i].to : i;
                    if (way == 0) {
                        remove_steps(c, i, end + 1);
                    } else if (way == 1 && opens_block(op)) { /* the brackets alone */
                        remove_steps(c, end, end + 1);
                        remove_steps(c, i, i + 1);
                    } else if (way < 2 || !weaken(&c->step[i], way - 2)) {
                        q->threads = 0; /* not valid */
                    }
                    for (int u = 0; u < q->threads; u++)
                        if (!program_link(&q->thread[u]))
                            q->threads = 0;
                    return true;
                }
        }
    return false;
}

/* ---- what is near ---- */

static void insert_steps(Code *c, int at, const Code *steps)
{
    if (c->length + steps->length > STEPS)
        return;
    memmove(&c->step[at + steps->length], &c->step[at],
            (size_t)(c->length - at) * sizeof c->step[0]);
    memcpy(&c->step[at], steps->step, (size_t)steps->length * sizeof c->step[0]);
    c->length += steps->length;
}

/* A word of `small', or a statement. */
static void draw_steps(Code *to)
{
    char text[400];
    Program p;
    begin_code(to);
    if (one_in(3)) {
        now.has = (uint32_t)(state >> 11);
        now.orders = (int)below(6), now.cells = 1 + (int)below(3);
        statement(1);
        return;
    }
    snprintf(text, sizeof text, "| %s", small[below(SMALL)]);
    if (program_parse(text, &p))
        abort();
    *to = p.thread[1];
}

static void change_value(Value *v)
{
    if (v->reg >= 0 && one_in(2))
        v->reg = (int8_t)(v->reg < FIRST_POINTER ? below(4) : FIRST_POINTER + below(2));
    else
        v->number = (int8_t)(v->number + (one_in(2) ? 1 : -1));
}

static void change_step(Step *s)
{
    static const uint8_t loads[] = {RLX, ACQ, SC, NA, VOL}, stores[] = {RLX, REL, SC, NA, VOL},
                         both[] = {RLX, ACQ, REL, AR, SC};
    bool access = is_access(s->op);
    switch (below(5)) {
    case 0:
        if (access)
            s->order = (s->op == OP_LOAD ? loads : s->op == OP_STORE ? stores : both)[below(5)];
        if (s->order == NA && s->op == OP_STORE && s->place < 6) /* it would be in no outcome */
            s->order = RLX;
        if (s->op == OP_CAS || s->op == OP_WEAK)
            s->failure = loads[below(3)];
        break;
    case 1:
        if (access && s->place < VARIABLES && !holds_pointers(s->place))
            s->place = (uint8_t)(s->order == NA || one_in(5) ? 6 + below(2) : below(3));
        if (s->op == OP_LOCK || s->op == OP_TRY || s->op == OP_TIMED)
            s->place = (uint8_t)below(MUTEXES);
        break;
    case 2:
        change_value(&s->value);
        if (access)
            s->value.number = (int8_t)(s->value.number & 3);
        break;
    case 3:
        if (s->op == OP_CAS || s->op == OP_WEAK)
            change_value(&s->expected);
        else if (!access && s->reg >= 0 && s->reg < FIRST_POINTER)
            s->equal = !s->equal;
        break;
    default:
        if (s->reg >= 0 && s->reg < FIRST_POINTER)
            s->reg = (int8_t)below(4);
    }
    if (s->op == OP_ADD && s->value.number == 3)
        s->value.number = -1;
}

static void change(Program *q)
{
    int t = one_in(6) ? 0 : 1 + (int)below((unsigned)q->threads - 1);
    Code *c = &q->thread[t], steps;
    int at = (int)below((unsigned)c->length + 1), u;
    switch (below(8)) {
    case 0: /* a thread more, or one like another */
        if (!one_in(3) || q->threads == THREADS || q->threads > 4)
            break;
        q->thread[q->threads] = q->thread[t ? t : 1];
        insert_steps(&q->thread[0], q->threads - 1,
                     &(Code){.step = {{.op = OP_CREATE,
                                       .place = (uint8_t)q->threads,
                                       .reg = -1,
                                       .flag = -1,
                                       .value = {-1, 0},
                                       .expected = {-1, 0}}},
                             .length = 1});
        q->threads++;
        return;
    case 1:
        if (c->length) {
            at = (int)below((unsigned)c->length);
            int op = c->step[at].op;
            if (op != OP_CREATE && !opens_block(op) && !closes_block(op))
                remove_steps(c, at, at + 1);
            else if (opens_block(op) && one_in(2))
                remove_steps(c, at, c->step[at].to + 1);
        }
        return;
    case 2:
    case 3:
        draw_steps(&steps);
        insert_steps(c, at, &steps);
        return;
    case 4: /* from another thread */
        u = 1 + (int)below((unsigned)q->threads - 1);
        if (q->thread[u].length) {
            int from = (int)below((unsigned)q->thread[u].length), op = q->thread[u].step[from].op;
            steps.length = 0;
            if (closes_block(op))
                return;
            int to = opens_block(op) ? q->thread[u].step[from].to : from;
            memcpy(steps.step, &q->thread[u].step[from],
                   (size_t)(to + 1 - from) * sizeof steps.step[0]);
            steps.length = to + 1 - from;
            insert_steps(c, at, &steps);
        }
        return;
    default:
        if (c->length)
            change_step(&c->step[below((unsigned)c->length)]);
    }
}

void generate_near(uint64_t seed, const Program *p, Program *q)
{
    do {
        state = seed * 0xD1342543DE82EF95u + 99;
        seed += 1ull << 40;
        *q = *p;
        for (unsigned n = 1 + below(3); n && q->threads; n--) {
            change(q);
            for (int t = 0; t < q->threads; t++)
                if (!program_link(&q->thread[t])) {
                    q->threads = 0;
                    break;
                }
        }
    } while (!generate_is_valid(q));
}
