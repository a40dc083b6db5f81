#include "cli/progress.h"
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/str.h"
#include "instrument/process.h"

void progress_begin(Progress *progress, const char *subject, bool quiet)
{
    double now = process_seconds();
    *progress = (Progress){.subject = subject,
                           .terminal = isatty(STDERR_FILENO) == 1,
                           .quiet = quiet,
                           .start = now,
                           .last = now};
}

static void append_count(Buffer *text, uint64_t count)
{
    if (count < 100000)
        buffer_printf(text, "%llu", (unsigned long long)count);
    else if (count < 10000000)
        buffer_printf(text, "%.0fk", (double)count / 1e3);
    else
        buffer_printf(text, "%.1fM", (double)count / 1e6);
}

static void append_duration(Buffer *text, double seconds)
{
    if (seconds < 100)
        buffer_printf(text, "%.0f s", seconds);
    else if (seconds < 6000)
        buffer_printf(text, "%.0f min", seconds / 60);
    else if (seconds < 100 * 3600)
        buffer_printf(text, "%.1f h", seconds / 3600);
    else
        buffer_printf(text, "%.0f days", seconds / 86400);
}

static bool is_due(const Progress *progress)
{
    double interval = progress->terminal ? 0.2 : progress->shown ? 10.0 : 5.0;
    return !progress->quiet && process_seconds() - progress->last >= interval;
}

/* Seconds that are left, or -1. The path of the search tells how much is done if all branches were
 * alike; they are not, and those that come late are often the larger ones. So the speed at which that
 * figure grew in the last part of the time counts, too, if it is the slower one. */
static double estimate_rest(Progress *progress, double done, double elapsed)
{
    if (done <= 0 || done >= 1 || elapsed < 1)
        return -1;
    if (elapsed > 1.25 * progress->marks[0].seconds) {
        progress->marks[1] = progress->marks[0];
        progress->marks[0].seconds = elapsed;
        progress->marks[0].done = done;
    }
    double passed = elapsed - progress->marks[1].seconds, grown = done - progress->marks[1].done;
    double evenly = elapsed * (1 / done - 1);
    if (progress->marks[1].seconds <= 0)
        return evenly;
    return grown > 0 ? MAX(evenly, (1 - done) * passed / grown) : -1;
}

/* An estimate, so it is called one. */
static void append_rest(Progress *progress, Buffer *text, const ProgressFigures *figures,
                        double elapsed)
{
    double limit = figures->time_limit > 0 ? MAX(0.0, figures->time_limit - elapsed) : -1;
    double rest = estimate_rest(progress, figures->done, elapsed);
    if (rest >= 0 && (limit < 0 || rest < limit)) {
        buffer_printf(text, ", perhaps ");
        if (rest > 1e8)
            buffer_printf(text, "years");
        else
            append_duration(text, rest);
        buffer_printf(text, " left");
    } else if (limit >= 0) {
        buffer_printf(text, ", at most ");
        append_duration(text, limit);
        buffer_printf(text, " left");
    }
}

void progress_update(Progress *progress, const ProgressFigures *figures)
{
    double now = process_seconds();
    if (!is_due(progress))
        return;
    double rate = (double)(figures->executions + figures->blocked - progress->last_executions) /
                  (now - progress->last);
    /* the first figure as it is, then smoothed, so that the line can be read */
    progress->last_rate = progress->shown ? 0.8 * progress->last_rate + 0.2 * rate : rate;
    progress->last = now;
    progress->last_executions = figures->executions + figures->blocked;

    Buffer text = {0};
    buffer_printf(&text, "%s: ", progress->subject);
    if (figures->tests > 1 || figures->test > 1)
        buffer_printf(&text,
                      figures->test <= figures->tests ? "test %llu of %llu, " : "test %llu, ",
                      (unsigned long long)figures->test, (unsigned long long)figures->tests);
    append_count(&text, figures->executions);
    buffer_printf(&text, " executions");
    if (figures->blocked) {
        buffer_printf(&text, ", ");
        append_count(&text, figures->blocked);
        buffer_printf(&text, " blocked");
    }
    buffer_printf(&text, ", ");
    append_count(&text, (uint64_t)progress->last_rate);
    buffer_printf(&text, "/s, %.0f MB, ", (double)figures->memory_bytes / 1e6);
    append_duration(&text, now - progress->start);
    append_rest(progress, &text, figures, now - progress->start);
    if (progress->terminal) {
        struct winsize size = {0};
        int columns =
            ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
        fprintf(stderr, "\r%.*s\033[K", MIN(columns - 1, (int)text.count), text.at);
    } else {
        fprintf(stderr, "heddle: %s\n", text.at);
    }
    fflush(stderr);
    progress->shown = true;
    vec_free(&text);
}

void progress_end(Progress *progress)
{
    if (progress->terminal && progress->shown)
        fprintf(stderr, "\r\033[K");
}
