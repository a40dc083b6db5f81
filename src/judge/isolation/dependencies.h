/* dependencies.h: Adya's direct serialization graph of a history: which transaction must come
 * before which, and why. Real time goes through a chain of barriers, and readers of a version with
 * many next ones through a node of their own, so that the graph is linear in the history. Depends
 * on libc only. */
#ifndef HEDDLE_ISOLATION_DEPENDENCIES_H
#define HEDDLE_ISOLATION_DEPENDENCIES_H
#include "judge/isolation/versions.h"

/* Beside DEPENDS_RW: the edge leads into, or out of, a node that is no transaction. */
enum { DEPENDS_KINDS = 63, DEPENDS_INTO = 64, DEPENDS_OUT = 128 };

typedef struct Dependency {
    uint32_t to;
    uint32_t key;         /* index; of ww, wr, rw */
    uint32_t kind : 8;    /* one of DEPENDS_*, and DEPENDS_INTO or DEPENDS_OUT */
    uint32_t choice : 24; /* 0, or 1 + the pair (OrderPair) whose order was supposed */
} Dependency;

/* The versions of a key whose order the history does not tell: the writes of a register, or the
 * elements of a list that no read shows. */
typedef struct OpenKey {
    uint32_t key, first, count; /* in Dependencies.writers */
} OpenKey;

typedef struct Dependencies {
    const Versions *versions;
    uint32_t txns, nodes; /* nodes: also barriers and the like */
    uint32_t *start;      /* nodes + 1 of them: edges of a node */
    Dependency *edges;
    Vec(OpenKey) open;                /* with two writers or more */
    Vec(uint32_t) writers;            /* last writes of their transactions */
    uint32_t *reader_start, *readers; /* by write; behind those, by key for the initial version */
    uint32_t *updates;                /* by write: who read it and wrote the next, so far */
    bool weakest;                     /* for read uncommitted: no ww from reads before writes */
    bool counting;                    /* edges are counted before there is room for them */
} Dependencies;

/* An order that is supposed for two writes of a key. */
typedef struct OrderPair {
    uint32_t key, before, after; /* writes */
    bool turned;                 /* AFTER comes before BEFORE */
    bool certain;                /* it is no choice: real time tells */
} OrderPair;

/* Everything that is known for certain. */
void dependencies_start(Dependencies *graph, const Versions *versions);
/* Builds the edges: what is certain; then, if ORDER is not NULL, the writers of each open key
 * in the order of order[write]; or, if PAIRS is not NULL, those of PAIRS. */
void dependencies_build(Dependencies *graph, const uint32_t *order, const OrderPair *pairs,
                        size_t count);
void dependencies_free(Dependencies *graph);
/* For each write, when its version was there: the first return and the last call of its writer and
 * readers. In real time, a version comes before another if it was seen (or written) by who returned
 * before something that saw (or wrote) the other was called. */
void dependencies_find_spans(const Dependencies *graph, uint32_t *first, uint32_t *last);
/* Transactions that read the version which WRITE made, from outside. */
const uint32_t *dependencies_readers(const Dependencies *graph, uint32_t write, size_t *count);
#endif
