#include "tool/cli/history/follow.h"
#include "base/file.h"
#include "judge/library/parts.h"
#include "judge/quasi/relax.h"
#include "tool/cli/history/reading.h"
#include "tool/cli/history/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_MS 50
#define QUIET_PAUSES 3u               /* then the log rests */
#define FOLLOW_CONFIGURATIONS 200000u /* of each look at a growing log */

/* A log that is still being written. */
typedef struct Growing {
    const char *path;
    int descriptor;
    bool regular;     /* a file: its end is where it ends now */
    off_t place;      /* in a file: what was read of it */
    bool moved;       /* the path named another file at the last look: this one ends soon */
    bool closed;      /* nothing will follow */
    const char *lost; /* why what was written is not all there, or NULL */
    Buffer text;
    size_t lines; /* bytes of whole lines */
} Growing;

static Growing *follow_open(const char *path, Error *error)
{
    int descriptor = strcmp(path, "-") ? file_open_growing(path, error) : dup(STDIN_FILENO);
    struct stat status;
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &status)) {
        error_at(error, path, 0, 0, "%s", strerror(errno));
        close(descriptor);
        return NULL;
    }
    Growing *follow = calloc(1, sizeof *follow);
    if (!follow)
        die("out of memory");
    follow->path = path;
    follow->descriptor = descriptor;
    follow->regular = S_ISREG(status.st_mode);
    return follow;
}

static void follow_close(Growing *follow)
{
    close(follow->descriptor);
    vec_free(&follow->text);
    free(follow);
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
    const char *end = memrchr(follow->text.at, '\n', follow->text.count);
    follow->lines = end ? (size_t)(end - follow->text.at) + 1 : 0;
    if (follow->text.count >= 2 && !memcmp(follow->text.at, "\x1F\x8B", 2))
        follow->lost = "a compressed log can't be followed";
    return true;
}

/* Waits until there is more than LAST bytes of whole lines, and DUE has come or nothing more comes
 * for QUIET_PAUSES, and gives all of them; valid until the next call. *ended: nothing will follow,
 * because the pipe was closed or *stop is not 0 or DEADLINE (0: none) passed. */
static Str follow_next(Growing *follow, size_t last, double due, double deadline,
                       const volatile int *stop, bool *ended)
{
    for (unsigned quiet = 0;;) {
        quiet = take(follow) ? 0 : quiet + 1;
        bool over =
            follow->closed || follow->lost || *stop || (deadline > 0 && history_now() > deadline);
        if (over || (follow->lines > last && (quiet >= QUIET_PAUSES || history_now() > due))) {
            *ended = over;
            break;
        }
    }
    if (*ended && follow->closed)
        follow->lines = follow->text.count;
    return (Str){follow->text.at, follow->lines};
}

/* Is what was read so far violated? What can't be read yet (an event that others precede in the
 * file but not in their order) may become readable. */
static bool violated_so_far(const HistorySettings *settings, Str text)
{
    Error error = {0};
    Values *values = values_new();
    Arena *arena = arena_new();
    Histories histories = {0};
    LogFormat format;
    Spec *spec = NULL;
    bool violated = false;
    if (log_read_bytes(settings->logs.at[0], text, &settings->reading, values, &histories, &format,
                       &error) &&
        history_make_spec(settings, arena, values, settings->spec, &spec, &error)) {
        LinearizeLimits limits = {.memory = settings->memory,
                                  .stop = history_watch_interrupted(),
                                  .configurations = FOLLOW_CONFIGURATIONS};
        for (size_t i = 0; i < histories.count && !violated; i++) {
            Plan plan;
            spec_settle(spec, histories.at[i]);
            if (!plan_make(&plan, histories.at[i], spec, settings->partition, &error))
                continue;
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
            violated = atomic_load(&parts->violated[0]);
            free(memory);
            plan_free(&plan);
        }
    }
    spec_relax_free(spec);
    histories_free(&histories);
    arena_free(arena);
    values_free(values);
    return violated;
}

/* The pauses between two looks grow with what a look costs, so that at most half of the time is
 * spent on them while the log grows. Once it rests, it is looked at: nothing else is to be done. */
bool history_follow(const HistorySettings *settings, double start, Buffer *text, Error *error)
{
    history_watch_follows(true);
    Growing *follow = follow_open(settings->logs.at[0], error);
    if (!follow)
        return false;
    double deadline = settings->seconds > 0 ? start + settings->seconds : 0, cost = 0;
    size_t last = 0;
    bool violated = false;
    for (bool ended = false; !ended && !violated;) {
        double due = MAX(start + 2 * cost, history_now() + PAUSE_MS / 1000.0);
        Str so_far = follow_next(follow, last, due, deadline, history_watch_interrupted(), &ended);
        double before = history_now();
        violated = violated_so_far(settings, so_far);
        cost += history_now() - before;
        last = so_far.length;
        vec_clear(text);
        buffer_append(text, so_far.at, so_far.length);
    }
    const char *lost = violated ? NULL : follow->lost;
    follow_close(follow);
    return !lost || error_at(error, settings->logs.at[0], 0, 0, "%s", lost);
}
