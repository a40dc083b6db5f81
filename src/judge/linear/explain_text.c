#include "judge/linear/explain_text.h"
#include <stdlib.h>
#include <string.h>

#define WIDTH 100
#define MOST_SHOWN 40u
#define CHART 40u

/* Long texts keep their beginning and end. */
static void shorten(Buffer *text, size_t longest)
{
    if (text->count <= longest)
        return;
    size_t tail = longest / 2, head = longest - tail - 3;
    memmove(text->at + head + 3, text->at + text->count - tail, tail);
    memcpy(text->at + head, "...", 3);
    text->count = head + 3 + tail;
    text->at[text->count] = 0;
}

/* Is it a transaction? What each of its steps did is the evidence: its text is whole. */
static bool is_transaction(const History *history, const Operation *op)
{
    return str_is(value_text(history->values, value_of_symbol(op->name)), "txn");
}

void explain_text_operation(const History *history, uint32_t op, size_t longest, Buffer *out)
{
    Buffer text = {0};
    history_print_operation(history, &history->operations.at[op], &text);
    if (!is_transaction(history, &history->operations.at[op]))
        shorten(&text, longest);
    buffer_append(out, text.at, text.count);
    vec_free(&text);
}

void explain_text_process(const History *history, uint32_t process, Buffer *out)
{
    Value name = history->processes.at[process];
    if (value_kind(history->values, name) == VALUE_IS_STRING)
        buffer_printf(out, "%.*s", STR_ARG(value_text(history->values, name)));
    else
        value_print(history->values, name, out);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Operations as bars: one column a moment at which one of them is called or returns. */
static void print_bars(const History *history, const uint32_t *ops, size_t count, const char *mark,
                       const uint32_t *moments, size_t moment_count, Buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        const Operation *op = &history->operations.at[ops[i]];
        Buffer text = {0}, process = {0};
        explain_text_process(history, op->process, &process);
        size_t drawn = moment_count <= CHART ? moment_count : 0;
        explain_text_operation(history, ops[i], MIN(EXPLAIN_TEXT_OPERATION, WIDTH - 30 - drawn),
                               &text);
        char bar[CHART + 2] = "";
        if (moment_count <= CHART) {
            memset(bar, ' ', moment_count);
            for (size_t m = 0; m < moment_count; m++)
                if (moments[m] == op->called)
                    bar[m] = '[';
                else if (moments[m] == op->returned)
                    bar[m] = ']';
                else if (moments[m] > op->called && moments[m] < op->returned)
                    bar[m] = '-';
            if (op->returned == HISTORY_PENDING)
                bar[moment_count - 1] = bar[moment_count - 1] == '[' ? '[' : '>';
        }
        buffer_printf(out, "  %s line %-6u %8.*s  %s  %.*s\n", mark, (unsigned)op->line,
                      STR_ARG(buffer_str(&process)), bar, STR_ARG(buffer_str(&text)));
        vec_free(&text);
        vec_free(&process);
    }
}

/* Operations on the same values: those that have returned have happened, but what they gave makes
 * no difference; of the others nobody knows. */
static void print_context(const History *history, const Explanation *e, const uint32_t *moments,
                          size_t moment_count, Buffer *out)
{
    for (int pending = 0; pending < 2; pending++) {
        Vec(uint32_t) ops = {0};
        for (size_t i = 0; i < e->context.count; i++) {
            uint32_t returned = history->operations.at[e->context.at[i]].returned;
            if ((returned == HISTORY_PENDING) == (pending == 1))
                vec_push(&ops, e->context.at[i]);
        }
        size_t shown = MIN(ops.count, MOST_SHOWN);
        if (shown)
            buffer_printf(out, pending
                                   ? "\n  Operations on the same values that have not returned, "
                                     "and may have happened or not:\n\n"
                                   : "\n  Other operations on the same values; the contradiction "
                                     "stays whatever they gave:\n\n");
        print_bars(history, ops.at, shown, " ", moments, moment_count, out);
        if (ops.count > shown)
            buffer_printf(out, "    ... and %zu more\n", ops.count - shown);
        vec_free(&ops);
    }
}

static void print_evidence(const History *history, const Explanation *e, Buffer *out)
{
    Vec(uint32_t) moments = {0};
    size_t core = MIN(e->core.count, MOST_SHOWN), context = MIN(e->context.count, MOST_SHOWN);
    for (size_t i = 0; i < core + context; i++) {
        uint32_t index = i < core ? e->core.at[i] : e->context.at[i - core];
        const Operation *op = &history->operations.at[index];
        vec_push(&moments, op->called);
        if (op->returned != HISTORY_PENDING)
            vec_push(&moments, op->returned);
    }
    if (moments.count)
        qsort(moments.at, moments.count, sizeof *moments.at, by_number);
    buffer_printf(out, "\n  The operations that contradict each other%s:\n\n",
                  e->minimal
                      ? " (none can be left out: if one of them had\n  given something else, "
                        "or had not happened, the others would fit)"
                      : "");
    print_bars(history, e->core.at, core, " ", moments.at, moments.count, out);
    if (e->core.count > core)
        buffer_printf(out, "    ... and %zu more\n", e->core.count - core);
    print_context(history, e, moments.at, moments.count, out);
    vec_free(&moments);
    if (e->ends.count)
        buffer_printf(out,
                      "\n  Each order that goes as far as any, and why the next operation does not "
                      "fit:\n\n");
    for (size_t i = 0; i < e->ends.count; i++) {
        const DeadEndText *end = &e->ends.at[i];
        size_t from = end->order.count > 12 ? end->order.count - 12 : 0;
        buffer_printf(out, "  %zu.%s", i + 1,
                      from               ? " ..."
                      : end->order.count ? ""
                                         : " (at the start)");
        size_t column = 8;
        for (size_t j = from; j < end->order.count; j++) {
            Buffer text = {0};
            explain_text_operation(history, end->order.at[j], EXPLAIN_TEXT_OPERATION, &text);
            column += text.count + 2;
            if (column > WIDTH - 2) {
                buffer_printf(out, "\n    ");
                column = text.count + 8;
            }
            buffer_printf(out, " %.*s;", STR_ARG(buffer_str(&text)));
            vec_free(&text);
        }
        Buffer state = {0}, allowed = {0}, next = {0};
        buffer_append(&state, end->state.at, end->state.count);
        buffer_append(&allowed, end->allowed.at, end->allowed.count);
        shorten(&state, WIDTH - 14);
        if (end->next == LINEARIZE_NONE ||
            !is_transaction(history, &history->operations.at[end->next]))
            shorten(&allowed, WIDTH - 14);
        buffer_printf(out, "\n       state: %.*s\n", STR_ARG(buffer_str(&state)));
        if (end->next != LINEARIZE_NONE) {
            explain_text_operation(history, end->next, WIDTH - 14, &next);
            buffer_printf(out, "       next:  %.*s\n       but:   %.*s\n",
                          STR_ARG(buffer_str(&next)), STR_ARG(buffer_str(&allowed)));
        }
        vec_free(&state);
        vec_free(&allowed);
        vec_free(&next);
    }
    buffer_printf(out, "\n");
}

void explain_text_violation(const Plan *plan, uint32_t group, const GroupVerdict *verdict,
                            const Explanation *explanation, Buffer *out)
{
    const History *history = plan->history;
    if (explanation->why)
        buffer_printf(out, "  %s\n", explanation->why);
    if (verdict->ended != LINEARIZE_NONE) {
        const Operation *ended = &history->operations.at[verdict->ended];
        buffer_printf(out,
                      "  %s %u of %u operations to return are linearizable.\n"
                      "  It ends where this one returns%s:\n    line %u, process ",
                      explanation->at_the_latest ? "At most the first" : "The first",
                      (unsigned)verdict->settled, (unsigned)plan->groups.at[group].count,
                      explanation->at_the_latest ? ", or before" : "", (unsigned)ended->line);
        explain_text_process(history, ended->process, out);
        buffer_printf(out, ": ");
        explain_text_operation(history, verdict->ended, EXPLAIN_TEXT_OPERATION, out);
        buffer_printf(out, "\n");
    }
    if (verdict->stuck != LINEARIZE_NONE) {
        buffer_printf(out, "  It waits for ever, but in no serial order it has to: line %u: ",
                      (unsigned)history->operations.at[verdict->stuck].line);
        explain_text_operation(history, verdict->stuck, EXPLAIN_TEXT_OPERATION, out);
        buffer_printf(out, "\n");
    }
    print_evidence(history, explanation, out);
}
