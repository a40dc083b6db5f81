#include "guest/explore/schedules/ahead.h"
#include "base/clock.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/schedules/sample.h"
#include "guest/explore/facts/noting.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/scale/workers.h"
#include "guest/runtime/pages.h"

#define FIRST_REQUESTS 1000000 /* of threads, before the first look: 150 ms or so */
#define POLLS 64               /* between two questions whether a look is due */
#define GROWTH 4               /* of what is done between looks */
#define SHARE 200              /* schedules, and probes, cost one part in so many of the search */
#define MOST_SHARE 20      /* schedules cost no more than one part in so many of what was done */
#define TIME_SHARE 10      /* all looks together cost one part in so many of the time limit */
#define MOST_NS 1000000000 /* of processor time, for all looks of an exploration */

typedef struct Look { /* what the forked process tells */
    uint64_t executions;
    uint64_t cpu_ns;
    bool found;
    Forecast forecast;
} Look;

AheadState ahead;

static Look *last; /* shared with the forked process; every worker has its own */
static bool has_found, has_looked;
static bool is_eager;
static uint64_t first_request, next_look, spent_ns, end_ns;

void ahead_setup(bool eagerly)
{
    is_eager = eagerly;
}

void ahead_begin(void)
{
    bool possible = ahead.wanted && !options.schedules && options.preemptions < 0 &&
                    !options.keep_going && !exploration.held;
    ahead.forecast = (Forecast){0};
    has_found = has_looked = search_hooks.hurries = false;
    spent_ns = 0;
    first_request = request_count;
    next_look = is_eager ? 0 : FIRST_REQUESTS;
    search_hooks.polls_left = !possible ? 0 : is_eager ? 1 : POLLS;
}

void ahead_end(void)
{
    search_hooks.polls_left = 0;
    search_hooks.hurries = false;
    ahead.forecast = (Forecast){0};
    last = NULL;
}

void ahead_note_cut(void)
{
    if (has_looked || !search_hooks.polls_left)
        return;
    search_hooks.hurries = true;
    search_hooks.polls_left = 1;
    next_look = 0;
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

/* Returns how many requests the whole search takes, of which DONE were made for EXECUTIONS complete
 * executions: half of what F says, if its standard error is at most a quarter; at least DONE. */
static double expect(const Forecast *f, uint64_t done, uint64_t executions)
{
    double all = (double)done;
    if (executions && 16 * f->variance <= f->executions * f->executions)
        all *= f->executions / 2 / (double)executions;
    return MAX(all, (double)done);
}

/* In the forked process. */
static void look(void)
{
    bool noted = values_mode.noted;
    uint64_t begun = clock_cpu_ns(), done = request_count - first_request;
    uint64_t executions = counts.executions;
    values_keep_copy();
    end_ns = begun + most_ns() - MIN(spent_ns, most_ns());
    exploration.poll = is_time_over;
    *last = (Look){0};
    Forecast forecast = {0}; /* none where executions do not end: a probe might not, either */
    if (!counts.cut)
        forecast = forecast_make(done / SHARE + 1);
    facts_listen(false);
    arrivals_have_turns = false;
    double share = expect(&forecast, done, executions) / SHARE;
    uint64_t budget = (uint64_t)MIN(share, (double)done / MOST_SHARE);
    FindingKind kind = sample_some(UINT64_MAX, budget + 1);
    facts_listen(noted);
    last->executions = sampling.done;
    last->found = kind == FINDING_VIOLATION;
    last->forecast = forecast;
    last->cpu_ns = clock_cpu_ns() - begun;
}

bool ahead_look(void)
{
    uint64_t done = request_count - first_request;
    search_hooks.polls_left = POLLS;
    if (done < next_look)
        return false;
    search_hooks.hurries = false;
    has_looked = true;
    next_look = done * GROWTH;
    if (!last)
        last = pages_share(sizeof *last);
    if (spent_ns >= most_ns() || !workers_run_apart(look)) {
        search_hooks.polls_left = 0;
        return false;
    }
    spent_ns += last->cpu_ns;
    has_found = last->found;
    if (last->forecast.probes)
        ahead.forecast = last->forecast;
    return has_found;
}

bool ahead_has_found(void)
{
    return has_found;
}

FindingKind ahead_repeat(void)
{
    bool (*poll)(void) = exploration.poll;
    ExploreCounts searched = counts;
    has_found = false;
    exploration.floor = 0;
    exploration.poll = NULL;
    FindingKind kind = sample_some(last->executions + 1, UINT64_MAX);
    exploration.poll = poll;
    counts.executions += searched.executions; /* what was explored on the way to it */
    counts.blocked += searched.blocked;
    if (kind == FINDING_VIOLATION)
        op_warning("found by random schedule %llu of those that are drawn while everything is "
                   "explored",
                   (unsigned long long)sampling.done + 1);
    return kind;
}
