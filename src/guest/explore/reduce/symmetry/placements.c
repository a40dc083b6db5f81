#include "guest/explore/reduce/symmetry/placements.h"
#include "guest/explore/search/rules.h"
#include <string.h>
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/reduce/symmetry/recall.h"
#include "guest/explore/search/validate.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/opaque.h"
#include "guest/runtime/pages.h"

/* One run of a thread by itself, in the forked process. */
static struct {
    Past owners;          /* of this run */
    const PastNode *node; /* the stretch that it makes now */
    uint32_t next;        /* the term of it that comes next */
    bool differs;
} run;

/* The forked process tells how its runs ended. */
typedef enum RunsEnd { RUNS_DIFFER, RUNS_AGREE, RUNS_STOPPED } RunsEnd;
static RunsEnd *runs_end;
static bool runs_may_stop;

/* The present stretch reads BYTES plainly: they get what the past says. */
static void make_hold(char *address, size_t bytes)
{
    const PastTerm *at = past_tree.terms + run.next;
    uint32_t words = pasts_words(address, bytes);
    if (run.differs || run.next + 1 + words > run.node->asked ||
        pasts_word(at, &run.owners) != (uintptr_t)address || at->owner >> PAST_BYTES != bytes) {
        run.differs = true;
        return;
    }
    run.next += 1 + words;
    for (at++; bytes; at++) {
        size_t piece = MIN(bytes, (size_t)8 - ((uintptr_t)address & 7));
        uint64_t word = pasts_word(at, &run.owners);
        if (memcmp(address, &word, piece)) {
            undo_save(address, (unsigned)piece);
            memcpy(address, &word, piece);
        }
        address += piece;
        bytes -= piece;
    }
}

/* Puts the answer with which NODE begins, to the request of BEFORE, into `reply`. */
static void give_answer(const PastNode *before, const PastNode *node)
{
    const PastTerm *at = past_tree.terms + node->first;
    bool reads = before->kind >= REQUEST_LOAD && before->kind <= REQUEST_AWAIT &&
                 before->kind != REQUEST_STORE;
    run.next = node->first;
    reply = (Reply){0};
    if (reads || before->kind == REQUEST_CREATE || before->kind == REQUEST_CHOOSE ||
        before->kind == REQUEST_JOIN) {
        reply.value = pasts_word(at, &run.owners);
        run.next++;
    }
    if (!reads)
        return;
    if (before->size == 16)
        reply.value_high = pasts_word(at + 1, &run.owners);
    uint32_t words = before->size == 16 ? 2 : 1;
    run.next += words - 1; /* the first is counted above */
    if (before->kind == REQUEST_CAS || before->kind == REQUEST_AWAIT)
        reply.success = past_tree.terms[run.next++].bits != 0;
    if (before->kind == REQUEST_RMW)
        run.next += words; /* what it wrote */
}

/* The nodes on the way to N, from the first stretch on. */
static uint32_t *way_to(uint32_t n, uint32_t *length)
{
    static uint32_t *way, room;
    uint32_t count = 0;
    for (uint32_t i = n; past_tree.nodes[i].parent; i = past_tree.nodes[i].parent)
        count++;
    if (count > room) {
        room = 2 * count + 64;
        way = pages_alloc(sizeof *way * room);
    }
    *length = count;
    for (uint32_t i = n; past_tree.nodes[i].parent; i = past_tree.nodes[i].parent)
        way[--count] = i;
    return way;
}

static uint32_t root_of(uint32_t n)
{
    while (past_tree.nodes[n].parent)
        n = past_tree.nodes[n].parent;
    return n;
}

/* The thread whose past N is, if its owners are those of H. */
static int thread_of(uint32_t n, const Past *h)
{
    int first = (int)root_of(n) - 1;
    return graph_leader(first) >= 0 ? h->owner[0] : first;
}

/* Runs the past N with these OWNERS; is it the same? */
static bool run_past(uint32_t n, const Past *owners)
{
    uint32_t length, *way = way_to(n, &length);
    int t = thread_of(n, owners);
    run.owners = *owners;
    run.differs = false;
    fiber_restart(t);
    heap_cursor[t] = (HeapCursor){0, 0};
    opaque_begin(t);
    threads[t].count = 0;
    for (uint32_t i = 0; i < length; i++) {
        run.node = &past_tree.nodes[way[i]];
        give_answer(&past_tree.nodes[run.node->parent], run.node);
        pasts[t] = *owners;
        pasts[t].node = run.node->parent;
        ghost_step(t, 0);
        if (request.kind == REQUEST_STOP || run.differs || pasts[t].node != way[i])
            return false;
        if (request.kind == REQUEST_CREATE && i + 1 < length) {
            int child = (int)past_tree.terms[past_tree.nodes[way[i + 1]].first].bits;
            fiber_begin(child, request.function, (void *)(uintptr_t)request.operand);
            threads_created |= thread_bit(child);
        }
    }
    return true;
}

/* The tool must see progress, and be heard: the end that it asks for ends this process. */
static void look_up(void)
{
    static unsigned runs;
    if ((++runs & 63) == 0 && exploration.sign && exploration.sign() && runs_may_stop) {
        *runs_end = RUNS_STOPPED;
        longjmp(findings.jump, 1);
    }
}

static ThreadSet groups[MAX_THREADS]; /* the threads that each is like, and itself */
static uint32_t boundary;             /* of the undo log, where a run begins */

static bool run_choice(const Past *h)
{
    look_up();
    bool same = run_past(h->node, h);
    undo_to(boundary);
    return same;
}

static bool is_never(const Past *h)
{
    (void)h;
    return false;
}

/* Calls VISIT for all choices of H's owners, from number I on, that the search has not met, until
 * it is false. */
static bool visit_choices(Past *h, unsigned i, bool (*visit)(const Past *))
{
    const Past *like = &past_tree.nodes[h->node].like;
    if (i == like->count)
        return (recall_has_met(h) && !graphs.validates) || visit(h);
    ThreadSet others = groups[like->owner[i]];
    for (unsigned j = 0; j < i; j++)
        others &= ~thread_bit(h->owner[j]);
    for (; others; others &= others - 1) {
        h->owner[i] = (uint8_t)thread_first(others);
        if (!visit_choices(h, i + 1, visit))
            return false;
    }
    return true;
}

/* Is N to be run, with some of its owners? */
static bool is_due(uint32_t n)
{
    const PastNode *node = &past_tree.nodes[n];
    Past h = node->like;
    return !node->goes_on && !node->is_verified && h.count && !visit_choices(&h, 0, is_never);
}

/* Everything is as main has it when it creates the last of the threads that begin at ROOT, but
 * nobody else has done anything. */
static bool prepare(uint32_t root)
{
    int first = (int)root - 1, last = first;
    explore_begin();
    memory_state.races_off = heap_limits.unchecked = true;
    for (int t = first; t < MAX_THREADS; t++)
        if (graph_leader(t) == first)
            last = t;
    uint32_t made = pasts_creation(last);
    if (!first || !made)
        return true;
    if (!run_past(made, &past_tree.nodes[made].like))
        return false;
    fiber_begin(last, request.function, (void *)(uintptr_t)request.operand);
    threads_created |= thread_bit(last);
    return true;
}

static bool run_all(void)
{
    for (uint32_t root = 1; root <= MAX_THREADS; root++) {
        if (!past_tree.nodes[root].is_due)
            continue;
        if (!prepare(root))
            return false;
        for (uint32_t n = MAX_THREADS + 1; n <= past_tree.count; n++) {
            if (!past_tree.nodes[n].is_due || root_of(n) != root)
                continue;
            Past h = past_tree.nodes[n].like;
            boundary = undo_count;
            if (!visit_choices(&h, 0, run_choice))
                return false;
        }
    }
    return true;
}

static void check_apart(void)
{
    *runs_end = RUNS_DIFFER;
    if (setjmp(findings.jump))
        return;
    past_tree.make_hold = make_hold;
    if (run_all())
        *runs_end = RUNS_AGREE;
}

/* ---- in the search ---- */

static void find_groups(void)
{
    for (int t = 0; t < MAX_THREADS; t++) {
        groups[t] = 0;
        for (int other = 0; graph_leader(t) >= 0 && other < MAX_THREADS; other++)
            if (graph_leader(other) == graph_leader(t))
                groups[t] |= thread_bit(other);
    }
}

/* Marks what is to be run; is there anything? */
static bool find_due(void)
{
    bool due = false;
    find_groups();
    for (uint32_t n = 1; n <= past_tree.count; n++)
        past_tree.nodes[n].is_due = false;
    for (uint32_t n = MAX_THREADS + 1; n <= past_tree.count; n++)
        if (is_due(n))
            due = past_tree.nodes[n].is_due = past_tree.nodes[root_of(n)].is_due = true;
    return due;
}

bool placements_check(bool may_stop)
{
    if (!graphs.pasts_on)
        return true;
    if (find_due()) {
        if (!runs_end)
            runs_end = pages_share(sizeof *runs_end);
        runs_may_stop = may_stop;
        if (!search_hooks.run_apart(check_apart) || *runs_end == RUNS_DIFFER)
            alike_refuse();
        if (*runs_end == RUNS_STOPPED)
            return false;
    }
    for (uint32_t n = MAX_THREADS + 1; n <= past_tree.count; n++)
        past_tree.nodes[n].is_verified |= !past_tree.nodes[n].goes_on;
    return true;
}

/* ---- what the search asks ---- */

static bool end_search(void)
{
    return !placements_check(true);
}

const Rule placements_rule = {.end_search = end_search};
