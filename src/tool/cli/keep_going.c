/* The program counts: tests that fail, and for each cause a small test that shows it. Nothing of
 * that is believed: the small test of every cause is then explored by itself as any other test is,
 * its violation minimised, replayed and saved. What can't be seen again makes the answer
 * inconclusive. */
#include "tool/cli/keep_going.h"
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "tool/cli/present.h"
#include "tool/report/dwarf/names.h"

typedef struct KeepGoing {
    Session session;
    ExploreOptions asked;
    Answer all; /* that of all tests together */
    AnswerCause causes[CAUSES_MOST];
    Answer shown[CAUSES_MOST];
    uint32_t count;
} KeepGoing;

/* Two causes are one if they differ in nothing that a person sees: addresses of one line. */
static AnswerCause *find_same(KeepGoing *k, const AnswerCause *cause)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->causes[i].violation == cause->violation &&
            !strcmp(k->causes[i].operations, cause->operations) &&
            !strcmp(k->causes[i].place, cause->place))
            return &k->causes[i];
    return NULL;
}

static void take_causes(KeepGoing *k, const CausesShared *from)
{
    Arena *arena = k->session.arena;
    Names *names = NULL;
    Error ignored;
    if (!names_open(&names, arena, k->session.build.program, NULL, &ignored))
        names = NULL;
    for (uint32_t i = 0; i < from->count; i++) {
        const SharedCause *one = &from->at[i];
        const char *place = names && one->pc ? names_place_text(names, one->pc) : "";
        AnswerCause cause = {.violation = (ViolationKind)one->violation,
                             .operations = arena_printf(arena, "%s", one->operations),
                             .place = arena_printf(arena, "%s", place),
                             .test = arena_printf(arena, "%s", one->test),
                             .shape = arena_printf(arena, "%s", one->shape),
                             .tests = one->tests};
        AnswerCause *same = find_same(k, &cause);
        if (same)
            same->tests += cause.tests;
        else
            k->causes[k->count++] = cause;
    }
    names_close(names);
    /* the one that most tests show comes first */
    for (uint32_t i = 1; i < k->count; i++)
        for (uint32_t j = i; j && k->causes[j].tests > k->causes[j - 1].tests; j--) {
            AnswerCause other = k->causes[j];
            k->causes[j] = k->causes[j - 1];
            k->causes[j - 1] = other;
        }
}

/* Explores the small test of cause number I, and saves what it shows. */
static bool show_cause(KeepGoing *k, uint32_t i, Error *error)
{
    Session *session = &k->session;
    AnswerCause *cause = &k->causes[i];
    Answer *shown = &k->shown[i];
    session->explore = k->asked;
    session->explore.check.keep_going = session->explore.check.all = 0;
    snprintf(session->explore.check.scenario, sizeof session->explore.check.scenario, "%s",
             cause->test);
    if (!session_explore(session, shown, error))
        return false;
    present_save_as(session, shown, i ? arena_printf(session->arena, "-%u", i + 1) : "");
    cause->confirmed = shown->verdict == VERDICT_VIOLATED;
    cause->message = shown->message;
    cause->record_path = shown->record_path;
    if (cause->confirmed && shown->outcome.scenario) {
        cause->test = shown->outcome.scenario;
        cause->shape = shown->outcome.shape;
    }
    return true;
}

/* Makes the execution of SHOWN the evidence of the whole answer. */
static void take_evidence(Answer *all, const Answer *shown)
{
    all->verdict = VERDICT_VIOLATED;
    all->violation = shown->violation;
    all->message = shown->message;
    all->reason = NULL;
    all->exhaustive = false;
    all->record = shown->record;
    all->found = shown->found;
    all->record_path = shown->record_path;
    all->replay_words = shown->replay_words;
    all->outcome.scenario = shown->outcome.scenario;
    all->outcome.shape = shown->outcome.shape;
    all->outcome.explanation = shown->outcome.explanation;
    all->outcome.closest = shown->outcome.closest;
    all->outcome.overtaking = shown->outcome.overtaking;
    all->outcome.hint = shown->outcome.hint;
    all->outcome.orders = shown->outcome.orders;
    all->outcome.order_count = shown->outcome.order_count;
}

static void conclude(KeepGoing *k)
{
    Answer *all = &k->all;
    uint32_t confirmed = 0;
    for (uint32_t i = k->count; i-- > 0;)
        if (k->causes[i].confirmed) {
            take_evidence(all, &k->shown[i]);
            confirmed++;
        }
    all->causes = k->causes;
    all->cause_count = k->count;
    if (all->outcome.tests_failed && !confirmed) {
        all->verdict = VERDICT_INCONCLUSIVE;
        all->exhaustive = false;
        all->reason = k->count ? k->shown[0].reason : "the tests that failed were not kept";
        if (!all->reason)
            all->reason = "a test that failed did not fail once more";
    }
}

static bool explore(KeepGoing *k, Error *error)
{
    if (k->asked.check.annotated)
        return error_set(error, "--keep-going and --all are for operations that are declared "
                                "(HD_OP), not for annotated programs");
    if (!session_explore(&k->session, &k->all, error))
        return false;
    if (k->all.shared_causes)
        take_causes(k, k->all.shared_causes);
    for (uint32_t i = 0; i < k->count; i++)
        if (!show_cause(k, i, error))
            return false;
    conclude(k);
    k->session.explore = k->asked;
    if (k->all.outcome.scenario) /* the record is about this one */
        snprintf(k->session.explore.check.scenario, sizeof k->session.explore.check.scenario, "%s",
                 k->all.outcome.scenario);
    return true;
}

int keep_going_command(RunOptions *options)
{
    Arena *arena = arena_new();
    KeepGoing *k = arena_new_of(arena, KeepGoing);
    const CheckOptions *check = &options->explore.check;
    Error error = {0};
    int status = 2;
    *k = (KeepGoing){.count = 0};
    if (check->unbounded || check->observations[0] || options->explore.schedules) {
        error_set(&error, "--keep-going and --all count tests that are explored completely: leave "
                          "out --unbounded, --observations and --schedules");
        present_error(&error);
    } else if (session_open(&k->session, arena, "check", options, &error)) {
        k->asked = k->session.explore;
        status =
            explore(k, &error) ? present_answer(&k->session, &k->all) : present_failure(&error);
    } else {
        status = present_failure(&error);
    }
    session_close(&k->session);
    arena_free(arena);
    options_free(options);
    return status;
}
