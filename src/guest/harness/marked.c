/* Linearizability is local (Herlihy and Wing 1990, theorem 1): a history of several objects is
 * linearizable if and only if each object's part of it is. So each object is checked on its own,
 * against its own specification.
 *
 * Without one, the specification of an object is what its calls give in the executions in which
 * they are atomic: no other thread does anything between the begin and the end of a call. These are
 * found by exploring the program with a lock (a gate) a object, held during calls: that leaves the
 * order of the calls open and everything else as it was, so every execution with atomic calls is
 * one of them; of the others those are left out in which something outside of any call comes
 * between. Calls on different objects may overlap there. That loses nothing: what matters of an
 * object is the order of its own calls.
 *
 * Which calls a thread makes may depend on what earlier ones gave. A history may therefore have
 * calls that no run with atomic calls has; see judge/spec/partial.h for what can be said about it.
 */
#include "guest/harness/marked.h"
#include "guest/harness/evidence.h"
#include "guest/explore/search/blocked.h"
#include "guest/explore/all.h"
#include <stdarg.h>
#include <stdio.h>
#include "guest/harness/calls.h"
#include "guest/harness/check/minimise.h"
#include "guest/harness/check/test.h"
#include "guest/harness/check/declared.h"
#include "guest/harness/golden_code.h"
#include "guest/harness/judges.h"
#include "judge/graph/orders.h"
#include "guest/harness/verify.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/schedules/sample.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/scale/workers.h"
#include "guest/runtime/fiber.h"
#include "guest/harness/start.h"
#include "judge/spec/partial.h"

typedef struct MarkedTally { /* over all executions */
    uint64_t histories, atomic_runs;
    uint64_t uncovered; /* histories about which the runs with atomic calls say nothing */
    char uncovered_example[128];
    uint32_t most_calls, most_objects;
} MarkedTally;

typedef struct Marked {
    Link *link;
    Values *values;
    Arena *arena;
    Judges judges; /* the specifications that are given */
    struct {       /* the runs with atomic calls */
        SerialRuns *runs;
        ObjectJudge strict, lenient;
    } seen;
    MarkedTally tally;
    MarkedTally before; /* and the rest: before the executions that several processes explore */
    ExploreCounts done_before;
    uint64_t undecided_void;   /* histories of others, or of an exploration that was begun again */
    GraphCalls calls;          /* of the present graph */
    const GraphObject *object; /* of it, the one that is judged */
    bool replaying;
    Finding atomic_finding; /* of the runs with atomic calls before a replay */
} Marked;
static Marked marked;

/* ---- words ---- */

static const GraphCall *call_at(uint32_t k)
{
    return &marked.calls.at[marked.object->first + k];
}

static void print_word(uint64_t word, Buffer *out)
{
    if (word == VALUE_UNKNOWN.word)
        buffer_printf(out, "waits");
    else
        value_print(marked.values, (Value){word}, out);
}

static void print_result(uint64_t word, Buffer *out)
{
    if (word == SPEC_DONE.word)
        return;
    buffer_printf(out, " = ");
    print_word(word, out);
}

static void print_call(const GraphObject *object, const GraphCall *call, bool result, Buffer *out)
{
    calls_print(object, call, out);
    if (result && call->returned)
        print_result(call->word, out);
}

static void copy_out(char *to, size_t bytes, Buffer *from)
{
    snprintf(to, bytes, "%.*s", STR_ARG(buffer_str(from)));
    vec_free(from);
}

static void mark_words(unsigned number, bool returns, uint64_t word, char *text, size_t bytes)
{
    Buffer out = {0};
    (void)word;
    calls_collect(&marked.calls);
    for (uint32_t o = 0; o < marked.calls.object_count; o++)
        for (uint32_t i = 0; i < marked.calls.objects[o].count; i++) {
            const GraphCall *call = &marked.calls.at[marked.calls.objects[o].first + i];
            if (pool[call->call].other == number)
                print_call(&marked.calls.objects[o], call, returns, &out);
        }
    copy_out(text, bytes, &out);
}

/* The given specification of an object, by any name that its calls have for it; or NULL. */
static ObjectJudge *judge_of(const GraphObject *object)
{
    for (uint32_t k = 0; k < object->count; k++) {
        ObjectJudge *judge =
            judges_find(&marked.judges,
                        calls_signature(marked.calls.at[object->first + k].signature)->object_name);
        if (judge)
            return judge;
    }
    return NULL;
}

/* ---- phase 1: atomic calls ---- */

static void describe_conflict(const SerialConflict *conflict)
{
    Buffer out = {0};
    char text[400];
    for (uint32_t i = 0; i < conflict->count; i++) {
        buffer_printf(&out, "%s", i ? ", " : "");
        calls_print_identity(conflict->calls[i], &out);
    }
    buffer_printf(&out, ": the last call gives ");
    print_word(conflict->first.word, &out);
    buffer_printf(&out, " in one run with atomic calls and ");
    print_word(conflict->second.word, &out);
    copy_out(text, sizeof text, &out);
    op_warning("a result may depend on the calls on the same object before it, not on an address, "
               "the time or unmarked code: leave that out of the result, mark what it depends on, "
               "or give a specification that allows both (--spec)");
    op_violation(VIOLATION_NONDETERMINISM, NULL, "after %s in another", text);
}

static bool some_call_is_open(void)
{
    for (uint32_t i = 0; i < marked.calls.count; i++)
        if (!marked.calls.at[i].returned)
            return true;
    return false;
}

static bool comes_before(const GraphCall *a, const GraphCall *b)
{
    return a->returned && before(&pool[a->ret], &pool[b->call].hb);
}

/* The calls on OBJECT in the order in which they passed its gate; false if this is no run with
 * atomic calls of that object. */
static bool atomic_order(const GraphObject *object, const GraphCall **list)
{
    for (uint32_t k = 0; k < object->count; k++) {
        const GraphCall *call = &marked.calls.at[object->first + k];
        if (!call->returned && calls_at_gate(call->thread))
            return false; /* it waits for a call inside it, which waits for its turn */
        if (!calls_is_atomic(call))
            return false;
        uint32_t place = k;
        for (; place && comes_before(call, list[place - 1]); place--)
            list[place] = list[place - 1];
        list[place] = call;
    }
    return true;
}

static void atomic_end(void)
{
    calls_collect(&marked.calls);
    calls_check_ends(&marked.calls);
    if (some_call_is_open() && !blocked_is_stuck())
        return; /* a thread only seems to wait: the beginning of another execution */
    marked.tally.atomic_runs++;
    for (uint32_t o = 0; o < marked.calls.object_count; o++) {
        GraphHistory history;
        const GraphObject *object = &marked.calls.objects[o];
        if (judge_of(object))
            continue;
        calls_history(&marked.calls, object, &history); /* for its limit */
        const GraphCall *list[REALTIME_MOST];
        if (!atomic_order(object, list))
            continue;
        uint32_t identity[REALTIME_MOST], count = 0, blocked = SERIAL_NO_OP;
        Value results[REALTIME_MOST];
        for (uint32_t k = 0; k < object->count; k++)
            if (list[k]->returned) {
                identity[count] = list[k]->identity;
                results[count++] = (Value){list[k]->word};
            } else {
                blocked = list[k]->identity;
            }
        SerialConflict conflict;
        if (!serial_add(marked.seen.runs, identity, results, count, blocked, &conflict))
            describe_conflict(&conflict);
    }
}

static void check_deadlock(void)
{
    char text[256];
    calls_collect(&marked.calls);
    if (some_call_is_open())
        return;
    explore_describe_deadlock(text, sizeof text);
    op_violation(VIOLATION_DEADLOCK, NULL, "%s, outside of any marked call", text);
}

static void atomic_stuck(void)
{
    check_deadlock();
    atomic_end();
}

/* ---- phase 2: histories ---- */

static uint32_t label_observed(void *context, uint32_t k, Value result)
{
    SpecCall call = {.method = call_at(k)->identity, .result = result};
    return automaton_label(((ObjectJudge *)context)->automaton, &call);
}

static JudgeCall judge_call(const GraphCall *call, Value result)
{
    const CallSignature *signature = calls_signature(call->signature);
    return (JudgeCall){value_text(marked.values, signature->name), signature->arguments,
                       signature->count, result};
}

static uint32_t label_given(void *context, uint32_t k, Value result)
{
    const CallSignature *signature = calls_signature(call_at(k)->signature);
    JudgeCall call = judge_call(call_at(k), result);
    Error error = {0};
    uint32_t label;
    if (!judge_label(context, &call, &label, &error))
        calls_complain(signature->file, signature->line, "%s", error.message);
    return label;
}

/* Prints what the specification allows for call K after the calls PREFIX, which lead to STATE. */
static void print_allowed(const ObjectJudge *judge, const uint32_t *prefix, uint32_t count,
                          uint32_t state, uint32_t k, Buffer *out)
{
    if (judge != &marked.seen.lenient) {
        JudgeCall call = judge_call(call_at(k), (Value){call_at(k)->word});
        judge_print_allowed(judge, state, &call, out);
        return;
    }
    uint32_t identities[REALTIME_MOST];
    Value allowed;
    for (uint32_t i = 0; i < count; i++)
        identities[i] = call_at(prefix[i])->identity;
    if (serial_result(marked.seen.runs, identities, count, call_at(k)->identity, &allowed)) {
        buffer_printf(out, "it gives ");
        print_word(allowed.word, out);
    }
}

/* "T2 get() = none": calls look alike, so their threads are named. */
static void print_with_thread(uint32_t k, bool result, Buffer *out)
{
    const GraphCall *call = call_at(k);
    if (call->thread)
        buffer_printf(out, "T%u ", call->thread);
    else
        buffer_printf(out, "main ");
    print_call(marked.object, call, result, out);
}

/* One serial order as far as it goes, and why no call may follow. */
static void explain_end(const ObjectJudge *judge, const VerifyFailure *failure,
                        const OrdersEnd *end, Buffer *out)
{
    uint32_t prefix[REALTIME_MOST];
    for (uint32_t i = 0; i < end->length; i++) {
        prefix[i] = failure->included[end->order[i]];
        buffer_printf(out, "%s", i ? ", " : "");
        print_with_thread(prefix[i], true, out);
    }
    const char *between = end->length ? "; then " : "first ";
    for (uint32_t left = end->next; left; left &= left - 1, between = "; ") {
        uint32_t k = failure->included[__builtin_ctz(left)];
        buffer_printf(out, "%s", between);
        print_with_thread(k, true, out);
        buffer_printf(out, " disagrees: %s ", end->length ? "here" : "at the start");
        print_allowed(judge, prefix, end->length, end->state, k, out);
    }
    if (failure->stuck != UINT32_MAX && end->length == failure->count) {
        buffer_printf(out, "%s", between);
        print_with_thread(failure->stuck, false, out);
        buffer_printf(out, " does not wait");
    }
    buffer_printf(out, "\n");
}

static void explain(const ObjectJudge *judge, const GraphHistory *history,
                    const VerifyFailure *failure)
{
    uint32_t labels[REALTIME_MOST], earlier[REALTIME_MOST] = {0};
    OrdersEnd ends[ORDERS_TOLD];
    Buffer out = {0};
    uint64_t all;
    for (uint32_t i = 0; i < failure->count; i++) {
        uint32_t k = failure->included[i];
        labels[i] = judge->label((void *)(uintptr_t)judge, k, (Value){history->word[k]});
        for (uint32_t j = 0; j < failure->count; j++)
            if (j != i && failure->order.successors[2 * j + 1] >> (2 * i) & 1)
                earlier[i] |= 1u << j;
    }
    OrdersProblem problem = {judge->automaton, failure->count, labels, earlier, ORDERS_APART};
    size_t count = orders_find(&problem, ends, ORDERS_TOLD, &all);
    for (size_t e = 0; e < count; e++)
        explain_end(judge, failure, &ends[e], &out);
    if (all > count)
        buffer_printf(&out, "... and others that get no further\n");
    outcome_put(&marked.link->outcome, OUTCOME_explanation, buffer_str(&out));
    vec_free(&out);
}

static NORETURN void report(const ObjectJudge *judge, const GraphHistory *history,
                            const VerifyFailure *failure)
{
    if (!verifier_confirm(judge->verifier, history, failure))
        die("internal error: the two checkers disagree about a history");
    verifier_show(history, failure);
    explain(judge, history, failure);
    const char *name = marked.object->name;
    if (failure->stuck != UINT32_MAX)
        op_violation(
            VIOLATION_STUCK, NULL,
            "%s%s%s waits for ever, but %s of the same calls with the same results ends "
            "with it waiting",
            name, name[0] ? "." : "", calls_signature(call_at(failure->stuck)->signature)->text,
            judge == &marked.seen.lenient ? "no run with atomic calls" : "no serial order");
    const char *given = judge == &marked.seen.lenient ? NULL : judge->spec->name;
    op_violation(VIOLATION_LINEARIZABILITY, NULL,
                 "no serial order of the calls%s%s%s%s%s gives these results",
                 name[0] ? " on " : "", name, given ? " that " : "", given ? given : "",
                 given ? " allows" : "");
}

/* A history that no runs with atomic calls explain, but that does not contradict them. */
static void note_uncovered(const GraphHistory *history)
{
    if (marked.tally.uncovered++)
        return;
    Buffer out = {0};
    for (uint32_t k = 0; k < history->count; k++) {
        buffer_printf(&out, "%s", k ? ", " : "");
        print_call(marked.object, call_at(k), true, &out);
    }
    copy_out(marked.tally.uncovered_example, sizeof marked.tally.uncovered_example, &out);
}

static void judge_object(const GraphObject *object)
{
    GraphHistory history;
    VerifyFailure failure;
    marked.object = object;
    calls_history(&marked.calls, object, &history);
    bool stuck = history.called != history.returned;
    marked.tally.histories++;
    ObjectJudge *judge = judge_of(object);
    /* of a stuck one the results are judged first: if they are wrong, that is the better message */
    for (int waits = 0; waits <= stuck; waits++) {
        if (judge) {
            if (!verifier_check(judge->verifier, &history, waits, &failure))
                report(judge, &history, &failure);
            continue;
        }
        if (verifier_check(marked.seen.strict.verifier, &history, waits, &failure))
            continue;
        if (!verifier_check(marked.seen.lenient.verifier, &history, waits, &failure))
            report(&marked.seen.lenient, &history, &failure);
        note_uncovered(&history);
    }
}

static void judge_present(void)
{
    calls_collect(&marked.calls);
    calls_check_ends(&marked.calls);
    marked.tally.most_calls = MAX(marked.tally.most_calls, marked.calls.count);
    marked.tally.most_objects = MAX(marked.tally.most_objects, marked.calls.object_count);
    if (some_call_is_open() && !marked.replaying && !blocked_is_stuck())
        return; /* as in atomic_end */
    for (uint32_t o = 0; o < marked.calls.object_count; o++)
        judge_object(&marked.calls.objects[o]);
}

static void judge_stuck(void)
{
    check_deadlock();
    judge_present();
}

/* ---- the whole ---- */

static FindingKind run_phase(ExploreVisitor *complete, ExploreVisitor *stuck, bool atomic)
{
    int32_t preemptions = options.preemptions;
    uint64_t schedules = options.schedules;
    if (atomic) { /* all of them: what they do not show is not known */
        options.preemptions = -1;
        options.schedules = 0;
    }
    calls_use_gates(atomic);
    fiber_set_main(start_program);
    exploration.held = NULL;
    alikes.names_matter = atomic; /* a history is looked up by which thread makes which call */
    exploration.on_complete = complete;
    exploration.on_stuck = stuck;
    FindingKind kind = options.schedules ? sample_all() : explore_all();
    options.preemptions = preemptions;
    options.schedules = schedules;
    child_test_add_counts();
    return kind;
}

static FindingKind run_as_it_is(const TestCase *unused)
{
    (void)unused;
    return run_phase(judge_present, judge_stuck, false);
}

static FindingKind learn(void)
{
    if (judges_cover_all(&marked.judges))
        return FINDING_NONE;
    FindingKind kind = run_phase(atomic_end, atomic_stuck, true);
    if (kind == FINDING_VIOLATION && finding.violation != VIOLATION_NONDETERMINISM)
        op_warning("it happens even if the marked calls on an object exclude each other");
    return kind;
}

static bool refuse_settings(const Declared *declared, Error *error)
{
    const CheckOptions *check = &options.check;
    if (check->threads || check->samples || check->exhaustive || check->scenario[0])
        return error_set(error, "a program that marks its calls is one test: --shape, --samples, "
                                "--exhaustive and --scenario are for declared operations (HD_OP)");
    if (check->observations[0])
        return error_set(error, "--observations is for declared operations (HD_OP)");
    if (declared->init || declared->after || declared->invariant || declared->scenario)
        return error_set(error, "HD_INIT, HD_AFTER, HD_INVARIANT and HD_SCENARIO are for declared "
                                "operations (HD_OP); here main does what they would do");
    return true;
}

static bool set_up(Link *link)
{
    static Declared declared;
    Error error = {0};
    marked.link = link;
    marked.values = values_new();
    marked.arena = arena_new();
    marked.seen.runs = serial_new(marked.values);
    calls_setup(marked.values);
    evidence_mark_words = mark_words;
    const CheckOptions *check = &options.check;
    bool fine = declared_read_settings(&declared, &error) && refuse_settings(&declared, &error);
    if (fine) {
        const Spec *golden = golden_code_spec(marked.arena, marked.values, declared.golden_init);
        const char *own = declared.spec || !golden ? declared.spec : "golden";
        JudgesRequest wanted = {.golden = golden,
                                .spec = check->spec[0] ? check->spec : own,
                                .quasi = check->quasi[0] ? check->quasi : declared.quasi,
                                .semantics = check->semantics};
        fine =
            judges_make(&marked.judges, marked.arena, marked.values, &wanted, label_given, &error);
        if (fine && marked.judges.quasi)
            outcome_put(&link->outcome, OUTCOME_quasi, str_of(marked.judges.quasi));
    }
    if (!fine) {
        outcome_error(&link->outcome, &error);
        return false;
    }
    judge_start(&marked.seen.strict,
                spec_partial(marked.arena, marked.values, marked.seen.runs, false), label_observed);
    judge_start(&marked.seen.lenient,
                spec_partial(marked.arena, marked.values, marked.seen.runs, true), label_observed);
    return true;
}

static uint64_t undecided(void)
{
    return judges_undecided(&marked.judges) + verifier_undecided(marked.seen.strict.verifier);
}

void child_marked_begin(bool again)
{
    MarkedTally *before = &marked.before;
    bool atomic = !workers.give; /* nothing is divided yet */
    marked.tally = again && !atomic ? *before : (MarkedTally){0};
    child_test_done = again && !atomic ? marked.done_before : (ExploreCounts){0};
    marked.undecided_void = undecided();
}

/* Adds what this process has done to the outcome, which all processes share. */
static void add_to_outcome(OutcomeMessage *outcome)
{
    calls_complained(outcome);
    outcome->tests = 1;
    __atomic_add_fetch(&outcome->histories, marked.tally.histories, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->serial_runs, marked.tally.atomic_runs, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->undecided, undecided() - marked.undecided_void, __ATOMIC_RELAXED);
    __atomic_or_fetch(&outcome->objects_met, judges_used(&marked.judges), __ATOMIC_RELAXED);
    outcome_raise(&outcome->calls_met, calls_any());
    outcome_raise(&outcome->most_calls, marked.tally.most_calls);
    outcome_raise(&outcome->most_objects, marked.tally.most_objects);
    workers_lock();
    if (marked.tally.uncovered)
        outcome_say(outcome, OUTCOME_uncovered_example, "%s", marked.tally.uncovered_example);
    outcome->uncovered += marked.tally.uncovered;
    outcome_say(outcome, OUTCOME_coverage,
                "the program as one test, with up to %llu marked calls on %llu object%s",
                (unsigned long long)outcome->most_calls, (unsigned long long)outcome->most_objects,
                outcome->most_objects == 1 ? "" : "s");
    workers_unlock();
}

FindingKind child_marked(Link *link)
{
    if (!set_up(link))
        return FINDING_UNSUPPORTED;
    FindingKind kind = learn();
    if (kind == FINDING_NONE && !exploration.stopped) {
        marked.before = marked.tally;
        marked.done_before = child_test_done;
        workers.give = true;
        kind = run_as_it_is(NULL);
        workers.give = false;
        uint64_t counted = marked.tally.histories; /* what follows looks for the same again */
        if (kind == FINDING_VIOLATION && !options.schedules)
            child_minimise_execution(run_as_it_is);
        marked.tally.histories = counted;
    }
    add_to_outcome(&link->outcome);
    return kind;
}

void child_marked_end(Link *link)
{
    OutcomeMessage *outcome = &link->outcome;
    const char *unused = judges_unused(&marked.judges, outcome->objects_met);
    if (outcome->verdict != VERDICT_HOLDS || (outcome->calls_met && !unused))
        return;
    outcome->verdict = VERDICT_INCONCLUSIVE;
    outcome->exhaustive = 0;
    outcome->input_error = 1;
    if (!outcome->calls_met)
        outcome_say(
            outcome, OUTCOME_reason,
            "no operations are declared, and main marks no calls: write HD_OP(name) { ... }, or "
            "HD_BEGIN(&object, \"name\") and HD_END(result) around the calls (see heddle(7))");
    else
        outcome_say(
            outcome, OUTCOME_reason,
            "the specification names object %s, but no call is marked on an object of that name",
            unused);
}

bool child_marked_prepare(Link *link)
{
    if (!set_up(link))
        return false;
    FindingKind kind = learn();
    bool atomic = kind == FINDING_VIOLATION && finding.violation == link->record_violation;
    if (atomic)
        marked.atomic_finding = finding;
    calls_use_gates(atomic);
    fiber_set_main(start_program);
    return true;
}

void child_marked_judge_again(bool stuck)
{
    marked.replaying = true;
    if (marked.atomic_finding.kind == FINDING_VIOLATION)
        op_violation(marked.atomic_finding.violation, NULL, "%s", marked.atomic_finding.message);
    if (stuck)
        judge_stuck();
    else
        judge_present();
}
