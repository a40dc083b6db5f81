#include "guest/harness/graph_axioms.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/graph/promises.h"
#include "guest/explore/graph/models/buffers.h"

/* A load that got a promise: RF is still to be found. */
static AxiomEvent of_promised(const Event *e, const Promise *which, unsigned shift)
{
    LocationId l = graph_find_location(which->address);
    return (AxiomEvent){.thread = e->thread,
                        .index = (unsigned)e->index + shift,
                        .kind = AXIOM_READ,
                        .order = AXIOM_RELAXED,
                        .location = (int)l - 1,
                        .value = which->value,
                        .rf = AXIOM_NONE,
                        .rmw = AXIOM_NONE};
}

AxiomGraph graph_axioms_of(const ModelEdge *edges, int edge_count, Arena *arena)
{
    size_t room = (size_t)pool_top + MAX_THREADS, count = 0;
    AxiomEvent *events = arena_array_of(arena, AxiomEvent, room);
    int *number = arena_array_of(arena, int, pool_top + 1);
    /* every thread but main begins with an event of its own, so its indexes are one higher */
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        unsigned shift = t != 0;
        if (shift)
            events[count++] = (AxiomEvent){
                .thread = (unsigned)t, .kind = AXIOM_BEGIN, .rf = AXIOM_NONE, .rmw = AXIOM_NONE};
        for (int i = 0; i < threads[t].count; i++) {
            const Event *e = thread_event(t, i);
            static const AxiomKind kinds[] = {
                [EVENT_READ] = AXIOM_READ,    [EVENT_WRITE] = AXIOM_WRITE,
                [EVENT_FENCE] = AXIOM_FENCE,  [EVENT_CREATE] = AXIOM_CREATE,
                [EVENT_JOIN] = AXIOM_JOIN,    [EVENT_END] = AXIOM_END,
                [EVENT_CHOOSE] = AXIOM_FENCE, /* a relaxed fence: no meaning */
                [EVENT_MARK] = AXIOM_FENCE,
            };
            if (is_merge_read(e)) /* no access of the program */
                continue;
            number[event_id(e)] = (int)count;
            const Promise *which;
            if (UNLIKELY(promises.makes) && promises_is_made(e, &which)) {
                events[count++] = of_promised(e, which, shift);
                continue;
            }
            events[count++] = (AxiomEvent){
                .thread = (unsigned)t,
                .index = (unsigned)i + shift,
                .kind = kinds[e->kind],
                .order = e->kind >= EVENT_CHOOSE ? AXIOM_RELAXED : (AxiomOrder)e->order,
                .location = IS_ACCESS(e->kind) ? (int)e->location - 1 : 0,
                .bytes = e->part ? event_bytes(e) : 0,
                .plain = is_not_atomic(e) && model_forbids_races(options.model),
                .locked = IS_ACCESS(e->kind) &&
                          (((e->request == REQUEST_RMW || e->request == REQUEST_CAS || e->rmw) &&
                            !e->merge) ||
                           (e->kind == EVENT_WRITE && e->locked)),
                .value = e->value,
                .rf = AXIOM_NONE,
                .coherence = e->kind == EVENT_WRITE ? (unsigned)e->co : 0,
                .rmw = AXIOM_NONE,
                .peer = e->other};
        }
    }
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        for (int i = 0; i < threads[t].count; i++) {
            const Event *e = thread_event(t, i);
            if (is_merge_read(e))
                continue;
            AxiomEvent *to = &events[number[event_id(e)]];
            if (e->kind == EVENT_READ && e->rf)
                to->rf = number[e->rf];
            if (e->kind == EVENT_WRITE && e->rmw && !e->merge)
                to->rmw = number[threads[t].po[i - 1]];
        }
    }
    uint64_t *initial = arena_array_of(arena, uint64_t, location_count + 1);
    for (LocationId l = 1; l <= location_count; l++)
        initial[l - 1] = locations[l].init;
    AxiomEdge *added = arena_array_of(arena, AxiomEdge, (size_t)edge_count + 1);
    for (int i = 0; i < edge_count; i++)
        added[i] = (AxiomEdge){number[edges[i].from], number[edges[i].to]};
    return (AxiomGraph){events, count, location_count, initial, added, (size_t)edge_count};
}

AxiomOptions graph_axioms_options(void)
{
    return (AxiomOptions){.release_sequence_cxx20 = options.release_sequences == RELEASE_CXX20,
                          .x86_code = buffers_drain_as_x86()};
}

const char *graph_axioms_broken(const ModelEdge *edges, int edge_count)
{
    Arena *arena = arena_new();
    AxiomGraph graph = graph_axioms_of(edges, edge_count, arena);
    AxiomFinding found;
    bool fine = axioms_consistent(&graph, options.model, graph_axioms_options(), arena, &found);
    arena_free(arena);
    return fine ? NULL : axiom_rule_text(found.rule);
}
