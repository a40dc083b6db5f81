/* Promises are tried from the strongest to the weakest; each is one exploration. They are not all
 * comparable (a bag may be empty-handed never, a queue that may fail is no bag), so what is named
 * is the first that holds in the order of the list, and each one before it has an execution that
 * breaks it. A violation that is not about histories (a race, a crash) ends the search: no promise
 * about results would help. */
#include "tool/cli/relax/relax_auto.h"
#include <stdio.h>
#include <string.h>
#include "base/print.h"
#include "base/str.h"
#include "tool/cli/present.h"

typedef struct Promise {
    const char *word;  /* in JSON */
    const char *claim; /* "it is ..." */
    const char *option, *value;
} Promise;
static const Promise promises[] = {
    {"linearizable", "linearizable", NULL, NULL},
    {"may-fail",
     "linearizable, but a call may find nothing or be refused while it overlaps another",
     "may-fail", "auto"},
    {"quasi-1", "quasi linearizable: what takes may be 1 place out of order", "quasi", "takes:1"},
    {"quasi-2", "quasi linearizable: what takes may be 2 places out of order", "quasi", "takes:2"},
    {"quasi-3", "quasi linearizable: what takes may be 3 places out of order", "quasi", "takes:3"},
    {"quasi-4", "quasi linearizable: what takes may be 4 places out of order", "quasi", "takes:4"},
    {"bag", "a bag: what is taken was put, in any order", "spec", "bag"},
    {"set", "set linearizable: calls that overlap may take the same element", "consistency", "set"},
    {"sequential", "sequentially consistent: only the calls of each thread keep their order",
     "consistency", "sequential"},
    {"quiescent",
     "quiescently consistent: only calls with a quiet moment between them keep their order",
     "consistency", "quiescent"}};

typedef struct Search {
    Session session;
    ExploreOptions asked;
    Answer broken[COUNT_OF(promises)]; /* those that do not hold */
    ExploreOptions explored[COUNT_OF(promises)];
    uint32_t broken_count;
    Vec(const char *) passed_over; /* words of promises that make no sense for these operations */
    double seconds;
} Search;

static void ask_for(ExploreOptions *explore, const Promise *promise)
{
    CheckOptions *check = &explore->check;
    if (!promise->option)
        return;
    if (!strcmp(promise->option, "may-fail"))
        snprintf(check->may_fail, sizeof check->may_fail, "%s", promise->value);
    else if (!strcmp(promise->option, "quasi"))
        snprintf(check->quasi, sizeof check->quasi, "%s", promise->value);
    else if (!strcmp(promise->option, "spec"))
        snprintf(check->spec, sizeof check->spec, "%s", promise->value);
    else
        check->consistency = !strcmp(promise->value, "set")          ? CHECK_SET
                             : !strcmp(promise->value, "sequential") ? CHECK_SEQUENTIAL
                                                                     : CHECK_QUIESCENT;
}

static bool is_about_histories(const Answer *answer)
{
    return answer->verdict == VERDICT_VIOLATED &&
           (answer->violation == VIOLATION_LINEARIZABILITY || answer->violation == VIOLATION_STUCK);
}

/* Says what holds and what does not, then shows an execution that breaks the next stronger one. */
static int present(Search *search, Answer *answer, const Promise *promise)
{
    Session *session = &search->session;
    Arena *arena = session->arena;
    Buffer words = {0};
    for (uint32_t i = 0; i < search->broken_count; i++)
        buffer_printf(&words, "%s%s", i ? ", " : "", search->broken[i].promise);
    vec_push(&answer->remarks, (const char *)arena_printf(arena, "it is %s", promise->claim));
    if (words.count)
        vec_push(&answer->remarks,
                 (const char *)arena_printf(arena, "stronger promises are broken: %.*s",
                                            STR_ARG(buffer_str(&words))));
    vec_clear(&words);
    for (size_t i = 0; i < search->passed_over.count; i++)
        buffer_printf(&words, "%s%s", i ? ", " : "", search->passed_over.at[i]);
    if (words.count)
        vec_push(&answer->remarks,
                 (const char *)arena_printf(arena, "not for these operations: %.*s",
                                            STR_ARG(buffer_str(&words))));
    vec_free(&words);
    answer->promise = promise->word;
    answer->rejected = search->broken;
    answer->rejected_count = search->broken_count;
    answer->seconds = search->seconds;
    for (uint32_t i = 0; i < search->broken_count; i++) {
        bool shown = !i || i + 1 == search->broken_count;
        session->explore = search->explored[i];
        if (shown)
            present_save(session, &search->broken[i]);
        present_message(session, &search->broken[i]);
    }
    int status = present_answer(session, answer);
    for (uint32_t i = 0; i < search->broken_count && !session->options->output.json; i++) {
        if (i && i + 1 < search->broken_count)
            continue; /* the strongest, and the one that is almost kept */
        print_plain(stdout, "\nNot %s:\n", search->broken[i].promise);
        present_text(session, &search->broken[i]);
    }
    return status;
}

/* All are broken: the answer is the first violation, with a remark. */
static int present_nothing(Search *search)
{
    Answer *answer = &search->broken[0];
    search->session.explore = search->explored[0];
    vec_push(&answer->remarks, (const char *)"no weaker promise holds either: may-fail, quasi up "
                                             "to 4, bag, set, sequential, quiescent");
    answer->promise = "nothing";
    answer->seconds = search->seconds;
    return present_answer(&search->session, answer);
}

static int search_promises(Search *search)
{
    Session *session = &search->session;
    for (size_t i = 0; i < COUNT_OF(promises); i++) {
        Answer answer;
        Error error = {0};
        session->explore = search->asked;
        ask_for(&session->explore, &promises[i]);
        if (!session_explore(session, &answer, &error)) {
            if (!i)
                return present_failure(&error);
            vec_push(&search->passed_over, promises[i].word);
            continue;
        }
        search->seconds += answer.seconds;
        if (answer.verdict == VERDICT_HOLDS)
            return present(search, &answer, &promises[i]);
        if (!is_about_histories(&answer)) {
            vec_push(&answer.remarks,
                     (const char *)arena_printf(session->arena, "this is with the promise: %s",
                                                promises[i].word));
            return present_answer(session, &answer);
        }
        answer.promise = promises[i].word;
        search->explored[search->broken_count] = session->explore;
        search->broken[search->broken_count++] = answer;
    }
    return present_nothing(search);
}

int relax_auto_command(RunOptions *options)
{
    Arena *arena = arena_new();
    Search *search = arena_new_of(arena, Search);
    *search = (Search){.asked = options->explore};
    const CheckOptions *check = &options->explore.check;
    Error error = {0};
    int status = 2;
    if (check->quasi[0] || check->may_fail[0] || check->consistency != CHECK_LINEARIZABLE ||
        check->unbounded) {
        error_set(&error, "--relax=auto finds the promise itself: leave out --quasi, --may-fail, "
                          "--consistency and --unbounded");
        present_error(&error);
    } else if (session_open(&search->session, arena, "check", options, &error)) {
        search->asked = search->session.explore;
        status = search_promises(search);
    } else {
        status = present_failure(&error);
    }
    session_close(&search->session);
    vec_free(&search->passed_over);
    arena_free(arena);
    options_free(options);
    return status;
}
