/* lanes.h: the threads of an execution as columns beside its steps: one lane a thread, a bracket
 * from the call of an operation to its return (or a line while the thread lives, where a program
 * has no operations), a mark at each step, and an arrow where control goes to another thread.
 *
 *     T1  T2
 *     +          call get()
 *     *          load q.head = NULL
 *     |..>+      call put(1)
 */
#ifndef HEDDLE_REPORT_LANES_H
#define HEDDLE_REPORT_LANES_H
#include "base/str.h"
#include "tool/report/sheet.h"
#include "tool/report/steps.h"

#define LANES_MOST 64

typedef struct Lanes {
    const Record *record;
    bool ascii;
    int count, cell;        /* lanes, and the columns of each; count 0: they would not fit */
    int of[LANES_MOST];     /* by thread: its lane, or -1 */
    bool drawn[LANES_MOST]; /* by lane: a line passes here */
    bool operations;        /* the record has calls: lines are drawn inside them only */
    int last;               /* lane of the step before, or -1 */
    uint32_t seen;          /* events whose effect on `drawn` is there */
} Lanes;

/* The lanes that STEPS need. At most MOST columns are used; if that is not enough, count is 0. */
void lanes_begin(Lanes *lanes, Names *names, const Record *record, const Steps *steps, bool ascii,
                 int most);
int lanes_columns(const Lanes *lanes);
/* Appends the names above the lanes. */
void lanes_head(const Lanes *lanes, Names *names, Buffer *out);
/* Writes the lanes at STEP; afterwards they are as behind it. */
void lanes_write_step(Lanes *lanes, const Step *step, const Sheet *sheet, int colour);
/* Appends the lines that pass below the last step. */
void lanes_between(const Lanes *lanes, Buffer *out);
#endif
