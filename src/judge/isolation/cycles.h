/* cycles.h: cycles of dependencies: is there one that a rule forbids, and the shortest of a kind.
 * Existence is decided exactly and in time linear in the graph, apart from cycles with one
 * anti-dependency, whose cost also grows with the anti-dependencies inside strongly connected
 * components, 64 at a time. Depends on libc only. */
#ifndef HEDDLE_ISOLATION_CYCLES_H
#define HEDDLE_ISOLATION_CYCLES_H
#include "judge/isolation/dependencies.h"

/* From one transaction to the next, without the nodes between. */
typedef struct CycleEdge {
    uint32_t from, to, key;
    unsigned kind;   /* one of DEPENDS_* */
    uint32_t choice; /* as in Dependency */
} CycleEdge;
typedef struct Cycle {
    CycleEdge *at;
    size_t count, capacity;
} Cycle; /* a Vec */

/* Nodes that are on some cycle: of[node] is the number of its component, 1.., or 0. */
typedef struct Components {
    uint32_t *of;
    uint32_t count;
} Components;

/* Components of the graph with the edges in KINDS only and, if WITHIN is not NULL, the nodes of its
 * components only. SPLIT: transactions begin and end, and an anti-dependency only says that one
 * begins before the other ends; a component is then one with a cycle of CYCLES_SPLIT. */
void components_find(const Dependencies *graph, unsigned kinds, bool split,
                     const Components *within, Components *found);
void components_free(Components *components);
/* Is there a cycle with one anti-dependency and otherwise edges in KINDS? Without that, the graph
 * must be acyclic; WITHIN are the components of both together. */
bool cycles_have_single(const Dependencies *graph, unsigned kinds, const Components *within,
                        uint32_t *on_cycle);
/* Room for searches in one graph, which they share: each need not clear its own. */
typedef struct CycleSpace {
    uint32_t *seen; /* by state: the search in which it was reached */
    uint32_t *cost; /* by state, of this search */
    uint32_t *from; /* by state: the state before */
    uint32_t *by;   /* by state: the edge before; TXN_NONE: from begin to end */
    uint32_t round; /* the number of the search */
} CycleSpace;
void cycles_start(CycleSpace *space, const Dependencies *graph);
void cycles_end(CycleSpace *space);
/* A shortest cycle under RULE (CYCLES_ONE: with exactly one anti-dependency) with edges in KINDS
 * through some node of WITHIN, or through START alone if it is not TXN_NONE; false if there is
 * none. WORK: how many steps to look for a shorter one. */
bool cycles_find_shortest(const Dependencies *graph, unsigned kinds, CycleRule rule,
                          const Components *within, uint32_t start, uint64_t work,
                          CycleSpace *space, Cycle *cycle);
/* Is there a cycle that LEVEL rules out? WITHIN: components that hold all cycles, or NULL. *on are
 * components that hold all of those; the caller frees it. */
bool cycles_broken(const Dependencies *graph, Level level, const Components *within,
                   Components *on);
/* A shortest one, as above. */
bool cycles_find_breaking(const Dependencies *graph, Level level, const Components *within,
                          uint32_t start, uint64_t work, CycleSpace *space, Cycle *cycle);
/* The strongest name of a cycle, by its edges. */
Anomaly cycles_name(const Cycle *cycle);
#endif
