#include "guest/harness/promised.h"
#include <stdio.h>
#include <string.h>
#include "guest/explore/all.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/graph/load_buffering.h"
#include "guest/explore/graph/promises.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/ops.h"
#include "guest/harness/graph_axioms.h"
#include "guest/runtime/fiber.h"
#include "record/hooks.h"

enum { MOST_ROUNDS = 20, MOST_PARKED = 16, MOST_ASSIGNMENTS = 100000 };
void (*promised_on_graph)(void);

static struct {
    uint64_t graphs; /* that count, and that rc11 forbids */
    bool bad, undecided;
    char message[200];
    uint64_t pc;
    Finding parked[MOST_PARKED]; /* what threads have found that go no further */
    unsigned parked_count;
} seen;

/* ---- is a graph one of IMM? ---- */

static uint64_t assignments; /* tried for the present graph */

/* Finds writes for the promises from event number AT on. True if with some the graph is consistent,
 * and has a cycle of program order and reads-from. */
static bool is_imm_from(AxiomGraph *graph, AxiomEvent *events, const bool *promised, size_t at,
                        Arena *arena)
{
    while (at < graph->count && !promised[at])
        at++;
    if (at == graph->count) {
        bool cyclic;
        Arena *scratch = arena_new();
        bool fine = axioms_imm_consistent(graph, graph_axioms_options(), scratch, &cyclic);
        arena_free(scratch);
        return fine && cyclic;
    }
    if (++assignments > MOST_ASSIGNMENTS) {
        seen.undecided = true;
        return false;
    }
    for (size_t w = 0; w < graph->count; w++) {
        if (events[w].kind != AXIOM_WRITE || events[w].location != events[at].location ||
            events[w].value != events[at].value)
            continue;
        events[at].rf = (int)w;
        if (is_imm_from(graph, events, promised, at + 1, arena))
            return true;
    }
    events[at].rf = AXIOM_NONE;
    return false;
}

/* Is the present graph an execution of IMM that rc11 has not? */
static bool is_imm(void)
{
    const Promise *which;
    if (!promises_any_made())
        return false;
    if (facts_met[FACT_blocks]) { /* the axioms here know no parts */
        seen.undecided = true;
        return false;
    }
    Arena *arena = arena_new();
    AxiomGraph graph = graph_axioms_of(NULL, 0, arena);
    AxiomEvent *events = arena_array_of(arena, AxiomEvent, graph.count);
    bool *promised = arena_array_of(arena, bool, graph.count);
    memcpy(events, graph.events, graph.count * sizeof *events);
    graph.events = events;
    for (ThreadSet left = threads_created; left; left &= left - 1)
        for (int t = thread_first(left), i = 0; i < threads[t].count; i++)
            if (promises_is_made(thread_event(t, i), &which))
                for (size_t k = 0; k < graph.count; k++)
                    promised[k] |= events[k].thread == (unsigned)t &&
                                   events[k].index == (unsigned)(i + (t != 0)) &&
                                   events[k].kind == AXIOM_READ;
    assignments = 0;
    bool found = is_imm_from(&graph, events, promised, 0, arena);
    arena_free(arena);
    return found;
}

/* ---- what goes wrong in one ---- */

static void note_bad(const char *message, uint64_t pc)
{
    if (seen.bad)
        return;
    seen.bad = true;
    seen.pc = pc;
    snprintf(seen.message, sizeof seen.message, "%.190s", message);
}

static void judge_graph(bool stuck)
{
    const Finding *parked = NULL;
    char text[200];
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        if (e->kind == EVENT_CHOOSE && e->expected & PARKED_WORD)
            parked = &seen.parked[e->expected & ~PARKED_WORD];
    }
    if (!is_imm())
        return;
    seen.graphs++;
    if (promised_on_graph && !stuck)
        promised_on_graph();
    if (parked)
        note_bad(parked->message, parked->pc);
    else if (stuck) {
        explore_describe_deadlock(text, sizeof text);
        note_bad(text, 0);
    }
}

static void on_complete(void)
{
    judge_graph(false);
}

static void on_stuck(void)
{
    judge_graph(true);
}

/* A violation beside a promise counts only if a store is found for that: the thread stops, the
 * others go on. One that the explorer finds, between threads, ends the exploration. */
static void put_off(void)
{
    if (fiber_current < 0 || finding.violation == VIOLATION_CRASH || !promises_any_made())
        return; /* who crashes is in a signal handler */
    unsigned i = 0;
    while (i < seen.parked_count && (seen.parked[i].pc != finding.pc ||
                                     strcmp(seen.parked[i].message, finding.message) != 0))
        i++;
    if (i == MOST_PARKED)
        return;
    seen.parked_count = MAX(seen.parked_count, i + 1);
    seen.parked[i] = finding;
    finding.kind = FINDING_NONE;
    op_park(i, (const void *)(uintptr_t)finding.pc);
}

/* ---- rounds ---- */

static bool explore_round(void)
{
    seen.graphs = 0;
    counts = (ExploreCounts){0};
    exploration.stopped = false;
    buffering = (BufferingState){.is_sought = true};
    FindingKind kind = explore_all();
    if (kind == FINDING_VIOLATION && promises_any_made() && is_imm()) {
        seen.graphs++;
        note_bad(finding.message, finding.pc);
    }
    return kind == FINDING_NONE && !exploration.stopped && !counts.cut;
}

static void tell_answer(OutcomeMessage *outcome)
{
    if (outcome->promised == OUTCOME_PROMISED_NONE || outcome->promised == OUTCOME_PROMISED_FINE)
        return;
    outcome->verdict = VERDICT_INCONCLUSIVE;
    outcome->exhaustive = 0;
    outcome->promised_pc = seen.pc;
    if (seen.bad)
        outcome_say(
            outcome, OUTCOME_reason,
            "it holds under rc11, but not where a load reads from a store behind it, unless "
            "a dependency excludes that: %s",
            seen.message);
    else
        outcome_say(outcome, OUTCOME_reason,
                    "it holds under rc11, but executions in which a load reads from a store behind "
                    "it were not explored to the end");
}

void promised_explore(OutcomeMessage *outcome)
{
    ExploreCounts kept_counts = counts;
    BufferingState kept = buffering;
    ExploreOptions kept_options = options;
    Finding kept_finding = finding;
    const char *kept_symmetry = hooks.graph_symmetry;
    ExploreVisitor *kept_complete = exploration.on_complete, *kept_stuck = exploration.on_stuck;
    bool stopped = exploration.stopped, complete = false;
    memset(&seen, 0, sizeof seen);
    promises = (PromisesState){.collects = true};
    options.reductions = 0;
    options.plain_search = 1;
    hooks.graph_symmetry = "never";
    exploration.on_complete = on_complete;
    exploration.on_stuck = on_stuck;
    findings.put_off = put_off;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!explore_round() || seen.undecided || promises.lacks)
            break;
        complete = !promises_take();
        if (complete || seen.bad)
            break;
        promises.makes = true;
    }
    complete &= promises_were_asked() && !promises.lacks && !buffering_is_unsure(false);
    outcome->promised_graphs = seen.graphs;
    outcome->promised = seen.bad      ? OUTCOME_PROMISED_BAD
                        : !complete   ? OUTCOME_PROMISED_UNDECIDED
                        : seen.graphs ? OUTCOME_PROMISED_FINE
                                      : OUTCOME_PROMISED_NONE;
    tell_answer(outcome);
    promises = (PromisesState){0};
    findings.put_off = NULL;
    exploration.on_complete = kept_complete, exploration.on_stuck = kept_stuck;
    exploration.stopped = stopped;
    hooks.graph_symmetry = kept_symmetry;
    options = kept_options;
    finding = kept_finding;
    buffering = kept;
    counts = kept_counts;
}
