#include "check/child_check.h"
#include <stdio.h>
#include <string.h>
#include "check/child_calls.h"
#include "check/child_marked.h"
#include "check/declared.h"
#include "check/evidence.h"
#include "check/judges.h"
#include "check/verify.h"
#include "explore/explore.h"
#include "runtime/fiber.h"
#include "runtime/guest.h"
#include "runtime/start.h"
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
static uint64_t too_long;      /* tests that were left out */
static Judges judges;          /* several objects: the specifications that are given */
static bool test_moved;        /* serial runs are made once more, elsewhere: see moved_program */

/* ---- the test as a program ---- */

/* The operations are numbered column after column, then those that come first and last. */
static const DeclaredCall *call_of(uint32_t k)
{
    for (uint32_t t = 0; t < test.threads; t++) {
        if (k < test.length[t])
            return &declared.calls[test.call[t][k]];
        k -= test.length[t];
    }
    bool first = k < declared.first.count;
    k -= first ? 0 : declared.first.count;
    ASSERT(first || k < declared.last.count);
    return &declared.calls[(first ? &declared.first : &declared.last)->call[k]];
}

static void perform_number(uint32_t k)
{
    const DeclaredCall *call = call_of(k);
    const void *pc = __extension__(const char *)(uintptr_t) call->operation->call + 1;
    op_mark(k, false, 0, pc);
    HdValue result = call->operation->call(call->arguments);
    op_mark(k, true, declared_value(values, &result).word, pc);
}

static void perform(uint32_t thread, uint32_t i)
{
    perform_number(testcase_number(&test, thread, i));
}

static void begin(void)
{
    if (declared.init)
        declared.init();
    uint32_t base = testcase_operations(&test);
    for (uint32_t i = 0; i < declared.first.count; i++)
        perform_number(base + i);
}

static void finish(void)
{
    uint32_t base = testcase_operations(&test) + declared.first.count;
    for (uint32_t i = 0; i < declared.last.count; i++)
        perform_number(base + i);
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
    for (uint32_t left = testcase_operations(&test); left; left--) {
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
    begin();
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
    begin();
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
    begin();
    for (uint32_t t = 0; t < test.threads; t++)
        created[t] = op_create(column_program, (void *)(uintptr_t)t, NULL);
    for (uint32_t t = 0; t < test.threads; t++)
        op_join(created[t], NULL);
    finish();
    return NULL;
}

/* ---- words ---- */

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

/* ---- serial runs ---- */

static void describe_conflict(const SerialConflict *conflict)
{
    Buffer out = {0};
    target->outcome.explanation[0] = 0; /* that of a violation which this one replaces */
    for (uint32_t i = 0; i < conflict->count; i++)
        buffer_printf(&out, "%s%s", i ? ", " : "", call_of(conflict->calls[i])->text);
    buffer_printf(&out, ": the last call gives ");
    print_value(conflict->first.word, &out);
    buffer_printf(&out, " in one serial run and ");
    print_value(conflict->second.word, &out);
    buffer_printf(&out,
                  " in another; a result may depend on the calls before it, not on an address, a "
                  "random number, the time or the thread: leave that out of what the operation "
                  "returns, or give a specification that allows both (--spec)");
    op_violation(VIOLATION_NONDETERMINISM, NULL, "after %.*s", STR_ARG(buffer_str(&out)));
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
    for (uint32_t o = 0; o < declared.object_count; o++) {
        uint32_t calls[REALTIME_MOST], kept = 0, blocked = SERIAL_NO_OP;
        Value given_back[REALTIME_MOST];
        for (uint32_t i = 0; i < count; i++)
            if (call_of(list[i])->object == o) {
                calls[kept] = list[i];
                given_back[kept++] = results[i];
            }
        if (stuck && call_of(pending)->object == o)
            blocked = pending;
        if (!serial_add(runs_seen, calls, given_back, kept, blocked, &conflict))
            describe_conflict(&conflict);
    }
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

/* Of several objects: the specification that is given for object O, or NULL. */
static Judge *judge_of(uint32_t o)
{
    return judges.count ? judges_find(&judges, declared.objects[o]) : NULL;
}

static JudgeCall judge_call(uint32_t k, Value result)
{
    const DeclaredCall *call = call_of(k);
    return (JudgeCall){str_of(call->operation->name), call->values,
                       (uint16_t)call->operation->parameter_count, result};
}

static uint32_t label_judged(void *judge, uint32_t k, Value result)
{
    JudgeCall call = judge_call(k, result);
    Error error;
    uint32_t label;
    bool known = judge_label(judge, &call, &label, &error);
    ASSERT(known);
    return label;
}

static void explain(const Judge *judge, const GraphHistory *history, const VerifyFailure *failure)
{
    uint32_t orders[8][REALTIME_MOST], lengths[8], states[8];
    Buffer out = {0};
    size_t count = verifier_attempts(judge ? judge->verifier : verifier, history, failure, orders, lengths, states, 8);
    for (size_t e = 0; e < count; e++) {
        for (uint32_t i = 0; i < lengths[e]; i++) {
            uint32_t k = orders[e][i];
            buffer_printf(&out, "%s%s", i ? ", " : "", call_of(k)->text);
            print_result(history->word[k], &out);
        }
        if (!lengths[e])
            buffer_printf(&out, "at the start");
        for (uint32_t i = 0; i < failure->count; i++) {
            uint32_t k = failure->included[i];
            bool there = false, ready = true;
            for (uint32_t j = 0; j < lengths[e]; j++)
                there |= orders[e][j] == k;
            for (uint32_t j = 0; j < failure->count && !there; j++) {
                bool placed = false;
                for (uint32_t z = 0; z < lengths[e]; z++)
                    placed |= orders[e][z] == failure->included[j];
                ready &= placed || j == i || !(failure->order.successors[2 * j + 1] >> (2 * i) & 1);
            }
            if (there || !ready)
                continue;
            buffer_printf(&out, "; %s", call_of(k)->text);
            print_result(history->word[k], &out);
            Value allowed;
            if (judge) {
                JudgeCall call = judge_call(k, (Value){history->word[k]});
                judge_print_allowed(judge, states[e], &call, &out);
            } else if (!given && serial_result(runs_seen, orders[e], lengths[e], k, &allowed)) {
                buffer_printf(&out, ", but here it gives ");
                print_value(allowed.word, &out);
            } else if (given) {
                const SpecCall *call =
                    automaton_call(automaton, label_given(NULL, k, (Value){history->word[k]}));
                size_t words;
                const uint64_t *state = automaton_state(automaton, states[e], &words);
                buffer_printf(&out, ", but here ");
                spec_print_allowed(given, state, words, call, str_of(call_of(k)->operation->name),
                                   &out);
            }
        }
        if (failure->stuck != UINT32_MAX && lengths[e] == failure->count)
            buffer_printf(&out, "; then %s does not wait", call_of(failure->stuck)->text);
        buffer_printf(&out, "\n");
    }
    snprintf(target->outcome.explanation, sizeof target->outcome.explanation, "%.*s",
             STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

/* Linearizability is local (Herlihy and Wing 1990, theorem 1): each object's part is judged by itself. */
static void judge_object(const GraphHistory *whole, uint32_t o, bool stuck)
{
    GraphHistory history = *whole;
    VerifyFailure failure;
    for (uint32_t k = 0; k < operations && declared.object_count > 1; k++)
        if (call_of(k)->object != o) {
            history.called &= ~(1u << k);
            history.returned &= ~(1u << k);
        }
    Judge *judge = judge_of(o);
    Verifier *of_object = judge ? judge->verifier : verifier;
    stuck &= declared.object_count == 1 || history.called != history.returned;
    if (verifier_check(of_object, &history, stuck, &failure))
        return;
    if (!verifier_confirm(of_object, &history, &failure))
        die("internal error: the two checkers disagree about a history");
    explain(judge, &history, &failure);
    if (failure.stuck != UINT32_MAX)
        op_violation(VIOLATION_STUCK, NULL,
                     "%s waits for ever, but no serial run of the same calls with the same results "
                     "ends with it waiting",
                     call_of(failure.stuck)->text);
    bool several = declared.object_count > 1 && declared.objects[o][0];
    op_violation(VIOLATION_LINEARIZABILITY, NULL, "no serial order of the calls%s%s gives these results",
                 several ? " on " : "", several ? declared.objects[o] : "");
}

static void judge(bool stuck)
{
    GraphHistory history;
    graph_history_collect(&history, operations);
    histories++;
    for (uint32_t o = 0; o < declared.object_count; o++)
        judge_object(&history, o, stuck);
}

static void concurrent_complete(void)
{
    judge(false);
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
    judge(true);
}

/* A program with a main() and without operations marks its calls. */
static bool is_marked(void)
{
    return start_has_program() && !declared_any_operation();
}

void child_check_judge_again(bool stuck)
{
    if (is_marked()) {
        child_marked_judge_again(stuck);
        return;
    }
    if (serial_finding.kind == FINDING_VIOLATION) /* two serial runs differ: they were made again */
        op_violation(serial_finding.violation, NULL, "%s", serial_finding.message);
    if (stuck)
        concurrent_stuck();
    else
        judge(false);
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
    operations = testcase_operations(&test) + declared.first.count + declared.last.count;
    bool all_given = true;
    for (uint32_t o = 0; o < declared.object_count; o++)
        all_given &= judge_of(o) != NULL;
    for (uint32_t i = 0; i < judges.count; i++)
        verifier_begin(judges.at[i].verifier, judges.at[i].automaton, operations, label_judged,
                       &judges.at[i]);
    if (given)
        verifier_begin(verifier, automaton, operations, label_given, NULL);
    if (given || all_given)
        return FINDING_NONE;
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
    if (!declared_expand(&declared, wanted, &test)) {
        too_long++;
        return FINDING_NONE;
    }
    tests++;
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
    uint32_t longest = 0;
    for (uint32_t t = 0; t < smallest.threads; t++)
        longest = MAX(longest, smallest.length[t]);
    snprintf(target->outcome.shape, sizeof target->outcome.shape, "%ux%u", smallest.threads,
             longest);
    declared_print(&declared, &smallest, target->outcome.scenario, sizeof target->outcome.scenario);
}

/* ---- the tests of a shape ---- */

static Buffer coverage;

static void cover(const char *before, uint64_t count, const char *after, const TestShape *shape)
{
    buffer_printf(&coverage, "%s%s%llu %s of %ux%u", coverage.count ? ", " : "", before,
                  (unsigned long long)count, after, shape->threads, shape->length);
}

static FindingKind run_all(const TestShape *shape)
{
    TestCase next;
    uint64_t count = 0, left_out = too_long;
    if (!testcase_first(shape, &next))
        return FINDING_NONE;
    do {
        FindingKind kind = run_test(&next);
        count++;
        if (kind == FINDING_VIOLATION)
            minimise(&test);
        if (kind != FINDING_NONE)
            return kind;
    } while (!explore_stopped && testcase_next(shape, &next));
    left_out = too_long - left_out;
    cover(explore_stopped || left_out ? "" : "all ", count - left_out, "tests", shape);
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
            minimise(&test);
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

static FindingKind run_generated(const CheckOptions *check)
{
    uint64_t samples = check->samples ? check->samples : 100;
    Random random = {options.seed};
    TestShape shape = {check->threads, check->length, declared.count + declared.sequence_count,
                       declared.any_role ? declared.role : NULL};
    if (check->threads)
        return run_shape(shape, samples, samples, check->exhaustive, &random);
    static const uint8_t shapes[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2},
                                        {3, 1}, {2, 3}, {3, 2}, {3, 3}};
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

/* The specifications of several objects. */
static bool resolve_judges(const char *spec, const char *quasi, Error *error)
{
    JudgesRequest wanted = {spec, quasi, options.check.semantics};
    if (!judges_make(&judges, arena_new(), values, &wanted, label_judged, error))
        return false;
    for (uint32_t c = 0; c < declared.count; c++) {
        const DeclaredCall *call = &declared.calls[c];
        const Judge *judge = judge_of(call->object);
        JudgeCall wanted_call = {str_of(call->operation->name), call->values,
                                 (uint16_t)call->operation->parameter_count, VALUE_UNKNOWN};
        uint32_t label;
        Error why = {0};
        if (judge && !judge_label(judge, &wanted_call, &label, &why))
            return error_at(error, call->operation->file, call->operation->line, 0, "%s",
                            why.message);
    }
    const char *unused = judges_unused(&judges);
    return !unused || error_set(error, "the specification names object %s, but no operation is of "
                                       "an object of that name", unused);
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
        fine = declared.object_count > 1 ? resolve_judges(spec, quasi, &error)
                                         : resolve_spec(spec, quasi, &error);
    }
    if (!fine) {
        link->outcome.input_error = 1;
        error_text(&error, link->outcome.reason, sizeof link->outcome.reason);
    }
    return fine;
}

/* What is not in the text of a test, and what was not tested. */
static void note_lists(void)
{
    const DeclaredList *lists[] = {&declared.first, &declared.last};
    static const char *const when[] = {"before its threads start", "after they have ended"};
    for (size_t l = 0; l < COUNT_OF(lists); l++) {
        TestCase alone = {.threads = 1, .length = {lists[l]->count}};
        char text[160];
        if (!lists[l]->count)
            continue;
        memcpy(alone.call[0], lists[l]->call, sizeof alone.call[0]);
        declared_print(&declared, &alone, text, sizeof text);
        op_warning("every test calls, %s: %s", when[l], text);
    }
    if (too_long) {
        child_check_sampled = true;
        op_warning("%llu tests were left out: more than %d calls, or %d of one thread",
                   (unsigned long long)too_long, TESTCASE_OPERATIONS, TESTCASE_LENGTH);
    }
}

static bool parse_scenario(Link *link, const char *text, TestCase *to)
{
    Error error = {0};
    TestCase calls;
    if (declared_parse(&declared, text, to, &error)) {
        if (declared_expand(&declared, to, &calls))
            return true;
        error_set(&error, "with those of HD_FIRST and HD_LAST the test has more than %d calls",
                  TESTCASE_OPERATIONS);
    }
    link->outcome.input_error = 1;
    error_text(&error, link->outcome.reason, sizeof link->outcome.reason);
    return false;
}

FindingKind child_check(Link *link)
{
    if (is_marked())
        return child_marked(link);
    child_marked_refuse();
    if (!set_up(link))
        return FINDING_UNSUPPORTED;
    const CheckOptions *check = &options.check;
    const char *scenario = check->scenario[0] ? check->scenario : declared.scenario;
    FindingKind kind = FINDING_NONE;
    if (scenario) {
        TestCase fixed;
        if (!parse_scenario(link, scenario, &fixed))
            return FINDING_UNSUPPORTED;
        kind = run_test(&fixed);
        if (kind == FINDING_VIOLATION)
            minimise(&fixed);
        buffer_printf(&coverage, "the given test");
    } else {
        kind = run_generated(check);
    }
    uint64_t undecided = verifier_undecided(verifier) + judges_undecided(&judges);
    if (kind == FINDING_NONE && undecided) {
        kind = FINDING_UNSUPPORTED;
        snprintf(finding.message, sizeof finding.message,
                 "%llu histories have too many real-time orders to look at them all",
                 (unsigned long long)undecided);
    }
    note_lists();
    calls_complained(&link->outcome);
    link->outcome.tests = tests;
    link->outcome.histories = histories;
    link->outcome.serial_runs = serial_runs;
    snprintf(link->outcome.coverage, sizeof link->outcome.coverage, "%.*s",
             STR_ARG(buffer_str(&coverage)));
    return kind;
}

bool child_check_prepare(Link *link)
{
    if (is_marked())
        return child_marked_prepare(link);
    if (!set_up(link) || !parse_scenario(link, options.check.scenario, &test))
        return false;
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
