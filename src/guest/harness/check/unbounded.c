#include "base/clock.h"
#include "guest/explore/all.h"
#include "guest/harness/check/unbounded.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "guest/explore/graph/models/buffers.h"
#include "guest/explore/scale/workers.h"
#include "guest/harness/check/composition.h"
#include "guest/harness/check/quasi.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/tell/waits.h"
#include "guest/states/elsewhere.h"
#include "guest/states/answer/picture.h"
#include "guest/states/search.h"
#include "guest/states/serial.h"
#include "guest/states/answer/tell.h"
#include "guest/states/strong.h"
#include "guest/states/tickets.h"
#include "record/hooks.h"

enum { MOST_ELEMENTS = 8, MOST_STORES = 3, MOST_LATE = 2, MESSAGES = 4 };
/* Without --elements a search with more of them begins only while there is little to lose. */
#define ENOUGH_NS UINT64_C(3000000000)

static OutcomeMessage *outcome;
static uint8_t role[DECLARED_CALLS]; /* BalanceRole */

/* ---- the client ---- */

static bool may_call(uint32_t thread, uint32_t made, uint32_t call)
{
    uint8_t only = child_test.declared.role[call];
    return (!only || only == thread) && (hooks.calls < 0 || made < hooks.calls);
}

static uint32_t no_place(uint32_t thread)
{
    (void)thread;
    return 0;
}

static uint32_t count_call(uint32_t made)
{
    return made + 1;
}

static int change_elements(uint32_t call, bool returns, Value result)
{
    bool failed = value_equal(result, VALUE_FALSE) || value_equal(result, VALUE_NONE);
    if (role[call] == BALANCE_PUT)
        return returns ? -(int)failed : 1;
    return role[call] == BALANCE_TAKE && returns && !failed ? -1 : 0;
}

static int change_nothing(uint32_t call UNUSED, bool returns UNUSED, Value result UNUSED)
{
    return 0;
}

static void begin(void)
{
    if (child_test.declared.init)
        child_test.declared.init();
}

static Value perform(uint32_t thread UNUSED, uint32_t call)
{
    return (Value){child_test_perform(&child_test.declared.calls[call])};
}

static Value perform_serially(uint32_t thread UNUSED, uint32_t call)
{
    return (Value){child_test_perform_serially(&child_test.declared.calls[call])};
}

/* Filled at run time: what the linker fills in is put back with the program's data. */
static StatesClient client, serial_client;

static void make_clients(uint32_t count, uint32_t calls)
{
    client = (StatesClient){.threads = count,
                            .calls = calls,
                            .begin = begin,
                            .perform = perform,
                            .may_call = may_call,
                            .change = change_elements};
    serial_client = client;
    serial_client.begin = child_test_begin_serially;
    serial_client.perform = perform_serially;
    serial_client.change = change_nothing;
    if (hooks.calls < 0)
        return;
    client.first_place = no_place;
    client.next_place = count_call;
}

/* ---- a specification that is an automaton ---- */

static SpecCall spec_call_of(uint32_t call, Value result)
{
    const DeclaredCall *declared = &child_test.declared.calls[call];
    const Spec *spec = automaton_spec(child_spec_automaton());
    SpecCall made = {.count = (uint16_t)declared->operation->parameter_count,
                     .arguments = declared->values,
                     .result = result};
    bool known = spec->resolve(spec, str_of(declared->operation->name), made.count, &made.method);
    ASSERT(known);
    return made;
}

static uint32_t automaton_start(void)
{
    return automaton_initial(child_spec_automaton());
}

static void automaton_take(uint32_t state, uint32_t thread UNUSED, uint32_t call, SetsSteps *out)
{
    static SpecSteps steps;
    static Vec(uint64_t) copy; /* the automaton may move its states */
    Automaton *automaton = child_spec_automaton();
    const Spec *spec = automaton_spec(automaton);
    SpecCall made = spec_call_of(call, VALUE_UNKNOWN);
    size_t words;
    const uint64_t *at = automaton_state(automaton, state, &words);
    vec_reserve(&copy, words + 1);
    memcpy(copy.at, at, words * sizeof *at);
    spec_steps_clear(&steps, spec, &made);
    spec->step(spec, copy.at, words, &made, &steps);
    for (size_t i = 0; i < steps.results.count; i++) {
        uint32_t first = steps.offsets.at[i];
        uint32_t to =
            automaton_intern(automaton, steps.words.at + first, steps.offsets.at[i + 1] - first);
        vec_push(out, (SetsStep){to, steps.results.at[i]});
    }
}

static bool automaton_may_wait(uint32_t state, uint32_t thread UNUSED, uint32_t call)
{
    Automaton *automaton = child_spec_automaton();
    SpecCall made = spec_call_of(call, VALUE_UNKNOWN);
    return !child_test_must_not_wait(&child_test.declared.calls[call]) &&
           automaton_waits(automaton, state, automaton_label(automaton, &made));
}

static bool automaton_fits(uint32_t call, Value seen, Value given)
{
    SpecCall made = spec_call_of(call, seen);
    return spec_result_fits(automaton_spec(child_spec_automaton()), &made, given);
}

static bool may_fail(uint32_t call, Value *result)
{
    const Declared *declared = &child_test.declared;
    if (declared->may_fail[call])
        *result = declared_value(child_test.values, &declared->failure[call]);
    return declared->may_fail[call];
}

static SetsSpec by_code;
static bool (*code_waits)(uint32_t state, uint32_t thread, uint32_t call);

static bool code_may_wait(uint32_t state, uint32_t thread, uint32_t call)
{
    const DeclaredCall *declared = &child_test.declared.calls[call];
    if (child_test_must_not_wait(declared) || !code_waits(state, thread, call))
        return false;
    child_waits_note(declared);
    return true;
}

static const SetsSpec *choose_spec(void)
{
    static SetsSpec by_automaton;
    bool promises = child_test.declared.any_may_fail;
    by_automaton = (SetsSpec){automaton_start, automaton_take, automaton_may_wait, automaton_fits,
                              promises ? may_fail : NULL};
    if (!child_spec_given()) {
        by_code = *serial_states(&serial_client, &client);
        code_waits = by_code.waits;
        by_code.waits = code_may_wait;
        by_code.may_fail = promises ? may_fail : NULL;
        return &by_code;
    }
    for (uint32_t c = 0; c < client.calls; c++) { /* a relaxed one wants to know them all */
        SpecCall made = spec_call_of(c, VALUE_UNKNOWN);
        automaton_label(child_spec_automaton(), &made);
    }
    return &by_automaton;
}

/* ---- the search ---- */

/* Explores the states of sc, which decide under rc11 where all races are between seq_cst accesses,
 * or BY_VIEWS those of rc11 itself. */
static void search_test(const SetsSpec *spec, StatesLimits *limits, bool by_views,
                        StatesResult *result)
{
    limits->views = by_views;
    strong_begin(!limits->goes_on);
    if (by_views)
        strong_end();
    states_search(&client, spec, limits, result);
    strong_end();
}

/* ---- what is not followed ---- */

static PRINTF_LIKE(1, 2) FindingKind refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    outcome_say_list(outcome, OUTCOME_reason, format, arguments);
    va_end(arguments);
    outcome->input_error = 1;
    return FINDING_UNSUPPORTED;
}

static FindingKind check_supported(void)
{
    const Declared *declared = &child_test.declared;
    if (!states_know_model())
        return refuse(
            "%s decides under sc, tso (as x86 has it) and rc11: leave --model out, or name one of "
            "these",
            declared->unbounded ? "HD_UNBOUNDED" : "--unbounded");
    if (declared->object_count > 1)
        return refuse("--unbounded takes operations of one object; this file has %u (HD_OP_OF)",
                      declared->object_count);
    if (declared->first.count || declared->last.count || declared->sequence_count)
        return refuse("--unbounded lets threads call whatever they like for ever: HD_FIRST, "
                      "HD_LAST and HD_SEQUENCE, which are about tests, have no meaning there");
    if (child_quasi.factors && (!child_spec_given() || child_quasi.semantics != RELAX_KOOO))
        return refuse("--unbounded relaxes built-in specifications with the semantics kooo only");
    if (options.check.observations[0])
        return refuse("--unbounded makes no serial runs that --observations could keep");
    return FINDING_NONE;
}

/* ---- the answer ---- */

static uint32_t most_messages(void)
{
    return options.check.messages ? options.check.messages : MESSAGES;
}

static void describe(Buffer *out, uint32_t elements, const StatesResult *result)
{
    const Declared *declared = &child_test.declared;
    buffer_printf(out, "%u thread%s that call", client.threads, client.threads == 1 ? "" : "s");
    for (uint32_t c = 0; c < declared->count; c++)
        buffer_printf(out, "%s%s",
                      !c                        ? " "
                      : c + 1 < declared->count ? ", "
                                                : " and ",
                      declared->calls[c].text);
    if (hooks.calls >= 0)
        buffer_printf(out, " up to %lld times", (long long)hooks.calls);
    else
        buffer_printf(out, " for ever");
    if (elements)
        buffer_printf(out, ", at most %u element%s inside", elements, elements == 1 ? "" : "s");
    if (options.check.lag)
        buffer_printf(out, ", at most %u call%s of others during one call", options.check.lag,
                      options.check.lag == 1 ? "" : "s");
    if (tickets_used)
        buffer_printf(out, ", tickets modulo %u", tickets_modulus);
    if (result->held && result->by_views)
        buffer_printf(out,
                      ", at most %u values of a place that some thread may still read and %u calls "
                      "of a thread that others have not seen (nor was it asked whether calls wait "
                      "for ever)",
                      most_messages(), MIN(MOST_LATE, SETS_SLOTS / client.threads - 1));
    else if (result->held)
        buffer_printf(out, ", at most %d stores and the ends of %d calls in a store buffer",
                      MOST_STORES, MOST_LATE);
    buffer_printf(out, ", under %s", model_word(options.model));
}

static const char *progress_words(StatesProgress progress)
{
    static const char *const words[] = {
        [STATES_WAIT_FREE] = "wait-free: every call ends after a bounded number of its own steps",
        [STATES_LOCK_FREE] = "lock-free, not wait-free: whoever runs, calls end again and again, "
                             "but one thread's call may be overtaken for ever",
        [STATES_OBSTRUCTION_FREE] = "obstruction-free, not lock-free: a thread that runs alone "
                                    "ends its call, but threads can hold each other up for ever",
        [STATES_BLOCKING] = "blocking: a thread may have to wait for another",
        [STATES_PROGRESS_UNKNOWN] =
            "whether it is wait-free, lock-free or blocking was not worked out: that would take "
            "more memory than --memory allows"};
    return words[progress];
}

/* The calls of a path as a test; false if they are too many for one. */
static bool make_test(const StatesResult *result, TestCase *test)
{
    memset(test, 0, sizeof *test);
    test->threads = client.threads;
    for (size_t i = 0; i < result->calls.count; i++) {
        uint32_t column = result->calls.at[i].thread - 1;
        if (test->length[column] == TESTCASE_LENGTH || i == TESTCASE_OPERATIONS)
            return false;
        test->call[column][test->length[column]++] = (uint16_t)result->calls.at[i].call;
    }
    return true;
}

static const char *call_text(uint32_t call)
{
    return child_test.declared.calls[call].text;
}

static void print_result(Value value, Buffer *out)
{
    value_print(child_test.values, value, out);
}

/* Draws the states of the last search. */
static void draw_states(Buffer *picture)
{
    picture_print(&(PictureWords){client.calls, call_text, print_result}, picture);
}

/* Threads without calls go; others have their numbers then. */
static void drop_idle_threads(TestCase *test, StatesResult *result)
{
    for (uint32_t t = test->threads; t-- > 0;) {
        if (test->length[t] || test->threads == 1)
            continue;
        for (uint32_t u = t; u + 1 < test->threads; u++) {
            test->length[u] = test->length[u + 1];
            memcpy(test->call[u], test->call[u + 1], sizeof test->call[u]);
        }
        test->length[--test->threads] = 0;
        for (size_t i = 0; i < result->script.count; i++)
            result->script.at[i].thread -= result->script.at[i].thread > t + 1;
    }
}

static void print_calls(const StatesResult *result, Buffer *out)
{
    enum { MOST = 12 };
    size_t count = result->calls.count, from = count > MOST ? count - MOST : 0;
    buffer_printf(out, from ? "... " : "");
    for (size_t i = from; i < count; i++)
        buffer_printf(out, "%sT%u %s", i > from ? ", " : "", result->calls.at[i].thread,
                      child_test.declared.calls[result->calls.at[i].call].text);
}

static FindingKind show_violation(StatesResult *result, UnboundedConfirm *confirm)
{
    TestCase test;
    Finding found = finding;
    Buffer calls = {0};
    print_calls(result, &calls);
    if (!make_test(result, &test))
        return tell_give_up(
            "%s was found (%.200s), but it needs %zu calls, more than a test can have "
            "(%d, and %d of one thread), so that it could not be confirmed; the last "
            "calls: %.400s",
            violation_word(found.violation), found.message, result->calls.count,
            TESTCASE_OPERATIONS, TESTCASE_LENGTH, calls.at);
    drop_idle_threads(&test, result);
    FindingKind kind = result->by_views ? confirm(&test, NULL, 0)
                                        : confirm(&test, result->script.at, result->script.count);
    if (kind == FINDING_VIOLATION) {
        outcome->tests = 1;
        return kind;
    }
    return tell_give_up(
        "the states show %s (%.200s), but the same steps do not show it again when they "
        "are made as one execution of a test; the calls: %.400s",
        violation_word(found.violation), found.message, calls.at);
}

static void tell_result(const StatesResult *result, uint32_t elements)
{
    Buffer text = {0};
    describe(&text, result->refused ? elements : 0, result);
    buffer_printf(&text, ": all %llu states%s", (unsigned long long)result->states,
                  result->alike ? ", up to which thread is which" : "");
    outcome_put(outcome, OUTCOME_coverage, buffer_str(&text));
    outcome->states = result->states;
    outcome->transitions = result->transitions;
    outcome->states_bytes = result->bytes;
    outcome->histories = result->nodes;
    outcome->strong = !result->by_views && strong_was_kept();
    outcome->by_views = result->by_views;
    vec_free(&text);
    if (options.check.lag || result->by_views) /* reading old values for ever is no progress */
        return;
    outcome_say(outcome, OUTCOME_progress, "%s", progress_words(result->progress));
}

enum { PROBED_ELEMENTS = 3, PROBED_PAIRS = 20000 };

/* Not all states with ELEMENTS were explored; with COMPLETE of them, if that is not 0, all were. */
static FindingKind end_early(const StatesResult *result, uint32_t elements, uint32_t complete)
{
    if (!complete) {
        Buffer what = {0};
        describe(&what, elements, result);
        return tell_incomplete(outcome, result, what.at);
    }
    op_warning("with %u elements: %llu states, not all", elements,
               (unsigned long long)result->states);
    exploration.stopped = false;
    return FINDING_NONE;
}

/* One bound on elements after the other: what holds with more holds with fewer. Without one that is
 * given, the first few are probed, so that a violation which needs two elements is found even if
 * the states with one are infinitely many. PICTURE gets that of the states that decide. */
static FindingKind search_all(const SetsSpec *spec, bool bounded, UnboundedConfirm *confirm,
                              Buffer *picture)
{
    static StatesResult result;
    uint32_t given = options.check.elements, elements, complete = 0;
    bounded = bounded && (given || hooks.calls < 0); /* so many calls are a bound of their own */
    elements = bounded ? MAX(given, 1u) : 0;
    bool probing = bounded && !given;
    uint64_t start = clock_cpu_ns();
    for (bool by_views = false;;) {
        StatesLimits limits = {.elements = elements,
                               .lag = options.check.lag,
                               .bytes = options.memory_bytes,
                               .stores = buffers_drain_as_x86() ? MOST_STORES : 0,
                               .late = MOST_LATE,
                               .stuck = !options.check.lag,
                               .nodes = probing ? PROBED_PAIRS : 0,
                               .alike =
                                   options.reductions && !child_test.declared.any_role && !by_views,
                               .messages = most_messages(),
                               .jobs = by_views ? 1 : options.jobs};
        search_test(spec, &limits, by_views, &result);
        if (result.kind == FINDING_UNSUPPORTED && !by_views && strong_is_possible() &&
            !exploration.stopped) {
            by_views = true;
            continue;
        }
        outcome->transitions = result.transitions;
        outcome->depends_pc = elsewhere_pc;
        if (result.kind == FINDING_VIOLATION) {
            outcome->states = result.states; /* the same for any number of processes */
            draw_states(picture);
            return show_violation(&result, confirm);
        }
        if (result.kind != FINDING_NONE) {
            tell_growth(outcome, &result);
            return result.kind;
        }
        if (result.complete) {
            draw_states(picture);
            complete = elements;
            tell_result(&result, elements);
            if (given || !bounded || !result.refused || elements == MOST_ELEMENTS)
                return FINDING_NONE;
        } else if (!probing || result.full || result.nodes <= PROBED_PAIRS) {
            return end_early(&result, elements, complete);
        }
        bool more = probing && elements < PROBED_ELEMENTS;
        if (!more && complete && !options.time_ms && clock_cpu_ns() - start > ENOUGH_NS)
            return FINDING_NONE;
        probing = more;
        elements = more ? elements + 1 : complete + 1;
    }
}

/* Which calls put, which take? False if elements can't be counted: there are no two such. */
static bool find_roles(void)
{
    const Declared *declared = &child_test.declared;
    bool puts = false, takes = false;
    const char *other = NULL;
    for (uint32_t c = 0; c < declared->count; c++) {
        role[c] = (uint8_t)child_composition_role(&declared->calls[c]);
        puts |= role[c] == BALANCE_PUT;
        takes |= role[c] == BALANCE_TAKE;
        if (role[c] == BALANCE_OTHER)
            other = declared->calls[c].operation->name;
    }
    if (puts && takes && other)
        op_warning("elements inside are counted as calls that put less those that take; %s counts "
                   "as neither",
                   other);
    if (!puts || !takes)
        memset(role, BALANCE_OTHER, sizeof role);
    return puts && takes;
}

FindingKind child_unbounded(Link *link, UnboundedConfirm *confirm)
{
    const Declared *declared = &child_test.declared;
    outcome = &link->outcome;
    FindingKind kind = check_supported();
    if (kind != FINDING_NONE)
        return kind;
    if (!options.checkpoints || options.foreign_code)
        return tell_give_up(
            "the program calls functions that keep state of their own, or has code that "
            "is not instrumented: its states can't be told from its memory");
    make_clients(options.check.unbounded, declared->count);
    bool bounded = find_roles();
    if (options.check.elements && !bounded)
        return refuse("--elements: no operation is known by its name to put, and another to take "
                      "(enq, push, put ...; deq, pop, take ...), so that elements can't be "
                      "counted");
    if (declared->invariant)
        op_warning("HD_INVARIANT is not looked at: it is about the end of a test");
    if (options.check.lag)
        op_warning("with --lag it is not looked whether calls wait for ever");
    Buffer picture = {0};
    kind = search_all(choose_spec(), bounded, confirm, &picture);
    outcome_put(outcome, OUTCOME_picture, buffer_str(&picture));
    vec_free(&picture);
    if (kind == FINDING_NONE)
        child_waits_tell();
    return kind;
}

/* ---- one test ---- */

/* The calls that are left of a column, from some on, by number: 0 if there are none. */
typedef struct Rest {
    uint32_t call, next;
} Rest;
static Rest rests[1 + TESTCASE_OPERATIONS];
static uint32_t rest_count;
static uint32_t first_rest[TESTCASE_THREADS + 1]; /* by thread, from 1 on */

static uint32_t number_rest(uint32_t call, uint32_t next)
{
    uint32_t i = 1;
    while (i < rest_count && (rests[i].call != call || rests[i].next != next))
        i++;
    if (i == rest_count)
        rests[rest_count++] = (Rest){call, next};
    return i;
}

/* Numbers what is left of the columns of TEST. Returns whether the same is left to several threads
 * often enough to make their states alike: to two of them from the start, or of two calls or more.
 */
static bool list_rests(const TestCase *test)
{
    uint32_t calls = 0;
    bool equal = false;
    rest_count = 1;
    for (uint32_t t = 1; t <= test->threads; t++) {
        uint32_t rest = 0;
        for (uint32_t i = test->length[t - 1]; i-- > 0; calls++)
            rest = number_rest(test->call[t - 1][i], rest);
        first_rest[t] = rest;
        for (uint32_t u = 1; u < t; u++)
            equal |= first_rest[u] == rest;
    }
    return equal || calls - (rest_count - 1) >= 2;
}

static uint32_t find_first_rest(uint32_t thread)
{
    return first_rest[thread];
}

static uint32_t find_next_rest(uint32_t rest)
{
    return rests[rest].next;
}

static bool may_call_next(uint32_t thread, uint32_t rest, uint32_t call)
{
    (void)thread;
    return rest && rests[rest].call == call;
}

bool child_states_fit(void)
{
    const Declared *declared = &child_test.declared;
    const TestCase *test = &child_test.test;
    bool plainly = states_know_model() && explore_may_checkpoint() && options.reductions &&
                   !options.foreign_code && !options.schedules && options.preemptions < 0 &&
                   !options.keep_going;
    return plainly && test->threads && test->threads < STATES_THREADS &&
           !test->length[TESTCASE_BEFORE] && !test->length[TESTCASE_AFTER] &&
           declared->object_count == 1 && !declared->invariant && !declared->after &&
           !declared->any_async && !child_quasi.factors && !options.check.observations[0] &&
           options.check.consistency == CHECK_LINEARIZABLE && !options.check.may_fail[0];
}

FindingKind child_states_decide(UnboundedTurn turn, UnboundedConfirm *confirm,
                                UnboundedDecision *decision)
{
    static StatesResult result;
    static const SetsSpec *spec;
    const TestCase test = child_test.test;
    StatesLimits limits = {.bytes = options.memory_bytes / 2,
                           .stores = buffers_drain_as_x86() ? UINT32_MAX : 0,
                           .late = UINT32_MAX,
                           .stuck = true,
                           .calls_end = true,
                           .nodes = turn.most,
                           .keeps = turn.keeps,
                           .goes_on = turn.goes_on,
                           .alike = list_rests(&test)};
    make_clients(test.threads, child_test.declared.count);
    client.first_place = find_first_rest;
    client.next_place = find_next_rest;
    client.may_call = may_call_next;
    client.change = change_nothing;
    uint32_t remarks = findings.remark_count;
    if (!turn.goes_on)
        spec = choose_spec();
    search_test(spec, &limits, turn.by_views, &result);
    states_so_far = 0;
    decision->by_views = turn.by_views;
    decision->weak = result.kind == FINDING_UNSUPPORTED && !turn.by_views && strong_is_possible();
    decision->pairs = result.nodes;
    decision->shown = result.kind;
    decision->full = result.kind == FINDING_NONE && !result.complete && result.nodes > limits.nodes;
    decision->decided = result.kind == FINDING_VIOLATION ||
                        (result.kind == FINDING_NONE && result.complete && !result.held);
    FindingKind kind = FINDING_NONE;
    ViolationKind shown = finding.violation;
    if (turn.by_views && result.kind == FINDING_VIOLATION) /* executions are to show it */
        decision->decided = false;
    else if (result.kind == FINDING_VIOLATION)
        kind = confirm(&test, result.script.at, result.script.count);
    /* The execution goes on behind what the states have shown, and may end as something else: then
     * executions tell, so that the answer is the same as without states. */
    if (result.kind == FINDING_VIOLATION && !turn.by_views &&
        (kind != FINDING_VIOLATION || finding.violation != shown))
        decision->decided = false;
    if (!decision->decided)
        findings.remark_count = remarks;
    return decision->decided ? kind : FINDING_NONE;
}
