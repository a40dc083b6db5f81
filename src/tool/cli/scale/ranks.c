#include "tool/cli/scale/ranks.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "tool/cli/scale/job.h"
#include "tool/cli/scale/sharing.h"
#include "tool/instrument/build.h"
#include "tool/instrument/process.h"

#define REPORT_SECONDS 1.0
#define RANKS_ABANDONED 3     /* the exit status of a rank whose launcher has died */
#define RANKS_SIGNAL SIGRTMAX /* which says so */

const Channel *job_channel;
bool job_is_over, job_has_lost_rank;
static int own, ranks = 1;

/* How many ranks the launcher has started, and whose MPI it is: "openmpi" or "mpich"; 1 if none. */
static long launcher_size(const char **library)
{
    const char *size;
    if ((size = getenv("OMPI_COMM_WORLD_SIZE"))) {
        *library = "openmpi";
        return atol(size);
    }
    if ((size = getenv("PMI_SIZE"))) {
        *library = "mpich";
        return atol(size);
    }
    size = getenv("SLURM_STEP_NUM_TASKS");
    if (size && getenv("PMIX_RANK")) {
        *library = "openmpi";
        return atol(size);
    }
    *library = NULL;
    return size && getenv("SLURM_PROCID") ? atol(size) : 1;
}

/* The number of this rank, as the launcher says it. */
static long launcher_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (getenv(names[i]))
            return atol(getenv(names[i]));
    return 0;
}

static int kept[2] = {-1, -1}; /* stdout and stderr of a rank that is silent */

/* A launcher that sees a failure ends the others, and rank 0 might not have said why yet. */
static void leave_silently(int status, void *unused)
{
    (void)status;
    (void)unused;
    if (kept[0] >= 0)
        _exit(0);
}

void ranks_be_silent(void)
{
    int nowhere = -1;
    if (ranks_launched() > 1 && launcher_rank() > 0)
        nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int i = 0; i < 2 && nowhere >= 0; i++) {
        kept[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, 3);
        dup2(nowhere, STDOUT_FILENO + i);
    }
    if (nowhere >= 0) {
        close(nowhere);
        on_exit(leave_silently, NULL);
    }
}

static void speak_again(void)
{
    for (int i = 0; i < 2; i++) {
        if (kept[i] < 0)
            continue;
        dup2(kept[i], STDOUT_FILENO + i);
        close(kept[i]);
        kept[i] = -1;
    }
}

/* The plug-in lies with the runtime library. */
static bool load_channel(const char *library, Error *error)
{
    Arena *arena = arena_new();
    const char *name = arena_printf(arena, "heddle-mpi-%s.so", library);
    const char *path = build_own_file(arena, name), *why = "it is not installed";
    void *plugin = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (path && !plugin)
        why = dlerror();
    job_channel = plugin ? dlsym(plugin, CHANNEL_SYMBOL) : NULL;
    bool fine = job_channel && job_channel->version == CHANNEL_VERSION;
    if (!fine) {
        error_set(error,
                  "a launcher of MPI has started several tasks, but %s can't be loaded: %s (it is "
                  "built where mpicc.%s is; HEDDLE_RANKS=no lets each task work alone)",
                  name, job_channel ? "it is of another version" : why, library);
        job_channel = NULL;
    }
    arena_free(arena);
    return fine;
}

/* The launcher waits for the end of its pipes: the program under test must not hold them open. */
static void close_on_exec(void)
{
    for (int fd = 3; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0)
            fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
}

static pid_t launcher; /* whoever has started this rank */

static void on_death_of_parent(int ignored)
{
    (void)ignored;
    if (getppid() != launcher) /* not only one of its threads */
        _exit(RANKS_ABANDONED);
}

/* A launcher that is killed can't end its ranks, and MPI waits for messages, busily and for ever,
 * that nobody will send: a rank ends with the process that has started it, whatever it is at. The
 * keeper of its workspace ends the program under test. */
static void end_with_launcher(void)
{
    struct sigaction action = {.sa_handler = on_death_of_parent};
    launcher = getppid();
    sigaction(RANKS_SIGNAL, &action, NULL);
    prctl(PR_SET_PDEATHSIG, RANKS_SIGNAL);
    on_death_of_parent(0); /* it may have died just before */
}

long ranks_launched(void)
{
    const char *library, *wanted = getenv("HEDDLE_RANKS");
    return wanted && !strcmp(wanted, "no") ? 1 : launcher_size(&library);
}

bool ranks_begin(Error *error)
{
    const char *library;
    long size = launcher_size(&library);
    if (ranks_launched() <= 1)
        return true;
    if (!library)
        return error_set(error,
                         "srun has started %ld tasks without MPI, and each would explore "
                         "everything: give srun --mpi=pmix or --mpi=pmi2 (or set HEDDLE_RANKS=no)",
                         size);
    speak_again();
    if (!load_channel(library, error))
        return false;
    end_with_launcher();
    if (!job_channel->begin(&own, &ranks))
        return error_set(error, "MPI does not start");
    close_on_exec();
    if (ranks != size)
        return error_set(error,
                         "the launcher has started %ld tasks, but MPI knows %d: it is the launcher "
                         "of another MPI",
                         size, ranks);
    return true;
}

int ranks_number(void)
{
    return ranks;
}

int ranks_own(void)
{
    return own;
}

void job_send_all(RankTag tag, const void *bytes, size_t count)
{
    for (int r = 1; r < ranks; r++)
        job_channel->send(r, (int)tag, bytes, count);
}

void ranks_end(int status)
{
    if (!job_channel || ranks <= 1)
        return;
    if (job_has_lost_rank) /* it would be waited for, for ever */
        job_channel->abort(status);
    if (!own && !job_is_over)
        job_send_all(RANK_QUIT, "", 0);
    job_channel->end();
}

void job_receive(Bytes *to, int from, int tag, size_t count)
{
    vec_clear(to);
    vec_reserve(to, count + 1);
    job_channel->receive(from, tag, to->at, count);
    to->at[count] = 0;
    to->count = count;
}

/* Is there anything to report? */
static bool has_news(RankWatch *watch, Link *link)
{
    UnitsShared *units = &link->units;
    const UnitSlot *slot = &units->slots[0];
    double now = process_seconds();
    uint32_t busy = __atomic_load_n(&slot->busy, __ATOMIC_ACQUIRE) || rank_is_queued(units);
    bool news = !watch->reported || units->gift.busy || busy != watch->busy ||
                units->epoch != watch->epoch || units->learnt != watch->learnt ||
                (units->tests.wants && !watch->wants_tests) || units->tests.idle != watch->is_idle;
    if (!watch->asked && now - watch->last >= REPORT_SECONDS) {
        __atomic_add_fetch(&units->ask, 1, __ATOMIC_RELAXED);
        watch->asked = now;
    }
    if (watch->asked && (slot->answered == units->ask || !busy || now - watch->asked > 0.5))
        news = true;
    return news;
}

bool watch_take_report(RankWatch *watch, Link *link, Bytes *to)
{
    vec_clear(to);
    if (!has_news(watch, link) || !rank_state_take(link, to))
        return false;
    RankState state;
    memcpy(&state, to->at, sizeof state);
    double now = process_seconds();
    bool moves = !watch->reported || state.epoch != watch->epoch || state.learnt ||
                 state.busy != watch->busy || state.has_gift || state.wants_tests;
    *watch = (RankWatch){.epoch = state.epoch,
                         .learnt = state.learnt,
                         .busy = state.busy,
                         .wants_tests = state.wants_tests,
                         .is_idle = state.is_idle,
                         .reported = true,
                         .has_libraries = watch->has_libraries,
                         .last = now,
                         .moved = moves ? now : watch->moved};
    return true;
}

int watch_tick_ms(const RankWatch *watch, bool waits)
{
    double quiet = waits ? 0 : process_seconds() - watch->moved;
    return (int)(1e3 * sharing_tick(quiet));
}
