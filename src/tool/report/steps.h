/* steps.h: an execution as steps that a person reads: halves of read-modify-writes joined, names
 * for addresses, what each read reads from and what it missed. The form (text, HTML, SARIF) is
 * chosen by whoever prints them. */
#ifndef HEDDLE_REPORT_STEPS_H
#define HEDDLE_REPORT_STEPS_H
#include "base/vec.h"
#include "tool/report/dwarf/names.h"

typedef struct Step {
    unsigned number; /* from 1; 0: a gap of left-out steps, told by `action` */
    uint32_t event;  /* its (first) event in the record */
    unsigned thread;
    SourcePlace source; /* the line of the user's code */
    const char *place;  /* the same as text: "queue.c:12" */
    const char *action; /* "store q.head = &node#2" */
    const char *order;  /* "release", or "" */
    const char *note;   /* "from 7", "stale: missed 3", or "" */
    unsigned times;     /* how often it is repeated at once */
    bool stale, bad, partner, blocked;
} Step;
typedef struct Steps { /* a Vec, and which step shows an event */
    Step *at;
    size_t count, capacity;
    const unsigned *numbers; /* by event; 0: none */
    uint32_t event_count;
} Steps;

typedef struct StepsOptions {
    bool all; /* plain accesses to memory that only one thread uses, too */
    bool ascii;
    bool fold;   /* what happens before there is any concurrency is one line */
    bool brief;  /* and so is what a call does inside a library */
    size_t most; /* steps; a longer execution loses its middle. 0: no limit */
} StepsOptions;

/* Fills STEPS; strings live in the arena of NAMES. */
void steps_make(Names *names, const Record *record, const StepsOptions *options, Steps *steps);
/* The step that shows EVENT, or 0. */
unsigned steps_number_of(const Steps *steps, uint32_t event);
const char *steps_order_word(unsigned order);

/* Says what is wrong, in one sentence with names and places. */
const char *steps_sentence(Names *names, const Record *record);
/* The heap object whose free races with an access: the violation is that free. NULL: it is
 * something else. */
const char *steps_freed_object(Names *names, const Record *record);
/* Sentences that explain a race or a deadlock further, one a line; NULL at the end. */
const char **steps_explain(Names *names, const Record *record, const Steps *steps);
#endif
