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

static void tell_program(char *out, const Program *p)
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

int main(int argc, char **argv)
{
    static Row rows[2];
    if (argc < 4)
        return 2;
    bool prints = !strcmp(argv[1], "print"), printed = argc > 5;
    unsigned long long seed = strtoull(argv[argc - 2 - printed], NULL, 10);
    int count = atoi(argv[argc - 1 - printed]);
    make_room();
    if (!prints)
        asked_begin(argv[1], argv[2]);
    for (int i = 0, made = 0; made < count; i++) {
        char text[256], told[4000];
        Program p;
        state = seed * 1000003 + (unsigned long long)i;
        draw(2);
        draw_program(text);
        if (!decide(text))
            continue;
        parse(text, &p);
        tell_program(told, &p);
        if (prints)
            puts(told);
        for (int way = 0; way < 2 && !prints; way++) { /* reduced; without confirming reads */
            Asked a = asked(told, way, printed ? made : -1);
            compare(text, &a, way ? "plain" : "reduced", &rows[way]);
        }
        made++;
    }
    for (int way = 0; way < 2 && !prints; way++)
        print_row(way ? "plain" : "reduced", seed, &rows[way]);
    return 0;
}
