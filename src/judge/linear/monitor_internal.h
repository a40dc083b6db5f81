/* monitor_internal.h: what the monitors share: the values of a group with their two operations. */
#ifndef HEDDLE_LINEAR_MONITOR_INTERNAL_H
#define HEDDLE_LINEAR_MONITOR_INTERNAL_H
#include "judge/linear/monitor.h"

#define MONITOR_NO MONITOR_NONE

typedef struct MonitorValue {
    uint32_t put, take; /* operations, or MONITOR_NO */
} MonitorValue;

typedef struct MonitorTable {
    const Plan *plan;
    HashMap index; /* word of the value -> index */
    Vec(MonitorValue) values;
    Vec(uint32_t) empties; /* operations that found nothing */
    Vec(uint32_t) pending; /* takes that have not returned */
    uint32_t end;          /* after all positions that count: infinity */
} MonitorTable;

/* The interval of a value's two operations; a take that never was is at the end. */
typedef struct MonitorSpan {
    uint32_t put_called, put_returned, take_called, take_returned;
} MonitorSpan;
static inline MonitorSpan monitor_span(const MonitorTable *table, const MonitorValue *value)
{
    const Operation *ops = table->plan->history->operations.at;
    MonitorSpan span = {ops[value->put].called, ops[value->put].returned, table->end,
                        table->end + 1};
    if (value->take != MONITOR_NO) {
        span.take_called = ops[value->take].called;
        span.take_returned = ops[value->take].returned;
    }
    if (span.put_returned > table->end)
        span.put_returned = table->end;
    return span;
}

/* Is VALUE what a register or key holds before the first write? */
static inline bool monitor_is_initial(const Spec *spec, Value value)
{
    return value_equal(value, spec->start) || value.word == VALUE_NONE.word ||
           (spec->shape == SPEC_SHAPE_LOG && value.word == value_of_symbol(0).word);
}

void monitor_violated(MonitorResult *result, const char *why, const uint32_t *core, size_t count);
void monitor_stack(const MonitorTable *table, MonitorResult *result);
#endif
