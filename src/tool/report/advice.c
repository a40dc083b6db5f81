#include "tool/report/advice.h"
#include <string.h>
#include "base/common.h"

/* The first row whose words occur in the reason counts: special ones first. */
static const struct {
    const char *words, *advice;
} rows[] = {
    {"was found and confirmed, but",
     "Look at the execution below: it went through code that Heddle can't see. If that code does "
     "not matter for it, say --trust=PLACE; else compile it with Heddle (name its source)."},
    {"could not be confirmed",
     "The same steps led elsewhere when they were run again: something outside the program's "
     "memory "
     "changes. Look for what depends on the system: files, addresses, time."},
    {"can't see",
     "Compile that code with Heddle (name its source), use a port without assembly, try "
     "--model=sc or tso, where most instructions are understood, or answer for it with "
     "--trust=PLACE."},
    {"time limit",
     "Give it more time (--time), more processes (--jobs), a smaller test (--shape=2x2, fewer "
     "rounds), fewer executions (--preemptions=2 --model=sc), or a sample (--schedules=100000). "
     "--journal=FILE goes on another day."},
    {"memory limit", "Allow more (--memory), or make the buffers of the test smaller."},
    {"in one allocation", "Allow more (--memory), or make the buffers of the test smaller."},
    {"given up", "A loop counts without end and waits for something: bound it in the test, or see "
                 "--loop-bound and --event-bound."},
    {"nothing happened for", "Make the computation in the test smaller, allow more (--hang=60s), "
                             "or leave the call out that "
                             "waits."},
    {"endless loop", "A loop changes only its own variables: does it end? Bound it in the test."},
    {"different sizes",
     "Atomic accesses of different sizes overlap. Use a variant of the code that always accesses "
     "the whole word."},
    {"interrupted", "Run it again; with --journal=FILE it goes on where it was stopped."},
    {"ended with status",
     "The program ended itself in the middle of an exploration: leave exit, exec or abort out of "
     "the test."},
    {"killed by signal",
     "The program was killed from outside, perhaps for want of memory: see --memory."},
};

const char *advice_for(const char *reason)
{
    for (size_t i = 0; reason && i < COUNT_OF(rows); i++)
        if (strstr(reason, rows[i].words))
            return rows[i].advice;
    return NULL;
}
