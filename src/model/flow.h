/* flow.h: an operation as a graph of guarded atomic steps.
 *
 * A Flow has points (program counters) 0..point_count-1. Point FLOW_DONE is the end of the
 * operation, FLOW_ENTRY its beginning. An edge is one atomic step: if guard holds (NULL: always),
 * action runs as a whole and control goes to `to`. An action is NULL (nothing), or one STMT_ASSIGN,
 * STMT_FREE, STMT_AWAIT, STMT_ASSERT, STMT_RETURN, or STMT_ATOMIC (whose body may have ifs, loops,
 * choices and returns inside: see flow_expand for its straight-line paths). An await is never an
 * action by itself: it became the guard. `if` and `while` became two edges with a condition and its
 * negation.
 *
 * So an operation as the sequences of guarded steps that a prover wants = the paths of this graph
 * from FLOW_ENTRY to FLOW_DONE. */
#ifndef HEDDLE_MODEL_FLOW_H
#define HEDDLE_MODEL_FLOW_H
#include "model/model.h"

enum { FLOW_DONE = 0, FLOW_ENTRY = 1 };

typedef struct Edge {
    int from, to; /* to is FLOW_DONE for a step that ends the operation */
    const Expr *guard;
    const Stmt *action;
    Place place;
    int leave_to;    /* where an inlined function left inside an atomic action goes on; -1: none */
    bool may_return; /* an atomic action with a return inside: may end the operation instead */
    bool is_local;   /* reads and writes nothing but this operation's own locals (and self) */
    bool is_private; /* is_local, or else touches only nodes that no other thread can reach yet:
                        made by `new` here (pools without manual) and stored nowhere since */
    bool is_choice;  /* has `choose` inside: several results from one state */
} Edge;

struct Flow {
    const ModelOperation *operation;
    Edge *edges; /* ordered by from */
    int edge_count, point_count;
    int *first_edge; /* first_edge[p] .. first_edge[p+1]-1 leave point p */
    uint64_t *live;  /* live[p] bit i: local i may be read at or after point p before being written;
                        the first 64 locals; later ones always count as live */
    bool *is_local;  /* is_local[p]: all edges from p are private, so no other thread can tell when
                        this thread leaves p */
};

/* Builds the graph; fails when control can reach the end without a return, and so on. */
MUST_USE bool flow_build(Arena *arena, const ModelOperation *operation, const Flow **out,
                         Error *error);

/* ---- straight-line paths through an atomic action ---- */
typedef enum MicroKind {
    MICRO_ASSUME, /* value must hold, else this path does not exist */
    MICRO_ASSIGN, /* target = value (also EXPR_NEW, EXPR_CHOOSE) */
    MICRO_FREE,   /* free(value) */
    MICRO_ASSERT,
    MICRO_RETURN, /* last in its path; value may be NULL */
} MicroKind;
typedef struct Micro {
    MicroKind kind;
    const Expr *target, *value;
    Place place;
} Micro;
typedef struct MicroPath {
    Micro *at;
    int count;
} MicroPath;
typedef struct MicroPaths {
    MicroPath *at;
    int count;
} MicroPaths;
/* All paths through the guard and action of an edge, as straight-line guarded commands; their
 * assumptions are mutually exclusive except where `choose` gives a choice. Loops whose number of
 * rounds is a constant are unrolled; any other loop, and more than limit paths, is an error. */
MUST_USE bool flow_expand(Arena *arena, const Edge *edge, int limit, MicroPaths *out, Error *error);
/* Prints what an edge does, on one line: "<tail == Z> Z->next = X". */
void edge_print(Buffer *out, const Edge *edge);
#endif
