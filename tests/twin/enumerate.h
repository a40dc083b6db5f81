/* enumerate.h: every consistent execution of a program of the twin's language, by brute force: all
 * ways for reads to read from writes, all coherence orders, each complete graph judged by the
 * axioms. It shares nothing with the explorer but the definition of the language. */
#ifndef HEDDLE_TWIN_ENUMERATE_H
#define HEDDLE_TWIN_ENUMERATE_H
#include "judge/graph/axioms.h"
#include "base/str.h"
#include "program.h"

typedef struct TwinOptions {
    MemoryModel model;
    AxiomOptions axioms;
    /* Enumerate without the two shortcuts that follow from atomicity and coherence (coherence
     * orders against program order; two read-modify-writes of one write): to test the shortcuts. */
    bool pure;
    bool interleave; /* perform interleavings instead, with at most so many preemptions */
    int preemptions;
    uint64_t most_graphs; /* give up beyond so many judged graphs; 0: never */
} TwinOptions;

typedef struct TwinSet { /* the executions as lines of text (README.md), sorted */
    Vec(const char *) lines;
    bool racy;                  /* rc11: some execution has a data race */
    bool late_use, double_free; /* in some execution the block is used after its free, or may be;
                                   is freed twice */
    uint64_t judged;            /* graphs that were judged */
    bool gave_up;               /* most_graphs was exceeded: lines is not complete */
    Arena *arena;               /* owns the lines */
} TwinSet;

void twin_enumerate(const TwinProgram *program, TwinOptions options, TwinSet *set);
/* Those of them that sequential consistency gives with at most so many preemptions (interleave.c).
 */
void twin_interleave(const TwinProgram *program, int preemptions, TwinSet *set);
/* Does some run of the machine use the block after its free (machine.c)? For sc, tso and pso; each
 * access of PROGRAM is to one location, or a pair. */
bool twin_machine_uses_late(const TwinProgram *program, TwinOptions options, bool *gave_up);
void twin_set_sort(TwinSet *set);
void twin_set_free(TwinSet *set);
#endif
