/* automaton.h: a specification as an automaton whose states are small numbers, and relax(spec, Q).
 *
 * A call is an operation of the implementation with its arguments, made by a thread. A step of the
 * automaton takes a state and a call to outcomes: result and next state.
 *
 * The relaxed automaton. With quasi factor Q(d) for a class d of operations, a sequence pi of calls
 * is allowed if some legal sequence pi' is pi with the operations of each class permuted within the
 * slots that the class has in pi, none moved by more than Q(d) slots; and every prefix of such a
 * pi. The automaton reads pi and executes pi' on the specification, one operation a slot. Its state
 * is (s, late, promised) for each class: s the specification's state after what was executed of
 * pi'; late what was read and not yet executed; promised what was executed and not yet read; both
 * lists are equally long, and each entry has an age, the number of slots since. When x of class d
 * is read: x was promised: the promise is kept, and something else is executed in this slot; x is
 * executed in this slot; or x is late, and something else is executed; where something else is a
 * late operation, or a new promise. What is Q(d) slots old must be dealt with in its slot, so there
 * are finitely many states, whatever the length of pi. Nothing is missed: (pi, pi') is read off
 * slot by slot. (Expanding blocks of 2Q+1 steps, as the published algorithm does, misses
 * permutations that do not fall into blocks, for Q >= 2.)
 *
 * Two refinements. The result of a late operation is not guessed: it is unresolved until the client
 * sees it (ref_automaton_resolve) or it is executed. And a state whose late operations can't all be
 * executed in time whatever comes is dead (ref_automaton_is_alive): this makes the language
 * prefix-closed exactly, so that a violation is seen at the first event after which nothing can
 * mend it. Last, a late and a promised operation that are equal cancel out: the state without both
 * allows all that the one with both allows, since the slots in which the one is executed and the
 * other read lie in each other's windows.
 *
 * Data values. A promised call may bring a data value, and values are only copied, so their names
 * do not matter as long as each call's is its own. A promise is of the value of a call that has
 * begun and was not read, or of a value to come: 255 is what the next call of a relaxed operation
 * will bring, 254 the one after it, and so on. When such a call begins with value v, 255 becomes v
 * in every state, 254 becomes 255, ... (ref_automaton_brings). So a promise says which call it is
 * of, and nothing has to be unified later: a promise of a call that has begun is of its operation
 * and arguments, and a state with another promise of the value to come is dropped when the call
 * begins (ref_automaton_expects), since nobody can ever make that call. Q(d) and the number of
 * threads together are values enough: the promised call is read within Q(d) slots, and of those
 * that begin before it each is read in one of these slots or is still pending. Hence all operations
 * with data in relaxed classes are of one class.
 *
 * Recorded histories are judged by the same automaton in judge/quasi (debts.h is its core). This
 * one keeps entries of its own. There an entry is the number of a call with its result; here it is
 * the call itself, byte by byte: its result comes later or never, its thread and its data values
 * are renamed by symmetry, and it is sent to other processes, where numbers mean something else.
 * With numbers, what is added to a list, taken from it and grows older there would be shared, 34 of
 * the 400 lines of relax.c; a table of calls and a way to send their contents would be new, and
 * every renamed entry be looked up again: of the 356,970 states that refining corpus/refine's
 * priority_queue.hm (FACTOR=2, SEGMENTS=2) packs, 194,202 are renamed ones. */
#ifndef HEDDLE_REFINE_AUTOMATON_H
#define HEDDLE_REFINE_AUTOMATON_H
#include "refine/canon.h"
#include "refine/table.h"

typedef struct RefAutomaton RefAutomaton;

enum { RESULT_LATE = 1, RESULT_VALUE = 2 };

typedef struct StepOutcome {
    uint32_t next;
    int result;      /* when kind is RESULT_VALUE */
    short kind;      /* RESULT_VALUE, or RESULT_LATE: to be resolved */
    short resolved;  /* a thread (1-based) whose late operation was executed; 0: none */
    int resolved_to; /* with this result */
} StepOutcome;
typedef struct StepOutcomes {
    uint32_t first;
    int count; /* 0: the specification blocks */
} StepOutcomes;

typedef struct AutomatonOptions {
    const Model *model;
    const Program *implementation;
    const Module *specification;
    const int *factors; /* by operation of the implementation */
    const int *classes; /* the same: operations of one class are permuted together */
} AutomatonOptions;

/* Can the factors be used with this specification? A promise is made before its call is known, so
 * the specification of an operation of a relaxed class does not ask for self; it has at most one
 * data parameter, and all with one are of one class. */
MUST_USE bool ref_automaton_check(const AutomatonOptions *options, Error *error);
/* Lives until ref_automaton_free. */
RefAutomaton *ref_automaton_new(const AutomatonOptions *options);
void ref_automaton_free(RefAutomaton *automaton);
const Program *ref_automaton_program(const RefAutomaton *automaton);
/* The initial state; false when init fails, see ref_automaton_fault. */
MUST_USE bool ref_automaton_initial(RefAutomaton *automaton, uint32_t *state);
/* arguments are laid out as the parameters are; thread is 1-based. False: a fault. */
MUST_USE bool ref_automaton_step(RefAutomaton *automaton, uint32_t state, int operation,
                                 const unsigned char *arguments, int thread, StepOutcomes *out);
/* How many data values, from 255 downwards, stand for those to come. */
int ref_automaton_future(const RefAutomaton *automaton);
/* Must ref_automaton_set_open be called before steps and before ref_automaton_resolve? */
bool ref_automaton_asks_open(const RefAutomaton *automaton);
/* The calls that have begun, other than the one to be read, and that the states of the next steps
 * have not read: at most MODEL_MAX_THREADS, as ref_automaton_add_open gave them. */
void ref_automaton_set_open(RefAutomaton *automaton, const uint32_t *calls, int count);
/* Adds a call to *CALLS, if it brings a data value. */
void ref_automaton_add_open(RefAutomaton *automaton, int operation, const unsigned char *arguments,
                            uint32_t *calls, int *count);
/* A call begins: false if that names no value to come, else how values are renamed in every state.
 */
bool ref_automaton_brings(const RefAutomaton *automaton, int operation,
                          const unsigned char *arguments, Renaming *renaming);
/* Returns whether a state, renamed so, promises nothing else of that value than this call. */
bool ref_automaton_expects(const RefAutomaton *automaton, uint32_t state, int operation,
                           const unsigned char *arguments);
/* Valid until the next call of ref_automaton_step or ref_automaton_is_alive. */
const StepOutcome *ref_automaton_outcome(const RefAutomaton *automaton, StepOutcomes outcomes,
                                         int index);
/* The late operation of a thread returned result to its client; false when nothing can explain it,
 * or (ask ref_automaton_fault) something went wrong. */
bool ref_automaton_resolve(RefAutomaton *automaton, uint32_t state, int thread, int result,
                           uint32_t *next);
/* Is it no final state, and can no operation go on in it, by any thread? False also after a fault.
 */
bool ref_automaton_is_stuck(RefAutomaton *automaton, uint32_t state);
uint32_t ref_automaton_rename(RefAutomaton *automaton, uint32_t state, const Renaming *renaming);
/* Data values in a state, as a set of 256 bits. */
void ref_automaton_values(RefAutomaton *automaton, uint32_t state, uint64_t set[4]);
/* Gives values that occur in the state and have no name yet the next ones. */
void ref_automaton_number_values(RefAutomaton *automaton, uint32_t state, Renaming *renaming,
                                 int *next);
/* A state as bytes, to be sent to another automaton of the same options. */
void ref_automaton_export(const RefAutomaton *automaton, uint32_t state, Buffer *out);
uint32_t ref_automaton_import(RefAutomaton *automaton, const unsigned char *bytes, size_t count);
/* The state in words: "fifo_item = {a, b}, fifo_count = 2; late: deq() = b". */
void ref_automaton_print(const RefAutomaton *automaton, uint32_t state, Buffer *out);
/* FAULT_NONE unless the specification itself failed. */
Fault ref_automaton_fault(const RefAutomaton *automaton, Place *place, int64_t *value);
size_t ref_automaton_memory(const RefAutomaton *automaton);
size_t ref_automaton_states(const RefAutomaton *automaton);
#endif
