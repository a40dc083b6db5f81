/* spec.h: a specification is an automaton. It has an initial state and, for a call in a state, the
 * allowed steps: the state after it and the result it gives. No step means that the call waits.
 * States are arrays of 64-bit words in a canonical form: equal states are equal words, so copying,
 * hashing and comparing them needs nothing from the specification, and Automaton (automaton.h)
 * gives each state a number. Built-in models, golden C code, observed serial runs and relaxed
 * specifications all have this shape. Depends on libc only. */
#ifndef HEDDLE_SPEC_SPEC_H
#define HEDDLE_SPEC_SPEC_H
#include "judge/history/history.h"

typedef struct SpecCall {
    uint16_t method; /* the specification's own number of the operation */
    uint16_t count;
    const Value *arguments;
    Value result; /* VALUE_UNKNOWN: the call is pending, any result is allowed */
} SpecCall;

typedef struct SpecSteps SpecSteps;
/* A step is allowed. Ignored if the call's known result differs from RESULT (see spec_result_fits),
 * so that a specification just lists what is possible. WORDS is copied. */
void spec_emit(SpecSteps *steps, const uint64_t *words, size_t count, Value result);

/* Does the same for WORDS with REMOVED of them from AT on replaced by ADDED others. */
void spec_emit_edit(SpecSteps *steps, const uint64_t *words, size_t count, size_t at,
                    size_t removed, const uint64_t *added_words, size_t added, Value result);

/* How an operation changes the state, as far as its label alone (name, arguments, result) tells. */
typedef enum SpecEffect {
    SPEC_CHANGES, /* it may change the state */
    SPEC_READS    /* in no state does it change it: a read, a failed compare-and-set */
} SpecEffect;

/* Shapes that checks know more about, where values are distinct (judge/linear/monitor.h, turns.h,
 * quasi.h), and what an operation is there. The states of the first three are the values inside:
 * the one that is taken next stands first, in a stack last. */
typedef enum SpecShape {
    SPEC_SHAPE_OTHER,
    SPEC_SHAPE_QUEUE,
    SPEC_SHAPE_STACK,
    SPEC_SHAPE_PRIORITY,
    SPEC_SHAPE_BAG,
    SPEC_SHAPE_DEQUE,
    SPEC_SHAPE_REGISTER,
    SPEC_SHAPE_LOG /* one cell a part: put replaces its text, append extends it, take reads it */
} SpecShape;
typedef enum SpecRole {
    SPEC_ROLE_OTHER,
    SPEC_ROLE_PUT,   /* of a value: enqueue, push, write */
    SPEC_ROLE_TAKE,  /* of a value: dequeue, pop, read; unknown if it is pending */
    SPEC_ROLE_EMPTY, /* found nothing */
    SPEC_ROLE_APPEND /* of a value: the text is extended by it */
} SpecRole;

/* Facts that an operation tells by itself, whatever the state: for contradictions that can be seen
 * without a search (judge/linear/bounds.h). A state has a number (a size, a sum, what is available)
 * and holds values, each at a place (a key), several times perhaps. */
typedef struct SpecFacts {
    int64_t least_change, most_change; /* of the number, if the operation happened */
    bool observes;                     /* before it, the number was from LEAST to MOST */
    int64_t least, most;
    Value place; /* VALUE_UNKNOWN: the only one */
    bool puts;   /* PUT is there from now on */
    bool sees;   /* SEEN was there; with TAKES, one of it is gone */
    bool takes;
    bool lists; /* the elements of SEEN and no others were there */
    bool hides; /* it puts something there that can't be told: nothing is known about this place */
    Value put, seen;
} SpecFacts;

/* Says what a call does to one of the several numbers of which a state consists, such as the
 * account of a bank: it changes it, and was allowed if it was from LEAST to MOST before. */
typedef struct SpecAmount {
    Value place;    /* whose number it is */
    int64_t change; /* if the call happened */
    int64_t least, most;
} SpecAmount;
#define SPEC_AMOUNT_ANY (INT64_MAX / 2) /* -ANY to ANY: nothing is observed */
typedef Vec(SpecAmount) SpecAmounts;

typedef enum SpecGives { SPEC_GIVES_NOTHING, SPEC_GIVES_VALUE, SPEC_GIVES_EITHER } SpecGives;

/* Texts among the arguments of a history's operations. */
typedef enum SpecTexts {
    SPEC_TEXTS_NONE,  /* there are none */
    SPEC_TEXTS_OTHER, /* there are some, but not the one in question */
    SPEC_TEXTS_THIS   /* the one in question is among them */
} SpecTexts;

typedef struct Spec Spec;
struct Spec {
    const char *name;
    bool deterministic; /* a call with a known result has at most one step in each state */
    bool wants_process; /* calls have the process as one more argument, the last */
    bool exact_results; /* results are compared as they are: see spec_result_fits */
    Values *values;     /* of all values in its states */
    void *data;         /* the specification's own */
    /* The number of the operation called NAME with COUNT arguments; false if there is none. */
    bool (*resolve)(const Spec *spec, Str name, size_t count, uint16_t *method);
    /* The operations it has, for messages: "enq(v), deq(), peek(), size()". */
    const char *operations;
    /* Why a call makes no sense here, or NULL: e.g. storing what could not be told from "empty".
     * The function itself may be NULL. */
    const char *(*reject)(const Spec *spec, const SpecCall *call);
    /* Does the operation give a value, so that a result equal to its argument means something?
     * NULL: that is not known. */
    SpecGives (*gives)(const Spec *spec, uint16_t method);
    /* Is GIVEN, a result of the operation, a value to be compared as it is? NULL: none is. */
    bool (*exact)(const Spec *spec, uint16_t method, Value given);
    /* The words that a result may be, if the text that CALL gives is none of them and can be no
     * value either, given what TEXTS says about the texts among the arguments of the history; else
     * NULL. The function itself may be NULL. */
    const char *(*unclear)(const Spec *spec, const SpecCall *call, SpecTexts texts);
    void (*initial)(const Spec *spec, SpecSteps *steps);
    void (*step)(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                 SpecSteps *steps);
    /* A call without a step waits; may this one wait even where it has one? NULL: no. */
    bool (*may_wait)(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call);
    SpecEffect (*effect)(const Spec *spec, const SpecCall *call); /* NULL: SPEC_CHANGES */
    /* Parts that do not influence each other: false if CALL touches the whole state, else *part is
     * the part it touches and the specification restricted to one part's calls is the same
     * specification (P-compositionality). NULL: the state has no parts. */
    bool (*part)(const Spec *spec, const SpecCall *call, Value *part);
    /* The number of the initial state, and the facts about a call, which are all zero at first;
     * false if nothing can be said. NULL: nothing ever can. */
    bool (*facts)(const Spec *spec, const SpecCall *call, SpecFacts *facts);
    int64_t start_number;
    /* Adds what a call does to each number, if its result is understood in the way of READING (0 or
     * 1: [1, 2] may be two balances, or account 1 with 2); false if it can't be. Numbers that are
     * not named stay as they are; where the call lists numbers, they are 0. NULL: the state does
     * not consist of numbers. */
    bool (*amounts)(const Spec *spec, const SpecCall *call, int reading, SpecAmounts *amounts);
    int64_t (*start_amount)(const Spec *spec, Value place);
    SpecShape shape;
    /* NULL: no operation has a role. HOLDS_ELEMENTS: what is taken was put, and then is gone. */
    SpecRole (*role)(const Spec *spec, const SpecCall *call, Value *value);
    bool holds_elements;
    /* Is the operation at the front of a deque? NULL where the shape is another. */
    bool (*at_front)(const Spec *spec, const SpecCall *call);
    /* Steps depend on which labels exist (relax.h): remembered ones are dropped when one is
     * added. */
    bool labels_matter;
    Value start; /* of a register */
    /* May a history end in this state? NULL: in every state. */
    bool (*accepts)(const Spec *spec, const uint64_t *state, size_t words);
    /* Bytes that it holds beside its values, for limits; NULL: none to speak of. */
    size_t (*memory)(const Spec *spec);
    /* The state as a person would write it. */
    void (*print)(const Spec *spec, const uint64_t *state, size_t words, Buffer *out);
};

/* Results that a specification gives: a value; VALUE_NONE where there is nothing to give; TRUE and
 * FALSE; SPEC_DONE from operations that only do something. Logs spell these in several ways; an
 * operation that only does something never fits a recorded failure. */
#define SPEC_DONE ((Value){18})
bool spec_result_fits(const Spec *spec, const SpecCall *call, Value given);

/* Replaces results that repeat the arguments (value_echo) by what they mean, if SPEC knows. */
void spec_settle(const Spec *spec, History *history);
/* Puts into GIVES, for the names (symbols) of the operations of HISTORY, what they give when they
 * are done, as history_let_fail() wants it: SPEC_DONE, or yes and no. */
void spec_find_gives(const Spec *spec, const History *history, HashMap *gives);
/* Is every result that is a text either a word that its operation may give or a possible value? If
 * not, the error names it and the words. Call it once every operation is known to resolve. */
MUST_USE bool spec_check_results(const Spec *spec, const History *history, Error *error);

/* A built-in model by name, e.g. "fifo", or with its initial value, "register:0"; living in ARENA,
 * its values in VALUES. NULL and a message if there is none. */
Spec *spec_builtin(Arena *arena, Values *values, Str name, Error *error);
/* Is SPEC the built-in model NAME, with whatever initial value? */
bool spec_is_builtin(const Spec *spec, const char *name);
/* The name of built-in model I, or NULL past the last, and what it is in one line. */
const char *spec_builtin_name(size_t i, const char **what);
/* Fills *call from an operation; the error names the operation and what the specification has. */
MUST_USE bool spec_call(const Spec *spec, const History *history, const Operation *operation,
                        SpecCall *call, Error *error);
/* "deq may return 1 or none", "deq must wait": what the state allows for a call, results
 * unknown. */
void spec_print_allowed(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                        Str name, Buffer *out);

/* Collects steps; the words of step i are words[offset[i] .. offset[i + 1]). */
struct SpecSteps {
    const Spec *spec;
    const SpecCall *call; /* NULL while collecting the initial state */
    Vec(uint64_t) words;
    Vec(uint32_t) offsets; /* count + 1 of them once a step is in */
    Vec(Value) results;
};
void spec_steps_clear(SpecSteps *steps, const Spec *spec, const SpecCall *call);
void spec_steps_free(SpecSteps *steps);
#endif
