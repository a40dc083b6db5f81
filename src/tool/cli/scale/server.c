#include "tool/cli/scale/ranks.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/cli/scale/job.h"
#include "tool/cli/session.h"
#include "tool/instrument/process.h"

typedef struct Server {
    RankWatch watch;
    uint32_t received; /* units */
    bool quits, check;
    const unsigned char *tests; /* RankJob: twice tests_bytes */
    uint64_t tests_bytes, tests_budget;
} Server;

static bool server_begin(void *context, Link *link, Error *error)
{
    Server *server = context;
    UnitTests *tests = &link->units.tests;
    server->watch.moved = process_seconds();
    if (server->tests_bytes > sizeof tests->done)
        return error_set(error, "a damaged job");
    link->units.mode = UNITS_WAIT;
    memcpy(tests->done, server->tests, server->tests_bytes);
    memcpy(tests->put_off, server->tests + server->tests_bytes, server->tests_bytes);
    tests->count = server->tests_bytes * 8;
    tests->budget = server->tests_budget;
    return true;
}

static void server_send_libraries(const Link *link)
{
    char host[256] = "", text[sizeof link->units.libraries + sizeof host + 2];
    gethostname(host, sizeof host - 1);
    int count = snprintf(text, sizeof text, "%s\n%s", host, link->units.libraries);
    job_channel->send(0, RANK_LIBRARIES, text, (size_t)count + 1);
}

static void server_take(Server *server, Link *link, int tag, const Bytes *bytes)
{
    const unsigned char *at = bytes->at;
    size_t left = bytes->count;
    RankUnit unit;
    RankTests tests;
    uint32_t epoch;
    switch (tag) {
    case RANK_UNIT:
        if (rank_unit_get(&at, &left, &unit)) {
            rank_unit_give(&unit, link);
            server->received++;
            server->watch.busy = 1;
        }
        rank_unit_free(&unit);
        break;
    case RANK_TESTS:
        if (left < sizeof tests)
            break;
        memcpy(&tests, at, sizeof tests);
        at += sizeof tests;
        left -= sizeof tests;
        while (left && rank_unit_get(&at, &left, &unit)) {
            rank_unit_append(&unit, link);
            rank_unit_free(&unit);
        }
        rank_tests_give(&tests, link);
        server->watch.wants_tests = 0;
        break;
    case RANK_WANT:
        __atomic_store_n(&link->units.want, 1, __ATOMIC_RELEASE);
        break;
    case RANK_EPOCH:
        if (left == sizeof epoch) {
            memcpy(&epoch, at, sizeof epoch);
            __atomic_store_n(&link->units.wanted_epoch, epoch, __ATOMIC_RELEASE);
        }
        break;
    default:
        server->quits = true;
    }
}

static bool server_watch(void *context, Link *link)
{
    Server *server = context;
    Bytes bytes = {0};
    int from, tag;
    size_t count;
    if (link->state == LINK_STARTING)
        return true;
    if (!server->watch.has_libraries)
        server_send_libraries(link);
    server->watch.has_libraries = true;
    while (!server->quits && job_channel->probe(&from, &tag, &count)) {
        server->watch.moved = process_seconds();
        job_receive(&bytes, from, tag, count);
        server_take(server, link, tag, &bytes);
    }
    if (link->state == LINK_RUNNING && watch_take_report(&server->watch, link, &bytes)) {
        memcpy(bytes.at + offsetof(RankState, received), &server->received,
               sizeof server->received);
        job_channel->send(0, RANK_STATE, bytes.at, bytes.count);
    }
    vec_free(&bytes);
    return !server->quits;
}

/* A rank that has nothing to do looks often: nobody else needs its processor. */
static int server_tick_ms(void *context)
{
    const Server *server = context;
    const RankWatch *watch = &server->watch;
    bool waits = server->check ? watch->wants_tests || watch->is_idle : !watch->busy;
    return watch_tick_ms(watch, waits);
}

/* The program has ended before it was let go: it has found something, or has died. */
static void server_end(void *context, Link *link)
{
    Server *server = context;
    if (server->quits)
        return;
    Bytes bytes = {0};
    if (link->state == LINK_DONE) {
        rank_found_take(link, &bytes);
        job_channel->send(0, RANK_FOUND, bytes.at, bytes.count);
    } else {
        static const char why[] = "the program under test has died";
        job_channel->send(0, RANK_FAILED, why, sizeof why);
    }
    vec_free(&bytes);
}

/* Texts in BYTES bytes, each ended by 0. */
static void read_texts(Arena *arena, const unsigned char *from, uint64_t bytes, Words *to)
{
    for (size_t at = 0; at < bytes; at += strlen((const char *)from + at) + 1)
        vec_push(to, arena_printf(arena, "%s", (const char *)from + at));
}

/* The program sees the environment of rank 0, since what it does may depend on it, but for the
 * folder of temporary files, which is this machine's. */
static void keep_own_folder(Arena *arena, Words *environment)
{
    static const char name[] = "TMPDIR=";
    size_t kept = 0;
    for (size_t i = 0; i < environment->count; i++)
        if (strncmp(environment->at[i], name, strlen(name)) != 0)
            environment->at[kept++] = environment->at[i];
    environment->count = kept;
    if (getenv("TMPDIR"))
        vec_push(environment, arena_printf(arena, "%s%s", name, getenv("TMPDIR")));
}

static bool serve_job(const Bytes *message, Error *error)
{
    RankJob job;
    Server server = {0};
    Arena *arena = arena_new();
    Workspace workspace = {0};
    if (message->count < sizeof job)
        return error_set(error, "a damaged job");
    memcpy(&job, message->at, sizeof job);
    const unsigned char *words = message->at + sizeof job;
    const unsigned char *variables = words + job.words_bytes;
    const unsigned char *program = variables + job.environment_bytes;
    Words arguments = {0}, environment = {0};
    read_texts(arena, words, job.words_bytes, &arguments);
    read_texts(arena, variables, job.environment_bytes, &environment);
    keep_own_folder(arena, &environment);
    bool fine = workspace_open(&workspace, error);
    const char *path = fine ? workspace_file(&workspace, arena, "program") : "";
    int fd = fine ? file_create(path, 0, 0700) : -1;
    if (fine && (fd < 0 || write(fd, program, job.program_bytes) != (ssize_t)job.program_bytes))
        fine = error_set(error, "can't write %s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    server.check = job.options.check.enabled;
    server.tests = program + job.program_bytes;
    server.tests_bytes = job.tests_bytes;
    server.tests_budget = job.tests_budget;
    Words rest = {.at = arguments.at + 1, .count = arguments.count - 1};
    SuperviseRequest request = {
        .program = path,
        .name = arguments.at[0],
        .label = arguments.at[0],
        .arguments = &rest,
        .environment = &environment,
        .options = job.options,
        .hang_ms = 0,
        .quiet = true,
        .watcher = {&server, server_begin, server_watch, server_end, server_tick_ms}};
    request.options.time_ms = 0;
    SuperviseResult result;
    fine = fine && supervise_run(arena, &workspace, &request, &result, error);
    workspace_close(&workspace);
    vec_free(&arguments);
    vec_free(&environment);
    arena_free(arena);
    job_is_over = server.quits;
    return fine;
}

int ranks_serve(void)
{
    Bytes bytes = {0};
    Error error = {0};
    process_catch_interrupts();
    while (!job_is_over) {
        int from, tag;
        size_t count;
        if (!job_channel->probe(&from, &tag, &count)) {
            usleep(1000);
            continue;
        }
        job_receive(&bytes, from, tag, count);
        if (tag == RANK_QUIT)
            break;
        if (tag == RANK_JOB && !serve_job(&bytes, &error))
            job_channel->send(0, RANK_FAILED, error.message, strlen(error.message) + 1);
    }
    vec_free(&bytes);
    job_channel->end();
    return 0;
}
