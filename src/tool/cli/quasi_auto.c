/* A history that is allowed with some factors is allowed with larger ones: every displacement is as
 * small as before, and no continuation is lost. So the factors for which everything holds are
 * upwards closed, and bisection finds their border. With several groups there may be many least
 * elements. The one that is found: first the least factor that serves for all groups together, then
 * each group in turn, as they were given, is lowered as far as it goes. None of the factors found
 * can be lowered alone. */
#include "tool/cli/quasi_auto.h"
#include <stdio.h>
#include <string.h>
#include "base/print.h"
#include "base/str.h"
#include "tool/cli/present.h"

#define MOST_GROUPS 8u
#define LARGEST 32u /* no test has more calls, so a larger factor allows nothing more */

typedef struct Group {
    Str names;
    bool wanted;
    uint32_t factor;
    Answer rejected; /* with one less; .verdict is VERDICT_VIOLATED if there is one */
    ExploreOptions explore;
} Group;
typedef struct Search {
    Session session;
    ExploreOptions asked;
    Group groups[MOST_GROUPS];
    uint32_t count;
    Answer held; /* of the last factors that hold */
    Answer last; /* of the last try */
    ExploreOptions last_explore;
    Error error;
    bool failed;
    double seconds;
    uint64_t tries;
} Search;

bool quasi_auto_wanted(const char *quasi)
{
    Str rest = str_of(quasi), piece;
    while (str_next(&rest, ',', &piece)) {
        Str names, factor = str_trim(piece);
        str_next(&factor, ':', &names);
        if (str_is(str_trim(names), "auto") || (factor.at && str_is(str_trim(factor), "auto")))
            return true;
    }
    return false;
}

static bool read_groups(Search *search, const char *quasi)
{
    Str rest = str_of(quasi), piece;
    while (str_next(&rest, ',', &piece)) {
        if (search->count == MOST_GROUPS)
            return error_set(&search->error,
                             "at most %u groups of operations can have quasi factors", MOST_GROUPS);
        Group *group = &search->groups[search->count++];
        Str factor = str_trim(piece);
        int64_t number = 0;
        if (str_is(factor, "auto")) { /* all operations that take */
            *group = (Group){.names = STR("takes"), .wanted = true};
            continue;
        }
        str_next(&factor, ':', &group->names);
        group->names = str_trim(group->names);
        factor = factor.at ? str_trim(factor) : factor;
        group->wanted = factor.at && str_is(factor, "auto");
        if (!group->wanted && (!factor.at || !str_to_int64(factor, &number) || number < 0 ||
                               number > (int64_t)LARGEST))
            return error_set(&search->error,
                             "--quasi wants OPERATION:FACTOR or OPERATION:auto; not \"%.*s\"",
                             STR_ARG(piece));
        group->factor = (uint32_t)number;
    }
    return true;
}

static void print_factors(const Search *search, char *text, size_t bytes)
{
    Buffer out = {0};
    for (uint32_t g = 0; g < search->count; g++)
        buffer_printf(&out, "%s%.*s:%u", g ? "," : "", STR_ARG(search->groups[g].names),
                      search->groups[g].factor);
    snprintf(text, bytes, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

/* Explores with the present factors. False if that is no answer to the question: not a violation of
 * the order, or inconclusive, or an error. */
static bool try_factors(Search *search, bool *holds)
{
    Session *session = &search->session;
    session->explore = search->asked;
    print_factors(search, session->explore.check.quasi, sizeof session->explore.check.quasi);
    Answer answer;
    if (!session_explore(session, &answer, &search->error)) {
        search->failed = true;
        return false;
    }
    if (!answer.outcome.quasi)
        answer.outcome.quasi = arena_printf(session->arena, "%s", session->explore.check.quasi);
    search->seconds += answer.seconds;
    search->tries++;
    search->last = answer;
    search->last_explore = session->explore;
    *holds = answer.verdict == VERDICT_HOLDS;
    if (*holds)
        search->held = answer;
    return *holds ||
           (answer.verdict == VERDICT_VIOLATED && answer.violation == VIOLATION_LINEARIZABILITY);
}

static void set_all(Search *search, uint32_t factor)
{
    for (uint32_t g = 0; g < search->count; g++)
        if (search->groups[g].wanted)
            search->groups[g].factor = factor;
}

static void keep_rejected(const Search *search, Group *group)
{
    group->rejected = search->last;
    group->explore = search->last_explore;
}

/* The least factor for all groups together. False: `last` is the answer to present. */
static bool find_common(Search *search)
{
    uint32_t low = 0, high = 0; /* low - 1 is rejected, high holds */
    bool holds;
    for (;; high = high ? MIN(high * 2, LARGEST) : 1) {
        set_all(search, high);
        if (!try_factors(search, &holds))
            return false;
        if (holds)
            break;
        for (uint32_t g = 0; g < search->count; g++)
            keep_rejected(search, &search->groups[g]);
        low = high + 1;
        if (high == LARGEST)
            return false;
    }
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        set_all(search, middle);
        if (!try_factors(search, &holds))
            return false;
        if (holds) {
            high = middle;
        } else {
            low = middle + 1;
            for (uint32_t g = 0; g < search->count; g++)
                keep_rejected(search, &search->groups[g]);
        }
    }
    set_all(search, high);
    return true;
}

/* One group alone, as far down as it goes. */
static bool lower(Search *search, Group *group)
{
    uint32_t low = 0, high = group->factor;
    group->rejected.verdict = VERDICT_HOLDS;
    while (low < high) {
        group->factor = low + (high - low) / 2;
        bool holds;
        if (!try_factors(search, &holds))
            return false;
        if (holds) {
            high = group->factor;
        } else {
            low = group->factor + 1;
            keep_rejected(search, group);
        }
    }
    group->factor = high;
    return true;
}

static int present_found(Search *search)
{
    Session *session = &search->session;
    Arena *arena = session->arena;
    Answer *answer = &search->held;
    Answer *rejected = arena_array_of(arena, Answer, search->count);
    answer->rejected = rejected;
    answer->seconds = search->seconds;
    Buffer words = {0};
    Str rest = str_of(answer->outcome.quasi), piece;
    for (uint32_t g = 0; str_next(&rest, ',', &piece) && g < search->count; g++)
        if (search->groups[g].wanted)
            buffer_printf(&words, "%s%.*s", words.count ? ", " : "", STR_ARG(piece));
    bool several = memchr(words.at, ',', words.count) != NULL;
    const char *found =
        arena_printf(arena, "%.*s %s the smallest factor%s for which this holds",
                     STR_ARG(buffer_str(&words)), several ? "are" : "is", several ? "s" : "");
    vec_push(&answer->remarks, found);
    vec_free(&words);
    for (uint32_t g = 0; g < search->count; g++) {
        Group *group = &search->groups[g];
        if (!group->wanted || !group->factor || group->rejected.verdict != VERDICT_VIOLATED)
            continue;
        session->explore = group->explore;
        present_save(session, &group->rejected);
        present_message(session, &group->rejected);
        rejected[answer->rejected_count++] = group->rejected;
    }
    int status = present_answer(session, answer);
    for (uint32_t i = 0; i < answer->rejected_count && !session->options->output.json; i++) {
        print_plain(stdout, "\nWith %s:\n", rejected[i].outcome.quasi);
        present_text(session, &rejected[i]);
    }
    return status;
}

int quasi_auto_command(RunOptions *options)
{
    Search search = {.asked = options->explore};
    Arena *arena = arena_new();
    int status = 2;
    bool opened = read_groups(&search, options->explore.check.quasi) &&
                  session_open(&search.session, arena, "check", options, &search.error);
    if (opened) {
        search.asked = search.session.explore;
        bool found = find_common(&search);
        uint32_t wanted = 0;
        for (uint32_t g = 0; g < search.count; g++)
            wanted += search.groups[g].wanted;
        for (uint32_t g = 0; found && wanted > 1 && g < search.count; g++)
            if (search.groups[g].wanted)
                found = lower(&search, &search.groups[g]);
        if (found) {
            status = present_found(&search);
        } else if (!search.failed) {
            if (search.last.verdict == VERDICT_VIOLATED)
                vec_push(&search.last.remarks,
                         arena_printf(arena, "this is with --quasi=%s: %s",
                                      search.last.outcome.quasi,
                                      search.last.violation == VIOLATION_LINEARIZABILITY
                                          ? "no factor is large enough, so it is not the order "
                                            "that is wrong"
                                          : "larger factors do not help"));
            search.session.explore = search.last_explore;
            status = present_answer(&search.session, &search.last);
        }
    }
    if (!opened || search.failed)
        status = present_failure(&search.error);
    session_close(&search.session);
    arena_free(arena);
    options_free(options);
    return status;
}
