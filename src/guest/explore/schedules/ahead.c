#include "guest/explore/schedules/ahead.h"
#include "base/clock.h"
#include "guest/explore/explore.h"
#include "guest/explore/schedules/sample.h"
#include "guest/explore/values.h"
#include "guest/explore/workers.h"
#include "guest/runtime/pages.h"

#define GROWTH 8           /* of the distance between looks */
#define SHARE 20           /* schedules, and probes, cost one part in so many of what was done */
#define TIME_SHARE 10      /* all looks together cost one part in so many of the time limit */
#define MOST_NS 1000000000 /* of processor time, for all looks of an exploration */

typedef struct Look { /* what the forked process tells */
    uint64_t executions;
    uint64_t cpu_ns;
    bool found;
    Forecast forecast;
} Look;

bool ahead_wanted;
Forecast ahead_forecast;
unsigned ahead_polls_left;
uint64_t ahead_cpu_ns;

static Look *last; /* shared with the forked process; every worker has its own */
static bool has_found;
static unsigned distance, first_distance;
static uint64_t first_request, budget, spent_ns, end_ns;

void ahead_setup(bool eagerly)
{
    first_distance = eagerly ? 1 : AHEAD_POLLS;
}

void ahead_begin(void)
{
    bool possible = ahead_wanted && !options.schedules && options.preemptions < 0 &&
                    !options.keep_going && !explore_held;
    ahead_forecast = (Forecast){0};
    has_found = false;
    spent_ns = 0;
    first_request = request_count;
    distance = first_distance;
    ahead_polls_left = possible ? distance : 0;
}

void ahead_end(void)
{
    ahead_polls_left = 0;
    ahead_forecast = (Forecast){0};
    last = NULL;
}

static uint64_t most_ns(void)
{
    uint64_t limit = options.time_ms ? options.time_ms * 1000000 / TIME_SHARE : MOST_NS;
    return MIN(limit, (uint64_t)MOST_NS);
}

static bool is_time_over(void)
{
    return clock_cpu_ns() > end_ns;
}

/* In the forked process. */
static void look(void)
{
    bool noted = values_noted;
    uint64_t begun = clock_cpu_ns();
    values_keep_copy();
    values_noted = false;
    end_ns = begun + most_ns() - MIN(spent_ns, most_ns());
    explore_poll = is_time_over;
    *last = (Look){0};
    FindingKind kind = sample_some(UINT64_MAX, budget);
    last->executions = sample_done;
    last->found = kind == FINDING_VIOLATION;
    values_noted = noted;
    if (kind == FINDING_NONE)
        last->forecast = forecast_make(budget);
    last->cpu_ns = clock_cpu_ns() - begun;
}

bool ahead_look(void)
{
    distance *= GROWTH;
    ahead_polls_left = distance;
    if (!last)
        last = pages_share(sizeof *last);
    budget = MAX((request_count - first_request) / SHARE, 1u);
    if (spent_ns >= most_ns() || !workers_run_apart(look)) {
        ahead_polls_left = 0;
        return false;
    }
    spent_ns += last->cpu_ns;
    ahead_cpu_ns += last->cpu_ns;
    has_found = last->found;
    if (last->forecast.probes)
        ahead_forecast = last->forecast;
    return has_found;
}

bool ahead_has_found(void)
{
    return has_found;
}

FindingKind ahead_repeat(void)
{
    bool (*poll)(void) = explore_poll;
    ExploreCounts searched = counts;
    has_found = false;
    explore_floor = 0;
    explore_poll = NULL;
    FindingKind kind = sample_some(last->executions + 1, UINT64_MAX);
    explore_poll = poll;
    counts.executions += searched.executions; /* what was explored on the way to it */
    counts.blocked += searched.blocked;
    if (kind == FINDING_VIOLATION)
        op_warning("found by random schedule %llu of those that are drawn while everything is "
                   "explored",
                   (unsigned long long)sample_done + 1);
    return kind;
}
