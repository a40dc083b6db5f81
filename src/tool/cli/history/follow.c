#include "tool/cli/history/follow.h"
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

struct HistoryFollow {
    int descriptor;
    bool regular; /* a file: its end is where it ends now */
    bool closed;
    Buffer text;
    size_t lines; /* bytes of whole lines */
};

HistoryFollow *history_follow_open(const char *path, Error *error)
{
    int descriptor = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status)) {
        error_at(error, path, 0, 0, "%s", strerror(errno));
        return NULL;
    }
    HistoryFollow *follow = calloc(1, sizeof *follow);
    if (!follow)
        die("out of memory");
    follow->descriptor = descriptor;
    follow->regular = S_ISREG(status.st_mode);
    return follow;
}

void history_follow_close(HistoryFollow *follow)
{
    if (!follow)
        return;
    close(follow->descriptor);
    vec_free(&follow->text);
    free(follow);
}

/* Takes what is there, for at most PAUSE_MS; true if something was. */
static bool take(HistoryFollow *follow)
{
    char bytes[65536];
    struct pollfd ready = {.fd = follow->descriptor, .events = POLLIN};
    if (!follow->regular && poll(&ready, 1, PAUSE_MS) <= 0)
        return false;
    ssize_t got = read(follow->descriptor, bytes, sizeof bytes);
    if (got == 0 && follow->regular)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    else if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
        follow->closed = true;
    if (got <= 0)
        return false;
    buffer_append(&follow->text, bytes, (size_t)got);
    const char *end = memrchr(follow->text.at, '\n', follow->text.count);
    follow->lines = end ? (size_t)(end - follow->text.at) + 1 : 0;
    return true;
}

Str history_follow_next(HistoryFollow *follow, size_t last, double deadline,
                        const volatile int *stop, bool *ended)
{
    /* as much as there is; a history twice as long costs as much as all before it */
    for (;;) {
        bool more = take(follow);
        bool over = follow->closed || *stop || (deadline > 0 && history_now() > deadline);
        if (over || (!more && follow->lines > last)) {
            *ended = over;
            break;
        }
    }
    if (*ended && follow->closed)
        follow->lines = follow->text.count;
    return (Str){follow->text.at, follow->lines};
}
