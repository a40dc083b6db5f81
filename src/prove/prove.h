/* prove.h: from a program to an answer: facts, lemmas, reduction, serial runs, and, where the
 * method fails, a search for a real violation. */
#ifndef HEDDLE_PROVE_PROVE_H
#define HEDDLE_PROVE_PROVE_H
#include "prove/explore.h"
#include "prove/ghost.h"
#include "prove/handmade.h"
#include "prove/reduce.h"
#include "prove/simulation.h"
#include "prove/tables.h"
#include "record/kinds.h"

typedef struct ProveOptions {
    bool weaken; /* replace reads by facts (default true) */
    bool tables; /* compute the tables of Figure 5 with reasons, and run Algorithm 1 on them */
    bool search; /* look for a violation when there is no proof */
    const char *relations;    /* file with relations made by hand (handmade.h); NULL: none */
    const char *certificates; /* file for the certificate (certificate.h); NULL: none */
    unsigned effort; /* for one question, in thousands of the solver's own steps: deterministic */
    double seconds;  /* all questions together; 0: no limit */
    int serial_operations; /* most operations in a serial run; 0: as many as serial_steps allow */
    int values, keys;      /* domains in concrete runs */
    long serial_steps, search_steps;
} ProveOptions;
ProveOptions prove_defaults(void);

typedef struct Prove { /* the answer with its evidence */
    Verdict verdict;
    ViolationKind violation;
    const IrProgram *program;
    const IrProgram *text;     /* what is proved: the program, or with its private steps joined */
    bool reduced;              /* every execution is equivalent to a serial one */
    bool ordered;              /* by the ranks of elements (ordered.h), not by reordering steps */
    bool meets;                /* some operations take effect in pairs (meeting.h) */
    bool by_hand;              /* by Algorithm 1 on relations that were given */
    Handmade handmade;         /* these relations */
    bool enlarged;             /* it is another program that was tried (enlarge.h), */
    bool idle;                 /* without steps that only read and that nothing needs */
    Ghosted ghosted;           /* the program with the ghosts of these two, or the other program */
    Vec(const char *) given;   /* what the proof takes for granted */
    Vec(const char *) reasons; /* why there is no proof */
    /* The prover works on the program; on that with ghosts, if ordered; on the other, if enlarged;
     * on that where pairs are split, if it meets: and then `second' works on that with ghosts. */
    Prover prover, second;
    ReduceResult reduction;
    Prover tables_prover; /* of the program, where `prover' has ghosts */
    Tables tables;
    bool has_tables, tables_prove;
    Algorithm1Failure tables_failure;
    /* Serial runs: all of up to this many operations agree with the specification, with free ints
     * from 0 to serial_values and so many keys; and of up to so many with one more value. */
    int serial_operations, serial_values, serial_keys, serial_operations_more;
    bool has_specification;
    Simulation simulation; /* serial runs of any length; */
    bool simulated;        /* it was found */
    ExploreResult serial;
    /* The search for a violation. */
    int search_threads, search_operations; /* of the last complete one, or of the violation */
    int search_rounds; /* most times that a loop was gone through; 0: there are none */
    ExploreResult search;
    const char *refused;        /* a fact of the user's that does not hold, with a state */
    bool stopped;               /* by base/stop.h: what is not shown here was not looked at */
    bool early;                 /* the violation was found before a proof was tried, or instead */
    size_t searched;            /* how much of the plan was tried */
    bool search_missed;         /* some of it was cut off: what is said must hold of all */
    unsigned long certificates; /* questions in the certificate */
    bool shown_twice;           /* its facts, reordering and relation were shown once more; */
    unsigned long by_z3;        /* so many questions were not left to the tool's own procedure */
    double seconds_facts, seconds_reduce, seconds_serial, seconds_tables, seconds_algorithm1,
        seconds_search, seconds_certify, seconds_simulation;
} Prove;

/* False only for what is wrong with the input (a fact of the user's that does not hold, though no
 * violation was found) or the world (no place for the certificate). */
MUST_USE bool prove_run(Arena *arena, const IrProgram *program, const ProveOptions *options,
                        Prove *prove, Error *error);
/* Were reads of nodes left out of what is proved, so that they are looked at apart? */
bool prove_has_looks(const Prove *prove);
void prove_free(Prove *prove);
#endif
