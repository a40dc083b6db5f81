/* interleave.c: the executions of a program under sequential consistency with a bounded number of
 * preemptions, by performing every such interleaving step by step. Knows nothing of graphs: memory
 * holds the last write, and what was read and written is noted for the text. A switch away from a
 * thread is a preemption unless the thread has ended or main waits in a join. */
#include "enumerate.h"
#include <stdio.h>

enum { MAIN = 0, MOST_EVENTS = 64, INIT = -1 };

typedef struct Noted {
    char kind; /* R W F */
    int from_thread, from_index;
} Noted;
typedef struct Machine {
    int value[TWIN_LOCATIONS];
    int writer[TWIN_LOCATIONS], writer_index[TWIN_LOCATIONS];
    bool touched[TWIN_LOCATIONS];
    int order_thread[TWIN_LOCATIONS][MOST_EVENTS], order_index[TWIN_LOCATIONS][MOST_EVENTS];
    int writes[TWIN_LOCATIONS];
    int next[TWIN_THREADS + 1]; /* main: pre, creates, joins, post, in one count */
    bool created[TWIN_THREADS + 1], ended[TWIN_THREADS + 1];
    int registers[TWIN_THREADS + 1][TWIN_REGISTERS];
    Noted noted[TWIN_THREADS + 1][MOST_EVENTS];
    int count[TWIN_THREADS + 1];
} Machine;

static const TwinProgram *program;
static TwinSet *found;

static void note(Machine *m, int t, char kind, int from, int index)
{
    ASSERT(m->count[t] < MOST_EVENTS);
    m->noted[t][m->count[t]++] = (Noted){kind, from, index};
}

static void perform(Machine *m, int t, const TwinInstruction *i)
{
    int *registers = m->registers[t], x = i->location;
    if (i->op == TWIN_FENCE) {
        note(m, t, 'F', 0, 0);
        return;
    }
    int old = m->value[x], value = twin_value(i->value, registers) + (i->op == TWIN_ADD ? old : 0);
    bool writes =
        i->op != TWIN_LOAD && (i->op != TWIN_CAS || old == twin_value(i->expected, registers));
    m->touched[x] = true;
    if (i->op != TWIN_STORE)
        note(m, t, 'R', m->writer[x], m->writer_index[x]);
    if (writes) {
        m->value[x] = value;
        m->writer[x] = t;
        m->writer_index[x] = m->count[t];
        m->order_thread[x][m->writes[x]] = t;
        m->order_index[x][m->writes[x]++] = m->count[t];
        note(m, t, 'W', 0, 0);
    }
    if (i->destination >= 0)
        registers[i->destination] = old;
}

/* The instruction at which T stands after those whose guard fails; NULL at the end of the block. */
static const TwinInstruction *skip(Machine *m, int t, const TwinBlock *block, int offset)
{
    while (m->next[t] - offset < block->length) {
        const TwinInstruction *i = &block->code[m->next[t] - offset];
        if (twin_enabled(i, m->registers[t]))
            return i;
        m->next[t]++;
    }
    return NULL;
}

/* Can T do its next step? Does it, if ACT. */
static bool step(Machine *m, int t, bool act)
{
    const TwinInstruction *i = NULL;
    if (!m->created[t] || m->ended[t])
        return false;
    if (t == MAIN) {
        int pre = program->pre.length, n = program->threads;
        if (m->next[t] < pre)
            i = skip(m, t, &program->pre, 0);
        if (!i && m->next[t] < pre + n) {
            if (act)
                m->created[1 + m->next[t]++ - pre] = true;
            return true;
        }
        if (!i && m->next[t] < pre + 2 * n) {
            if (!m->ended[1 + m->next[t] - pre - n])
                return false;
            if (act)
                m->next[t]++;
            return true;
        }
        if (!i)
            i = skip(m, t, &program->post, pre + 2 * n);
    } else {
        i = skip(m, t, &program->thread[t - 1], 0);
    }
    if (!act)
        return true;
    if (i) {
        perform(m, t, i);
        m->next[t]++;
    } else {
        m->ended[t] = true;
    }
    return true;
}

static void print(const Machine *m)
{
    Buffer line = {0};
    for (int t = 0; t <= program->threads; t++)
        for (int n = 0; n < m->count[t]; n++) {
            const Noted *e = &m->noted[t][n];
            if (!n)
                buffer_printf(&line, "%sT%d:", line.count ? "; " : "", t);
            buffer_printf(&line, " %d%c", n, e->kind);
            if (e->kind == 'R' && e->from_thread == INIT)
                buffer_printf(&line, "@init");
            else if (e->kind == 'R')
                buffer_printf(&line, "@%d.%d", e->from_thread, e->from_index);
        }
    int rank = 0;
    for (int x = 0; x < TWIN_LOCATIONS; x++) {
        for (int n = 0; n < m->writes[x]; n++) {
            if (!n)
                buffer_printf(&line, "; %d:", rank);
            buffer_printf(&line, " %d.%d", m->order_thread[x][n], m->order_index[x][n]);
        }
        rank += m->touched[x];
    }
    vec_push(&found->lines, arena_copy(found->arena, line.count ? line.at : "", line.count + 1));
    vec_free(&line);
}

static void search(const Machine *before, int last, int preemptions)
{
    bool any = false, could_go_on = false;
    Machine probe = *before;
    could_go_on = step(&probe, last, false);
    if (found->gave_up)
        return;
    for (int t = 0; t <= program->threads; t++) {
        int cost = t != last && could_go_on;
        Machine m = *before;
        if (!step(&m, t, true))
            continue;
        any = true;
        if (cost <= preemptions)
            search(&m, t, preemptions - cost);
    }
    if (!any) {
        print(before);
        found->gave_up = ++found->judged > 200000;
    }
}

void twin_interleave(const TwinProgram *what, int preemptions, TwinSet *set)
{
    Machine start = {0};
    program = what;
    found = set;
    *set = (TwinSet){.arena = arena_new()};
    for (int x = 0; x < TWIN_LOCATIONS; x++) {
        start.value[x] = what->initial[x];
        start.writer[x] = INIT;
    }
    start.created[MAIN] = true;
    search(&start, MAIN, preemptions);
    twin_set_sort(set);
    size_t kept = 0;
    for (size_t i = 0; i < set->lines.count; i++)
        if (!i || strcmp(set->lines.at[i], set->lines.at[i - 1]) != 0)
            set->lines.at[kept++] = set->lines.at[i];
    set->lines.count = kept;
}
