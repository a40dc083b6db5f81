/* child_run.c: the driver inside the program under test for `heddle run`: explores main and writes the
 * outcome into the link that the tool has mapped. Without a link (the program was started by hand) it
 * explores with default options and prints the counts: handy under a debugger. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "check/child_dump.h"
#include "check/evidence.h"
#include "explore/explore.h"
#include "explore/memory.h"
#include "explore/revisit.h"
#include "explore/scrub.h"
#include "record/link.h"
#include "runtime/fiber.h"
#include "runtime/heap.h"
#include "runtime/image.h"
#include "runtime/start.h"

static Link *tool_link;
static LinkCounters *my_counters;
static uint64_t polls;

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void map_link(void)
{
    const char *number = getenv(LINK_ENVIRONMENT);
    if (!number)
        return;
    int fd = atoi(number);
    void *mapped = mmap(NULL, sizeof(Link), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        die("cannot map the link to the tool");
    tool_link = mapped;
    if (tool_link->magic != LINK_MAGIC)
        die("the tool and the runtime do not fit together: build both again");
    close(fd);
    unsetenv(LINK_ENVIRONMENT);
}

static void publish(void)
{
    my_counters->executions = counts.executions;
    my_counters->blocked = counts.blocked;
    my_counters->stuck = counts.stuck;
    my_counters->cut = counts.cut;
    my_counters->revisits = revisit_count;
    my_counters->depth = (uint64_t)order_count;
    my_counters->progress = ++polls;
}

static bool poll_link(void)
{
    publish();
    return __atomic_load_n(&tool_link->stop, __ATOMIC_RELAXED);
}

static void fill_outcome(FindingKind kind)
{
    LinkOutcome *outcome = &tool_link->outcome;
    outcome->restarts = explore_restarts;
    outcome->promoted = memory_promoted;
    outcome->exhaustive = 0;
    if (kind == FINDING_VIOLATION) {
        outcome->verdict = VERDICT_VIOLATED;
        outcome->violation = finding.violation;
        evidence_fill(tool_link);
    } else if (kind == FINDING_UNSUPPORTED) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        snprintf(outcome->reason, sizeof outcome->reason, "%s", finding.message);
    } else if (explore_stopped) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        snprintf(outcome->reason, sizeof outcome->reason, "stopped before everything was explored");
    } else if (counts.cut) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        snprintf(outcome->reason, sizeof outcome->reason,
                 "%llu executions were given up after %u events of one thread: a loop that never "
                 "repeats a state",
                 (unsigned long long)counts.cut, options.loop_bound);
    } else {
        outcome->verdict = VERDICT_HOLDS;
        outcome->exhaustive = 1;
    }
    for (unsigned i = 0; i < finding_remark_count && tool_link->remark_count < LINK_REMARKS; i++)
        memcpy(tool_link->remarks[tool_link->remark_count++], finding_remarks[i],
               sizeof finding_remarks[i]);
}

static void take_liveness(void)
{
    const char *file = getenv("HEDDLE_LIVENESS");
    if (!(file ? scrub_setup_from_file(file)
               : scrub_setup(tool_link->liveness, tool_link->liveness_bytes)))
        die("the table of dead stack bytes is damaged");
}

static ExploreOptions default_options(void)
{
    const char *model = getenv("HEDDLE_MODEL");
    ExploreOptions o = {.model = MODEL_RC11, .reductions = !getenv("HEDDLE_NO_REDUCTIONS"),
                        .checkpoints = !getenv("HEDDLE_REPLAY"), .preemptions = -1, .jobs = 1};
    if (model)
        o.model = !strcmp(model, "sc") ? MODEL_SC : !strcmp(model, "tso") ? MODEL_TSO : MODEL_RC11;
    return o;
}

void start_driver(void)
{
    static Link private_link;
    map_link();
    bool by_hand = !tool_link;
    if (by_hand) {
        tool_link = &private_link;
        tool_link->options = default_options();
        if (getenv("HEDDLE_OUTCOMES"))
            dump_outcomes_to(getenv("HEDDLE_OUTCOMES"));
    }
    my_counters = &tool_link->counters[0];
    const ExploreOptions *wanted = &tool_link->options;
    heap_setup();
    if (wanted->memory_bytes)
        heap_limit = MIN(heap_limit, wanted->memory_bytes);
    fiber_setup(wanted->stack_bytes ? wanted->stack_bytes : STACK_DEFAULT,
                wanted->thread_local_storage);
    fiber_set_main(start_program);
    explore_setup(wanted);
    take_liveness();
    heap_save_start();
    image_save();
    explore_poll = poll_link;
    __atomic_store_n(&tool_link->state, LINK_RUNNING, __ATOMIC_RELEASE);
    uint64_t start = cpu_ns();
    FindingKind kind = explore_all();
    tool_link->outcome.cpu_ns = cpu_ns() - start;
    publish();
    fill_outcome(kind);
    __atomic_store_n(&tool_link->state, LINK_DONE, __ATOMIC_RELEASE);
    if (by_hand)
        dprintf(1, "%s %s %llu executions %llu blocked %llu stuck %llu cut %.3f ms %.3f us/exec %u restarts; %s\n",
                verdict_word((Verdict)tool_link->outcome.verdict),
                violation_word((ViolationKind)tool_link->outcome.violation),
                (unsigned long long)counts.executions, (unsigned long long)counts.blocked,
                (unsigned long long)counts.stuck, (unsigned long long)counts.cut,
                (double)tool_link->outcome.cpu_ns / 1e6,
                (double)tool_link->outcome.cpu_ns / 1e3 /
                    (double)(counts.executions + counts.blocked + 1),
                explore_restarts, kind == FINDING_NONE ? "" : finding.message);
    if (by_hand && kind == FINDING_VIOLATION)
        dump_graph(1);
    _exit(0);
}
