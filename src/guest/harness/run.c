/* run.c: the driver inside the program under test for `heddle run`: explores main and writes the
 * outcome into the link that the tool has mapped. Without a link (the program was started by hand)
 * by_hand.h makes one and prints the counts: handy under a debugger. */
#include "guest/harness/run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "guest/states/search.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/all.h"
#include "guest/harness/tree_dump.h"
#include "guest/harness/check/declared.h"
#include "guest/harness/check/second.h"
#include "base/clock.h"
#include "guest/harness/annotated.h"
#include "guest/harness/by_hand.h"
#include "guest/harness/by_states.h"
#include "guest/harness/check/check.h"
#include "guest/harness/dump.h"
#include "guest/harness/replay.h"
#include "guest/harness/check/test.h"
#include "guest/harness/evidence.h"
#include "guest/harness/golden_code.h"
#include "guest/harness/graph_history.h"
#include "guest/harness/hardware.h"
#include "guest/harness/leaks.h"
#include "guest/harness/promised.h"
#include "guest/harness/libraries.h"
#include "guest/explore/schedules/ahead.h"
#include "guest/explore/schedules/bounded.h"
#include "guest/explore/reduce/confirm/confirm.h"
#include "guest/explore/reduce/endless.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/graph/models/model.h"
#include "guest/explore/graph/models/missing.h"
#include "guest/explore/search/validate.h"
#include "guest/explore/schedules/preempt.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/memory/spin.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/schedules/sample.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/scale/units.h"
#include "guest/explore/scale/workers.h"
#include "record/hooks.h"
#include "record/link.h"
#include "guest/runtime/crash.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/unseen.h"
#include "guest/entry/guest.h"
#include "guest/entry/setup.h"
#include "guest/entry/shared.h"
#include "guest/entry/watch.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/image.h"
#include "guest/entry/orders.h"
#include "guest/runtime/pages.h"
#include "guest/harness/start.h"

static Link *tool_link;
static LinkCounters *my_counters;
static uint64_t polls;

/* Takes over the link that the tool has made; false if there is no tool. */
static bool map_link(void)
{
    const char *number = getenv(LINK_ENVIRONMENT);
    if (!number)
        return false;
    int fd = atoi(number);
    void *mapped = mmap(NULL, sizeof(Link), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        pages_refused("the link to the tool", sizeof(Link));
    tool_link = mapped;
    if (tool_link->version != link_version)
        die("the tool and the runtime do not fit together: build both again");
    close(fd);
    unsetenv(LINK_ENVIRONMENT);
    return true;
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
    if (UNLIKELY(ahead.forecast.probes) && ahead.forecast.probes != tool_link->forecast_probes) {
        tool_link->forecast = (LinkForecast){ahead.forecast.executions, ahead.forecast.variance,
                                             ahead.forecast.least};
        __atomic_store_n(&tool_link->forecast_probes, ahead.forecast.probes, __ATOMIC_RELEASE);
    }
}

static bool poll_link(void)
{
    publish();
    units_publish();
    if (UNLIKELY(hooks.stop_after > 0) && polls >= (uint64_t)hooks.stop_after)
        return true;
    return __atomic_load_n(&tool_link->stop, __ATOMIC_RELAXED) || workers_poll() || units_is_void();
}

static bool sign_link(void)
{
    my_counters->progress = ++polls;
    return __atomic_load_n(&tool_link->stop, __ATOMIC_RELAXED) || workers_are_asked_to_end();
}

/* The remarks of this process, those of others not twice. */
static void give_remarks(void)
{
    workers_lock();
    for (unsigned i = 0; i < findings.remark_count; i++) {
        bool known = false;
        for (unsigned j = 0; j < tool_link->remark_count; j++)
            known |= !strcmp(tool_link->remarks[j], findings.remarks[i]);
        if (!known && tool_link->remark_count < LINK_REMARKS)
            memcpy(tool_link->remarks[tool_link->remark_count++], findings.remarks[i],
                   sizeof findings.remarks[i]);
    }
    workers_unlock();
}

static ExploreCounts total_counts(void)
{
    ExploreCounts total = {0};
    for (unsigned i = 0; i <= LINK_WORKERS; i++) {
        const LinkCounters *c = &tool_link->counters[i];
        total.executions += c->executions;
        total.cut += c->cut;
        total.stuck += c->stuck;
        total.left_out += c->left_out;
    }
    return total;
}

static bool an_assumption_failed(void)
{
    for (unsigned i = 0; i < findings.remark_count; i++)
        if (!strcmp(findings.remarks[i], OP_ASSUMED))
            return true;
    for (unsigned i = 0; i < tool_link->remark_count; i++)
        if (!strcmp(tool_link->remarks[i], OP_ASSUMED))
            return true;
    return false;
}

/* Why executions were given up, and what changes it. */
static void tell_cut(OutcomeMessage *outcome, uint64_t cut)
{
    char loop[160], events[160];
    uint64_t why = outcome->cut_why;
    if (options.loop_bound)
        snprintf(loop, sizeof loop, ", after %u rounds (--loop-bound)", options.loop_bound);
    else
        snprintf(loop, sizeof loop,
                 ": alone it goes on for more than %u steps (--loop-bound=N explores N rounds of "
                 "it)",
                 (unsigned)ENDLESS_ROUNDS);
    snprintf(events, sizeof events, "a thread has more than %u events (%s %u)", options.event_bound,
             options.event_bound < EVENTS_OF_THREAD_LONG
                 ? "--event-bound=N allows more, up to"
                 : "--event-bound; no more can be explored than",
             (unsigned)EVENTS_OF_THREAD_LONG);
    if (outcome->parts_missing)
        outcome_say(outcome, OUTCOME_reason,
                    "memory is accessed atomically in several sizes, and %s allows executions, "
                    "where stores to parts of it take effect in another order, that are not "
                    "explored (heddle-run(1), ACCESSES OF SEVERAL SIZES)",
                    model_word(options.model));
    else if (outcome->threads_full)
        outcome_say(outcome, OUTCOME_reason,
                    "%llu executions were given up%s: they create more than %d threads",
                    (unsigned long long)cut,
                    outcome->cut_pc ? ", in loops that never repeat a state or because" : "",
                    MAX_THREADS - 1);
    else if (why == OUTCOME_CUT_EVENTS)
        outcome_say(outcome, OUTCOME_reason, "%llu executions were given up where %s",
                    (unsigned long long)cut, events);
    else
        outcome_say(outcome, OUTCOME_reason,
                    "%llu executions were given up in a loop that never repeats a state%s%s%s",
                    (unsigned long long)cut, loop, why == OUTCOME_CUT_LOOP ? "" : ", or where ",
                    why == OUTCOME_CUT_LOOP ? "" : events);
}

static void fill_outcome(FindingKind kind)
{
    OutcomeMessage *outcome = &tool_link->outcome;
    ExploreCounts total = total_counts();
    outcome->exhaustive = 0;
    if (kind == FINDING_VIOLATION) {
        outcome->verdict = VERDICT_VIOLATED;
        outcome->violation = finding.violation;
        evidence_fill(tool_link);
    } else if (kind == FINDING_UNSUPPORTED) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        outcome->refused_pc = finding.kind == FINDING_UNSUPPORTED ? finding.pc : 0;
        if (!outcome->input_error)
            outcome_say(outcome, OUTCOME_reason, "%s", finding.message);
    } else if (exploration.stopped && !exploration.must_end) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        outcome_say(outcome, OUTCOME_reason, "stopped before everything was explored");
    } else if (total.cut) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        tell_cut(outcome, total.cut);
    } else if (total.stuck) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        outcome_say(outcome, OUTCOME_reason,
                    "%llu deadlocks were counted and passed over, as --keep-going asks",
                    (unsigned long long)total.stuck);
    } else if (!total.executions && an_assumption_failed()) {
        outcome->verdict = VERDICT_INCONCLUSIVE;
        outcome_say(outcome, OUTCOME_reason,
                    "no execution meets what the program assumes (heddle_assume)");
    } else {
        outcome->verdict = VERDICT_HOLDS;
        outcome->exhaustive =
            !options.schedules && options.preemptions < 0 && !child_check_sampled();
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
    bool of_request = findings.self >= 0 && distance < 64;
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
    my_counters->depth = (uint64_t)order_count;
    my_counters->pc = (uintptr_t)request.pc;
    if (fiber_current < 0 || requests_seen != request_count) {
        requests_seen = request_count;
        ticks_silent = 0;
    } else if (++ticks_silent >= SILENT_TICKS) {
        ticks_silent = 0;
        tool_link->outcome.cut_pc = (uintptr_t)pc;
        op_unsupported("thread %d ran for %d s without any atomic access or call that could be "
                       "explored: an endless loop?",
                       fiber_current, TICK_MS * SILENT_TICKS / 1000);
    }
}

static void take_liveness(void)
{
    if (!(hooks.liveness ? scrub_setup_from_file(hooks.liveness)
                         : scrub_setup(tool_link->liveness, tool_link->liveness_bytes)))
        die("the table of dead stack bytes is damaged");
}

/* ---- several processes ---- */

static uint64_t cpu_start;

/* See units.h. */
static void count_for_units(UnitCounts *all)
{
    *all = (UnitCounts){.executions = counts.executions,
                        .blocked = counts.blocked,
                        .stuck = counts.stuck,
                        .cut = counts.cut,
                        .left_out = counts.left_out,
                        .revisits = revisit_count};
    give_remarks();
}

/* Tells whoever judges that this process is new, or that it is alone and begins AGAIN. */
static void begin_counting(bool again)
{
    if (options.check.annotated)
        annotated_judge_begin(again);
    else if (options.check.enabled)
        child_check_begin(tool_link, again);
}

/* This process is new: it counts in its slot, and its clock must be set. */
static void begin_worker(unsigned slot)
{
    my_counters = &tool_link->counters[slot];
    memset(reductions_used, 0, sizeof reductions_used);
    ahead_end();
    units_use_slot(slot);
    begin_counting(false);
    counts = (ExploreCounts){.executions = my_counters->executions,
                             .blocked = my_counters->blocked,
                             .stuck = my_counters->stuck,
                             .cut = my_counters->cut,
                             .left_out = my_counters->left_out};
    revisit_count = my_counters->revisits;
    polls = my_counters->progress;
    findings.remark_count = 0;
    cpu_start = clock_cpu_ns();
    crash_watchdog(TICK_MS, on_tick);
}

/* All processes have ended but this one: it explores everything again. */
static void reset_counters(void)
{
    for (LinkCounters *c = tool_link->counters; c <= tool_link->counters + LINK_WORKERS; c++)
        *c = (LinkCounters){.progress = c->progress + 1, .restarts = exploration.restarts};
    revisit_count = 0;
    tool_link->outcome.cut_pc = tool_link->outcome.threads_full = tool_link->outcome.cut_why = 0;
    tool_link->outcome.parts_missing = 0;
    tool_link->workers.stopped = 0;
    begin_counting(true);
}

/* This one is alone: what it finds from here on changes no count. */
static bool poll_alone(void)
{
    my_counters->progress = ++polls;
    return __atomic_load_n(&tool_link->stop, __ATOMIC_RELAXED);
}

/* --second-opinion: decides once more what HOLDS, or is violated as `finding` says. */
static void decide_again(OutcomeMessage *outcome, bool holds)
{
    unsigned remarks = findings.remark_count;
    uint64_t start = clock_cpu_ns();
    Finding found = finding;
    ExploreCounts before = counts;
    bool stopped = exploration.stopped;
    workers_stay_alone();
    workers_split(1);
    units_mode.apply = false;
    exploration.poll = poll_alone;
    exploration.on_complete = exploration.on_stuck = NULL;
    FindingKind kind =
        options.check.enabled ? second_check(outcome, holds) : by_states_again(outcome, holds);
    findings.remark_count = remarks;
    exploration.stopped = stopped;
    counts = before;
    outcome->cpu_ns += clock_cpu_ns() - start;
    if (holds && kind == FINDING_VIOLATION)
        fill_outcome(kind);
    else
        finding = found;
}

/* --model=imm, when all holds under rc11. */
static void look_beyond(OutcomeMessage *outcome)
{
    uint64_t start = clock_cpu_ns();
    unsigned remarks = findings.remark_count;
    workers_stay_alone();
    workers_split(1);
    units_mode.apply = false;
    exploration.poll = poll_alone;
    promised_explore(outcome);
    findings.remark_count = remarks;
    outcome->cpu_ns += clock_cpu_ns() - start;
}

static void tell_death(OutcomeMessage *outcome)
{
    outcome->verdict = VERDICT_INCONCLUSIVE;
    outcome->exhaustive = 0;
    outcome_say(outcome, OUTCOME_reason, "a process that explored a part of the executions died");
}

/* Adds this process's share to the answer, and the answer itself if it has found something. The
 * first process goes on when all others have ended, the others do not. */
static void end_worker(FindingKind kind)
{
    image_leave();
    publish();
    my_counters->depth = 0;
    OutcomeMessage *outcome = &tool_link->outcome;
    if (options.schedules) {
        outcome->distinct = sampling.distinct;
        outcome->distinct_most = !sampling.counts_all;
    }
    if (options.check.annotated)
        annotated_judge_end();
    if (in_bound.counts)
        op_warning("schedules of a search that tells no two interleavings alike: %.6g",
                   options.check.enabled ? child_test_schedules : in_bound.schedules);
    give_remarks();
    bool found = kind != FINDING_NONE;
    bool claimed = found && workers_claim_outcome();
    if (claimed)
        fill_outcome(kind);
    if (claimed && kind == FINDING_VIOLATION && options.second_opinion)
        decide_again(outcome, false);
    __atomic_add_fetch(&outcome->cpu_ns, clock_cpu_ns() - cpu_start + workers.apart_ns,
                       __ATOMIC_RELAXED);
    if (!exploration.stopped || found) {
        if (options.check.enabled)
            outcome_raise(&outcome->restarts, exploration.most_restarts);
        else
            outcome->restarts = units_on() ? tool_link->units.epoch - tool_link->units.given_up
                                           : exploration.restarts;
        outcome_raise(&outcome->promoted, memory_most_promoted); /* a journal may have known */
        outcome_raise(&outcome->alike, alikes.most);
    }
    if (counts.cut && exploration.cut_pc)
        outcome->cut_pc = exploration.cut_pc;
    if (exploration.waits_pc && (!options.check.enabled || options.check.annotated))
        outcome->waits_pc = exploration.waits_pc;
    __atomic_or_fetch(&outcome->cut_why, counts.cut ? endless_why : 0, __ATOMIC_RELAXED);
    outcome_raise(&outcome->threads_full, counts.cut && exploration.threads_full);
    outcome_raise(&outcome->parts_missing, missing.any);
    for (unsigned i = 0; i < REDUCTION_COUNT; i++)
        __atomic_add_fetch(&outcome->reductions[i], reductions_used[i], __ATOMIC_RELAXED);
    hardware_end(outcome);
    bool all_ended = workers_end(exploration.stopped);
    bool quit = tool_link->workers.state == WORKERS_QUIT || found;
    if (quit && !all_ended && outcome->verdict == VERDICT_HOLDS)
        tell_death(outcome); /* whoever had the outcome did not come to write it down */
    if (quit)
        return;
    exploration.stopped = workers_were_stopped(); /* this one may have made way for another */
    fill_outcome(FINDING_NONE);
    if (options.check.enabled && !options.check.annotated) {
        child_check_end(tool_link);
        give_remarks();
    }
    uint64_t left_out = total_counts().left_out;
    if (left_out) {
        op_warning(
            "%llu executions, or beginnings of executions, with more preemptions were left "
            "out%s",
            (unsigned long long)left_out,
            in_bound.active || !options.reductions
                ? ""
                : "; rounds of loops that are merged make the count an estimate, so that some "
                  "within the bound may be among them (not with --no-reductions)");
        give_remarks();
    }
    if (!all_ended)
        tell_death(outcome);
    if (options.load_buffering && outcome->verdict == VERDICT_HOLDS)
        look_beyond(outcome);
    if (options.second_opinion && outcome->verdict == VERDICT_HOLDS)
        decide_again(outcome, true);
}

/* ---- the order of events ---- */

NORETURN static void leave(void)
{
    __atomic_store_n(&tool_link->state, LINK_DONE, __ATOMIC_RELEASE);
    dump_end();
    tree_dump_end();
    image_leave();
    _exit(0);
}

/* Heap, fibers and explorer as the options want them; then the program's memory is kept as it is,
 * so that every execution begins with it. */
static void set_up_program(const ExploreOptions *wanted)
{
    heap_setup();
    entry_setup();
    guest_options.spurious_wakeups = wanted->spurious_wakeups;
    guest_options.weak_cas = wanted->weak_cas != 0;
    guest_options.rand_values = wanted->rand_values;
    guest_options.rand_others = wanted->rand_others;
    guest_options.clock_chosen = wanted->clock_chosen != 0;
    guest_options.clock_equals = wanted->clock_equals;
    guest_options.echo = wanted->show_output != 0;
    if (wanted->memory_bytes)
        heap_limits.bytes = MIN(heap_limits.bytes, wanted->memory_bytes);
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
}

/* Without a main function it is a test of declared operations, whose annotations are not used. */
static void set_up_annotations(void)
{
    if (!options.check.annotated)
        return;
    if (!start_has_program()) {
        options.check.annotated = 0;
        op_warning(
            "the annotations are not used: they need a program with a main function, and this "
            "is a test of declared operations");
        return;
    }
    options.check.enabled = 0;
    annotated_setup();
    annotated_judge_setup(tool_link);
}

/* Polls, crashes, endless loops, code that nobody announces. */
static void set_up_guards(void)
{
    exploration.poll = poll_link;
    exploration.sign = sign_link;
    crash_install(on_crash);
    for (int t = 0; t < MAX_THREADS; t++)
        crash_stack_guard(fibers[t].limit - 4096, 4096);
    if (!tool_link->debugged)
        watch_setup(tool_link->watches, tool_link->watch_count);
    unseen_setup(tool_link, !tool_link->debugged);
    if (tool_link->debugged) /* a person may take their time */
        return;
    crash_watchdog(TICK_MS, on_tick);
}

/* Tells the search what it is asked to do beside its options. */
static void take_hooks(void)
{
    preempt_slack = (int)MAX(hooks.preemption_slack, 0);
    in_bound.counts = hooks.count_schedules;
    model_checks_psc = hooks.check_psc;
    graphs.validates |= hooks.validate;
    options.plain_search |= hooks.plain_search;
    graph_history_check_edges = hooks.check_edges;
    spin_begin();
    if (hooks.eager_confirm)
        confirming.after = 1, values_mode.eager = true;
    if (hooks.learning >= 0)
        confirming.decided_after = (uint64_t)hooks.learning;
    if (hooks.eager_workers)
        workers.keep_ns = 0;
    if (hooks.stop_after > 0 || (hooks.looks && !strcmp(hooks.looks, "always")))
        exploration.poll_mask = 0;
    if (hooks.dump_graphs)
        dump_graphs_to(hooks.dump_graphs, tool_link->options.jobs > 1);
    if (hooks.tree)
        tree_dump_begin(hooks.tree);
}

/* Random schedules are drawn beside the search, except where each execution leaves a trace outside
 * of the process, and in parts of explorations. */
static void set_up_looks(const ExploreOptions *wanted, bool by_hand)
{
    ahead.wanted = !by_hand && !units_on() && !hooks.dump_graphs && !hooks.tree &&
                   hooks.stop_after <= 0 && !wanted->show_output && !wanted->check.observations[0];
    if (hooks.looks)
        ahead.wanted &= !strcmp(hooks.looks, "always");
    ahead_setup(hooks.looks != NULL);
}

/* Work units for the tool, then the other processes. */
static void set_up_workers(const ExploreOptions *wanted, bool by_hand)
{
    static uint32_t no_flags;
    units_setup(&tool_link->units, count_for_units, &no_flags);
    if (units_on())
        libraries_list(tool_link->units.libraries, sizeof tool_link->units.libraries);
    __atomic_store_n(&tool_link->state, LINK_RUNNING, __ATOMIC_RELEASE);
    /* the tests of `check` are shared out by child_check; a search within a bound is not
     * (bounded.h) */
    bool alone = by_hand || (!options.check.enabled && wanted->preemptions >= 0 &&
                             model_is_interleaved(wanted->model));
    units_mode.apply = !options.check.enabled;
    workers_setup(&tool_link->workers, alone ? 1 : wanted->jobs, begin_worker, reset_counters);
}

NORETURN static void replay_record(bool by_hand)
{
    child_replay(tool_link);
    if (by_hand)
        by_hand_tell_replay(tool_link);
    leave();
}

NORETURN static void refuse_without_main(void)
{
    tool_link->outcome.input_error = 1;
    outcome_say(&tool_link->outcome, OUTCOME_reason, "%s",
                declared_any_operation()
                    ? "the program has no main function; for the operations that it declares "
                      "(HD_OP) there is `heddle check'"
                    : "the program has no main function");
    leave();
}

void run_driver(void)
{
    Error error;
    if (!hooks_read(&error))
        die("%s", error.message);
    bool by_hand = !map_link();
    if (by_hand)
        tool_link = by_hand_begin();
    if (!by_hand && !tool_link->debugged)
        crash_end_with(tool_link->tool);
    my_counters = &tool_link->counters[0];
    const ExploreOptions *wanted = &tool_link->options;
    if (!tool_link->debugged)
        shared_setup(tool_link);
    set_up_program(wanted);
    set_up_annotations();
    set_up_guards();
    leaks_begin((LeakPolicy)wanted->leaks, &tool_link->outcome, tool_link->units.resumed != 0);
    take_hooks();
    set_up_workers(wanted, by_hand);
    set_up_looks(wanted, by_hand);
    hardware_begin(tool_link);
    if (tool_link->mode == LINK_REPLAY)
        replay_record(by_hand);
    if (!options.check.enabled && !start_has_program())
        refuse_without_main();
    cpu_start = clock_cpu_ns();
    FindingKind kind = options.check.enabled ? child_check(tool_link)
                       : by_states_asked()   ? by_states_run(tool_link, explore_all)
                       : wanted->schedules   ? sample_all()
                                             : explore_all();
    end_worker(kind);
    if (by_hand)
        by_hand_tell(tool_link, kind);
    leave();
}
