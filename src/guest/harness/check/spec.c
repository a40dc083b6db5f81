#include "guest/harness/check/spec.h"
#include <stdio.h>
#include <string.h>
#include "guest/explore/search/revisit.h"
#include "guest/harness/check/objects.h"
#include "guest/harness/check/observations.h"
#include "guest/harness/check/quasi.h"
#include "guest/harness/check/tell/waits.h"
#include "guest/harness/graph_history.h"
#include "judge/quasi/relax.h"
#include "judge/spec/serial.h"

static const Spec *given; /* built-in, perhaps relaxed; NULL: serial runs */
static struct {           /* the serial runs of one test */
    SerialRuns *runs;
    Arena *relaxed_arena; /* of what wraps them */
    Spec *relaxed;        /* these, or NULL */
    Automaton *tree;      /* several objects: that of the serial runs */
    uint64_t count;       /* of all tests so far */
    bool extended;        /* runs with more calls than the test makes are known */
    /* The names of calls in the tree of serial runs: numbers of serial_test. Of calls that may be
     * displaced, equal ones have the same. */
    uint32_t key_of_serial[SERIAL_MOST], key_of[SERIAL_MOST];
} serial;
static Automaton *automaton;
static Arena *arena; /* of the given specification */

Automaton *child_spec_automaton(void)
{
    return automaton;
}

bool child_spec_compares_runs(void)
{
    return child_quasi.factors && child_quasi.semantics != RELAX_KOOO;
}

uint64_t child_spec_serial_runs(void)
{
    return serial.count;
}

void child_spec_forget_runs(uint64_t kept)
{
    serial.count = kept;
}

/* ---- which one ---- */

static bool take_builtin(const char *name, Error *error)
{
    Spec *spec = spec_builtin(arena, child_test.values, str_of(name), error);
    if (!spec)
        return false;
    for (uint32_t c = 0; c < child_test.declared.count; c++) {
        const HeddleOperation *operation = child_test.declared.calls[c].operation;
        uint16_t method;
        if (!spec->resolve(spec, str_of(operation->name), (size_t)operation->parameter_count,
                           &method))
            return error_at(error, operation->file, operation->line, 0,
                            "specification %s has no operation %s with %d arguments; it has %s",
                            name, operation->name, operation->parameter_count, spec->operations);
    }
    given = child_quasi.factors
                ? spec_relax(arena, spec, str_of(child_quasi.factors), child_quasi.semantics, error)
                : spec;
    if (!given)
        return false;
    automaton = automaton_new(given);
    return true;
}

/* The factors are understood? The names of all declared operations stand for those of a test. */
static bool try_factors(Error *error)
{
    const char *names[SERIAL_MOST];
    uint32_t count = 0;
    for (uint32_t c = 0; c < child_test.declared.count && count < SERIAL_MOST; c++)
        if (!c ||
            child_test.declared.calls[c].operation != child_test.declared.calls[c - 1].operation)
            names[count++] = child_test.declared.calls[c].operation->name;
    serial_begin(serial.runs, names, count, false);
    Spec *tried = spec_relax(arena, serial_spec(serial.runs), str_of(child_quasi.factors),
                             child_quasi.semantics, error);
    if (!tried)
        return false;
    spec_relax_free(tried);
    return true;
}

/* ---- several objects ---- */

void child_spec_select(uint32_t object)
{
    if (!child_objects_several())
        return;
    const ObjectJudge *judge = child_objects_judge(object);
    given = judge ? judge->spec : NULL;
    automaton = judge ? judge->automaton : serial.tree;
}

/* Back to what serial runs are learnt for; false if every object has another specification. */
static bool select_tree(void)
{
    bool wanted = false;
    for (uint32_t o = 0; o < child_test.declared.object_count; o++)
        wanted |= !child_objects_judge(o);
    given = NULL;
    automaton = serial.tree;
    return wanted;
}

bool child_spec_setup(Error *error)
{
    const CheckOptions *check = &options.check;
    const Declared *declared = &child_test.declared;
    arena = arena_new();
    serial.relaxed_arena = arena_new();
    serial.runs = serial_new(child_test.values);
    if (!child_quasi_setup(error))
        return false;
    const HeddleOperation *golden = declared->calls[0].golden;
    const char *name = check->spec[0] ? check->spec : declared->spec;
    if (golden && declared->spec && !check->spec[0])
        return error_at(error, golden->file, golden->line, 0,
                        "there are golden code and HD_SPEC(\"%s\"): leave one of them out, or say "
                        "which with --spec=golden or --spec=%s",
                        declared->spec, declared->spec);
    child_test.source = golden                ? SERIAL_GOLDEN
                        : declared->reference ? SERIAL_REFERENCE
                                              : SERIAL_IMPLEMENTATION;
    if (name && !strcmp(name, "golden")) {
        if (!golden)
            return error_set(error, "--spec=golden, but the test file has no golden code: write "
                                    "HD_GOLDEN(name) { ... } for each operation");
        name = NULL;
    } else if (name && !strcmp(name, "observed")) {
        child_test.source = SERIAL_IMPLEMENTATION;
        name = NULL;
    }
    if (child_objects_several() && golden)
        return error_at(error, golden->file, golden->line, 0,
                        "golden code is not possible for several objects (HD_OP_OF)");
    if (child_objects_several())
        return child_objects_setup(arena, name, child_quasi.factors != NULL, error);
    if (name && name[0])
        return options.check.observations[0]
                   ? error_set(error,
                               "--observations keeps serial runs, but --spec=%s does not need "
                               "any: leave one of them out",
                               name)
                   : take_builtin(name, error);
    if (options.check.observations[0] &&
        (child_quasi.factors || declared->any_may_fail || declared->any_async ||
         child_test.source == SERIAL_GOLDEN))
        return error_set(error,
                         "--observations keeps the serial runs of the operations themselves: "
                         "not with %s",
                         child_quasi.factors      ? "--quasi"
                         : declared->any_may_fail ? "HD_MAY_FAIL"
                         : declared->any_async    ? "HD_ASYNC"
                                                  : "golden code (add --spec=observed)");
    if (child_quasi_by_def4())
        return error_set(error, "def4 needs a built-in specification: add --spec=fifo or the like");
    return !child_quasi.factors || try_factors(error);
}

/* ---- serial runs ---- */

static void describe_conflict(const SerialConflict *conflict)
{
    Buffer out = {0};
    uint32_t last = conflict->count - 1;
    buffer_printf(&out, "%s gives ", child_test_serial_call(conflict->calls[last])->text);
    child_test_print_value(conflict->first.word, &out);
    buffer_printf(&out, " in one serial run and ");
    child_test_print_value(conflict->second.word, &out);
    buffer_printf(&out, " in another, %s", last ? "" : "both times as the first call");
    for (uint32_t i = 0; i < last; i++)
        buffer_printf(&out, "%s%s", i ? ", " : "both times after ",
                      child_test_serial_call(conflict->calls[i])->text);
    op_warning("a result may depend on the calls before it, not on an address, a random number, "
               "the time or the thread: leave that out of what the operation returns, or give a "
               "specification that allows both (--spec, HD_GOLDEN)");
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
    bool golden = child_test.source == SERIAL_GOLDEN;
    if (stuck && !golden && child_test_must_not_wait(child_test_serial_call(pending)))
        op_violation(VIOLATION_STUCK, NULL,
                     "%s waits for ever in a serial run, but HD_MAY_BLOCK does not name it",
                     child_test_serial_call(pending)->text);
    if (stuck && !golden)
        child_waits_note(child_test_serial_call(pending));
    bool waits = golden && child_test.golden_waits; /* golden code waits by saying so */
    child_test.golden_waits = false;
    if (!stuck && pending != UINT32_MAX && golden && !waits)
        op_unsupported("the golden code of %s ends the program; it must return",
                       child_test_serial_call(pending)->text);
    if (!stuck && pending != UINT32_MAX && !golden)
        op_unsupported(
            "%s ends the program; an operation must return: let it return a value instead "
            "of calling exit",
            child_test_serial_call(pending)->text);
    if (!child_test.moved)
        child_observations_run(list, results, count, pending);
    /* the part of each object; calls of different ones never meet in the tree */
    for (uint32_t o = 0; o < child_test.declared.object_count; o++) {
        uint32_t calls[REALTIME_MOST], kept = 0, blocked = SERIAL_NO_OP;
        SerialConflict conflict;
        Value kept_results[REALTIME_MOST];
        for (uint32_t i = 0; i < count; i++)
            if (child_test_serial_call(list[i])->object == o) {
                calls[kept] = serial.key_of_serial[list[i]];
                kept_results[kept++] = results[i];
            }
        if (pending != UINT32_MAX && child_test_serial_call(pending)->object == o)
            blocked = serial.key_of_serial[pending];
        if (!serial_add(serial.runs, calls, kept_results, kept, blocked, &conflict))
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

/* Notes that the failure needs no concurrency: it wants another remedy, so the answer says so. */
static void blame_serial_run(void)
{
    if (finding.violation == VIOLATION_NONDETERMINISM)
        return;
    if (child_test.source == SERIAL_GOLDEN)
        op_warning("it fails in the golden code, in a serial run: correct HD_GOLDEN");
    else
        op_warning("it fails in a serial run, without any concurrency: correct the operation, or "
                   "declare only calls that are allowed in every order");
}

/* Serial runs that were given up leave the specification incomplete: nothing can be judged by
 * it. */
static FindingKind give_up_serial_run(void)
{
    char text[256];
    declared_print(&child_test.declared, &child_test.test, text, sizeof text);
    finding = (Finding){.kind = FINDING_UNSUPPORTED, .thread = -1, .partner = -1};
    snprintf(
        finding.message, sizeof finding.message,
        "%s: an operation does not return although it is called alone; give its loop an end, or "
        "let it wait in a way that changes nothing (a loop that only reads, a lock, a condition "
        "variable)",
        text);
    return FINDING_UNSUPPORTED;
}

static void relax_tree(void)
{
    Error error = {0};
    Buffer factors = {0};
    Str text = child_quasi_known(serial_spec(serial.runs), &factors);
    if (text.length) {
        serial.relaxed = spec_relax(serial.relaxed_arena, serial_spec(serial.runs), text,
                                    child_quasi.semantics, &error);
        ASSERT(serial.relaxed); /* try_factors has had all of them */
    }
    vec_free(&factors);
    if (!serial.relaxed)
        return;
    automaton = automaton_new(serial.relaxed);
    /* runs may be continued, and calls exchanged, with any call of the test: its alphabet */
    for (uint32_t k = 0; k < child_test.operations; k++)
        child_spec_label(NULL, k, VALUE_UNKNOWN);
}

/* The tree grows while the serial runs are made; the automaton looks at it only afterwards. */
static void begin_tree(void)
{
    const char *names[SERIAL_MOST];
    uint32_t count = testcase_operations(&child_test.serial_test);
    for (uint32_t k = 0; k < count; k++)
        names[k] = child_test_serial_call(k)->operation->name;
    serial_begin(serial.runs, names, count, child_test.source == SERIAL_GOLDEN);
    automaton_free(automaton);
    spec_relax_free(serial.relaxed);
    serial.relaxed = NULL;
    arena_reset(serial.relaxed_arena);
    automaton = NULL;
    if (child_quasi.factors)
        relax_tree();
    if (!serial.relaxed)
        automaton = automaton_new(serial_spec(serial.runs));
}

/* To look for loops that wait costs a fifth of the time, and few operations have any: first serial
 * runs are made without; one that has to be given up tells that they are needed. */
static bool waits_in_loops;

static FindingKind explore_serially(void *(*program)(void *))
{
    uint32_t wanted = options.reductions;
    ExploreCounts before = child_test_done;
    uint64_t cut = before.cut, revisits = revisit_count;
    options.reductions = waits_in_loops ? wanted : 0;
    options.no_awaits = wanted != 0;
    FindingKind kind = child_test_explore(program, serial_complete, serial_stuck, MODEL_SC);
    if (child_test_done.cut > cut && wanted && !waits_in_loops && !exploration.stopped) {
        waits_in_loops = true;
        options.reductions = wanted;
        child_test_done = before; /* another process may know it already: nothing of it counts */
        revisit_count = revisits;
        kind = child_test_explore(program, serial_complete, serial_stuck, MODEL_SC);
    }
    options.reductions = wanted;
    options.no_awaits = 0;
    serial.count += child_test_done.executions + child_test_done.stuck - before.executions -
                    before.stuck; /* not those of invalidated passes */
    if (kind == FINDING_VIOLATION)
        blame_serial_run();
    if (kind == FINDING_NONE && child_test_done.cut > cut)
        kind = give_up_serial_run();
    return kind;
}

static FindingKind learn(void)
{
    begin_tree();
    serial.tree = automaton;
    FindingKind kind = explore_serially(child_test_serial);
    if (kind == FINDING_NONE && !exploration.stopped)
        child_observations_end_test();
    return kind;
}

FindingKind child_spec_learn(void)
{
    serial.extended = false;
    if (child_objects_several() ? !select_tree() : given != NULL)
        return FINDING_NONE;
    for (uint32_t k = 0; k < child_test.operations; k++)
        serial.key_of[k] = serial.key_of_serial[k] = k;
    bool promises = child_test.declared.any_may_fail, lags = child_test.declared.any_async;
    bool quiescent = options.check.consistency == CHECK_QUIESCENT;
    bool set = options.check.consistency == CHECK_SET;
    if ((child_quasi.factors || promises || lags || quiescent || set) &&
        !child_quasi_choose_runs(serial.extended, serial.key_of_serial, serial.key_of))
        return child_quasi_too_many_runs(
            promises    ? "calls that may fail, with serial runs as the specification,"
            : lags      ? "operations of HD_ASYNC, with serial runs as the specification,"
            : quiescent ? "--consistency=quiescent with serial runs as the specification"
            : set       ? "--consistency=set with serial runs as the specification"
                        : "--quasi with serial runs as the specification");
    return learn();
}

bool child_spec_may_be_extended(void)
{
    return !given && child_quasi.factors && child_quasi.semantics == RELAX_KOOO && !serial.extended;
}

/* kooo lets a run end early: it is allowed if at most K more calls of each class, of the kinds that
 * the test makes, can continue it to one that slot allows. These are more serial runs; few tests
 * need them. */
bool child_spec_extend(FindingKind *kind)
{
    if (!child_spec_may_be_extended())
        return false;
    serial.extended = true;
    uint32_t before = testcase_operations(&child_test.serial_test);
    if (!child_quasi_choose_runs(serial.extended, serial.key_of_serial, serial.key_of)) {
        *kind = child_quasi_too_many_runs(
            "to find out whether more calls would complete a history that is not "
            "allowed as it stands");
        return true;
    }
    if (testcase_operations(&child_test.serial_test) == before)
        return false;
    *kind = learn();
    return true;
}

FindingKind child_spec_learn_moved(void)
{
    if (child_objects_several() ? !select_tree() : given != NULL)
        return FINDING_NONE;
    return explore_serially(child_test_moved);
}

/* ---- labels and words ---- */

SpecCall child_spec_call(uint32_t k, Value result)
{
    if (!given)
        return serial_call(serial.runs, serial.key_of[k], result);
    const DeclaredCall *declared_call = child_test_call(k);
    SpecCall call = {.count = (uint16_t)declared_call->operation->parameter_count,
                     .arguments = declared_call->values,
                     .result = result};
    bool known =
        given->resolve(given, str_of(declared_call->operation->name), call.count, &call.method);
    ASSERT(known);
    return call;
}

uint32_t child_spec_label(void *unused, uint32_t k, Value result)
{
    (void)unused;
    SpecCall call = child_spec_call(k, result);
    return automaton_label(automaton, &call);
}

const char *child_spec_given(void)
{
    return given ? given->name : NULL;
}

void child_spec_print_allowed(const uint32_t *prefix, uint32_t length, uint32_t state, uint32_t k,
                              uint64_t word, Buffer *out)
{
    Value allowed;
    if (!given && !serial.relaxed && child_test.source != SERIAL_GOLDEN) {
        if (!serial_result(serial.runs, prefix, length, k, &allowed)) {
            buffer_printf(out, "no serial run does that");
            return;
        }
        buffer_printf(out, value_equal(allowed, VALUE_UNKNOWN) ? "it " : "it gives ");
        child_test_print_value(allowed.word, out);
        return;
    }
    SpecCall call = child_spec_call(k, (Value){word});
    size_t words;
    const uint64_t *content = automaton_state(automaton, state, &words);
    spec_print_allowed(automaton_spec(automaton), content, words, &call,
                       str_of(child_test_call(k)->operation->name), out);
}

bool child_spec_would_wait(const uint32_t *prefix, uint32_t length, uint32_t k)
{
    Value allowed;
    return !given && !serial.relaxed && child_test.source != SERIAL_GOLDEN &&
           serial_result(serial.runs, prefix, length, k, &allowed) &&
           value_equal(allowed, VALUE_UNKNOWN);
}

/* ---- larger factors ---- */

bool child_spec_widen(uint32_t more, ChildRelaxed *wider)
{
    *wider = (ChildRelaxed){0};
    if (!child_quasi.factors || child_quasi_by_def4() || (!given && !serial.relaxed))
        return false;
    Buffer of_test = {0}, factors = {0};
    Str text =
        given ? str_of(child_quasi.factors) : child_quasi_known(serial_spec(serial.runs), &of_test);
    child_quasi_widen(text, more, &factors, wider->base);
    Error error = {0};
    wider->arena = arena_new();
    wider->exact = given != NULL;
    wider->spec =
        spec_relax(wider->arena, given ? relax_classes(given)->inner : serial_spec(serial.runs),
                   buffer_str(&factors), child_quasi.semantics, &error);
    vec_free(&of_test);
    vec_free(&factors);
    ASSERT(wider->spec);
    wider->automaton = automaton_new(wider->spec);
    for (uint32_t k = 0; k < child_test.operations; k++)
        child_spec_widened_label(wider, k, VALUE_UNKNOWN);
    return true;
}

uint32_t child_spec_widened_label(void *wider, uint32_t k, Value result)
{
    SpecCall call = child_spec_call(k, result);
    return automaton_label(((ChildRelaxed *)wider)->automaton, &call);
}

void child_spec_widened_free(ChildRelaxed *wider)
{
    automaton_free(wider->automaton);
    spec_relax_free(wider->spec);
    arena_free(wider->arena);
}
