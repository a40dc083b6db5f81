/* sparse_inside.h: what sparse.c and sparse_rc11.c share. */
#ifndef HEDDLE_GRAPH_SPARSE_INSIDE_H
#define HEDDLE_GRAPH_SPARSE_INSIDE_H
#include "judge/graph/sparse.h"
#include "base/vec.h"

#define SPARSE_NONE UINT32_MAX

typedef struct Sparse {
    const AxiomGraph *graph;
    AxiomOptions options;
    Arena *arena;
    uint32_t n, threads;
    uint32_t *by_po;              /* events, thread by thread, in program order */
    uint32_t *begin;              /* of each thread in by_po; one more at the end */
    uint32_t *place;              /* of each event in its thread */
    uint32_t *next, *co_next;     /* in program order; in coherence order */
    uint32_t *first_write;        /* of each location, in coherence order */
    uint32_t *by_location, *list; /* accesses by (location, thread, place); where each stands */
    uint32_t *list_begin;         /* of each location in by_location; one more at the end */
    uint32_t *clock;              /* n times threads */
} Sparse;

typedef struct SparseEdge {
    uint32_t from, to;
} SparseEdge;
typedef struct SparseGraph {
    uint32_t nodes;
    Vec(SparseEdge) edges;
} SparseGraph;

static inline const AxiomEvent *sparse_event(const Sparse *s, uint32_t e)
{
    return &s->graph->events[e];
}
static inline bool sparse_is_access(const AxiomEvent *e)
{
    return e->kind == AXIOM_READ || e->kind == AXIOM_WRITE;
}
static inline bool sparse_is_atomic(const AxiomEvent *e)
{
    return (sparse_is_access(e) && !e->plain) || e->kind == AXIOM_FENCE;
}
static inline bool sparse_is_release(const AxiomEvent *e)
{
    return sparse_is_atomic(e) && e->kind != AXIOM_READ && e->order >= AXIOM_RELEASE;
}
static inline bool sparse_is_seq_cst(const AxiomEvent *e)
{
    return sparse_is_atomic(e) && e->order == AXIOM_SEQ_CST;
}
/* Adds an edge, unless one of its ends is SPARSE_NONE. */
static inline void sparse_join(SparseGraph *d, uint32_t from, uint32_t to)
{
    if (from != SPARSE_NONE && to != SPARSE_NONE)
        vec_push(&d->edges, ((SparseEdge){from, to}));
}
/* Fills SORTED, room for all nodes, with those that come before no cycle, in a topological order:
 * their number. LEFT, if not NULL, gets a node that is not among them. Frees the edges. */
uint32_t sparse_sort(Arena *arena, SparseGraph *d, uint32_t *sorted, uint32_t *left);
/* Has D, whose nodes are a multiple of the events, a cycle? Then FINDING says so. */
bool sparse_has_cycle(const Sparse *s, SparseGraph *d, AxiomRule rule, AxiomFinding *finding);
/* The write that follows in coherence order what E reads, or E itself if it writes. */
uint32_t sparse_write_after(const Sparse *s, uint32_t e);
void sparse_add_threads(const Sparse *s,
                        SparseGraph *d); /* creation, join, and edges from outside */
bool sparse_atomicity_fails(const Sparse *s, AxiomFinding *finding);
bool sparse_rc11_fails(Sparse *s, AxiomFinding *finding);
#endif
