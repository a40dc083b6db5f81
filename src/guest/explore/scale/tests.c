/* tests.c: units of the tests of `check` (units.h). A unit of a test is never divided, and carries
 * all that was learnt. It is in the queue until its test is made, and then in the slot of the
 * process that makes it, as far as that has come. Where it would not fit, the test is made from its
 * beginning: the counts are the same. */
#include <string.h>
#include "guest/explore/memory/memory.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/scale/self.h"

/* The unit of test NUMBER in the queue, or NULL; with the lock. */
static unsigned char *find_test(uint64_t number)
{
    UnitsShared *shared = units_self.shared;
    for (uint64_t at = shared->queue_read; at < shared->queue_written;) {
        UnitHead head;
        memcpy(&head, shared->queue + at, sizeof head);
        if (head.test == number)
            return shared->queue + at;
        at += units_bytes(&head);
    }
    return NULL;
}

bool units_has_test(uint64_t number)
{
    if (!units_self.shared || !number)
        return false;
    units_lock();
    bool found = find_test(number) != NULL;
    units_unlock();
    return found;
}

void units_enter_test(const UnitsTest *test)
{
    units_self.test = *test;
    units_self.revisits = revisit_count;
    units_mode.apply = true;
}

void units_leave_test(bool keep)
{
    units_lock();
    units_mode.apply = units_self.working = false;
    units_self.test.number = 0;
    units_self.mine->busy &= keep;
    units_unlock();
}

/* The unit of the test leaves the queue and becomes that of our slot. */
static bool take_test(void)
{
    UnitsShared *shared = units_self.shared;
    units_lock();
    unsigned char *at = find_test(units_self.test.number);
    if (at) {
        units_take(at);
        size_t bytes = units_bytes(&units_self.present);
        memmove(at, at + bytes, (size_t)(shared->queue + shared->queue_written - at) - bytes);
        shared->queue_written -= bytes;
    }
    units_unlock();
    return at != NULL;
}

void units_begin_test(void)
{
    const UnitCounts *before = &units_self.present.before;
    units_self.frozen_bytes = 0;
    units_self.working = true;
    units_self.has_present = take_test();
    /* knowledge from other tests: the way was made without it */
    if (units_self.has_present &&
        facts_are_more(units_self.mine->knowledge, units_self.present.knowledge_bytes)) {
        units_self.has_present = false;
        units_self.mine->busy = 0;
    }
    if (!units_self.has_present) {
        units_self.never_divided = false;
        units_self.alone = units_first_state();
        return;
    }
    units_use_knowledge();
    counts = (ExploreCounts){.executions = before->executions,
                             .blocked = before->blocked,
                             .stuck = before->stuck,
                             .cut = before->cut,
                             .left_out = before->left_out};
    revisit_count += before->revisits;
    units_self.test.resume(before);
}

void units_restart_test(void)
{
    units_lock();
    units_self.mine->busy = 0;
    units_unlock();
    revisit_count = units_self.revisits;
    units_self.test.resume(&(UnitCounts){0});
}

void units_count_test(UnitHead *head)
{
    head->test = units_self.test.number;
    if (!head->test)
        return;
    head->before = (UnitCounts){.executions = counts.executions,
                                .blocked = counts.blocked,
                                .stuck = counts.stuck,
                                .cut = counts.cut,
                                .left_out = counts.left_out,
                                .revisits = revisit_count - units_self.revisits};
    units_self.test.count(&head->before);
}
