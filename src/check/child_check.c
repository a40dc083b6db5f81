#include "check/child_check.h"
#include <stdio.h>
#include <string.h>
#include "check/child_explain.h"
#include "check/declared.h"
#include "check/evidence.h"
#include "check/verify.h"
#include "explore/explore.h"
#include "runtime/fiber.h"
#include "runtime/guest.h"
#include "spec/serial.h"
#include "spec/relax.h"

ExploreCounts child_check_done;
bool child_check_sampled;

static Link *target;
static Declared declared;
static TestCase test;       /* the one that is explored */
static uint32_t operations; /* of it */
static Values *values;
static SerialRuns *runs_seen;
static const Spec *given; /* instead of observed runs, or NULL */
static Automaton *automaton;
static Verifier *verifier;
static uint32_t concurrent_model;
static uint64_t histories, tests, serial_runs;
static Finding serial_finding; /* of the serial runs before a replay */
static bool test_moved;        /* serial runs are made once more, elsewhere: see moved_program */

/* ---- the test as a program ---- */

static const DeclaredCall *call_of(uint32_t k)
{
    for (uint32_t t = 0; t < test.threads; t++) {
        if (k < test.length[t])
            return &declared.calls[test.call[t][k]];
        k -= test.length[t];
    }
    assert_failed("an operation of the test", __FILE__, __LINE__);
}

static void perform(uint32_t thread, uint32_t i)
{
    uint32_t k = testcase_number(&test, thread, i);
    const DeclaredCall *call = call_of(k);
    const void *pc = __extension__(const char *)(uintptr_t) call->operation->call + 1;
    op_mark(k, false, 0, pc);
    HdValue result = call->operation->call(call->arguments);
    op_mark(k, true, declared_value(values, &result).word, pc);
}

static void finish(void)
{
    if (declared.invariant && !declared.invariant())
        op_violation(VIOLATION_ASSERTION, NULL, "the invariant does not hold after the test");
    if (declared.after)
        declared.after();
    process_exit(0, NULL);
}

/* All operations in one thread, in every order that keeps those of each column: which column goes
 * on is a choice. */
static void perform_serially(void)
{
    uint32_t done[TESTCASE_THREADS] = {0};
    for (uint32_t left = operations; left; left--) {
        uint32_t open[TESTCASE_THREADS], count = 0;
        for (uint32_t t = 0; t < test.threads; t++)
            if (done[t] < test.length[t])
                open[count++] = t;
        uint32_t t = open[op_choose(count, NULL)];
        perform(t, done[t]++);
    }
}

static void *serial_program(void *unused)
{
    (void)unused;
    if (declared.init)
        declared.init();
    perform_serially();
    finish();
    return NULL;
}

static void *moved_thread(void *unused)
{
    (void)unused;
    guest_set(guest_current()->random, UINT64_C(0x9e3779b97f4a7c15));
    guest_set(guest_current()->clock, guest_current()->clock + 1000000);
    perform_serially();
    thread_finish(NULL);
}

/* The same in another thread: its stack, heap, clock and random numbers are others. A result that
 * differs from that of serial_program is not a function of the calls; no serial run can explain it,
 * and to call that a violation of linearizability would put the blame on concurrency. */
static void *moved_program(void *unused)
{
    (void)unused;
    if (declared.init)
        declared.init();
    op_join(op_create(moved_thread, NULL, NULL), NULL);
    finish();
    return NULL;
}

static void *column_program(void *argument)
{
    uint32_t t = (uint32_t)(uintptr_t)argument;
    for (uint32_t i = 0; i < test.length[t]; i++)
        perform(t, i);
    thread_finish(NULL);
}

static void *concurrent_program(void *unused)
{
    (void)unused;
    unsigned created[TESTCASE_THREADS];
    if (declared.init)
        declared.init();
    for (uint32_t t = 0; t < test.threads; t++)
        created[t] = op_create(column_program, (void *)(uintptr_t)t, NULL);
    for (uint32_t t = 0; t < test.threads; t++)
        op_join(created[t], NULL);
    finish();
    return NULL;
}

/* ---- words ---- */

static const char *call_text(uint32_t k)
{
    return call_of(k)->text;
}

static void print_value(uint64_t word, Buffer *out)
{
    if (word == VALUE_UNKNOWN.word)
        buffer_printf(out, "waits");
    else
        value_print(values, (Value){word}, out);
}

/* " = 2", or nothing for an operation that gives nothing. */
static void print_result(uint64_t word, Buffer *out)
{
    if (word == SPEC_DONE.word)
        return;
    buffer_printf(out, " = ");
    print_value(word, out);
}

static void mark_words(unsigned number, bool returns, uint64_t word, char *text, size_t bytes)
{
    Buffer out = {0};
    buffer_printf(&out, "%s", call_of(number)->text);
    if (returns)
        print_result(word, &out);
    snprintf(text, bytes, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

/* The test that the answer is about. */
static void publish_test(const TestCase *of)
{
    LinkOutcome *outcome = &target->outcome;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < of->threads; t++)
        longest = MAX(longest, of->length[t]);
    snprintf(outcome->shape, sizeof outcome->shape, "%ux%u", of->threads, longest);
    declared_print(&declared, of, outcome->scenario, sizeof outcome->scenario);
}

/* ---- serial runs ---- */

static void describe_conflict(const SerialConflict *conflict)
{
    Buffer out = {0};
    /* that of a violation which this one replaces */
    target->outcome.explanation[0] = target->outcome.closest[0] = 0;
    target->outcome.order_count = 0;
    buffer_printf(&out, "%s gives ", call_of(conflict->calls[conflict->count - 1])->text);
    print_value(conflict->first.word, &out);
    buffer_printf(&out, " in one serial run and ");
    print_value(conflict->second.word, &out);
    buffer_printf(&out, " in another, ");
    for (uint32_t i = 0; i + 1 < conflict->count; i++)
        buffer_printf(&out, "%s%s", i ? ", " : "both times after ",
                      call_of(conflict->calls[i])->text);
    if (conflict->count == 1)
        buffer_printf(&out, "both times as the first call");
    op_warning("a result may depend on the calls before it, not on an address, a random number, "
               "the time or the thread: leave that out of what the operation returns, or give a "
               "specification that allows both (--spec)");
    op_violation(VIOLATION_NONDETERMINISM, NULL, "%.*s", STR_ARG(buffer_str(&out)));
}

static void serial_end(bool stuck)
{
    uint32_t list[REALTIME_MOST], pending;
    uint64_t words[REALTIME_MOST];
    uint32_t count = graph_history_serial(list, words, &pending);
    Value results[REALTIME_MOST];
    for (uint32_t i = 0; i < count; i++)
        results[i] = (Value){words[i]};
    if (stuck && pending == UINT32_MAX)
        op_violation(VIOLATION_DEADLOCK, NULL,
                     "the set-up or the end of the test waits for ever, before any concurrency");
    if (!stuck && pending != UINT32_MAX)
        op_unsupported(
            "%s ends the program; an operation must return: let it return a value instead "
            "of calling exit",
            call_of(pending)->text);
    serial_runs++;
    SerialConflict conflict;
    if (!serial_add(runs_seen, list, results, count, stuck ? pending : SERIAL_NO_OP, &conflict))
        describe_conflict(&conflict);
}

static void serial_complete(void)
{
    serial_end(false);
}
static void serial_stuck(void)
{
    serial_end(true);
}

/* ---- concurrent executions ---- */

static uint32_t label_seen(void *context, uint32_t k, Value result)
{
    (void)context;
    SpecCall call = {.method = (uint16_t)k, .result = result};
    return automaton_label(automaton, &call);
}

static uint32_t label_given(void *context, uint32_t k, Value result)
{
    (void)context;
    const DeclaredCall *declared_call = call_of(k);
    SpecCall call = {.count = (uint16_t)declared_call->operation->parameter_count,
                     .arguments = declared_call->values,
                     .result = result};
    bool known =
        given->resolve(given, str_of(declared_call->operation->name), call.count, &call.method);
    ASSERT(known);
    return automaton_label(automaton, &call);
}

static void print_allowed(const uint32_t *prefix, uint32_t length, uint32_t state, uint32_t k,
                          uint64_t word, Buffer *out)
{
    Value allowed;
    if (given) {
        size_t words;
        const uint64_t *content = automaton_state(automaton, state, &words);
        const SpecCall *call = automaton_call(automaton, label_given(NULL, k, (Value){word}));
        spec_print_allowed(given, content, words, call, str_of(call_of(k)->operation->name), out);
    } else if (serial_result(runs_seen, prefix, length, k, &allowed)) {
        buffer_printf(out, value_equal(allowed, VALUE_UNKNOWN) ? "it " : "it gives ");
        print_value(allowed.word, out);
    }
}

static void judge(bool stuck, bool again)
{
    GraphHistory history;
    VerifyFailure failure;
    graph_history_collect(&history, operations);
    histories++;
    if (verifier_check(verifier, &history, stuck, &failure))
        return;
    if (!verifier_confirm(verifier, &history, &failure))
        die("internal error: the two checkers disagree about a history");
    (void)again;
    ExplainContext context = {.outcome = &target->outcome,
                              .test = &test,
                              .automaton = automaton,
                              .label = given ? label_given : label_seen,
                              .call_text = call_text,
                              .print_value = print_value,
                              .print_allowed = print_allowed};
    child_explain(&context, &history, &failure);
    if (failure.stuck != UINT32_MAX)
        op_violation(VIOLATION_STUCK, NULL,
                     "%s waits for ever, but no serial run of the same calls with the same results "
                     "ends with it waiting",
                     call_of(failure.stuck)->text);
    if (given)
        op_violation(VIOLATION_LINEARIZABILITY, NULL,
                     "no serial order of the calls that %s allows gives these results",
                     given->name);
    op_violation(VIOLATION_LINEARIZABILITY, NULL,
                 "no serial order of the calls gives these results");
}

static void concurrent_complete(void)
{
    judge(false, false);
}

static void concurrent_stuck(void)
{
    GraphHistory history;
    graph_history_collect(&history, operations);
    if (history.called == history.returned) { /* not inside an operation */
        char text[256];
        explore_describe_deadlock(text, sizeof text);
        op_violation(VIOLATION_DEADLOCK, NULL, "%s, outside of any operation", text);
    }
    judge(true, false);
}

void child_check_judge_again(bool stuck)
{
    if (serial_finding.kind == FINDING_VIOLATION) /* two serial runs differ: they were made again */
        op_violation(serial_finding.violation, NULL, "%s", serial_finding.message);
    if (stuck)
        concurrent_stuck();
    else
        judge(false, true);
}

/* ---- one test ---- */

static FindingKind run_phase(void *(*program)(void *), ExploreVisitor *complete,
                             ExploreVisitor *stuck, uint32_t model)
{
    fiber_set_main(program);
    explore_on_complete = complete;
    explore_on_stuck = stuck;
    options.model = model;
    FindingKind kind = explore_all();
    child_check_done.executions += counts.executions;
    child_check_done.blocked += counts.blocked;
    child_check_done.cut += counts.cut;
    child_check_done.left_out += counts.left_out;
    counts = (ExploreCounts){0}; /* stuck executions are histories like others here */
    return kind;
}

/* What fails without concurrency needs another remedy, so the answer says so. */
static void blame_serial_run(void)
{
    if (finding.violation == VIOLATION_NONDETERMINISM)
        return;
    op_warning(
        "it fails in a serial run, without any concurrency: correct the operation, or declare "
        "only calls that are allowed in every order");
}

/* Serial runs that were given up leave the specification incomplete: nothing can be judged by it.
 */
static FindingKind give_up_serial_run(void)
{
    char text[256];
    declared_print(&declared, &test, text, sizeof text);
    finding = (Finding){.kind = FINDING_UNSUPPORTED, .thread = -1, .partner = -1};
    snprintf(
        finding.message, sizeof finding.message,
        "%s: an operation does not return although it is called alone; give its loop an end, or "
        "let it wait in a way that changes nothing (a loop that only reads, a lock, a condition "
        "variable)",
        text);
    return FINDING_UNSUPPORTED;
}

static FindingKind learn(void)
{
    operations = testcase_operations(&test);
    if (given) {
        verifier_begin(verifier, automaton, operations, label_given, NULL);
        return FINDING_NONE;
    }
    serial_clear(runs_seen);
    automaton_free(automaton);
    automaton = automaton_new(serial_spec(runs_seen));
    verifier_begin(verifier, automaton, operations, label_seen, NULL);
    uint64_t cut = child_check_done.cut;
    FindingKind kind = run_phase(serial_program, serial_complete, serial_stuck, MODEL_SC);
    if (kind == FINDING_VIOLATION)
        blame_serial_run();
    if (kind == FINDING_NONE && child_check_done.cut > cut)
        kind = give_up_serial_run();
    return kind;
}

static FindingKind learn_moved(void)
{
    return run_phase(moved_program, serial_complete, serial_stuck, MODEL_SC);
}

static FindingKind run_test(const TestCase *wanted)
{
    test = *wanted;
    tests++;
    __atomic_store_n(&target->test_number, tests, __ATOMIC_RELAXED);
    FindingKind kind = learn();
    if (kind == FINDING_NONE && test_moved && !given)
        kind = learn_moved();
    if (kind != FINDING_NONE || explore_stopped)
        return kind;
    return run_phase(concurrent_program, concurrent_complete, concurrent_stuck, concurrent_model);
}

/* Removes calls as long as the same kind of violation stays; the smallest test is run last. */
static void minimise(const TestCase *failing)
{
    TestCase smallest = *failing;
    ViolationKind kind = finding.violation;
    bool smaller = true;
    if (kind == VIOLATION_LINEARIZABILITY || kind == VIOLATION_STUCK) {
        test_moved = true;
        if (run_test(&smallest) == FINDING_VIOLATION)
            kind = finding.violation;
    }
    while (smaller && !explore_stopped) {
        smaller = false;
        for (uint32_t t = 0; t < smallest.threads && !smaller; t++)
            for (uint32_t i = 0; i < smallest.length[t] && !smaller; i++) {
                TestCase candidate;
                testcase_without(&smallest, t, i, &candidate);
                if (!candidate.threads)
                    continue;
                if (run_test(&candidate) == FINDING_VIOLATION && finding.violation == kind) {
                    smallest = candidate;
                    smaller = true;
                }
            }
    }
    explore_stopped = false;
    FindingKind again = run_test(&smallest);
    ASSERT(again == FINDING_VIOLATION);
    publish_test(&smallest);
}

/* ---- the tests of a shape ---- */

static Buffer coverage;

static void cover(const char *before, uint64_t count, const char *after, const TestShape *shape)
{
    bool one = count == 1; /* "the 1 test" rather than "all 1 tests" */
    buffer_printf(&coverage, "%s%s%llu %.*s of %ux%u", coverage.count ? ", " : "",
                  one && *before ? "the " : before, (unsigned long long)count,
                  (int)strlen(after) - one, after, shape->threads, shape->length);
}

static FindingKind run_all(const TestShape *shape)
{
    TestCase next;
    uint64_t count = 0;
    if (!testcase_first(shape, &next))
        return FINDING_NONE;
    do {
        FindingKind kind = run_test(&next);
        count++;
        if (kind == FINDING_VIOLATION)
            minimise(&next);
        if (kind != FINDING_NONE)
            return kind;
    } while (!explore_stopped && testcase_next(shape, &next));
    cover(explore_stopped ? "" : "all ", count, "tests", shape);
    return FINDING_NONE;
}

static FindingKind run_samples(const TestShape *shape, uint64_t wanted, Random *random)
{
    uint64_t count = 0;
    for (; count < wanted && !explore_stopped; count++) {
        TestCase sample;
        testcase_sample(shape, random, &sample);
        FindingKind kind = run_test(&sample);
        if (kind == FINDING_VIOLATION)
            minimise(&sample);
        if (kind != FINDING_NONE)
            return kind;
    }
    child_check_sampled = true;
    cover("", count, "random tests", shape);
    return FINDING_NONE;
}

static FindingKind run_shape(TestShape shape, uint64_t samples, uint64_t most, bool exhaustive,
                             Random *random)
{
    if (exhaustive || testcase_count(&shape) <= most)
        return run_all(&shape);
    return run_samples(&shape, samples, random);
}

/* For whoever shows progress: how many tests run_shape will make. */
static void plan(const TestShape *shape, uint64_t samples, uint64_t most, bool exhaustive)
{
    uint64_t all = testcase_count(shape);
    __atomic_add_fetch(&target->test_count, exhaustive || all <= most ? all : samples,
                       __ATOMIC_RELAXED);
}

static FindingKind run_generated(const CheckOptions *check)
{
    uint64_t samples = check->samples ? check->samples : 100;
    Random random = {options.seed};
    TestShape shape = {check->threads, check->length, declared.count,
                       declared.any_role ? declared.role : NULL};
    if (check->threads) {
        plan(&shape, samples, samples, check->exhaustive);
        return run_shape(shape, samples, samples, check->exhaustive, &random);
    }
    static const uint8_t shapes[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2},
                                        {3, 1}, {2, 3}, {3, 2}, {3, 3}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        shape.threads = shapes[i][0];
        shape.length = shapes[i][1];
        plan(&shape, samples, shape.threads * shape.length <= 4 ? 20000 : samples, false);
    }
    for (size_t i = 0; i < COUNT_OF(shapes) && !explore_stopped; i++) {
        shape.threads = shapes[i][0];
        shape.length = shapes[i][1];
        bool small = shape.threads * shape.length <= 4;
        FindingKind kind = run_shape(shape, samples, small ? 20000 : samples, false, &random);
        if (kind != FINDING_NONE)
            return kind;
    }
    return FINDING_NONE;
}

/* ---- the whole ---- */

static bool resolve_spec(const char *name, const char *quasi, Error *error)
{
    static Arena *arena;
    if (!arena)
        arena = arena_new();
    if (!name || !name[0])
        return quasi && quasi[0]
                   ? error_set(error, "--quasi needs a specification: add --spec=fifo or the like")
                   : true;
    Spec *spec = spec_builtin(arena, values, str_of(name), error);
    if (!spec)
        return false;
    for (uint32_t c = 0; c < declared.count; c++) {
        const HeddleOperation *operation = declared.calls[c].operation;
        uint16_t method;
        if (!spec->resolve(spec, str_of(operation->name), (size_t)operation->parameter_count,
                           &method))
            return error_at(error, operation->file, operation->line, 0,
                            "specification %s has no operation %s with %d arguments; it has %s",
                            name, operation->name, operation->parameter_count, spec->operations);
    }
    given = spec;
    if (quasi && quasi[0]) {
        RelaxSemantics semantics = RELAX_KOOO;
        if (options.check.semantics[0] &&
            !relax_semantics_from_word(options.check.semantics, &semantics))
            return error_set(error, "no semantics \"%s\": kooo, slot or def4",
                             options.check.semantics);
        given = spec_relax(arena, spec, str_of(quasi), semantics, error);
    }
    if (!given)
        return false;
    automaton = automaton_new(given);
    return true;
}

static bool set_up(Link *link)
{
    Error error = {0};
    target = link;
    const CheckOptions *check = &options.check;
    concurrent_model = options.model;
    values = values_new();
    runs_seen = serial_new(values);
    verifier = verifier_new();
    evidence_mark_words = mark_words;
    const char *spec = NULL, *quasi = NULL;
    bool fine = declared_read(&declared, values, &error);
    if (fine) {
        spec = check->spec[0] ? check->spec : declared.spec;
        quasi = check->quasi[0] ? check->quasi : declared.quasi;
        fine = resolve_spec(spec, quasi, &error);
    }
    if (!fine) {
        link->outcome.input_error = 1;
        error_text(&error, link->outcome.reason, sizeof link->outcome.reason);
    }
    return fine;
}

static bool parse_scenario(Link *link, const char *text, TestCase *to)
{
    Error error = {0};
    if (declared_parse(&declared, text, to, &error))
        return true;
    link->outcome.input_error = 1;
    error_text(&error, link->outcome.reason, sizeof link->outcome.reason);
    return false;
}

/* Tests that failed before. One that the operations no longer have is passed over: it is no part of
 * what was asked for. */
static FindingKind run_kept(Link *link)
{
    Str rest = str_of(link->first_tests), line;
    uint64_t count = 0, gone = 0;
    while (rest.length && str_next(&rest, '\n', &line) && !explore_stopped) {
        char text[sizeof options.check.scenario];
        TestCase kept;
        Error ignored;
        if (!line.length || line.length >= sizeof text)
            continue;
        memcpy(text, line.at, line.length);
        text[line.length] = 0;
        if (!declared_parse(&declared, text, &kept, &ignored)) {
            gone++;
            continue;
        }
        count++;
        FindingKind kind = run_test(&kept);
        if (kind == FINDING_VIOLATION)
            minimise(&kept);
        if (kind != FINDING_NONE)
            return kind;
    }
    if (gone)
        op_warning("%llu tests that failed before have calls that are not declared any more",
                   (unsigned long long)gone);
    if (count)
        buffer_printf(&coverage, "%llu tests that failed before", (unsigned long long)count);
    return FINDING_NONE;
}

FindingKind child_check(Link *link)
{
    if (!set_up(link))
        return FINDING_UNSUPPORTED;
    const CheckOptions *check = &options.check;
    const char *scenario = check->scenario[0] ? check->scenario : declared.scenario;
    FindingKind kind = FINDING_NONE;
    if (scenario) {
        TestCase fixed;
        if (!parse_scenario(link, scenario, &fixed))
            return FINDING_UNSUPPORTED;
        __atomic_store_n(&link->test_count, 1, __ATOMIC_RELAXED);
        kind = run_test(&fixed);
        if (kind == FINDING_VIOLATION)
            minimise(&fixed);
        else
            buffer_printf(&coverage, "the given test");
    } else {
        kind = run_kept(link);
        if (kind == FINDING_NONE)
            kind = run_generated(check);
    }
    if (kind == FINDING_NONE && verifier_undecided(verifier)) {
        kind = FINDING_UNSUPPORTED;
        snprintf(finding.message, sizeof finding.message,
                 "%llu histories have too many real-time orders to look at them all",
                 (unsigned long long)verifier_undecided(verifier));
    }
    link->outcome.tests = tests;
    link->outcome.histories = histories;
    link->outcome.serial_runs = serial_runs;
    snprintf(link->outcome.coverage, sizeof link->outcome.coverage, "%.*s",
             STR_ARG(buffer_str(&coverage)));
    return kind;
}

bool child_check_prepare(Link *link)
{
    if (!set_up(link) || !parse_scenario(link, options.check.scenario, &test))
        return false;
    publish_test(&test);
    ViolationKind wanted = (ViolationKind)link->record_violation;
    FindingKind kind = learn();
    void *(*program)(void *) = serial_program;
    if (kind == FINDING_NONE && wanted == VIOLATION_NONDETERMINISM) {
        kind = learn_moved();
        program = moved_program;
    }
    options.model = concurrent_model;
    if (kind == FINDING_VIOLATION && finding.violation == wanted) {
        serial_finding = finding;
        fiber_set_main(program); /* it shows in serial runs already */
    } else {
        fiber_set_main(concurrent_program);
    }
    return true;
}
