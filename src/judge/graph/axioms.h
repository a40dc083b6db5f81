/* axioms.h: is one finished execution graph consistent under a memory model? The slow, obvious
 * judge: it knows the axioms as the literature states them, writes them down with boolean matrices
 * and searches nothing. The explorer's fast, incremental predicates are tested against it, and a
 * violation is judged here again before a person sees it. Long executions, for which matrices are
 * too large, go to sparse.h.
 *
 * sc: acyclic(po | rf | co | fr) and atomicity (Lamport 1979; Shasha and Snir 1988).
 *
 * tso: x86-TSO (Owens, Sarkar, Sewell 2009): per-location coherence, atomicity and
 * acyclic(ppo | fences | rfe | co | fr). ppo leaves out store-to-load pairs; they come back through
 * seq_cst fences, through read-modify-writes, and from a seq_cst store to a later seq_cst load:
 * what a C11 program gets from either way to compile it for x86 (a fence after seq_cst stores, or
 * one before seq_cst loads). A compare-exchange that fails is a load.
 *
 * pso: partial store order (SPARC V8): as tso, but ppo leaves out store-to-store pairs as well.
 * They come back through coherence if both have a byte in common, through release fences between
 * them, and if the later one is a release store: what a C11 program gets from the store barrier
 * that it is compiled to.
 *
 * rc11: coherence, atomicity, psc acyclic, po | rf acyclic (Lahav, Vafeiadis, Kang, Hur, Dreyer
 * 2017).
 *
 * Parts of locations. Memory is bytes, and coherence gives the writes of a location an order; an
 * access to a part counts for its bytes only. So rf is from each write that gives the read a byte:
 * the last one to it before the read's place. co and fr are between accesses that share a byte.
 * Coherence under rc11, and that per location under tso and pso, is one of each byte; psc is of
 * whole accesses: who sees a part of a store and then passes a fence sees all of it. A load that
 * has bytes of a store of its own thread and others as well waits for that store to be in memory:
 * such a read from itself is in the global order of tso and pso. A read-modify-write goes on with
 * the release sequence of every write that it reads from.
 *
 * Creation and join of a thread order what they separate, in every model. */
#ifndef HEDDLE_GRAPH_AXIOMS_H
#define HEDDLE_GRAPH_AXIOMS_H
#include "judge/graph/relation.h"
#include "record/memory_model.h"

typedef enum AxiomKind {
    AXIOM_READ,
    AXIOM_WRITE,
    AXIOM_FENCE,
    AXIOM_CREATE, /* of thread `peer` */
    AXIOM_BEGIN,  /* first event of a created thread */
    AXIOM_END,    /* last event of a thread that is joined */
    AXIOM_JOIN    /* of thread `peer` */
} AxiomKind;
/* The numbers are those of <stdatomic.h>. Consume counts as acquire, as it does in every
 * compiler. */
typedef enum AxiomOrder {
    AXIOM_RELAXED,
    AXIOM_CONSUME,
    AXIOM_ACQUIRE,
    AXIOM_RELEASE,
    AXIOM_ACQ_REL,
    AXIOM_SEQ_CST
} AxiomOrder;
enum { AXIOM_NONE = -1 };

/* Program order is (thread, index). A successful read-modify-write is a read and, at the next
 * index, a write that names it; a failed compare-exchange is a read with its failure order. The
 * order of an access acts on its side only: acquire orders on reads and fences, release orders on
 * writes and fences, so both halves of an acq_rel exchange carry the order acq_rel. */
typedef struct AxiomEvent {
    unsigned thread, index;
    AxiomKind kind;
    AxiomOrder order;
    int location; /* reads and writes: 0 .. locations-1 */
    /* Reads and writes of a part of their location: its bytes as a mask; 0: all of them. */
    unsigned bytes;
    bool plain;     /* not atomic: order is ignored */
    bool locked;    /* reads and writes: part of a read-modify-write, also of one that failed */
    uint64_t value; /* of the whole location; bytes beyond the first 8 are not looked at */
    int rf; /* reads: the number of the write read from; AXIOM_NONE: the initial write. If there are
               parts, it is the last write before the read in the order of the location. */
    unsigned coherence; /* writes: position in the coherence order of the location, 1 after the
                           initial write */
    int rmw;            /* writes: the number of the read it is paired with, or AXIOM_NONE */
    unsigned peer;      /* create and join */
} AxiomEvent;

/* A synchronisation by somebody outside: what FROM has seen happens before TO. Both are fences of
 * any order; under tso they drain the store buffer. */
typedef struct AxiomEdge {
    int from, to;
} AxiomEdge;

typedef struct AxiomGraph {
    const AxiomEvent *events; /* in any order; events are named by their number here */
    size_t count;
    unsigned locations;
    const uint64_t *initial; /* value of each location; NULL: all zero */
    const AxiomEdge *edges;
    size_t edge_count;
} AxiomGraph;

typedef struct AxiomOptions {
    /* C++20 release sequences, (rf ; rmw)*, in place of those of C11 and the RC11 paper, which also
     * go on through later writes of the same thread to the location. */
    bool release_sequence_cxx20;
    /* tso: the stronger order of the code that gcc and clang emit for x86, where a seq_cst store
     * is an xchg (ordered before every later load) and a compare-exchange is locked even when it
     * fails; other stores may be locked, too (those of the C library's locks). */
    bool x86_code;
} AxiomOptions;

/* X(NAME, what does not hold when this axiom fails) */
#define AXIOM_RULES(X)                                                                             \
    X(ALL, "consistent")                                                                           \
    X(WELL_FORMED, "the graph is not an execution: a read without its write, a torn pair, a gap")  \
    X(COHERENCE, "coherence: hb ; eco? is not irreflexive")                                        \
    X(ATOMICITY, "atomicity: a write comes between the two halves of a read-modify-write")         \
    X(THIN_AIR, "no thin air: po | rf has a cycle")                                                \
    X(SEQ_CST, "seq_cst order: psc has a cycle")                                                   \
    X(PER_LOCATION, "coherence: po | rf | co | fr on one location has a cycle")                    \
    X(GLOBAL_ORDER, "the order of memory: ppo | fences | rfe | co | fr has a cycle")               \
    X(INTERLEAVING, "sequential consistency: po | rf | co | fr has a cycle")
typedef enum AxiomRule {
#define X(name, text) AXIOM_RULE_##name,
    AXIOM_RULES(X)
#undef X
} AxiomRule;
const char *axiom_rule_text(AxiomRule rule);

typedef struct AxiomFinding {
    AxiomRule rule; /* AXIOM_RULE_ALL: consistent */
    int event; /* an event on the cycle, or the event that is wrong; AXIOM_NONE: an initial write */
} AxiomFinding;

/* Is GRAPH consistent under MODEL? FINDING (may be NULL) says which axiom fails and where. Scratch
 * memory comes from ARENA; reset it when the answer is known. */
bool axioms_consistent(const AxiomGraph *graph, MemoryModel model, AxiomOptions options,
                       Arena *arena, AxiomFinding *finding);
/* Is GRAPH, in which reads may be before the writes that they read from, consistent under IMM
 * (Podkopaev, Lahav, Vafeiadis, POPL 2019) if no event depends on a read before it? *CYCLIC: po |
 * rf has a cycle, so that RC11 forbids it. Not for accesses of parts. */
bool axioms_imm_consistent(const AxiomGraph *graph, AxiomOptions options, Arena *arena,
                           bool *cyclic);
/* Happens-before of RC11 over the events of a well-formed GRAPH, transitively closed. */
Relation axioms_happens_before(const AxiomGraph *graph, AxiomOptions options, Arena *arena);
/* Two accesses of one location, one of them a write, not both atomic, unordered by happens-before:
 * true and their numbers if there are any. */
bool axioms_race(const AxiomGraph *graph, AxiomOptions options, Arena *arena, size_t *first,
                 size_t *second);
#endif
