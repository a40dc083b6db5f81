/* campaign.c: random programs of imm.c, and what the engine says of load buffering in them, many in a process
 * (tests/random/server.h): campaign ENGINE TABLE SEED COUNT compares and prints what differs, then a row of numbers;
 * with `print' in place of ENGINE it prints the programs in the language of tests/random, which its driver makes C text
 * of, and with a third word `printed' ENGINE is that text, compiled. tests/suites/36_hardware.sh runs it. */
#define IMM_WITHOUT_MAIN
#include "imm.c"
#include "asked.h"

/* ---- a program of imm.c in the words of tests/random/program.h ---- */

static const char *order_of(const Op *op, int i, bool reads_only, bool writes_only)
{
    switch (op->order[i]) {
    case 'a':
        return "acq";
    case 'l':
        return "rel";
    case 'b':
        return reads_only ? "acq" : writes_only ? "rel" : "ar";
    case 's':
        return "sc";
    default:
        return "rlx";
    }
}

static char place_of(const Op *op, int i)
{
    return "abc"[op->location[i]];
}

/* The newest value is in r0. */
static char *tell_op(char *out, const Op *op)
{
    char value[3] = {op->operand};
    if (op->operand == '*')
        strcpy(value, "r0");
    switch (op->kind) {
    case 'L':
        return out + sprintf(out, "ld.%s %c r0", order_of(op, 0, true, false), place_of(op, 0));
    case 'S':
        return out + sprintf(out, "st.%s %c %s", order_of(op, 0, false, true), place_of(op, 0), value);
    case 'X':
        return out + sprintf(out, "xchg.%s %c 1 r0", order_of(op, 0, false, false), place_of(op, 0));
    case 'C':
        return out + sprintf(out, "cas.%s.%s %c 0 1 r0 r3", order_of(op, 0, false, false),
                             op->order[0] == 'l' ? "rlx" : order_of(op, 0, true, false), place_of(op, 0));
    case 'F':
        return out + sprintf(out, "fence.%s", order_of(op, 0, false, false));
    case 'A':
        return out + sprintf(out, "loop { ld.%s %c r1 } r1!0", order_of(op, 0, true, false), place_of(op, 0));
    case 'B':
        return out + sprintf(out, "loop { ld.%s %c r1; if r1=0 { ld.%s %c r2 } } r1!0",
                             order_of(op, 0, true, false), place_of(op, 0), order_of(op, 1, true, false), place_of(op, 1));
    case 'K':
        return out + sprintf(out, "lock m {");
    default:
        return out + sprintf(out, "}");
    }
}

/* TELLS: its threads tell their registers. */
static void tell_program(char *out, const Program *p, bool tells)
{
    for (int t = 1; t <= p->threads; t++)
        out += sprintf(out, "create %d; ", t);
    for (int t = 1; t <= p->threads; t++)
        out += sprintf(out, "join %d; ", t);
    for (int t = 0; t < p->threads; t++) {
        out += sprintf(out, "| ");
        for (int i = 0; i < p->count[t]; i++) {
            const Op *op = &p->op[t][i];
            bool skips = op->kind == 'I' && i + 1 < p->count[t];
            if (op->kind == 'I' && !skips)
                continue;
            if (skips)
                out += sprintf(out, "if r0=0 { ");
            out = tell_op(out, skips ? &p->op[t][++i] : op);
            out += sprintf(out, skips ? " } " : op->kind == 'K' ? " " : "; ");
        }
        if (tells)
            out += sprintf(out, "tell; ");
    }
}

typedef struct Row {
    long programs, without, waits, crashed;     /* WITHOUT an answer */
    long missed[2], noticed[2], silent[2], rest[2]; /* [1]: read-modify-writes are single instructions */
    long possible;                               /* of rest[0] */
} Row;

static void compare(const char *text, const Asked *a, const char *way, Row *row)
{
    row->programs++;
    row->crashed += a->how == ASKED_CRASHED;
    row->waits += a->how == ASKED_WAITS;
    row->without += a->how == ASKED_NO_ANSWER;
    if (a->how == ASKED_CRASHED)
        printf("CRASHED %s %s\n", way, text);
    if (a->how != ASKED_ANSWERED)
        return;
    for (int i = 0; i < 2; i++) {
        bool allowed = i ? answer[0] || answer[1] : answer[0], silent = i ? a->impossible_lse : a->impossible;
        if (allowed && silent)
            printf("MISSED %s%s %s\n", way, i ? " lse" : "", text);
        ++*(allowed ? silent ? &row->missed[i] : &row->noticed[i] : silent ? &row->silent[i] : &row->rest[i]);
        if (!i && !allowed && !silent) {
            row->possible += a->possible;
            if (getenv("SHOW_REST"))
                printf("%s %s %s\n", a->possible ? "possible" : "unknown", way, text);
        }
    }
}

static void print_row(const char *way, unsigned long long seed, const Row *r)
{
    printf("%s,%llu,%ld,%ld,%ld,%ld", way, seed, r->programs, r->waits, r->without, r->crashed);
    for (int i = 0; i < 2; i++)
        printf(",%ld,%ld,%ld,%ld", r->missed[i], r->noticed[i], r->silent[i], r->rest[i]);
    printf(",%ld\n", r->possible);
}

static Program told_program;
static long promised[5], outcomes[2]; /* answers, by Asked.promised; outcomes of IMM, and of these beyond rc11 */

/* Equal threads tell one sum, under the first. */
static uint64_t key_of_told(const Trace *const *chosen)
{
    const Program *p = &told_program;
    long long told[MOST_THREADS + 1] = {0};
    for (int t = 0; t < p->threads; t++) {
        int class = t;
        for (int u = t - 1; u >= 0; u--)
            if (p->count[u] == p->count[t] && !memcmp(p->op[u], p->op[t], sizeof p->op[t]))
                class = u;
        told[class + 1] += asked_told(chosen[t]->regs);
    }
    return asked_key(last_value, told, p->threads);
}

/* IMM's outcomes are the engine's, and these are IMM's if nothing depends on a read. */
static void compare_promised(const char *text, const char *told)
{
    asked_promised(1);
    const Asked *a = asked(told, 0, -1);
    if (a->how != ASKED_ANSWERED)
        return;
    promised[a->promised]++;
    if (a->promised == PROMISED_NONE && answer[0])
        printf("MISSED %s\n", text);
    if (a->promised == PROMISED_FINE && !cyclic)
        printf("MADE UP %s\n", text);
    if (a->promised != PROMISED_NONE && a->promised != PROMISED_FINE)
        return;
    for (int i = 0; i < imm_count; i++) {
        outcomes[0]++;
        outcomes[1] += !is_member(seen_rc11, rc11_count, seen_imm[i]);
        if (!is_member((const uint64_t *)a->key, a->keys, seen_imm[i])) {
            printf("MISSED OUTCOME %s %d of %d, engine %d\n", text, i, imm_count, a->keys);
            break;
        }
    }
    for (int i = 0; i < a->keys; i++)
        if (!is_member(seen_free, free_count, a->key[i])) {
            printf("MADE UP OUTCOME %s\n", text);
            break;
        }
}

int main(int argc, char **argv)
{
    static Row rows[2];
    if (argc < 5)
        return 2;
    bool prints = !strcmp(argv[1], "print"), printed = argc > 5, promises = printed && !strcmp(argv[5], "promises");
    printed &= !promises;
    unsigned long long seed = strtoull(argv[3], NULL, 10);
    int count = atoi(argv[4]);
    make_room();
    if (!prints)
        asked_begin(argv[1], argv[2]);
    for (int i = 0, made = 0; made < count; i++) {
        char text[256], told[4000];
        Program p;
        state = seed * 1000003 + (unsigned long long)i;
        draw(2);
        draw_program(text);
        parse(text, &p);
        told_program = p;
        key_of_outcome = promises ? key_of_told : NULL;
        if (!decide(text))
            continue;
        tell_program(told, &p, promises);
        if (prints)
            puts(told);
        if (promises && decide_cyclic(text))
            compare_promised(text, told);
        for (int way = 0; way < 2 && !prints && !promises; way++) { /* reduced; without confirming reads */
            const Asked *a = asked(told, way, printed ? made : -1);
            compare(text, a, way ? "plain" : "reduced", &rows[way]);
        }
        made++;
    }
    for (int way = 0; way < 2 && !prints && !promises; way++)
        print_row(way ? "plain" : "reduced", seed, &rows[way]);
    if (promises)
        printf("promises,%llu,%d,%ld,%ld,%ld,%ld,%ld,%ld,%ld\n", seed, count, promised[0], promised[1], promised[2],
               promised[3], promised[4], outcomes[0], outcomes[1]);
    return 0;
}
