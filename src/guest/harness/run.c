/* run.c: the driver inside the program under test for `heddle run`: explores main and writes the
 * outcome into the link that the tool has mapped. Without a link (the program was started by hand)
 * it explores with default options and prints the counts: handy under a debugger. */
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest/states/search.h"
#include "guest/harness/check/declared.h"
#include "base/clock.h"
#include "guest/harness/annotated.h"
#include "guest/harness/check/check.h"
#include "guest/harness/dump.h"
#include "guest/harness/replay.h"
#include "guest/harness/check/test.h"
#include "guest/harness/evidence.h"
#include "guest/harness/golden_code.h"
#include "guest/harness/graph_history.h"
#include "guest/explore/schedules/ahead.h"
#include "guest/explore/schedules/bounded.h"
#include "guest/explore/confirm.h"
#include "guest/explore/endless.h"
#include "guest/explore/explore.h"
#include "guest/explore/frames.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/models/model.h"
#include "guest/explore/validate.h"
#include "guest/explore/schedules/preempt.h"
#include "guest/explore/revisit.h"
#include "guest/explore/schedules/sample.h"
#include "guest/explore/scrub.h"
#include "guest/explore/ops.h"
#include "guest/explore/units.h"
#include "guest/explore/workers.h"
#include "record/link.h"
#include "guest/runtime/crash.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/unseen.h"
#include "guest/entry/guest.h"
#include "guest/entry/watch.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/image.h"
#include "guest/entry/orders.h"
#include "guest/runtime/pages.h"
#include "guest/harness/start.h"

static Link *tool_link;
static LinkCounters *my_counters;
static uint64_t polls, stop_after; /* tests stop after so many looks */

static void map_link(void)
{
    const char *number = getenv(LINK_ENVIRONMENT);
    if (!number)
        return;
    int fd = atoi(number);
    void *mapped = mmap(NULL, sizeof(Link), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        pages_refused("the link to the tool", sizeof(Link));
    tool_link = mapped;
    if (tool_link->magic != LINK_MAGIC)
        die("the tool and the runtime do not fit together: build both again");
    close(fd);
    unsetenv(LINK_ENVIRONMENT);
}

static void publish(void)
{
    my_counters->executions = child_test_done.executions + counts.executions;
    my_counters->blocked = child_test_done.blocked + counts.blocked;
    my_counters->stuck = counts.stuck;
    my_counters->cut = child_test_done.cut + counts.cut;
    my_counters->left_out = child_test_done.left_out + counts.left_out;
    my_counters->states = states_so_far;
    my_counters->revisits = revisit_count;
    my_counters->depth = (uint64_t)order_count;
    my_counters->progress = ++polls;
    if (UNLIKELY(ahead_forecast.probes != tool_link->forecast_probes) && ahead_forecast.probes) {
        tool_link->forecast_executions = ahead_forecast.executions;
        tool_link->forecast_variance = ahead_forecast.variance;
        tool_link->forecast_probes = ahead_forecast.probes;
    }
}

static void give_remarks(void);

static bool poll_link(void)
{
    publish();
    units_publish();
    if (UNLIKELY(stop_after) && polls >= stop_after)
        return true;
    return __atomic_load_n(&tool_link->stop, __ATOMIC_RELAXED) || workers_poll() || units_is_void();
}

/* The remarks of this process, those of others not twice. */
static void give_remarks(void)
{
    workers_lock();
    for (unsigned i = 0; i < finding_remark_count; i++) {
        bool known = false;
        for (unsigned j = 0; j < tool_link->remark_count; j++)
            known |= !strcmp(tool_link->remarks[j], finding_remarks[i]);
        if (!known && tool_link->remark_count < LINK_REMARKS)
            memcpy(tool_link->remarks[tool_link->remark_count++], finding_remarks[i],
                   sizeof finding_remarks[i]);
    }
    workers_unlock();
}

static ExploreCounts total_counts(void)
{
    ExploreCounts total = {0};
    for (unsigned i = 0; i <= LINK_WORKERS; i++) {
        const LinkCounters *c = &tool_link->counters[i];
        total.cut += c->cut;
        total.stuck += c->stuck;
        total.left_out += c->left_out;
    }
    return total;
}

/* Why executions were given up, and what changes it. */
static void tell_cut(char *text, size_t bytes, uint64_t cut)
{
    if (options.loop_bound)
        snprintf(text, bytes,
                 "%llu executions were given up in a loop that never repeats a state, after %u "
                 "rounds (--loop-bound), or %u events of one thread (--event-bound)",
                 (unsigned long long)cut, options.loop_bound, options.event_bound);
    else
        snprintf(text, bytes,
                 "%llu executions were given up in a loop that never repeats a state: alone it "
                 "goes on for more than %u steps (--loop-bound=N explores N rounds of it), or its "
                 "thread has more than %u events (--event-bound)",
                 (unsigned long long)cut, (unsigned)ENDLESS_ROUNDS, options.event_bound);
}

static void fill_outcome(FindingKind kind)
{
    LinkOutcome *outcome = &tool_link->outcome;
    ExploreCounts total = total_counts();
    outcome->exhaustive = 0;
    if (kind == FINDING_VIOLATION) {
        outcome->verdict = VERDICT_VIOLATED;
        outcome->violation = finding.violation;
        evidence_fill(tool_link);
    } else if (kind == FINDING_UNSUPPORTED) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        if (!outcome->input_error)
            snprintf(outcome->reason, sizeof outcome->reason, "%.*s",
                     (int)sizeof outcome->reason - 1, finding.message);
    } else if (explore_stopped) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        snprintf(outcome->reason, sizeof outcome->reason, "stopped before everything was explored");
    } else if (total.cut) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        tell_cut(outcome->reason, sizeof outcome->reason, total.cut);
    } else if (total.stuck) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        snprintf(outcome->reason, sizeof outcome->reason,
                 "%llu deadlocks were counted and passed over, as --keep-going asks",
                 (unsigned long long)total.stuck);
    } else {
        outcome->verdict = VERDICT_HOLDS;
        outcome->exhaustive = !options.schedules && options.preemptions < 0 && !child_check_sampled;
    }
}

/* ---- what stops the program from outside ---- */

/* A crash of the program is a finding. One of the explorer, while it reads the memory that a
 * request names, is the program's too; any other is a bug of ours. */
static void on_crash(int signal, void *address, void *pc, bool stack_overflow)
{
    char text[256];
    crash_describe(signal, address, stack_overflow, text, sizeof text);
    uintptr_t distance = (uintptr_t)address - (uintptr_t)request.address;
    if (fiber_current < 0 && annotated_judge_crashed(text))
        return;
    bool of_request = finding_self >= 0 && distance < 64;
    if (fiber_current < 0 && golden_code_running)
        op_unsupported("the golden code of %s crashes: %s", golden_code_running, text);
    if (fiber_current < 0 && !of_request)
        die("internal error: %s in the explorer, at %p", text, pc);
    op_violation(VIOLATION_CRASH, fiber_current < 0 ? request.pc : pc, "%s", text);
}

/* A thread that computes for so long without any visible step is taken to be in an endless loop. */
#define TICK_MS 50
#define SILENT_TICKS 60
static uint64_t ticks_silent, requests_seen;

static void on_tick(void *pc)
{
    (void)pc;
    my_counters->depth = (uint64_t)order_count;
    my_counters->pc = (uintptr_t)request.pc;
    if (fiber_current < 0 || requests_seen != request_count) {
        requests_seen = request_count;
        ticks_silent = 0;
    } else if (++ticks_silent >= SILENT_TICKS) {
        ticks_silent = 0;
        op_unsupported("thread %d ran for %d s without any atomic access or call that could be "
                       "explored: an endless loop?",
                       fiber_current, TICK_MS * SILENT_TICKS / 1000);
    }
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
    ExploreOptions o = {.model = MODEL_DEFAULT,
                        .reductions = !getenv("HEDDLE_NO_REDUCTIONS"),
                        .checkpoints = !getenv("HEDDLE_REPLAY"),
                        .preemptions = -1,
                        .jobs = 1,
                        .keep_going = getenv("HEDDLE_KEEP_GOING") != NULL,
                        .follow_hopeless = getenv("HEDDLE_FOLLOW_HOPELESS") != NULL,
                        .plain_search = getenv("HEDDLE_PLAIN_SEARCH") != NULL};
    o.check.annotated = getenv("HEDDLE_ANNOTATED") != NULL;
    if (getenv("HEDDLE_PREEMPTIONS"))
        o.preemptions = atoi(getenv("HEDDLE_PREEMPTIONS"));
    if (getenv("HEDDLE_RELEASE_SEQUENCES"))
        o.release_sequences =
            strcmp(getenv("HEDDLE_RELEASE_SEQUENCES"), "c++20") ? RELEASE_C11 : RELEASE_CXX20;
    o.tso_axioms = getenv("HEDDLE_TSO_AXIOMS") != NULL;
    if (getenv("HEDDLE_IGNORE_RACES"))
        o.races = RACES_IGNORE;
    if (getenv("HEDDLE_SCHEDULES"))
        o.schedules = strtoull(getenv("HEDDLE_SCHEDULES"), NULL, 10);
    if (model && !model_from_word(model, &o.model))
        die("HEDDLE_MODEL=%s is none of" MODEL_WORDS, model);
    return o;
}

/* ---- several processes ---- */

static uint64_t cpu_start;

/* Appends the name and the build id of a shared library to the list in the link. */
static int list_library(struct dl_phdr_info *info, size_t bytes, void *context)
{
    (void)bytes;
    char *to = tool_link->units.libraries;
    size_t *used = context, room = sizeof tool_link->units.libraries;
    const char *slash = strrchr(info->dlpi_name, '/');
    if (!slash) /* the program itself, or what the kernel lends */
        return 0;
    *used += (size_t)snprintf(to + *used, room - *used, "%s ", slash + 1);
    for (int i = 0; i < info->dlpi_phnum && *used < room - 64; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE)
            continue;
        const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
        const char *end = at + segment->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const unsigned char *id =
                (const unsigned char *)at + sizeof note + ((note.n_namesz + 3) & ~3u);
            for (unsigned k = 0; note.n_type == NT_GNU_BUILD_ID && k < MIN(note.n_descsz, 20u); k++)
                *used += (size_t)snprintf(to + *used, room - *used, "%02x", id[k]);
            at = (const char *)id + ((note.n_descsz + 3) & ~3u);
        }
    }
    *used += (size_t)snprintf(to + *used, room - *used, "\n");
    return *used > room - 512;
}

/* See units.h. */
static void count_for_units(UnitCounts *all, UnitCounts *inner)
{
    *inner = (UnitCounts){0};
    *all = (UnitCounts){.executions = counts.executions,
                        .blocked = counts.blocked,
                        .stuck = counts.stuck,
                        .cut = counts.cut,
                        .left_out = counts.left_out,
                        .revisits = revisit_count};
    give_remarks();
}

/* This process is new: it counts in its slot, and its clock must be set. */
static void begin_worker(unsigned slot)
{
    my_counters = &tool_link->counters[slot];
    ahead_end();
    units_use_slot(slot);
    counts = (ExploreCounts){.executions = my_counters->executions,
                             .blocked = my_counters->blocked,
                             .stuck = my_counters->stuck,
                             .cut = my_counters->cut,
                             .left_out = my_counters->left_out};
    revisit_count = my_counters->revisits;
    polls = my_counters->progress;
    finding_remark_count = 0;
    cpu_start = clock_cpu_ns();
    crash_watchdog(TICK_MS, on_tick);
}

static void reset_counters(void)
{
    for (unsigned i = 0; i <= LINK_WORKERS; i++) {
        LinkCounters *c = &tool_link->counters[i];
        *c = (LinkCounters){.progress = c->progress + 1};
    }
    revisit_count = 0;
    tool_link->outcome.cut_pc = 0;
    tool_link->workers.stopped = 0;
}

/* Adds this process's share to the answer, and the answer itself if it has found something. The
 * first process goes on when all others have ended, the others do not. */
static void end_worker(FindingKind kind)
{
    publish();
    my_counters->depth = 0;
    LinkOutcome *outcome = &tool_link->outcome;
    if (options.schedules)
        op_warning("%llu of the sampled executions are different%s",
                   (unsigned long long)sample_distinct,
                   sample_counts_all ? "" : " or were drawn after counting ended");
    if (options.check.annotated)
        annotated_judge_end();
    if (bounded_counts)
        op_warning("schedules of a search that tells no two interleavings alike: %.6g",
                   options.check.enabled ? child_test_schedules : bounded_schedules);
    give_remarks();
    bool found = kind != FINDING_NONE;
    if (found && workers_claim_outcome())
        fill_outcome(kind);
    __atomic_add_fetch(&outcome->cpu_ns, clock_cpu_ns() - cpu_start, __ATOMIC_RELAXED);
    if (!explore_stopped || found) {
        outcome->restarts =
            units_on() && !options.check.enabled ? tool_link->units.epoch : explore_restarts;
        outcome->promoted = MAX(outcome->promoted, memory_promoted); /* a journal may have known */
    }
    if (counts.cut && explore_cut_pc)
        outcome->cut_pc = explore_cut_pc;
    bool all_ended = workers_end(explore_stopped);
    if (tool_link->workers.state == WORKERS_QUIT || found)
        return;
    if (tool_link->options.jobs > 1) /* it may have made way for one that began again */
        explore_stopped = tool_link->workers.stopped != 0;
    fill_outcome(FINDING_NONE);
    if (options.check.enabled && !options.check.annotated) {
        child_check_describe_coverage(tool_link);
        give_remarks();
    }
    uint64_t left_out = total_counts().left_out;
    if (left_out) {
        op_warning(
            "%llu executions, or beginnings of executions, with more preemptions were left "
            "out%s",
            (unsigned long long)left_out,
            bounded_active || !options.reductions
                ? ""
                : "; rounds of loops that are merged make the count an estimate, so that some "
                  "within the bound may be among them (not with --no-reductions)");
        give_remarks();
    }
    if (!all_ended) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        outcome->exhaustive = 0;
        snprintf(outcome->reason, sizeof outcome->reason,
                 "a process that explored a part of the executions died");
    }
}

extern const char __executable_start[], etext[]; /* the program's code, by the linker */

static void count_leak(HeapBlock *block, char *address, void *context)
{
    (void)address;
    LinkOutcome *outcome = context;
    /* what a library allocates for itself (the buffer of a stream) is none of the program's */
    bool own = block->pc >= (uintptr_t)__executable_start && block->pc < (uintptr_t)etext;
    if (!heap_is_live(block) || !own)
        return;
    if (!outcome->leak_objects++)
        outcome->leak_pc = block->pc;
    outcome->leak_bytes += block->bytes;
}

/* One execution tells; looking at the heap after each would cost more than exploring. */
static void note_leaks(void)
{
    explore_on_complete = NULL;
    tool_link->outcome.leak_objects = tool_link->outcome.leak_bytes = 0;
    for (int region = 0; region < MAX_THREADS; region++)
        heap_each(region, count_leak, &tool_link->outcome);
}

static FILE *dump_file;

static void dump_complete(void)
{
    static unsigned begun;
    if (begun !=
        explore_restarts) { /* what came before the exploration began again does not count */
        begun = explore_restarts;
        fflush(dump_file);
        if (ftruncate(fileno(dump_file), 0))
            die("the file of the graphs cannot be emptied");
    }
    dump_execution(dump_file);
}

/* For tests, without a tool: a process of its own explores, and if it finds a violation, the
 * present one goes on with a replay, as the tool would have it done. False in the process that
 * explores. */
static bool explore_elsewhere(void)
{
    pid_t child = fork();
    if (child < 0)
        die("cannot start a process");
    if (child == 0)
        return false;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (!tool_link->has_record)
        _exit(0);
    tool_link->mode = LINK_REPLAY;
    return true;
}

void start_driver(void)
{
    map_link();
    bool by_hand = !tool_link, confirms = false;
    if (by_hand) {
        tool_link = mmap(NULL, sizeof(Link), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (tool_link == MAP_FAILED)
            die("cannot map memory");
        tool_link->options = default_options();
        confirms = getenv("HEDDLE_CONFIRM") && explore_elsewhere();
        if (getenv("HEDDLE_OUTCOMES"))
            dump_outcomes_to(getenv("HEDDLE_OUTCOMES"));
    }
    my_counters = &tool_link->counters[0];
    const ExploreOptions *wanted = &tool_link->options;
    heap_setup();
    guest_init();
    guest_options.spurious_wakeups = wanted->spurious_wakeups;
    guest_options.rand_values = wanted->rand_values;
    guest_options.rand_others = wanted->rand_others;
    guest_options.echo = wanted->show_output != 0;
    if (wanted->memory_bytes)
        heap_limit = MIN(heap_limit, wanted->memory_bytes);
    fiber_end = op_exit;
    fiber_setup(wanted->stack_bytes ? wanted->stack_bytes : STACK_DEFAULT,
                wanted->thread_local_storage,
                tool_link->debugged ? (unsigned)tool_link->threads.count : 0);
    fiber_set_main(start_program);
    explore_setup(wanted);
    take_liveness();
    if (tool_link->orders.enabled)
        orders_table = &tool_link->orders;
    heap_save_start();
    image_save();
    fiber_save_storage();
    /* without a main function it is a test of declared operations, whose annotations are not used
     */
    if (options.check.annotated && !start_has_program()) {
        options.check.annotated = 0;
        op_warning(
            "the annotations are not used: they need a program with a main function, and this "
            "is a test of declared operations");
    } else if (options.check.annotated) {
        options.check.enabled = 0;
        annotated_setup();
        annotated_judge_setup(tool_link);
    }
    explore_poll = poll_link;
    crash_install(on_crash);
    for (int t = 0; t < MAX_THREADS; t++)
        crash_stack_guard(fibers[t].limit - 4096, 4096);
    unseen_setup(tool_link, !tool_link->debugged);
    if (!tool_link->debugged)
        watch_setup(tool_link->watches, tool_link->watch_count);
    if (!tool_link->debugged) /* a person may take their time */
        crash_watchdog(TICK_MS, on_tick);
    if (!explore_on_complete && !tool_link->units.resumed)
        explore_on_complete = note_leaks;
    const char *dump = getenv("HEDDLE_DUMP_GRAPHS");
    if (dump && (dump_file = fopen(dump, "a"))) {
        explore_on_complete = dump_complete;
        if (wanted->jobs > 1)
            setvbuf(dump_file, NULL, _IOLBF, 1 << 16);
    }
    static uint32_t no_flags;
    units_setup(&tool_link->units, count_for_units, &no_flags);
    size_t listed = 0;
    if (units_on())
        dl_iterate_phdr(list_library, &listed);
    __atomic_store_n(&tool_link->state, LINK_RUNNING, __ATOMIC_RELEASE);
    /* the tests of `check` are shared out by child_check; a search within a bound is not
     * (bounded.h) */
    bool alone = by_hand || (!options.check.enabled && wanted->preemptions >= 0 &&
                             model_is_interleaved(wanted->model));
    units_apply = !options.check.enabled && !wanted->schedules;
    const char *looks = getenv("HEDDLE_STOP_AFTER");
    if (looks) {
        explore_poll_mask = 0;
        stop_after = strtoull(looks, NULL, 10);
    }
    workers_setup(&tool_link->workers, alone ? 1 : wanted->jobs, begin_worker, reset_counters);
    if (tool_link->mode == LINK_REPLAY && (!by_hand || confirms)) {
        child_replay(tool_link);
        if (confirms && tool_link->outcome.replayed)
            dprintf(1, "confirmed\n");
        else if (confirms)
            dprintf(1, "unconfirmed: %s\n", tool_link->outcome.reason);
        __atomic_store_n(&tool_link->state, LINK_DONE, __ATOMIC_RELEASE);
        _exit(0);
    }
    if (!options.check.enabled && !start_has_program()) {
        tool_link->outcome.input_error = 1;
        snprintf(tool_link->outcome.reason, sizeof tool_link->outcome.reason, "%s",
                 declared_any_operation()
                     ? "the program has no main function; for the operations that it declares "
                       "(HD_OP) there is `heddle check'"
                     : "the program has no main function");
        __atomic_store_n(&tool_link->state, LINK_DONE, __ATOMIC_RELEASE);
        _exit(0);
    }
    ahead_wanted = !by_hand && !units_on() && !dump_file && !wanted->show_output &&
                   !wanted->check.observations[0] && !getenv("HEDDLE_NO_LOOKS");
    ahead_setup();
    if (getenv("HEDDLE_PREEMPTION_SLACK"))
        preempt_slack = atoi(getenv("HEDDLE_PREEMPTION_SLACK"));
    bounded_counts = getenv("HEDDLE_COUNT_SCHEDULES") != NULL;
    model_checks_psc = getenv("HEDDLE_CHECK_PSC") != NULL;
    validate_steps |= getenv("HEDDLE_VALIDATE") != NULL;
    graph_history_check_edges = getenv("HEDDLE_CHECK_EDGES") != NULL;
    if (getenv("HEDDLE_EAGER_CONFIRM"))
        confirm_after = 1;
    if (getenv("HEDDLE_EAGER_WORKERS"))
        workers_keep_ns = 0;
    cpu_start = clock_cpu_ns();
    FindingKind kind = options.check.enabled ? child_check(tool_link)
                       : wanted->schedules   ? sample_all()
                                             : explore_all();
    end_worker(kind);
    __atomic_store_n(&tool_link->state, LINK_DONE, __ATOMIC_RELEASE);
    if (by_hand)
        dprintf(1,
                "%s %s %llu executions %llu blocked %llu stuck %llu cut %llu dead ends %.3f ms "
                "%.3f us/exec %u restarts; %s\n",
                verdict_word((Verdict)tool_link->outcome.verdict),
                violation_word((ViolationKind)tool_link->outcome.violation),
                (unsigned long long)counts.executions, (unsigned long long)counts.blocked,
                (unsigned long long)counts.stuck, (unsigned long long)counts.cut,
                (unsigned long long)counts.dead_ends, (double)tool_link->outcome.cpu_ns / 1e6,
                (double)tool_link->outcome.cpu_ns / 1e3 /
                    (double)(counts.executions + counts.blocked + 1),
                explore_restarts, kind == FINDING_NONE ? "" : finding.message);
    if (by_hand && kind == FINDING_VIOLATION)
        dump_graph(1);
    if (dump_file)
        fclose(dump_file);
    _exit(0);
}
