#include "guest/harness/by_states.h"
#include <string.h>
#include "base/str.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/load_buffering.h"
#include "guest/explore/graph/models/buffers.h"
#include "guest/explore/scale/workers.h"
#include "guest/states/elsewhere.h"
#include "guest/states/search.h"
#include "guest/states/answer/tell.h"
#include "guest/states/strong.h"
#include "guest/states/tickets.h"
#include "record/hooks.h"

enum { MOST_STORES = 4, MOST_MESSAGES = 4, MOST_PAIRS = 2000000 };

static bool states_are(const char *word)
{
    return hooks.states && !strcmp(hooks.states, word);
}

bool by_states_asked(void)
{
    return !options.check.enabled && !options.check.annotated && !options.schedules &&
           (options.check.unbounded || states_are("always") || states_are("both") ||
            states_are("views"));
}

/* ---- no specification ---- */

static uint32_t start(void)
{
    return 0;
}

static void take(uint32_t state UNUSED, uint32_t thread UNUSED, uint32_t call UNUSED,
                 SetsSteps *out UNUSED)
{
}

static bool is_false(uint32_t state UNUSED, uint32_t thread UNUSED, uint32_t call UNUSED)
{
    return false;
}

static bool fits(uint32_t call UNUSED, Value seen UNUSED, Value given UNUSED)
{
    return false;
}

static const SetsSpec *no_spec(void)
{
    static SetsSpec spec;
    spec = (SetsSpec){start, take, is_false, fits, NULL};
    return &spec;
}

/* ---- the answer ---- */

static FindingKind confirm(const StatesResult *result)
{
    Finding found = finding;
    sampling.looping = result->loops ? (int)result->looping : -1;
    FindingKind kind = sample_script(result->script.at, result->script.count, true);
    sampling.looping = -1;
    if (kind == FINDING_VIOLATION)
        return FINDING_VIOLATION;
    return tell_give_up(
        "the states show %s (%.200s), but the same steps do not show it again when they "
        "are made as one execution",
        violation_word(found.violation), found.message);
}

static void describe(Buffer *out, const StatesResult *result)
{
    if (result->held && result->by_views)
        buffer_printf(out,
                      "at most %d values of a place that some thread may still read (nor was it "
                      "asked whether threads wait for ever), ",
                      MOST_MESSAGES);
    else if (result->held)
        buffer_printf(out, "at most %d stores in a store buffer, ", MOST_STORES);
    if (tickets_used)
        buffer_printf(out, "tickets modulo %u, ", tickets_modulus);
    buffer_printf(out, "under %s", model_word(options.model));
}

static void tell_result(OutcomeMessage *outcome, const StatesResult *result)
{
    Buffer text = {0};
    buffer_printf(&text, "any number of steps, ");
    describe(&text, result);
    buffer_printf(&text, ": all %llu states", (unsigned long long)result->states);
    outcome_put(outcome, OUTCOME_coverage, buffer_str(&text));
    vec_free(&text);
    outcome->states = result->states;
    outcome->transitions = result->transitions;
    outcome->states_bytes = result->bytes;
    outcome->strong = strong_was_kept();
    if (result->held && result->by_views)
        return;
    if (result->endless)
        outcome_say(outcome, OUTCOME_progress, "it may run for ever; no thread waits for ever");
    else
        outcome_say(outcome, OUTCOME_progress, "it can always come to its end");
}

/* ---- the search ---- */

/* How the states of a model are kept. */
typedef enum Keeping { BY_MEMORY, BY_VIEWS } Keeping;

static void search(StatesResult *result, bool bounded, Keeping keeping)
{
    static StatesClient client; /* filled at run time: see check/unbounded.c */
    client = (StatesClient){.program = true};
    StatesLimits limits = {.bytes = options.memory_bytes,
                           .stores = !buffers_drain_as_x86() ? 0
                                     : bounded               ? UINT32_MAX
                                                             : MOST_STORES,
                           .nodes = bounded ? MOST_PAIRS : 0,
                           .views = keeping == BY_VIEWS,
                           .messages = bounded || keeping == BY_MEMORY ? 0 : MOST_MESSAGES,
                           .jobs = keeping == BY_VIEWS ? 1 : options.jobs};
    strong_begin(true);
    if (keeping == BY_VIEWS) /* under rc11 itself */
        strong_end();
    states_search(&client, no_spec(), &limits, result);
    strong_end();
}

/* Decides by the states of rc11 itself what those of sc do not, as `finding` says. A violation of
 * theirs has no execution: EXPLORE looks for one. */
static FindingKind run_by_rc11(OutcomeMessage *outcome, FindingKind (*explore)(void))
{
    static StatesResult result;
    Finding before = finding;
    search(&result, false, BY_VIEWS);
    Finding found = finding;
    if (result.kind == FINDING_NONE && result.complete) {
        outcome->transitions = result.transitions;
        tell_result(outcome, &result);
        outcome->strong = 0;
        outcome->by_views = 1;
        buffering.is_sought = false; /* by no graphs */
        return FINDING_NONE;
    }
    if (result.kind == FINDING_VIOLATION && !exploration.stopped && explore() == FINDING_VIOLATION)
        return FINDING_VIOLATION;
    if (result.kind == FINDING_VIOLATION)
        return tell_give_up("the states of rc11 show %s (%.200s), but no execution was found that "
                            "does",
                            violation_word(found.violation), found.message);
    finding = before;
    return FINDING_UNSUPPORTED;
}

static FindingKind run_for_ever(OutcomeMessage *outcome, FindingKind (*explore)(void))
{
    static StatesResult result;
    if (!states_know_model()) {
        outcome->input_error = 1;
        outcome_say(outcome, OUTCOME_reason, "--unbounded decides under sc, tso and rc11");
        return FINDING_UNSUPPORTED;
    }
    if (!options.checkpoints || options.foreign_code)
        return tell_give_up(
            "the program calls functions that keep state of their own, or has code that "
            "is not instrumented: its states can't be told from its memory");
    search(&result, false, BY_MEMORY);
    if (result.kind == FINDING_UNSUPPORTED && strong_is_possible() && !exploration.stopped)
        return run_by_rc11(outcome, explore);
    outcome->transitions = result.transitions;
    outcome->depends_pc = elsewhere_pc;
    if (result.kind == FINDING_VIOLATION) {
        outcome->states = result.states; /* the same for any number of processes */
        return confirm(&result);
    }
    if (result.kind != FINDING_NONE)
        return result.kind;
    if (!result.complete) {
        Buffer what = {0};
        describe(&what, &result);
        return tell_incomplete(outcome, &result, what.at);
    }
    tell_result(outcome, &result);
    return FINDING_NONE;
}

/* Can the states of a program that ends tell about it, under the present options? */
static bool states_fit(void)
{
    return options.checkpoints && !options.foreign_code && options.preemptions < 0 &&
           !options.keep_going && !options.check.annotated && states_know_model();
}

/* Decides it by these. True if they do; *KIND is what they show. */
static bool decide_bounded(StatesResult *result, FindingKind *kind)
{
    search(result, true, BY_MEMORY);
    *kind = result->kind == FINDING_VIOLATION ? confirm(result) : result->kind;
    return *kind == FINDING_VIOLATION ||
           (*kind == FINDING_NONE && result->complete && !result->held && !result->endless);
}

/* Decides it by the states of rc11 itself (states/views). What they show has no execution in place.
 */
static bool decide_by_views(StatesResult *result, FindingKind *kind)
{
    search(result, true, BY_VIEWS);
    *kind = result->kind;
    return *kind == FINDING_VIOLATION ||
           (*kind == FINDING_NONE && result->complete && !result->endless);
}

/* A program that ends: by its states, if these can tell. */
static FindingKind run_bounded(OutcomeMessage *outcome, FindingKind (*explore)(void))
{
    static StatesResult result;
    FindingKind kind;
    if (!states_fit())
        return explore();
    bool decided = decide_bounded(&result, &kind);
    if (decided && kind == FINDING_NONE)
        tell_result(outcome, &result);
    if (decided && kind == FINDING_VIOLATION) {
        outcome->states = result.states;
        outcome->transitions = result.transitions;
    }
    if (!states_are("both"))
        return decided ? kind : explore();
    FindingKind other = explore();
    outcome->tests_by_states = decided;
    if (decided && kind != other && other != FINDING_UNSUPPORTED && !exploration.stopped)
        die("internal error: the program %s by its states, but %s by its executions",
            kind == FINDING_NONE ? "holds" : "does not hold",
            other == FINDING_NONE ? "holds" : "does not");
    return other;
}

/* ---- by views ---- */

/* The states of rc11 itself, beside the executions: HEDDLE_DEBUG=states=views. */
static FindingKind run_by_views(OutcomeMessage *outcome, FindingKind (*explore)(void))
{
    static StatesResult result;
    if (!options.checkpoints || options.foreign_code || !strong_is_possible())
        return explore();
    FindingKind kind;
    bool decided = decide_by_views(&result, &kind);
    Finding found = finding;
    finding.kind = FINDING_NONE;
    FindingKind other = explore();
    outcome->tests_by_states = decided;
    bool holds = other == FINDING_NONE && !counts.stuck;
    if (decided && (kind == FINDING_NONE) != holds && other != FINDING_UNSUPPORTED &&
        !exploration.stopped)
        die("internal error: the program %s by its states (%.200s), but %s by its executions",
            kind == FINDING_NONE ? "holds" : "does not hold",
            kind == FINDING_NONE ? "" : found.message, holds ? "holds" : "does not");
    return other;
}

bool by_states_views(FindingKind *kind, void (*on_end)(void))
{
    static StatesResult result;
    states_on_end = on_end;
    bool decided = decide_by_views(&result, kind);
    states_on_end = NULL;
    return decided;
}

FindingKind by_states_run(Link *link, FindingKind (*explore)(void))
{
    workers_stay_alone();
    if (states_are("views"))
        return run_by_views(&link->outcome, explore);
    return options.check.unbounded ? run_for_ever(&link->outcome, explore)
                                   : run_bounded(&link->outcome, explore);
}

/* Why the states have not decided. */
static const char *why_undecided(bool fit, FindingKind kind, const StatesResult *result)
{
    return !fit                              ? "states can't tell about this program"
           : kind == FINDING_UNSUPPORTED     ? finding.message
           : exploration.stopped             ? "time is over"
           : result->held || result->endless ? "its states do not end"
                                             : "it has too many states";
}

FindingKind by_states_again(OutcomeMessage *outcome, bool holds)
{
    static StatesResult result;
    FindingKind kind = FINDING_NONE;
    bool fit = states_fit();
    bool decided = fit && decide_bounded(&result, &kind);
    if (fit && !decided && !exploration.stopped && strong_is_possible())
        decided = decide_by_views(&result, &kind);
    if (decided && holds && kind == FINDING_VIOLATION && result.by_views)
        die("internal error: the program holds by its executions, but by its states it does not: "
            "%s",
            finding.message);
    outcome->second_asked = 1;
    outcome->seconded = decided && holds == (kind == FINDING_NONE);
    if (decided && !outcome->seconded)
        outcome->disagrees = holds ? OUTCOME_ONLY_STATES : OUTCOME_REFUTED_BY_STATES;
    if (decided)
        return kind;
    if (holds && result.kind == FINDING_VIOLATION)
        die("internal error: the program holds by its executions, but by its states it does not: "
            "%s",
            finding.message);
    outcome_say(outcome, OUTCOME_unseconded, "%s", why_undecided(fit, kind, &result));
    return FINDING_NONE;
}
