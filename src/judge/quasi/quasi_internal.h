/* quasi_internal.h: what quasi.c and its parts share: quasi_start.c (a problem made ready),
 * quasi_doom.c and quasi_needs.c (what leads nowhere), quasi_ranks.c (what is decided by ranks),
 * quasi_end.c (calls after the end). */
#ifndef HEDDLE_QUASI_QUASI_INTERNAL_H
#define HEDDLE_QUASI_QUASI_INTERNAL_H
#include "base/interner.h"
#include "judge/quasi/quasi.h"
#include "judge/quasi/ranks.h"

#define QUASI_NO_ELEMENT UINT32_MAX

typedef struct QuasiMove { /* of the container as p sees it */
    uint32_t element;      /* or QUASI_NO_ELEMENT */
    bool puts, takes;      /* takes without an element: of what was never put */
    bool finds_nothing;
} QuasiMove;

typedef struct QuasiOp {
    const SpecCall *call;
    uint32_t label; /* of the inner automaton; its result may be unknown */
    uint32_t invocation;
    uint32_t before; /* operations of its class that surely happen and return before its call */
    uint32_t rank;   /* in its class, by calls */
    uint32_t next;   /* in the list of its element */
    QuasiMove move;  /* if known */
    uint8_t class;   /* or RELAX_NO_CLASS: it keeps its place */
    bool known;      /* its result */
    bool happens;    /* surely */
    bool certain;    /* both */
} QuasiOp;

typedef struct QuasiElement { /* a value that is put or taken */
    Value value;
    uint32_t puts, takes; /* lists of certain operations */
    uint32_t put_count;   /* with those that are not certain */
    uint32_t perhaps_put; /* by those */
    bool maybe_again;     /* what is taken may have been put by a call after the end (kooo) */
} QuasiElement;

typedef struct QuasiClass {
    Vec(uint32_t) by_call;          /* its operations */
    Vec(uint32_t) called, returned; /* before each event; of the latter those that surely happen */
    uint32_t total;                 /* that surely happen */
} QuasiClass;

typedef struct QuasiReach { /* an operation that may be read soon */
    uint32_t op, need;      /* as many must be read before it */
} QuasiReach;

/* The places among the takes, from 1, where one can stand in p'. */
typedef struct QuasiWindow {
    uint32_t first, last;
    bool alone; /* no call after the end can come before it */
} QuasiWindow;

/* Positions that tell what comes before what in p' (quasi_needs.c). */
typedef struct QuasiMoments {
    uint32_t after, after_twice, before;
} QuasiMoments;
typedef struct QuasiNeeds {
    uint32_t first, end; /* in `needs` */
} QuasiNeeds;

typedef struct QuasiDraft { /* a state being made: the class that is read and written */
    uint32_t inner;
    Debts debts;
} QuasiDraft;

struct Quasi {
    const LinearizeProblem *problem;
    const Spec *spec, *model; /* relaxed, and what is relaxed */
    const RelaxClasses *classes;
    Automaton *inner;
    bool causal;
    Vec(QuasiOp) ops;
    Vec(QuasiElement) elements;
    HashMap element_index; /* by value */
    Vec(uint32_t) returns; /* by operation: the event, or UINT32_MAX */
    QuasiClass class[RELAX_CLASSES];
    Interner states;
    uint32_t contradiction; /* quasi_contradiction */
    Verdict decided;        /* by ranks; or inconclusive */
    RanksOrder order;       /* if it holds */
    uint64_t ranked;        /* states that this took */
    /* quasi_doom.c */
    bool turns_known, takers_known; /* what is taken when; and that nobody else takes anything */
    bool exchangeable; /* elements can be: nothing is uncertain, nothing else is seen */
    uint8_t put_class, take_class;
    Vec(QuasiWindow) windows;     /* by operation; of takes */
    Vec(uint32_t) takes_returned; /* before each event: those that surely happen */
    /* quasi_needs.c */
    Vec(QuasiMoments) moments;  /* by operation */
    Vec(uint32_t) put_order;    /* certain puts, by calls */
    Vec(QuasiNeeds) need_first; /* by element */
    Vec(uint32_t) needs;        /* operations that must be in p' before the element is put */
    Vec(QuasiNeeds) ban_first;  /* by element */
    Vec(uint32_t) bans;         /* elements that may not be inside when the element is put */
    Vec(uint32_t) label_moves;  /* by inner label: quasi_move_of_label */
    /* of the step being made */
    const QuasiPlace *place;
    const QuasiOp *x; /* the operation read */
    uint32_t x_index, c, factor;
    uint32_t left;                        /* operations of its class that must still be read */
    Vec(uint64_t) from, words;            /* the state before, being made */
    size_t block_at, block_end, moved_at; /* in from */
    uint32_t written;                     /* the label written to p' */
    Vec(QuasiReach) reach;
    QuasiStates *out;
    size_t out_first;
};

/* Looks what is known of the order of takes. */
void quasi_doom_start(Quasi *quasi, const uint32_t *events, size_t event_count);
/* The present step leads to INNER: is it certain that this ends nowhere? DRAFT: of the class of x,
 * aged; NULL if it has none. */
bool quasi_is_doomed(Quasi *quasi, uint32_t inner, const QuasiDraft *draft);
/* Does the same for what must be put, or taken, before an element is put. */
void quasi_needs_start(Quasi *quasi);
/* These two contradict each other; LINEARIZE_NONE: what never happens, which the end shows. */
void quasi_note_contradiction(Quasi *quasi, uint32_t a, uint32_t b);
/* The element that a label puts << 1, or takes << 1 | 1, or QUASI_NO_ELEMENT. */
uint32_t quasi_move_of_label(Quasi *quasi, uint32_t label);
/* Is it enough to look for p and p' in which W is put and taken before Z? */
bool quasi_goes_first(const Quasi *quasi, uint32_t w, uint32_t z);
/* Decides a queue by ranks (ranks.h), if it can be, and notes a contradiction or an order. */
void quasi_ranks_start(Quasi *quasi, const LinearizeLimits *limits);
bool quasi_needs_are_met(Quasi *quasi, uint32_t label, const QuasiDraft *draft);

/* Is an operation that surely happens in the order? */
bool quasi_is_placed(const Quasi *quasi, const QuasiPlace *place, uint32_t op);

uint32_t quasi_element_of(const Quasi *quasi, Value value); /* or QUASI_NO_ELEMENT */
/* The effect of an operation with this result on the container. */
QuasiMove quasi_move_of(const Quasi *quasi, const SpecCall *call, Value result);
/* Where the block of a class is in the words of a state; of RELAX_CLASSES: where all end. */
void quasi_find_block(const Quasi *quasi, const uint64_t *words, uint32_t class, size_t *block,
                      size_t *end);
/* Makes a state the one that a step, or the functions below, begin with. */
void quasi_load_state(Quasi *quasi, const QuasiPlace *place, uint32_t state);
/* How many times an element is inside the container, as p sees it, in the state that is loaded. */
int64_t quasi_times_inside(const Quasi *quasi, const QuasiPlace *place, uint32_t element);
/* Can a state be continued to the end by calls that are not in the history (kooo)? */
bool quasi_can_be_completed(Quasi *quasi, const QuasiPlace *place, uint32_t state);
#endif
