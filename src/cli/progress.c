#include "cli/progress.h"
#include <stdio.h>
#include <string.h>
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
    else
        buffer_printf(text, "%.1f h", seconds / 3600);
}

void progress_update(Progress *progress, const ProgressFigures *figures)
{
    double now = process_seconds(), interval = progress->terminal ? 0.2 : 10.0;
    if (progress->quiet || now - progress->last < interval)
        return;
    double rate = (double)(figures->executions + figures->blocked - progress->last_executions) /
                  (now - progress->last);
    /* the first figure as it is, then smoothed, so that the line can be read */
    progress->last_rate = progress->shown ? 0.8 * progress->last_rate + 0.2 * rate : rate;
    progress->last = now;
    progress->last_executions = figures->executions + figures->blocked;

    Buffer text = {0};
    buffer_printf(&text, "%s: ", progress->subject);
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
    if (figures->done > 0 && figures->done < 1) {
        buffer_printf(&text, ", about ");
        append_duration(&text, (now - progress->start) * (1 / figures->done - 1));
        buffer_printf(&text, " left");
    } else if (figures->time_limit > 0) {
        buffer_printf(&text, ", at most ");
        append_duration(&text, MAX(0.0, figures->time_limit - (now - progress->start)));
        buffer_printf(&text, " left");
    }
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
