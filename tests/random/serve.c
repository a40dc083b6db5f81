/* serve.c: in a runtime for tests/random (build.sh puts it beside guest/harness/run.c): where an
 * exploration would begin, everything is set up, and program after program is explored in one
 * process (server.h). Each exploration begins as one of `heddle check' does, which makes many tests
 * in a process. */
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "guest/entry/guest.h"
#include "guest/explore/all.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/graph/load_buffering.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/rules.h"
#include "guest/harness/by_states.h"
#include "guest/harness/hardware.h"
#include "guest/harness/promised.h"
#include "guest/runtime/image.h"
#include "record/hooks.h"
#include "record/kinds.h"
#include "record/reductions.h"
#include "server.h"

void random_serve(void);

#define VISIBLE __attribute__((visibility("default")))
/* An exploration ends without an answer where a thread has more events, or after so many leaves:
 * limits that do not depend on the load of the machine. */
enum { MOST_EVENTS = 200, MOST_LEAVES = 20000 };
enum { PROGRAMS_OF_PROCESS = 400, SLOTS = 2 * MOST_OUTCOMES };
static unsigned char nowhere[REACHED_BYTES];
VISIBLE int random_mutant;                       /* mutant.h */
VISIBLE unsigned char *random_reached = nowhere; /* mutant.h */
VISIBLE Exchange *random_exchange;               /* NULL: started by hand */
static Exchange *exchange;
static unsigned slot[SLOTS];  /* by hash: number of an outcome of this exploration, plus 1 */
static unsigned passes_noted; /* those of earlier passes do not count */

static int64_t final_value(const char *address)
{
    const Location *x = &locations[graph_find_location(address)];
    return x == locations ? 0 : (int64_t)write_value(x->co[x->writes - 1], x);
}

static void forget_outcomes(void)
{
    exchange->outcomes = 0;
    memset(slot, 0, sizeof slot);
    passes_noted = exploration.restarts;
}

static void note_outcome(void)
{
    int64_t now[OUTCOME_WORDS];
    uint64_t hash = 0;
    if (passes_noted != exploration.restarts)
        forget_outcomes();
    for (int i = 0; i < OUTCOME_WORDS; i++) {
        now[i] = final_value(i < VARIABLES ? (char *)exchange->variables + 8 * i
                                           : (char *)exchange->told + 8 * (i - VARIABLES));
        hash = (hash ^ (uint64_t)now[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    for (;; hash++) {
        unsigned *at = &slot[hash % SLOTS];
        if (*at && !memcmp(exchange->outcome[*at - 1], now, sizeof now))
            return;
        if (*at)
            continue;
        if (exchange->outcomes >= MOST_OUTCOMES) {
            exchange->outcomes = MOST_OUTCOMES + 1;
            return;
        }
        memcpy(exchange->outcome[exchange->outcomes], now, sizeof now);
        *at = ++exchange->outcomes;
        return;
    }
}

/* ---- by states ---- */

static void note_last_memory(void)
{
    unsigned n = exchange->states_outcomes;
    if (n >= MOST_OUTCOMES) {
        exchange->states_outcomes = MOST_OUTCOMES + 1;
        return;
    }
    memcpy(exchange->states_outcome[n], exchange->variables, 8 * VARIABLES);
    memcpy(exchange->states_outcome[n] + VARIABLES, exchange->told, 8 * THREADS);
    for (unsigned i = 0; i < n; i++)
        if (!memcmp(exchange->states_outcome[i], exchange->states_outcome[n],
                    sizeof *exchange->states_outcome))
            return;
    exchange->states_outcomes++;
}

static unsigned leaves;

static bool is_too_long(void)
{
    return counts.cut || ++leaves > MOST_LEAVES;
}

static void limit_time(long ms)
{
    struct itimerval limit = {.it_value = {ms / 1000, ms % 1000 * 1000}};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static void take_up(void)
{
    if (!model_from_word(exchange->model, &options.model))
        _exit(2);
    options.weak_cas = guest_options.weak_cas = exchange->weak_cas;
    options.release_sequences = exchange->c11 ? RELEASE_C11 : RELEASE_CXX20;
    options.plain_search = exchange->way == WAY_PLAIN;
    options.reductions = exchange->way == WAY_UNREDUCED ? 0 : REDUCTIONS_ALL;
    hooks.graph_symmetry = exchange->way == WAY_REDUCED ? NULL : "never";
    buffering = (BufferingState){.is_sought = options.model == MODEL_RC11};
    random_mutant = exchange->mutant;
    counts = (ExploreCounts){0};
    exploration.stopped = false;
    memset(reductions_used, 0, sizeof reductions_used);
    findings.remark_count = 0;
    exploration.on_complete = note_outcome;
    exploration.on_stuck = NULL;
    exploration.poll = is_too_long;
    exploration.poll_mask = 0;
    options.event_bound = MOST_EVENTS;
    leaves = 0;
    exploration.restarts = 0;
    forget_outcomes();
}

static void explore_states(void)
{
    FindingKind kind;
    exchange->by_states = STATES_NOT_ASKED;
    exchange->states_outcomes = 0;
    if (!hooks.states || strcmp(hooks.states, "views") || strcmp(exchange->model, "rc11"))
        return;
    exploration.poll = NULL;
    exchange->by_states = !by_states_views(&kind, note_last_memory) ? STATES_UNDECIDED
                          : kind == FINDING_NONE                    ? STATES_HOLD
                                                                    : STATES_VIOLATED;
    snprintf(exchange->states_violation, sizeof exchange->states_violation, "%s",
             kind == FINDING_VIOLATION ? violation_word(finding.violation) : "");
    if (exchange->by_states == STATES_UNDECIDED)
        snprintf(exchange->message, sizeof exchange->message, "%s", finding.message);
    finding.kind = FINDING_NONE;
    take_up();
}

static void give_answer(FindingKind kind)
{
    if (passes_noted != exploration.restarts)
        forget_outcomes();
    exchange->found = kind == FINDING_VIOLATION ? FOUND_VIOLATION
                      : kind == FINDING_UNSUPPORTED || counts.cut || exploration.stopped
                          ? FOUND_NO_ANSWER
                          : FOUND_NOTHING;
    snprintf(exchange->violation, sizeof exchange->violation, "%s",
             kind == FINDING_VIOLATION ? violation_word(finding.violation) : "");
    snprintf(exchange->message, sizeof exchange->message, "%s",
             kind == FINDING_NONE ? "" : finding.message);
    exchange->promised = 0;
    exchange->executions = counts.executions, exchange->blocked = counts.blocked;
    exchange->stuck = counts.stuck, exchange->cut = counts.cut;
    exchange->restarts = exploration.restarts;
    memcpy(exchange->left_out, reductions_used, sizeof reductions_used);
    OutcomeMessage outcome = {0};
    hardware_end(&outcome);
    uint64_t bits = outcome.buffering;
    exchange->buffering_possible = bits & OUTCOME_BUFFERING_POSSIBLE;
    exchange->buffering_impossible = bits & OUTCOME_BUFFERING_SOUGHT &&
                                     !(bits & OUTCOME_BUFFERING_UNSURE) &&
                                     !exchange->buffering_possible;
    exchange->buffering_impossible_lse =
        exchange->buffering_impossible && !(bits & OUTCOME_BUFFERING_EXCLUSIVE);
}

static void note_promised(void)
{
    passes_noted = exploration.restarts;
    note_outcome();
}

static void explore_promised(void)
{
    OutcomeMessage outcome = {0};
    leaves = 0;
    promised_on_graph = note_promised;
    promised_explore(&outcome);
    exchange->promised = outcome.promised;
    exchange->promised_graphs = outcome.promised_graphs;
}

static void explore_programs(void)
{
    char order;
    const int status = 0;
    for (int n = 0; n < PROGRAMS_OF_PROCESS; n++) {
        if (read(SERVER_ORDERS, &order, 1) != 1) {
            exchange->ended = true;
            break;
        }
        exchange->busy = true;
        take_up();
        limit_time(exchange->ms);
        uint64_t start = clock_cpu_ns();
        explore_states();
        FindingKind kind = explore_all();
        give_answer(kind);
        if (exchange->asks_promised && exchange->found == FOUND_NOTHING && !exchange->stuck)
            explore_promised();
        exchange->us = (clock_cpu_ns() - start) / 1000;
        limit_time(0);
        exchange->busy = false;
        if (write(SERVER_REPLIES, &status, sizeof status) != sizeof status ||
            exchange->mutant) /* who knows what it leaves behind */
            break;
    }
    image_leave();
    _exit(0);
}

/* In place of the exploration; by hand it returns. */
void random_serve(void)
{
    if (!random_exchange)
        return;
    exchange = random_exchange;
    random_reached = exchange->reached;
    while (!exchange->ended) {
        int status;
        int child = fork();
        if (child == 0)
            explore_programs();
        exchange->child = child;
        waitpid(child, &status, 0);
        if (status && !exchange->busy)
            _exit(2);
        if (exchange->busy && write(SERVER_REPLIES, &status, sizeof status) != sizeof status)
            break;
        exchange->busy = false;
    }
    image_leave();
    _exit(0);
}
