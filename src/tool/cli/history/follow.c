#include "tool/cli/history/follow.h"
#include "base/file.h"
#include "judge/library/parts.h"
#include "judge/quasi/relax.h"
#include "tool/cli/history/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_MS 50
#define LONGEST_LINE ((size_t)16 << 20)
#define FOLLOW_CONFIGURATIONS 200000u /* of each look while the log grows */
enum { LOOK_UNDECIDED = 3 };          /* exit status of a look; 0: not violated, 1: violated */

/* A log that is still being written. */
typedef struct Growing {
    LogSource source; /* what the reader knows of it: the first member */
    const char *path;
    int descriptor;
    bool regular;     /* a file: its end is where it ends now */
    off_t place;      /* in a file: what was read of it */
    bool moved;       /* the path named another file at the last look: this one ends soon */
    bool closed;      /* nothing will follow */
    const char *lost; /* why what was written is not all there, or NULL */
    Buffer text;
    size_t given;     /* bytes of it that the reader has */
    LogFormat format; /* once it is known */
    double deadline;  /* 0: none */
    pid_t look;       /* the process that judges what the reader had, or 0 */
    double due;       /* the next may begin */
    bool news;        /* the reader has got more since the last one began */
    bool undecided;   /* the last one reached its limit */
    bool deep;        /* this one has none: it ends when there is news */
    bool violated;    /* says a look */
} Growing;

static bool follow_open(Growing *follow, const char *path, Error *error)
{
    struct stat status;
    follow->path = path;
    follow->descriptor = strcmp(path, "-") ? file_open_growing(path, error) : dup(STDIN_FILENO);
    if (follow->descriptor < 0)
        return false;
    if (fstat(follow->descriptor, &status)) {
        close(follow->descriptor);
        return error_at(error, path, 0, 0, "%s", strerror(errno));
    }
    follow->regular = S_ISREG(status.st_mode);
    return true;
}

/* At the end of a file: was it cut off, or does its path name another file by now? That one is gone
 * on with once nothing came to the old one during a pause: whoever writes may not know of it yet.
 */
static void look_again(Growing *follow)
{
    struct stat old, new;
    if (fstat(follow->descriptor, &old))
        return;
    if (old.st_size < follow->place) {
        follow->lost = "the log was truncated while it was followed";
        return;
    }
    bool other = strcmp(follow->path, "-") && stat(follow->path, &new) == 0 &&
                 S_ISREG(new.st_mode) && (new.st_ino != old.st_ino || new.st_dev != old.st_dev);
    int next = other && follow->moved ? file_open(follow->path, NULL) : -1;
    follow->moved = other && next < 0;
    if (next < 0)
        return;
    close(follow->descriptor);
    follow->descriptor = next;
    follow->place = 0;
}

/* Takes what is there, for at most PAUSE_MS; true if something was. */
static bool take(Growing *follow)
{
    char bytes[65536];
    struct pollfd ready = {.fd = follow->descriptor, .events = POLLIN};
    if (!follow->regular && poll(&ready, 1, PAUSE_MS) <= 0)
        return false;
    ssize_t got = read(follow->descriptor, bytes, sizeof bytes);
    if (got == 0 && follow->regular) {
        look_again(follow);
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    } else if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
        follow->closed = true;
    if (got <= 0)
        return false;
    follow->place += got;
    follow->moved = false;
    buffer_append(&follow->text, bytes, (size_t)got);
    if (follow->text.count >= 2 && !follow->given && !memcmp(follow->text.at, "\x1F\x8B", 2))
        follow->lost = "a compressed log can't be followed";
    return true;
}

/* Was what the reader had when the look began violated? */
static void end_look(Growing *follow)
{
    int status;
    if (!follow->look || waitpid(follow->look, &status, WNOHANG) != follow->look)
        return;
    follow->look = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        exit(2); /* golden code failed, and was told of */
    if (!WIFEXITED(status) || (WEXITSTATUS(status) > 1 && WEXITSTATUS(status) != LOOK_UNDECIDED))
        die("a worker process failed");
    follow->violated = WEXITSTATUS(status) == 1;
    follow->undecided = WEXITSTATUS(status) == LOOK_UNDECIDED;
}

static void kill_look(Growing *follow)
{
    kill(follow->look, SIGKILL);
    waitpid(follow->look, NULL, 0);
    follow->look = 0;
}

/* Forks a process for which the log ends here; true in it. Everything that the reader was given is
 * part of the history that it then makes. */
static bool begin_look(Growing *follow)
{
    if (follow->look && follow->deep && follow->news)
        kill_look(follow);
    if (follow->look || !(follow->news || follow->undecided) || history_now() < follow->due)
        return false;
    follow->deep = !follow->news;
    fflush(NULL);
    pid_t parent = getpid();
    follow->news = follow->undecided = false;
    follow->due = history_now() + PAUSE_MS / 1000.0;
    follow->look = fork();
    if (follow->look < 0)
        die("can't start a worker: %s", strerror(errno));
    if (follow->look)
        return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(4);
    signal(SIGINT, SIG_IGN); /* the flag tells */
    signal(SIGTERM, SIG_IGN);
    history_watch_worker();
    follow->source.cut = true;
    return true;
}

/* Rows of operations that have ended say nothing of those that were in progress then. */
static bool is_of_rows(LogFormat format)
{
    return format == LOG_FORMAT_CSV || format == LOG_FORMAT_OPERATIONS;
}

static bool is_over(const Growing *follow)
{
    return follow->lost || follow->violated || *history_watch_interrupted() ||
           (follow->deadline > 0 && history_now() > follow->deadline);
}

/* The next whole lines; at the end of a pipe all that is left. */
static Str follow_more(LogSource *source)
{
    Growing *follow = (Growing *)(void *)source;
    size_t rest = follow->text.count - follow->given;
    if (rest)
        memmove(follow->text.at, follow->text.at + follow->given, rest);
    follow->text.count = rest;
    follow->given = 0;
    if (is_of_rows(follow->format))
        follow->lost = "rows of operations can't be followed: what was in progress at the end of a "
                       "beginning is not in it";
    source->cut = source->cut || (!follow->closed && is_over(follow));
    while (!follow->closed && !source->cut && !follow->given && !begin_look(follow)) {
        if (take(follow)) {
            const char *end = memrchr(follow->text.at, '\n', follow->text.count);
            follow->given = end ? (size_t)(end - follow->text.at) + 1
                            : follow->text.count > LONGEST_LINE ? follow->text.count
                                                                : 0;
        }
        end_look(follow);
        source->cut = !follow->closed && is_over(follow);
    }
    if (source->cut)
        follow->given = 0;
    if (follow->closed)
        follow->given = follow->text.count;
    follow->news = follow->news || follow->given;
    return (Str){follow->text.at, follow->given};
}

/* Judges one history: the exit status of the look. What nil means may not decide. */
static int judge_history(const HistorySettings *settings, const Spec *spec, const History *history,
                         bool deep)
{
    LinearizeLimits limits = {.memory = settings->memory,
                              .stop = history_watch_interrupted(),
                              .configurations = deep ? 0 : FOLLOW_CONFIGURATIONS};
    Plan plan;
    Error error = {0};
    if (!plan_make(&plan, history, spec, settings->partition, &error))
        return 0;
    const Plan *const plans[] = {&plan};
    PartsTask task = {.spec = spec,
                      .plans = plans,
                      .plan_count = 1,
                      .monitors = settings->monitors,
                      .isolation = history_isolation_level(settings, spec)};
    void *memory = calloc(1, parts_bytes(&task));
    if (!memory)
        die("out of memory");
    Parts *parts = parts_start(memory, &task);
    parts_take_turns(parts, &task, &limits);
    int status = 0;
    for (size_t i = 0; i < parts->count; i++)
        if (parts->parts[i].verdict.verdict == VERDICT_INCONCLUSIVE &&
            !strcmp(parts->parts[i].verdict.reason, "configurations"))
            status = LOOK_UNDECIDED;
    if (atomic_load(&parts->violated[0]))
        status = !history->nil_reads || settings->reading.nil_reads != NIL_READS_EITHER ||
                 parts_without_nil(&task, &plan, &limits) == VERDICT_VIOLATED;
    free(memory);
    plan_free(&plan);
    return status;
}

/* Ends the process of a look. */
NORETURN static void judge_look(const HistoryReading *reading, Spec *spec, bool deep)
{
    int status = 0;
    for (size_t i = 0; i < reading->histories.count && status != 1; i++) {
        spec_settle(spec, reading->histories.at[i]);
        int one = judge_history(reading->settings, spec, reading->histories.at[i], deep);
        status = one ? one : status;
    }
    _exit(status);
}

bool history_follow(HistoryReading *reading, double start, Error *error)
{
    const HistorySettings *settings = reading->settings;
    const char *path = settings->logs.at[0];
    Growing follow = {.source = {.more = follow_more},
                      .deadline = settings->seconds > 0 ? start + settings->seconds : 0};
    Spec *spec = NULL;
    history_watch_follows(true);
    if (!history_make_spec(settings, reading->arena, reading->values, settings->spec, &spec,
                           error) ||
        !follow_open(&follow, path, error))
        return false;
    pid_t reader = getpid();
    bool ok = log_read_source(path, &follow.source, &settings->reading, reading->values,
                              &reading->histories, &follow.format, error);
    if (getpid() != reader)
        judge_look(reading, spec, follow.deep);
    if (follow.look)
        kill_look(&follow);
    while (reading->formats.count < reading->histories.count)
        vec_push(&reading->formats, follow.format);
    spec_relax_free(spec);
    close(follow.descriptor);
    vec_free(&follow.text);
    return follow.lost && !follow.violated ? error_at(error, path, 0, 0, "%s", follow.lost) : ok;
}
