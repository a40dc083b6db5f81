#include "tool/cli/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/print.h"
#include "base/str.h"
#include "tool/cli/project/cache.h"
#include "tool/cli/project/database.h"
#include "tool/cli/recorded.h"
#include "tool/cli/commands.h"
#include "tool/cli/observations.h"
#include "tool/cli/present.h"
#include "tool/cli/scale/journal.h"
#include "tool/cli/scale/ranks.h"
#include "tool/cli/session/annotated.h"
#include "tool/cli/session/conclude.h"
#include "tool/cli/session/shorter.h"
#include "tool/cli/session/unseen.h"
#include "tool/instrument/annotate/annotate.h"
#include "tool/instrument/machine/foreign.h"
#include "tool/instrument/shared/copied.h"
#include "tool/instrument/process.h"
#include "tool/instrument/wrapper/expand.h"

#define REPLAY_LIMIT_MS 60000

/* "dir/queue.c" is called "queue". */
static const char *program_name(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return arena_printf(arena, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
}

/* Says which files of the project's list there are to link from; the first NAMED are the user's. */
static void tell_list(const Session *session, const DatabaseTaken *taken, size_t named)
{
    enum { MOST = 8 };
    const Words *files = &session->request.files;
    print_plain(stderr,
                "heddle: flags of %zu file%s from %s/compile_commands.json, each with its own",
                taken->count + taken->near.count, taken->count + taken->near.count == 1 ? "" : "s",
                session->options->project);
    for (size_t i = 0; i < taken->near.count; i++)
        print_plain(stderr, "%s%s", i ? ", " : " (", taken->near.at[i]);
    print_plain(stderr, "%s; %zu more to link from", taken->near.count ? ")" : "",
                files->count - named);
    for (size_t i = named; i < files->count && i < named + MOST; i++)
        print_plain(stderr, "%s%s", i > named ? ", " : ": ", files->at[i]);
    fputs(files->count > named + MOST ? ", ...\n" : "\n", stderr);
}

/* Gives files the flags that a project's list has for each, and says so. */
static bool session_list(Session *session, Error *error)
{
    const RunOptions *options = session->options;
    DatabaseTaken taken = {0};
    if (!session->project_own)
        return true;
    bool fine = database_own(session->arena, options->project, session->link_all, &session->request,
                             &taken, error);
    if (fine && !options->output.quiet)
        tell_list(session, &taken, options->build.files.count);
    vec_free(&taken.near);
    return fine;
}

/* Puts the sources of programs, objects and archives that `heddle cc' made in their place, and says
 * so. */
static bool session_expand(Session *session, Error *error)
{
    Words taken = {0};
    session->request = session->options->build;
    if (session->link_all && !session->options->link_all) /* see session_compile */
        session->request.compile = session->options->typed;
    if (!session_list(session, error))
        return false;
    BuildRequest listed = session->request;
    bool fine = expand_files(session->arena, &session->request, &taken, error);
    if (session->project_own) { /* these lists are ours, and their flags were handed on */
        vec_free(&listed.files);
        vec_free(&listed.own);
    }
    if (fine && taken.count && !session->options->output.quiet)
        print_plain(stderr, "heddle: %s%s: %zu files, compiled again with their own flags\n",
                    taken.at[0], taken.count > 1 ? " and others" : "",
                    session->request.files.count);
    vec_free(&taken);
    return fine;
}

/* CC and CXX are for builds of a project's own; a compiler that somebody may have meant for this
 * command by them is named. */
static void tell_ignored_compiler(Session *session)
{
    static const char *const names[] = {"CC", "CXX"};
    if (session->options->output.quiet || session->request.cc || session->told_compiler)
        return;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        Str word = str_of(value ? value : "");
        if (!word.length || str_is(word, "gcc") || str_is(word, "g++") ||
            memmem(word.at, word.length, "heddle", 6))
            continue;
        print_plain(stderr,
                    "heddle: %s=%s of the environment is ignored; --cc=%s chooses a compiler\n",
                    names[i], value, value);
        break;
    }
    session->told_compiler = true;
}

/* Builds the program. If something is missing and there is a list of the project's sources that
 * was not linked from yet, does it again with all of them: the linker takes what is needed. */
static bool session_compile(Session *session, Error *error)
{
    const RunOptions *options = session->options;
    BuildRequest *request = &session->request;
    for (;;) {
        if (!session_expand(session, error))
            return false;
        tell_ignored_compiler(session);
        bool check = !strcmp(session->command, "check") || options->explore.check.annotated;
        request->annotations = check && annotate_wanted(request);
        request->meaning = model_assembly(options->explore.model);
        request->every_try = !options->explore.reductions;
        request->may_lack = options->project && !session->link_all;
        request->many_events = session->many_events;
        if (build_program(session->arena, &session->workspace, request, &session->build, error))
            return true;
        if (!request->may_lack || !session->build.undefined)
            return false;
        if (!options->output.quiet)
            print_plain(stderr, "heddle: nothing defines %s: looking among the sources of %s\n",
                        session->build.undefined, options->project);
        session->project_own = session->link_all = true;
        build_free(&session->build);
        expand_free(request);
        *error = (Error){0};
    }
}

static bool request_is_cxx20(const BuildRequest *request)
{
    bool is = compiler_standard_is_cxx20(&request->compile);
    for (size_t i = 0; i < request->own.count; i++)
        is |= compiler_standard_is_cxx20(&request->own.at[i].flags);
    return is;
}

/* Builds the program, and looks for code that escapes. */
static bool session_build(Session *session, Error *error)
{
    double start = process_seconds();
    if (!session_compile(session, error) ||
        !escapes_find(session->arena, &session->build, &session->request, &session->escapes,
                      &session->watches, error))
        return false;
    unseen_trust(session);
    unseen_find_trusted_code(session);
    session->watches_foreign =
        foreign_watch(session->arena, &session->build, &session->escapes, &session->watches);
    unseen_trust(session);
    shared_watch(session->arena, &session->build, &session->escapes, &session->watches,
                 &session->shared);
    session->watches_foreign |= session->shared.libraries.count > 0;
    copied_watch(session->arena, &session->build, &session->watches, &session->shared);
    if (!escapes_places(&session->build, &session->escapes, &session->places, error))
        return false;
    session->build_seconds += process_seconds() - start;
    return true;
}

/* Forgets what session_build has made, so that it can be called again. */
static void session_unbuild(Session *session)
{
    build_free(&session->build);
    shared_free(&session->shared);
    expand_free(&session->request);
    session->build = (Build){0};
    session->shared = (SharedCode){0};
    session->escapes.count = session->places.count = session->watches.count =
        session->trusted.count = session->frameworks.count = session->trusted_objects.count =
            session->trusted_code.count = 0;
}

bool session_open(Session *session, Arena *arena, const char *command, const RunOptions *options,
                  Error *error)
{
    *session = (Session){.arena = arena,
                         .options = options,
                         .command = command,
                         .project_own = options->project_own,
                         .link_all = options->link_all};
    const Words *files = &options->build.files;
    if (!files->count)
        return error_set(error, "no file to %s", command);
    for (size_t i = 0; i < files->count; i++)
        file_protect(files->at[i]);
    session->name = session->label = program_name(arena, files->at[0]);
    session->subject = files->at[0];
    if (files->count > 1)
        session->subject = arena_printf(arena, "%s and %zu more", files->at[0], files->count - 1);
    BuildRequest *request = &session->request;
    process_catch_interrupts();
    session->many_events = options->explore.event_bound > EVENTS_OF_THREAD_SHORT;
    if (!workspace_open(&session->workspace, error) || !session_build(session, error))
        return false;

    if (!library_use_of(arena, &session->build, &session->library, error))
        return false;
    session->explore = options->explore;
    session->explore.check.annotated = request->annotations;
    if (request->annotations && !annotated_take_options(options, error))
        return false;
    if (session->explore.release_sequences == RELEASE_DEFAULT)
        session->explore.release_sequences =
            request_is_cxx20(request) ? RELEASE_CXX20 : RELEASE_C11;
    session->explore.show_output = options->output.show_output;
    /* what code that is not instrumented writes is not in the log of memory */
    session->explore.checkpoints = options->checkpoints >= 0 ? (uint32_t)options->checkpoints
                                   : session->library.replay_name || session->watches_foreign ||
                                           session->frameworks.count || session->trusts_unseen
                                       ? CHECKPOINTS_NEVER
                                   : session->library.may_keep_state ? CHECKPOINTS_WATCHED
                                                                     : CHECKPOINTS_ALWAYS;
    session->explore.foreign_code = session->escapes.count || session->library.finds_functions ||
                                            session->watches_foreign || session->trusts_unseen
                                        ? FOREIGN_CODE_ANY
                                    : session->frameworks.count ? FOREIGN_CODE_FRAMEWORK
                                                                : FOREIGN_CODE_NONE;
    session->explore.thread_local_storage =
        session->library.needs_thread_local || session->shared.has_thread_local;
    return true;
}

void session_close(Session *session)
{
    build_free(&session->build);
    expand_free(&session->request);
    vec_free(&session->escapes);
    vec_free(&session->places);
    vec_free(&session->watches);
    shared_free(&session->shared);
    vec_free(&session->trusted);
    vec_free(&session->trusted_objects);
    vec_free(&session->trusted_code);
    vec_free(&session->frameworks);
    vec_free(&session->ran);
    vec_free(&session->replay_ran);
    vec_free(&session->compile);
    workspace_close(&session->workspace);
}

bool session_has_main(const Session *session)
{
    for (size_t i = 0; i < session->build.objects.count; i++) {
        const ObjectFile *file = &session->build.objects.at[i];
        for (size_t k = 0; k < file->defined.count; k++)
            if (!strcmp(file->defined.at[k], "main"))
                return true;
    }
    return false;
}

static RecordStrings strings_of(Arena *arena, const Words *words)
{
    RecordStrings strings = {arena_array_of(arena, const char *, words->count + 1),
                             (uint32_t)words->count};
    for (size_t i = 0; i < words->count; i++)
        strings.at[i] = words->at[i];
    return strings;
}

/* The words for the compiler; before them, how to find those that each file has to itself. */
static RecordStrings recorded_compile(const Session *session)
{
    const RunOptions *options = session->options;
    bool alone = session->link_all && !options->link_all;
    const Words *compile = alone ? &options->typed : &options->build.compile;
    Words words = {0};
    if (session->project_own) {
        vec_push(&words, RECORDED_PROJECT);
        vec_push(&words, options->project);
        vec_push(&words, session->link_all ? RECORDED_ALL : RECORDED_NAMED);
    }
    for (size_t i = 0; i < compile->count; i++)
        vec_push(&words, compile->at[i]);
    RecordStrings strings = strings_of(session->arena, &words);
    vec_free(&words);
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
                         .machine = session->build.isa->name,
                         .files = strings_of(arena, &options->build.files),
                         .compile = recorded_compile(session),
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

void session_request(const Session *session, SuperviseRequest *request)
{
    *request = (SuperviseRequest){.program = session->build.program,
                                  .name = session->name,
                                  .label = session->label,
                                  .arguments = &session->options->program_arguments,
                                  .options = session->explore,
                                  .orders = session->orders,
                                  .unseen = &session->places,
                                  .watches = &session->watches,
                                  .shared = &session->shared,
                                  .hang_ms = session->options->hang_ms,
                                  .show_output = session->options->output.show_output,
                                  .quiet = session->options->output.quiet};
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
        return error_set(error, "the replay did not end: %s",
                         conclude_end_reason(session, &result));
    if (!result.outcome.replayed)
        return error_set(error, "the replay went another way%s%s",
                         result.outcome.reason ? ": " : "",
                         result.outcome.reason ? result.outcome.reason : "");
    if (result.outcome.violation != record->violation)
        return error_set(error, "the replay shows %s instead of %s",
                         result.outcome.violation
                             ? violation_word((ViolationKind)result.outcome.violation)
                             : "nothing wrong",
                         violation_word((ViolationKind)record->violation));
    *again = result.record ? result.record : record;
    unseen_take(session, &result, &session->replay_ran);
    session->replayed = arena_new_of(session->arena, Outcome);
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

/* ANSWER took as long as both explorations together. */
static void add_time(Answer *answer, const Answer *other)
{
    answer->seconds += other->seconds;
    answer->outcome.cpu_ns += other->outcome.cpu_ns;
}

/* If executions were given up because a thread has too many events, explores again with the runtime
 * that can count more (guest/explore/graph/width.h), in the time that is left. That ends at the
 * first execution that is too long for it as well: then the first answer stays. */
static bool explore_longer(Session *session, Answer *answer, Error *error)
{
    ExploreOptions *explored = &session->explore;
    if (answer->verdict != VERDICT_INCONCLUSIVE ||
        !(answer->outcome.cut_why & OUTCOME_CUT_EVENTS) || explored->event_bound ||
        explored->schedules || ranks_number() > 1 || process_interrupted())
        return true;
    uint64_t used_ms = (uint64_t)(answer->seconds * 1e3);
    if (explored->time_ms && explored->time_ms <= used_ms)
        return true;
    ExploreOptions before = *explored;
    Answer longer;
    explored->event_bound = EVENTS_OF_THREAD_LONG;
    if (explored->time_ms)
        explored->time_ms -= used_ms;
    session->many_events = true;
    session_unbuild(session);
    if (!session_build(session, error) || !explore(session, NULL, &longer, error))
        return false;
    if (longer.verdict == VERDICT_INCONCLUSIVE) {
        if (longer.outcome.cut_why & OUTCOME_CUT_EVENTS)
            vec_push(&answer->remarks,
                     arena_printf(session->arena, "%u events of a thread were not enough, either",
                                  (unsigned)EVENTS_OF_THREAD_LONG));
        add_time(answer, &longer);
        *explored = before;
        return true;
    }
    explored->time_ms = before.time_ms;
    add_time(&longer, answer);
    *answer = longer;
    return true;
}

static bool says_optimisation(const Words *compile)
{
    for (size_t i = 0; i < compile->count; i++)
        if (!strncmp(compile->at[i], "-O", 2))
            return true;
    return false;
}

/* From here on sources are compiled with -O1. */
static void optimise(Session *session)
{
    RunOptions *options = arena_new_of(session->arena, RunOptions);
    const Words *compile = &session->options->build.compile;
    *options = *session->options;
    for (size_t i = 0; i < compile->count; i++)
        vec_push(&session->compile, compile->at[i]);
    vec_push(&session->compile, "-O1");
    memcpy(&options->build.compile, &session->compile, sizeof options->build.compile);
    session->options = options;
}

/* Code that is compiled without optimisation leaves halves of old addresses on its stacks, so that
 * its states may seem to depend on where objects lie. Unless the user has said how to optimise,
 * explores what -O1 makes of the sources, in the time that is left: an answer is about that code,
 * and says so. */
static bool explore_optimised(Session *session, Answer *answer, Error *error)
{
    ExploreOptions *explored = &session->explore;
    uint64_t used_ms = (uint64_t)(answer->seconds * 1e3);
    if (answer->verdict != VERDICT_INCONCLUSIVE || !answer->outcome.depends_pc ||
        session->project_own || says_optimisation(&session->options->build.compile) ||
        ranks_number() > 1 || process_interrupted() ||
        (explored->time_ms && explored->time_ms <= used_ms))
        return true;
    uint64_t time_ms = explored->time_ms;
    Answer again;
    explored->time_ms -= time_ms ? used_ms : 0;
    optimise(session);
    session_unbuild(session);
    if (!session_build(session, error) || !explore(session, NULL, &again, error))
        return false;
    explored->time_ms = time_ms;
    if (again.outcome.depends_pc && again.verdict == VERDICT_INCONCLUSIVE) {
        add_time(answer, &again);
        return true;
    }
    add_time(&again, answer);
    *answer = again;
    vec_push(&answer->remarks, "this is about the code that -O1 makes: without optimisation its "
                               "states seemed to depend on addresses");
    return true;
}

bool session_explore(Session *session, Answer *answer, Error *error)
{
    const RunOptions *options = session->options;
    Journal journal;
    if (session->stays_built)
        return explore(session, NULL, answer, error);
    if (!options->journal && !options->shards)
        return explore(session, NULL, answer, error) && explore_longer(session, answer, error) &&
               explore_optimised(session, answer, error) && shorter_find(session, answer, error);
    bool explored =
        journal_open(&journal, session, error) && explore(session, &journal, answer, error);
    if (explored)
        present_save(session, answer);
    journal_close(&journal, explored ? answer : NULL);
    if (explored)
        answer_limit_share(session, answer);
    return explored;
}

static AnswerAsked *describe_asked(const Session *session)
{
    const RunOptions *options = session->options;
    AnswerAsked *asked = arena_new_of(session->arena, AnswerAsked);
    *asked = (AnswerAsked){.explore = session->explore,
                           .hang_ms = options->hang_ms,
                           .journal = options->journal != NULL,
                           .optimised = options_optimise(options)};
    return asked;
}

static bool explore(Session *session, Journal *journal, Answer *answer, Error *error)
{
    AnswerAsked *asked = describe_asked(session);
    *answer = (Answer){
        .command = session->command,
        .subject = session->subject,
        .model = session->explore.load_buffering ? "imm" : model_word(session->explore.model),
        .bounds = options_bounds_text(session->arena, &session->explore),
        .build_seconds = session->build_seconds,
        .asked = asked};
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
        return error_set(error, "%s", result.outcome.reason ? result.outcome.reason : "?");
    if (result.outcome.unbounded) { /* HD_UNBOUNDED */
        session->explore.model = MODEL_SC;
        answer->model = model_word(MODEL_SC);
    }
    unseen_take(session, &result, &session->ran);
    conclude_fill(session, &result, answer);
    if (!keep_observations(session, answer, error))
        return false;
    if (result.done)
        conclude_remarks(session, &result.outcome, answer);
    if (answer->outcome.scenario) /* this one test is what the record is about */
        snprintf(session->explore.check.scenario, sizeof session->explore.check.scenario, "%s",
                 answer->outcome.scenario);
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
            answer->reason = arena_printf(
                session->arena, "%s was found but could not be confirmed%s: %s",
                violation_word(answer->violation),
                session->ran.count ? " after code that heddle can't see" : "", why.message);
        }
    }
    answer->internal |= answer->outcome.disagrees != 0;
    if (cache && answer->verdict == VERDICT_VIOLATED && answer->outcome.scenario) {
        Error why = {0};
        if (!cache_add(session->arena, cache, answer->outcome.scenario, &why))
            vec_push(&answer->remarks,
                     arena_printf(session->arena, "the test could not be kept: %s", why.message));
    }
    conclude_qualify(session, answer);
    asked->unseen = session->unseen_word;
    return true;
}
