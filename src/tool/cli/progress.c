#include "tool/cli/progress.h"
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/print.h"
#include "base/str.h"
#include "tool/instrument/process.h"

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

/* Appends ", of ~1.2M+-10%" or ", of >1.2M", unless that is known to be too small by now. */
static void append_estimate(Buffer *text, const ProgressFigures *figures)
{
    const Estimate *estimate = &figures->estimate;
    double count = estimate->is_sure ? estimate->executions : estimate->least;
    if (count <= (double)figures->executions)
        return;
    buffer_printf(text, ", of %c", estimate->is_sure ? '~' : '>');
    if (count < 1e9)
        append_count(text, (uint64_t)count);
    else
        buffer_printf(text, "%.1g", count);
    if (estimate->is_sure)
        buffer_printf(text, "+-%.0f%%", 100 * estimate->error / count);
}

static bool is_due(const Progress *progress)
{
    double interval = progress->terminal ? 0.2 : progress->shown ? 10.0 : 5.0;
    return !progress->quiet && process_seconds() - progress->last >= interval;
}

#define WONDER_SECONDS 20 /* when a person begins to ask how long this will go on */

static void append_rest(Buffer *text, const ProgressFigures *figures, double elapsed)
{
    double limit = figures->time_limit > 0 ? MAX(0.0, figures->time_limit - elapsed) : -1;
    double made = (double)(figures->executions + figures->blocked);
    double rest = figures->wanted && made > 0 ? elapsed * ((double)figures->wanted / made - 1) : -1;
    if (rest >= 0 && (limit < 0 || rest < limit)) {
        buffer_printf(text, ", about ");
        append_duration(text, rest);
        buffer_printf(text, " left");
    } else if (limit >= 0) {
        buffer_printf(text, ", at most ");
        append_duration(text, limit);
        buffer_printf(text, " left");
    } else if (elapsed > WONDER_SECONDS) {
        buffer_printf(text, ", time left unknown (--time, --schedules and --preemptions limit it)");
    }
}

void progress_update(Progress *progress, const ProgressFigures *figures)
{
    double now = process_seconds();
    if (!is_due(progress))
        return;
    uint64_t made = figures->states ? figures->states : figures->executions + figures->blocked;
    double rate = (double)(made - MIN(progress->last_executions, made)) / (now - progress->last);
    /* the first figure as it is, then smoothed, so that the line can be read */
    progress->last_rate = progress->shown ? 0.8 * progress->last_rate + 0.2 * rate : rate;
    progress->last = now;
    progress->last_executions = made;

    Buffer text = {0};
    buffer_printf(&text, "%s: ", progress->subject);
    if (figures->tests > 1 || figures->test > 1)
        buffer_printf(&text,
                      figures->test <= figures->tests ? "test %llu of %llu, " : "test %llu, ",
                      (unsigned long long)figures->test, (unsigned long long)figures->tests);
    append_count(&text, figures->states ? figures->states : figures->executions);
    buffer_printf(&text, figures->states ? " states" : " executions");
    if (figures->blocked) {
        buffer_printf(&text, ", ");
        append_count(&text, figures->blocked);
        buffer_printf(&text, " blocked");
    }
    buffer_printf(&text, ", ");
    append_count(&text, (uint64_t)progress->last_rate);
    buffer_printf(&text, "/s, %.0f MB, ", (double)figures->memory_bytes / 1e6);
    append_duration(&text, now - progress->start);
    if (!figures->states && figures->tests <= 1)
        append_estimate(&text, figures);
    append_rest(&text, figures, now - progress->start);
    if (progress->terminal) {
        struct winsize size = {0};
        int columns =
            ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
        fputc('\r', stderr);
        print_text(stderr, (Str){text.at, MIN((size_t)columns - 1, text.count)});
        fputs("\033[K", stderr);
    } else {
        print_plain(stderr, "heddle: %s\n", text.at);
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
