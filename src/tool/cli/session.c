#include "tool/cli/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/str.h"
#include "tool/cli/project/cache.h"
#include "tool/cli/commands.h"
#include "tool/cli/observations.h"
#include "tool/cli/present.h"
#include "tool/cli/scale/ranks.h"
#include "tool/instrument/annotate/annotate.h"
#include "tool/instrument/process.h"
#include "tool/report/dwarf/names.h"

#define REPLAY_LIMIT_MS 60000

/* "dir/queue.c" is called "queue". */
static const char *program_name(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return arena_printf(arena, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
}

static void push_once(Words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->at[i], text))
            return;
    vec_push(words, text);
}

static bool trusts(const Session *session, const char *function, const char *place)
{
    Str rest = str_of(session->options->explore.trust), word;
    bool trusted = false;
    while (rest.length && str_next(&rest, ',', &word))
        trusted |= str_is(word, function) || str_is(word, place);
    return trusted;
}

/* What RESULT says that the program ran and nobody saw: escapes, and calls of functions whose
 * effects are unknown. */
static void take_unseen(Session *session, const SuperviseResult *result, Words *out)
{
    Arena *arena = session->arena;
    Names *names = NULL;
    Error ignored;
    vec_free(out);
    *out = (Words){0};
    for (size_t i = 0; result->ran_unseen && i < session->escapes.count; i++)
        if (result->ran_unseen[i])
            push_once(out, escapes_text(arena, &session->escapes.at[i]));
    if (result->unseen_call_count &&
        !names_open(&names, arena, session->build.program, NULL, &ignored))
        names = NULL;
    for (size_t i = 0; i < result->unseen_call_count; i++) {
        const LinkUnseenCall *call = &result->unseen_calls[i];
        const char *place = names ? names_place_text(names, call->pc) : "";
        if (!*place && session->has_foreign)
            continue; /* made by code of others, which is told, or trusted, as a whole */
        const char *text = arena_printf(
            arena, "%s%s%s, and heddle does not know which memory that touches (heddle-library(7))",
            *place ? place : "the program", " calls ", call->name);
        if (trusts(session, call->name, place))
            push_once(&session->trusted, text);
        else
            push_once(out, text);
    }
    names_close(names);
}

/* A test framework runs the tests and does not take part in them: it is trusted, and the answer
 * says so. */
static bool is_test_framework(const char *library)
{
    static const char *const names[] = {"gtest",      "gtest_main", "gmock",
                                        "gmock_main", "Catch2",     "Catch2Main"};
    for (size_t i = 0; library && i < COUNT_OF(names); i++)
        if (!strcmp(library, names[i]))
            return true;
    return false;
}

/* Takes the escapes that --trust names out of the list. */
static void trust_escapes(Session *session)
{
    Escapes *escapes = &session->escapes;
    size_t kept = 0;
    for (size_t i = 0; i < escapes->count; i++) {
        Str rest = str_of(session->options->explore.trust), word;
        bool trusted = false;
        while (rest.length && str_next(&rest, ',', &word))
            trusted |= escapes_is_at(&escapes->at[i], word);
        bool framework = is_test_framework(escapes->at[i].library);
        session->has_foreign |= escapes->at[i].library || escapes->at[i].whole;
        if (framework)
            push_once(&session->frameworks, escapes->at[i].library);
        if (framework)
            continue;
        if (trusted)
            vec_push(&session->trusted, escapes_text(session->arena, &escapes->at[i]));
        else
            escapes->at[kept++] = escapes->at[i];
    }
    escapes->count = kept;
}

bool session_open(Session *session, Arena *arena, const char *command, const RunOptions *options,
                  Error *error)
{
    *session = (Session){.arena = arena, .options = options, .command = command};
    const Words *files = &options->build.files;
    if (!files->count)
        return error_set(error, "no file to %s", command);
    session->name = program_name(arena, files->at[0]);
    session->subject = files->at[0];
    if (files->count > 1)
        session->subject = arena_printf(arena, "%s and %zu more", files->at[0], files->count - 1);
    BuildRequest request = options->build;
    bool check = !strcmp(command, "check") || options->explore.check.annotated;
    request.annotations = check && annotate_wanted(&request.files, &request.compile);
    request.meaning = model_assembly(options->explore.model);
    double start = process_seconds();
    process_catch_interrupts();
    if (!workspace_open(&session->workspace, error) ||
        !build_program(arena, &session->workspace, &request, &session->build, error) ||
        !escapes_find(arena, &session->build, &options->build, &session->escapes, &session->watches,
                      error))
        return false;
    trust_escapes(session);
    if (!escapes_places(&session->build, &session->escapes, &session->places, error))
        return false;
    session->build_seconds = process_seconds() - start;

    library_use_of(&session->build, &session->library);
    session->explore = options->explore;
    session->explore.check.annotated = request.annotations;
    if (session->explore.release_sequences == RELEASE_DEFAULT)
        session->explore.release_sequences =
            compiler_standard_is_cxx20(&request.compile) ? RELEASE_CXX20 : RELEASE_C11;
    session->explore.show_output = options->output.show_output;
    session->explore.checkpoints =
        options->checkpoints >= 0 ? (uint32_t)options->checkpoints : !session->library.replay_name;
    session->explore.foreign_code = session->escapes.count || session->library.finds_functions;
    session->explore.thread_local_storage = session->library.needs_thread_local;
    return true;
}

void session_close(Session *session)
{
    build_free(&session->build);
    vec_free(&session->escapes);
    vec_free(&session->places);
    vec_free(&session->watches);
    vec_free(&session->trusted);
    vec_free(&session->frameworks);
    vec_free(&session->ran);
    vec_free(&session->replay_ran);
    workspace_close(&session->workspace);
}

static RecordStrings strings_of(Arena *arena, const Words *words)
{
    RecordStrings strings = {arena_array_of(arena, const char *, words->count + 1),
                             (uint32_t)words->count};
    for (size_t i = 0; i < words->count; i++)
        strings.at[i] = words->at[i];
    return strings;
}

void session_describe(const Session *session, RecordFile *file)
{
    const RunOptions *options = session->options;
    Arena *arena = session->arena;
    char *folder = getcwd(NULL, 0);
    *file = (RecordFile){.tool = HEDDLE_VERSION,
                         .command = session->command,
                         .folder = folder ? arena_copy(arena, folder, strlen(folder)) : "",
                         .compiler = options->build.cc ? options->build.cc : "",
                         .files = strings_of(arena, &options->build.files),
                         .compile = strings_of(arena, &options->build.compile),
                         .link = strings_of(arena, &options->build.link),
                         .arguments = strings_of(arena, &options->program_arguments),
                         .source_count = (uint32_t)session->build.sources.count,
                         .options = session->explore};
    free(folder);
    file->sources = arena_array_of(arena, RecordSource, file->source_count + 1);
    for (uint32_t i = 0; i < file->source_count; i++) {
        const BuildSource *from = &session->build.sources.at[i];
        file->sources[i] = (RecordSource){from->path, from->bytes, from->hash};
    }
}

static void session_request(const Session *session, SuperviseRequest *request)
{
    *request = (SuperviseRequest){.program = session->build.program,
                                  .name = session->name,
                                  .arguments = &session->options->program_arguments,
                                  .options = session->explore,
                                  .orders = session->orders,
                                  .unseen = &session->places,
                                  .watches = &session->watches,
                                  .hang_ms = session->options->hang_ms,
                                  .show_output = session->options->output.show_output,
                                  .quiet = session->options->output.quiet};
}

/* Where the time went if not even one execution was complete: "; ...", or "". */
static const char *first_execution(const Session *session, const SuperviseResult *result)
{
    if (result->total.executions || result->total.blocked || !result->total.depth)
        return "";
    Names *names = NULL;
    Error ignored;
    const char *place = "";
    if (names_open(&names, session->arena, session->build.program, NULL, &ignored))
        place = names_place_text(names, result->total.pc);
    names_close(names);
    return arena_printf(
        session->arena, "; the first execution is not complete: it has %llu events so far%s%s",
        (unsigned long long)result->total.depth, *place ? ", the last one at " : "", place);
}

/* Why a program that never gave its outcome ended. */
static const char *session_end_reason(const Session *session, const SuperviseResult *result)
{
    Arena *arena = session->arena;
    const ExploreOptions *options = &session->explore;
    const char *when =
        result->started ? "before its exploration was complete" : "before its main began";
    switch (result->end) {
    case SUPERVISE_EXITED: {
        const char *refused = strstr(result->errors, LINK_REFUSED);
        if (result->status == 3 && refused)
            return arena_printf(arena, "%.*s", (int)strcspn(refused + strlen("heddle: "), "\n"),
                                refused + strlen("heddle: "));
        return arena_printf(arena, "the program ended with status %d %s", result->status, when);
    }
    case SUPERVISE_SIGNAL:
        return arena_printf(arena, "the program was killed by signal %d (%s) %s", result->status,
                            strsignal(result->status), when);
    case SUPERVISE_TIME:
        return arena_printf(arena, "the time limit of %g s was reached%s",
                            (double)options->time_ms / 1e3, first_execution(session, result));
    case SUPERVISE_MEMORY:
        return arena_printf(arena, "the memory limit of %.0f MB was reached",
                            (double)options->memory_bytes / 1048576.0);
    case SUPERVISE_HANG: {
        const char *place = "";
        Names *names = NULL;
        Error ignored;
        if (!names_open(&names, arena, session->build.program, NULL, &ignored))
            names = NULL;
        for (size_t i = 0; names && i < COUNT_OF(result->pcs) && !*place; i++)
            place = names_place_text(names, result->pcs[i]);
        names_close(names);
        return arena_printf(arena,
                            "nothing happened for %g s: a loop without any access to shared "
                            "memory, or a system call that waits%s%s%s",
                            (double)session->options->hang_ms / 1e3, *place ? ", at " : "", place,
                            session->options->explore.check.enabled
                                ? "; an operation must return, or wait for what another one does"
                                : "");
    }
    case SUPERVISE_INTERRUPT:
        return "interrupted";
    case SUPERVISE_DONE:
        break;
    }
    return "the program gave no reason";
}

/* An assertion of ours inside the program, or a failure of the machine that it could not mend. */
static const char *internal_message(const SuperviseResult *result)
{
    if (result->end != SUPERVISE_EXITED || result->status != 4)
        return NULL;
    const char *mark = strstr(result->errors, "heddle: ");
    return mark;
}

/* The child may have scribbled over its own words: numbers are looked at before they are used. */
static void answer_take_orders(const Session *session, const LinkOutcome *outcome, Answer *answer)
{
    if (!outcome->order_count || outcome->order_count > LINK_ORDERS)
        return;
    LinkOrder *orders = arena_array_of(session->arena, LinkOrder, outcome->order_count);
    char *text = arena_copy(session->arena, outcome->order_text, sizeof outcome->order_text);
    text[0] = text[sizeof outcome->order_text - 1] = 0;
    for (uint32_t i = 0; i < outcome->order_count; i++) {
        orders[i] = outcome->orders[i];
        orders[i].count = MIN(orders[i].count, LINK_ORDER_CALLS);
        orders[i].refused_count = MIN(orders[i].refused_count, LINK_ORDER_CALLS);
        for (uint32_t k = 0; k < LINK_ORDER_CALLS; k++)
            if (orders[i].why[k] >= sizeof outcome->order_text)
                orders[i].why[k] = 0;
    }
    answer->orders = orders;
    answer->order_count = outcome->order_count;
    answer->order_text = text;
}

void session_take_test(const Session *session, const LinkOutcome *outcome, Answer *answer)
{
    if (outcome->explanation[0])
        answer->explanation = arena_printf(session->arena, "%s", outcome->explanation);
    if (!outcome->scenario[0]) /* a program that marks its calls */
        return;
    answer->scenario = arena_printf(session->arena, "%s", outcome->scenario);
    answer->shape = arena_printf(session->arena, "%s", outcome->shape);
    answer->closest = arena_printf(session->arena, "%s", outcome->closest);
    if (outcome->overtaking[0])
        answer->overtaking = arena_printf(session->arena, "%s", outcome->overtaking);
    answer_take_orders(session, outcome, answer);
}

static void answer_fill(const Session *session, const SuperviseResult *result, Answer *answer)
{
    const LinkOutcome *outcome = &result->outcome;
    Arena *arena = session->arena;
    answer->executions = result->total.executions;
    answer->blocked = result->total.blocked;
    answer->stuck = result->total.stuck;
    answer->cut = result->total.cut;
    answer->events = result->total.events;
    answer->revisits = result->total.revisits;
    answer->estimate = result->estimate;
    answer->estimate_error = result->estimate_error;
    answer->seconds = result->seconds;
    answer->peak_rss_kb = result->peak_rss_kb;
    answer->program = session->build.program;
    for (size_t i = 0; i < result->remark_count; i++)
        vec_push(&answer->remarks, result->remarks[i]);
    if (result->unmeasured)
        vec_push(&answer->remarks,
                 "there is no /proc: the program's memory can't be measured, nor limited");
    const char *internal = internal_message(result);
    if (!result->done) {
        answer->verdict = VERDICT_INCONCLUSIVE;
        answer->reason = session_end_reason(session, result);
        if (internal) {
            answer->internal = true;
            answer->reason = arena_printf(arena, "%.*s", (int)strcspn(internal, "\n"), internal);
        }
        return;
    }
    answer->verdict =
        outcome->verdict <= VERDICT_INCONCLUSIVE ? (Verdict)outcome->verdict : VERDICT_INCONCLUSIVE;
    answer->violation = outcome->violation < VIOLATION_KIND_COUNT
                            ? (ViolationKind)outcome->violation
                            : VIOLATION_NONE;
    answer->exhaustive = outcome->exhaustive;
    answer->restarts = outcome->restarts;
    answer->promoted = outcome->promoted;
    answer->cpu_seconds = (double)outcome->cpu_ns * 1e-9;
    answer->tests = outcome->tests;
    answer->serial_runs = outcome->serial_runs;
    answer->serial_seconds = (double)outcome->serial_ns / 1e9;
    answer->histories = outcome->histories;
    answer->tests_by_states = outcome->tests_by_states;
    answer->test_states = outcome->test_states;
    answer->states = outcome->states ? outcome->states : result->total.states;
    answer->transitions = outcome->transitions;
    answer->states_bytes = outcome->states_bytes;
    if (outcome->progress[0])
        answer->progress = arena_printf(arena, "%s", outcome->progress);
    if (outcome->quasi[0])
        answer->quasi = arena_printf(arena, "%s", outcome->quasi);
    if (outcome->coverage[0])
        answer->coverage = arena_printf(arena, "%s", outcome->coverage);
    session_take_test(session, outcome, answer);
    bool stopped = result->end == SUPERVISE_TIME || result->end == SUPERVISE_INTERRUPT;
    if (stopped && answer->verdict == VERDICT_INCONCLUSIVE)
        answer->reason = session_end_reason(session, result);
    else if (outcome->reason[0])
        answer->reason = arena_copy(arena, outcome->reason, strlen(outcome->reason));
    else if (answer->verdict == VERDICT_INCONCLUSIVE)
        answer->reason = session_end_reason(session, result);
}

/* What the program said by addresses, in words: where executions were given up, what leaks. */
static void answer_name_places(const Session *session, const LinkOutcome *outcome, Answer *answer)
{
    Names *names = NULL;
    Error ignored;
    if (!outcome->cut_pc && !outcome->leak_objects && !outcome->grows_address &&
        !outcome->depends_pc)
        return;
    if (!names_open(&names, session->arena, session->build.program, NULL, &ignored))
        return;
    const char *loop = outcome->cut_pc ? names_place_text(names, outcome->cut_pc) : "";
    const char *leak = outcome->leak_objects ? names_place_text(names, outcome->leak_pc) : "";
    if (outcome->depends_pc)
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "it went another way when objects lay elsewhere: before %s",
                              names_place_text(names, outcome->depends_pc)));
    if (outcome->grows_address) {
        uint64_t at = outcome->grows_address;
        for (uint64_t half = at + 4; half != at && !names_knows(names, at); half = at)
            at = half; /* the program's part of the word may be the second one */
        vec_push(
            &answer->remarks,
            names_knows(names, at)
                ? arena_printf(session->arena, "what grows is %s", names_location(names, at, 4))
                : arena_printf(session->arena, "what grows has no name: it lies at 0x%llx",
                               (unsigned long long)outcome->grows_address));
    }
    if (*loop)
        vec_push(&answer->remarks,
                 arena_printf(session->arena, "the loop that was given up is at %s", loop));
    if (outcome->leak_objects && answer->verdict != VERDICT_VIOLATED)
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "a leak: %llu %s not freed (%llu bytes) when an execution ends%s%s",
                              (unsigned long long)outcome->leak_objects,
                              outcome->leak_objects == 1 ? "object is" : "objects are",
                              (unsigned long long)outcome->leak_bytes,
                              *leak ? "; the first is allocated at " : "", leak));
    names_close(names);
}

static void answer_downgrade(Answer *answer, const char *reason)
{
    if (answer->verdict != VERDICT_HOLDS)
        return;
    answer->verdict = VERDICT_INCONCLUSIVE;
    answer->exhaustive = false;
    answer->reason = reason;
}

#define MOST_ESCAPES_TOLD 8

/* What is told of places: the only one as the reason, several as notes. */
static const char *unseen_reason(const Session *session, const Words *texts, const char *before,
                                 const char *after)
{
    return texts->count == 1 ? texts->at[0]
                             : arena_printf(session->arena, "%s%zu%s", before, texts->count, after);
}

static void unseen_notes(const Session *session, const Words *texts, Answer *answer)
{
    bool instructions = false;
    for (size_t i = 0; i < session->escapes.count; i++)
        instructions |= session->escapes.at[i].instruction != NULL;
    for (size_t i = 0; texts->count > 1 && i < MIN(texts->count, MOST_ESCAPES_TOLD); i++)
        vec_push(&answer->remarks, texts->at[i]);
    if (texts->count > MOST_ESCAPES_TOLD)
        vec_push(&answer->remarks, arena_printf(session->arena, "%zu more such places",
                                                texts->count - MOST_ESCAPES_TOLD));
    if (instructions && texts->count && model_assembly(session->explore.model) == ASSEMBLY_IN_C11)
        vec_push(&answer->remarks,
                 "inline assembly has a meaning under --model=tso: heddle-run(1)");
}

void session_doubt(const Session *session, Answer *answer)
{
    const Words *texts = &session->replay_ran;
    if (texts->count && answer->verdict == VERDICT_VIOLATED) {
        answer->verdict = VERDICT_INCONCLUSIVE;
        answer->exhaustive = false;
        answer->doubted = true;
        answer->reason = arena_printf(
            session->arena,
            "%s was found and confirmed, but its execution runs code that heddle can't see: %s",
            violation_word(answer->violation),
            unseen_reason(session, texts, "", " places (see the notes)"));
        unseen_notes(session, texts, answer);
    }
}

/* Never more certain than it was. What can't be seen may order what seems unordered, and what it
 * writes is not put back between executions; so it counts as soon as an execution runs it, and
 * only then. */
static void answer_qualify(const Session *session, Answer *answer)
{
    if (process_addresses_random())
        vec_push(
            &answer->remarks,
            "address randomisation can't be switched off here (personality(2) is refused, as in "
            "many containers): libraries have other addresses in each run, and a violation "
            "that depends on them can't be replayed");
    /* `check` judges stuck executions, too: their histories are no vacuous answer */
    if (!answer->executions && !answer->histories && !session->options->shards)
        answer_downgrade(answer, "no execution of the program came to its end");
    const Words *texts = &session->ran;
    if (answer->verdict == VERDICT_VIOLATED) {
        session_doubt(session, answer);
    } else if (texts->count) {
        answer_downgrade(answer, unseen_reason(session, texts, "heddle can't see ",
                                               " parts of the program (see the notes)"));
        if (texts->count > 1 || answer->reason != texts->at[0])
            unseen_notes(session, texts, answer);
        if (texts->count == 1 && answer->reason != texts->at[0])
            vec_push(&answer->remarks, texts->at[0]);
    }
    for (size_t i = 0; i < session->frameworks.count; i++)
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "the test framework %s is not looked into: it is trusted",
                              session->frameworks.at[i]));
    for (size_t i = 0; i < session->trusted.count; i++)
        vec_push(&answer->remarks, arena_printf(session->arena, "trusted, as --trust asks: %s",
                                                session->trusted.at[i]));
}

/* What an annotated program was judged by, and what could not be judged. */
static void answer_judge(const Session *session, const LinkOutcome *outcome, Answer *answer)
{
    Arena *arena = session->arena;
    const char *one = session->explore.check.histories == CHECK_HISTORIES_ONE
                          ? "; one of them was judged (--histories=all judges each, "
                            "--histories=some wants one that passes)"
                          : "";
    answer->judged = outcome->judged;
    answer->several = outcome->several;
    answer->most_histories = outcome->most_histories;
    if (!outcome->histories)
        answer_downgrade(answer, "no annotated method was called: nothing was judged");
    if (outcome->too_early)
        answer_downgrade(answer,
                         "annotated methods are called before main, by static constructors: "
                         "their effect on the sequential state is not known");
    if (outcome->unfinished)
        answer_downgrade(
            answer, arena_printf(arena,
                                 "%llu executions ended while annotated methods ran in threads "
                                 "that are not joined: they can't be judged",
                                 (unsigned long long)outcome->unfinished));
    if (outcome->too_many)
        answer_downgrade(answer, arena_printf(arena,
                                              "%llu executions have too many sequential histories "
                                              "to judge them all",
                                              (unsigned long long)outcome->too_many));
    if (outcome->several && answer->verdict != VERDICT_VIOLATED)
        vec_push(&answer->remarks,
                 arena_printf(arena,
                              "the ordering points leave up to %s%llu sequential histories of one "
                              "object in an execution (several in %llu of %llu executions)%s",
                              outcome->most_histories >= 1000000000u ? "more than " : "",
                              (unsigned long long)outcome->most_histories,
                              (unsigned long long)outcome->several,
                              (unsigned long long)outcome->judged, one));
}

/* --observations: gives the program the runs that are kept, or asks for those that it learns. */
static bool exchange_observations(Session *session, Error *error)
{
    CheckOptions *check = &session->explore.check;
    check->exchange[0] = 0; /* a record's is that of another session */
    if (!check->observations[0])
        return true;
    const char *exchange = workspace_file(&session->workspace, session->arena, "observations");
    if (strlen(exchange) >= sizeof check->exchange)
        return error_set(error, "the path of the temporary folder is too long: %s", exchange);
    snprintf(check->exchange, sizeof check->exchange, "%s", exchange);
    return !observations_exist(check->observations) ||
           observations_give(check->observations, exchange, error);
}

static bool keep_observations(Session *session, Answer *answer, Error *error)
{
    const CheckOptions *check = &session->explore.check;
    size_t tests;
    if (!check->observations[0] || observations_exist(check->observations))
        return true;
    if (!observations_take(check->observations, check->exchange, &tests, error))
        return false;
    vec_push(&answer->remarks,
             tests ? arena_printf(session->arena, "the serial runs of %zu tests are now kept in %s",
                                  tests, check->observations)
                   : arena_printf(session->arena,
                                  "%s was not written: no test has all its serial runs",
                                  check->observations));
    return true;
}

bool session_replay(Session *session, const Record *record, const Record **again, Error *error)
{
    SuperviseRequest request;
    if (!exchange_observations(session, error))
        return false;
    session_request(session, &request);
    request.mode = LINK_REPLAY;
    request.record = record;
    request.options.time_ms = REPLAY_LIMIT_MS;
    request.options.jobs = 1;
    SuperviseResult result;
    if (!supervise_run(session->arena, &session->workspace, &request, &result, error))
        return false;
    if (result.end == SUPERVISE_INTERRUPT)
        return error_set(error, "interrupted while the violation was replayed");
    if (!result.done)
        return error_set(error, "the replay did not end: %s", session_end_reason(session, &result));
    if (!result.outcome.replayed)
        return error_set(error, "the replay went another way%s%s",
                         result.outcome.reason[0] ? ": " : "", result.outcome.reason);
    if (result.outcome.violation != record->violation)
        return error_set(error, "the replay shows %s instead of %s",
                         result.outcome.violation && result.outcome.violation < VIOLATION_KIND_COUNT
                             ? violation_word((ViolationKind)result.outcome.violation)
                             : "nothing wrong",
                         violation_word((ViolationKind)record->violation));
    *again = result.record ? result.record : record;
    take_unseen(session, &result, &session->replay_ran);
    session->replayed = arena_new_of(session->arena, LinkOutcome);
    *session->replayed = result.outcome;
    return true;
}

/* The file with the tests that failed before, and what it has; NULL if nothing is kept. */
static const char *session_cache(const Session *session, Words *lines)
{
    const RunOptions *options = session->options;
    if (!options->output.cache || !session->explore.check.enabled)
        return NULL;
    const char *path = cache_path(session->arena, options->output.cache, &options->build.files);
    if (!session->explore.check.scenario[0])
        cache_read(session->arena, path, lines);
    return path;
}

/* The share that was explored is a bound like others. */
static void answer_limit_share(const Session *session, Answer *answer)
{
    const RunOptions *options = session->options;
    if (!options->shards)
        return;
    answer->exhaustive = false;
    answer->bounds = arena_printf(session->arena, "%s%sshare %u of %u of the %s",
                                  answer->bounds ? answer->bounds : "", answer->bounds ? ", " : "",
                                  options->shard + 1, options->shards,
                                  session->explore.check.enabled ? "tests" : "executions");
}

static bool explore(Session *session, Journal *journal, Answer *answer, Error *error);

bool session_explore(Session *session, Answer *answer, Error *error)
{
    const RunOptions *options = session->options;
    Journal journal;
    if (!options->journal && !options->shards)
        return explore(session, NULL, answer, error);
    bool explored =
        journal_open(&journal, session, error) && explore(session, &journal, answer, error);
    if (explored)
        present_save(session, answer);
    journal_close(&journal, explored ? answer : NULL);
    if (explored)
        answer_limit_share(session, answer);
    return explored;
}

static bool explore(Session *session, Journal *journal, Answer *answer, Error *error)
{
    *answer = (Answer){.command = session->command,
                       .subject = session->subject,
                       .model = model_word(session->explore.model),
                       .bounds = options_bounds_text(session->arena, &session->explore),
                       .build_seconds = session->build_seconds};
    SuperviseRequest request;
    if (!exchange_observations(session, error))
        return false;
    session_request(session, &request);
    Words kept = {0};
    const char *cache = session_cache(session, &kept);
    request.first_tests = &kept;
    if (journal)
        journal_use(journal, &request);
    if (ranks_number() > 1 && (!journal_is_possible(session, "MPI", error) ||
                               !ranks_use(session, journal, &request, error))) {
        vec_free(&kept);
        return false;
    }
    SuperviseResult result;
    bool ran = supervise_run(session->arena, &session->workspace, &request, &result, error);
    vec_free(&kept);
    if (!ran || (journal && !journal_end(journal, &result, error)))
        return false;
    if (result.done && result.outcome.input_error)
        return error_set(error, "%s", result.outcome.reason);
    take_unseen(session, &result, &session->ran);
    answer_fill(session, &result, answer);
    if (!keep_observations(session, answer, error))
        return false;
    if (result.done)
        answer_name_places(session, &result.outcome, answer);
    if (result.done && result.outcome.annotated)
        answer_judge(session, &result.outcome, answer);
    if (answer->scenario) /* this one test is what the record is about */
        snprintf(session->explore.check.scenario, sizeof session->explore.check.scenario, "%s",
                 answer->scenario);
    if (answer->verdict == VERDICT_VIOLATED) {
        Error why = {0};
        if (!result.record)
            error_set(&why, "%s",
                      result.record_error[0] ? result.record_error : "there is no record");
        answer->found = result.record;
        if (!result.record || !session_replay(session, result.record, &answer->record, &why)) {
            answer->verdict = VERDICT_INCONCLUSIVE;
            /* what can't be seen is not put back, so that the same steps may lead elsewhere */
            answer->internal =
                !process_interrupted() && !session->ran.count && !process_addresses_random();
            answer->exhaustive = false;
            answer->reason =
                arena_printf(session->arena, "%s was found but could not be confirmed: %s",
                             violation_word(answer->violation), why.message);
        }
    }
    if (cache && answer->verdict == VERDICT_VIOLATED && answer->scenario) {
        Error why = {0};
        if (!cache_add(session->arena, cache, answer->scenario, &why))
            vec_push(&answer->remarks,
                     arena_printf(session->arena, "the test could not be kept: %s", why.message));
    }
    answer_qualify(session, answer);
    return true;
}
