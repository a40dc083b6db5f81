#include "tool/cli/history/watch.h"
#include "judge/linear/linearize.h"
#include "judge/spec/golden.h"
#include "tool/cli/golden.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_INCONCLUSIVE = 3 };
#define GRACE 2.0 /* seconds that code which does not look at the clock gets beyond a limit */

/* The checks watch the clock themselves; golden code may not. A timer does: it is the limit that
 * always holds, and it shows progress. Its handler calls nothing that a signal handler may not. */
static struct {
    bool json, quiet, terminal, armed;
    double start, hard_deadline;  /* 0: none */
    double golden_deadline;       /* of golden code, which can't be asked to end; 0: none */
    double shown, every;          /* when progress was shown; seconds between two lines of it */
    bool worker;                  /* this process is one of several: its parent tells */
    const atomic_size_t *decided; /* units of work, once there are any */
    size_t units;
    bool follows;       /* somebody looks at *stop even now */
    volatile int *stop; /* shared with worker processes: the user wants an end */
} watch;

double history_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t put_text(char *line, size_t at, const char *text)
{
    while (*text)
        line[at++] = *text++;
    return at;
}

static size_t put_number(char *line, size_t at, size_t number)
{
    char digits[24];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        line[at++] = digits[--count];
    return at;
}

/* Ends at once, from a signal handler, with what can be said without knowing anything. */
NORETURN static void give_up(void)
{
    if (watch.worker)
        _exit(EXIT_INCONCLUSIVE);
    static const char *const texts[2][2] = {
        {"inconclusive: time is up\n", "inconclusive: interrupted\n"},
        {"{\"verdict\": \"inconclusive\", \"violation\": \"\", \"exhaustive\": false, "
         "\"reason\": \"time\"}\n",
         "{\"verdict\": \"inconclusive\", \"violation\": \"\", \"exhaustive\": false, "
         "\"reason\": \"interrupted\"}\n"}};
    const char *text = texts[watch.json][watch.stop && *watch.stop];
    ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written;
    golden_guard_done();
    _exit(EXIT_INCONCLUSIVE);
}

/* The next alarm: at the next line of progress, at a deadline, and after that every few
 * milliseconds, until golden code runs or all is over. */
static void set_timer(double now)
{
    double wait = watch.every;
    if (watch.golden_deadline > 0)
        wait = MIN(wait, MAX(watch.golden_deadline - now, 0) + 0.01);
    if (watch.hard_deadline > 0)
        wait = MIN(wait, MAX(watch.hard_deadline - now, 0) + 0.01);
    struct itimerval timer = {.it_value.tv_sec = (time_t)wait,
                              .it_value.tv_usec =
                                  (suseconds_t)((wait - (double)(time_t)wait) * 1e6)};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* SIGINT, SIGTERM: checks end soon, and what they decided is reported. */
static void watch_end(int signal_number)
{
    (void)signal_number;
    bool again = *watch.stop;
    *watch.stop = 1;
    if (again || (!watch.decided && !watch.follows))
        give_up(); /* nothing was decided yet, or nobody looks */
    watch.hard_deadline = history_now() + GRACE;
    watch.golden_deadline = watch.golden_deadline > 0 ? watch.golden_deadline : watch.hard_deadline;
    set_timer(history_now());
}

static void show_progress(double now)
{
    char line[160];
    size_t at = put_text(line, 0, watch.terminal ? "\rheddle: " : "heddle: ");
    if (watch.decided) {
        at = put_text(line, at, "checking, ");
        at = put_number(line, at, atomic_load(watch.decided));
        at = put_text(line, at, " of ");
        at = put_number(line, at, watch.units);
        at = put_text(line, at, watch.units == 1 ? " part decided" : " parts decided");
    } else {
        at = put_text(line, at, "reading");
    }
    at = put_text(line, at, ", ");
    at = put_number(line, at, (size_t)(now - watch.start));
    at = put_text(line, at, watch.terminal ? " s " : " s\n");
    ssize_t written = write(STDERR_FILENO, line, at);
    (void)written;
    watch.shown = now;
}

static void watch_time(int signal_number)
{
    (void)signal_number;
    int saved = errno;
    double now = history_now();
    if (watch.hard_deadline > 0 && now > watch.hard_deadline)
        give_up();
    if (golden_running && watch.golden_deadline > 0 && now > watch.golden_deadline)
        give_up();
    if (!watch.worker && !watch.quiet && now - watch.shown >= watch.every * 0.9)
        show_progress(now);
    set_timer(now);
    errno = saved;
}

void history_watch_start(bool json, bool quiet, double seconds)
{
    watch.json = json;
    watch.quiet = quiet;
    watch.stop =
        mmap(NULL, sizeof *watch.stop, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (watch.stop == MAP_FAILED)
        die("out of memory");
    watch.terminal = isatty(STDERR_FILENO);
    watch.start = watch.shown = history_now();
    if (seconds > 0) {
        watch.hard_deadline = watch.start + seconds * 1.1 + GRACE;
        watch.golden_deadline = watch.start + seconds * 1.02;
    }
    struct sigaction action = {.sa_handler = watch_time, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = watch_end;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    watch.every = watch.terminal ? 1 : seconds > 0 && seconds < 16 ? 3 : 10;
    set_timer(watch.start);
    watch.armed = true;
}

void history_watch_follows(bool follows)
{
    watch.follows = follows;
    watch.hard_deadline = watch.golden_deadline = 0;
    *watch.stop = 0;
}

void history_watch_worker(void)
{
    watch.worker = true;
    watch.every = 3600;
    set_timer(history_now()); /* a fork does not inherit it */
}

void history_watch_give_up(void)
{
    give_up();
}

void history_watch_stop(void)
{
    struct itimerval off = {0};
    setitimer(ITIMER_REAL, &off, NULL);
    if (watch.terminal && !watch.quiet && watch.armed && history_now() - watch.start >= 1)
        fputs("\r\033[K", stderr);
}

const volatile int *history_watch_interrupted(void)
{
    return watch.stop;
}

void history_watch_units(const atomic_size_t *decided, size_t units)
{
    watch.units = units;
    watch.decided = decided;
}
