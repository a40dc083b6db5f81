#include "guest/harness/replay.h"
#include "guest/explore/memory/blocks.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "guest/harness/annotated.h"
#include "guest/harness/check/check.h"
#include "guest/harness/check/test.h"
#include "guest/harness/evidence.h"
#include "guest/harness/leaks.h"
#include "guest/harness/graph_axioms.h"
#include "guest/entry/guest.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/schedules/guided.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/spin.h"
#include "guest/runtime/callers.h"
#include "guest/runtime/code.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/allocation.h"
#include "guest/runtime/pages.h"

static struct { /* the record that is run again */
    RecordEvent *events;
    uint32_t count;
    RecordThread threads[MAX_THREADS];
    uint32_t thread_count;
    ViolationKind wanted; /* what it shows */
    int finder;           /* the thread that found it, or -1 */
    ThreadSet ran_on;     /* threads that had run on behind their last events */
    uint32_t stop_after;  /* steps after which a debugger stops; 0: never */
} old;
/* Static because a finding jumps out of the steps. */
static volatile bool same_steps; /* so far the program has done what the record says */
static ThreadSet ran_on;         /* threads that are still to run on */
static EventId *made;            /* record event -> graph event */
static uint32_t *new_number;     /* graph event -> new record event */

/* A plain write is seen before it is done. What was written is there when the next event comes: no
 * other thread runs between. A violation found at the write itself leaves it unknown. */
static RecordEvent *written;

/* Copies memory that the program is about to read or has written, unless it can't be read: then
 * the program crashes there itself, or has unmapped it since. */
static bool peek(void *to, const void *address, size_t bytes)
{
    const Fiber *self = &fibers[MAX(fiber_current, 0)];
    const char *at = address;
    if (in_heap(at) || (at >= self->limit && at + bytes <= self->base)) { /* always mapped */
        memcpy(to, at, bytes);
        return true;
    }
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)address, bytes};
    ssize_t count = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (count < 0 && (errno == EPERM || errno == ENOSYS) && (uintptr_t)address > 1u << 16) {
        memcpy(to, address, bytes);
        return true;
    }
    return count == (ssize_t)bytes;
}

static void fill_written(void)
{
    if (written && written->size <= 8)
        written->has_value =
            peek(written->value, (const void *)(uintptr_t)written->address, written->size);
    written = NULL;
}

/* Was this access made so often since the last event that it need not be shown again? A loop that
 * reads plain memory may go round for as long as it likes. */
static bool is_repeated(const void *address, bool writes, const void *pc)
{
    enum { SHOWN = 8, KNOWN = 1024 };
    static struct {
        const void *address, *pc;
        int events;
        uint32_t times;
    } known[KNOWN];
    uint64_t hash = ((uintptr_t)address ^ (uintptr_t)pc << 20 ^ writes) * 0x9E3779B97F4A7C15u;
    size_t place = (size_t)(hash >> 54);
    if (known[place].address != address || known[place].pc != pc ||
        known[place].events != order_count) {
        known[place].address = address;
        known[place].pc = pc;
        known[place].events = order_count;
        known[place].times = 0;
    }
    return ++known[place].times > SHOWN;
}

/* The last event of the record: a plain read of these bytes whose value is not certain yet. */
static RecordEvent *read_now;

static void trace_access(const void *address, size_t bytes, bool writes, const void *pc, bool holds)
{
    if (holds) {
        if (read_now)
            read_now->has_value = peek(read_now->value, address, MIN(bytes, 8u));
        read_now = NULL;
        return;
    }
    read_now = NULL;
    uintptr_t offset = (uintptr_t)address - (uintptr_t)&child_test;
    if (offset < sizeof child_test) /* the arguments of a call: not the program's memory */
        return;
    const HeapBlock *block = writes ? heap_block_at(address) : NULL;
    if (block && block->zeroed && block->pc == (uintptr_t)pc && block->bytes == bytes)
        return; /* the zeroes of calloc: the allocation is shown */
    if (is_repeated(address, writes, pc)) {
        fill_written();
        return;
    }
    /* a structure is copied, or memcpy is called: the write comes after this read */
    bool late = !writes && written &&
                (written->pc == (uintptr_t)pc ||
                 code_between((const void *)written->pc, pc,
                              fiber_of_stack((char *)written->address) >= 0, true) == CODE_NOTHING);
    if (!late)
        fill_written();
    RecordEvent *e = evidence_append(writes ? RECORD_PLAIN_WRITE : RECORD_PLAIN_READ, fiber_current,
                                     (uintptr_t)pc);
    e->address = (uintptr_t)address;
    e->size = (uint8_t)MIN(bytes, 255u);
    evidence_locate(e);
    if (writes) {
        written = e;
        return;
    }
    e->has_value = peek(e->value, address, MIN(bytes, 8u));
    read_now = e;
}

static void trace_heap(const HeapBlock *block, bool frees, const void *pc)
{
    fill_written();
    RecordEvent *e =
        evidence_append(frees ? RECORD_FREE : RECORD_ALLOC, fiber_current, (uintptr_t)pc);
    e->address = (uintptr_t)(block + 1);
    e->value[0] = block->bytes;
}

static EventKind graph_kind(uint8_t kind)
{
    static const uint8_t kinds[] = {
        [RECORD_READ] = EVENT_READ,     [RECORD_WRITE] = EVENT_WRITE, [RECORD_FENCE] = EVENT_FENCE,
        [RECORD_CREATE] = EVENT_CREATE, [RECORD_JOIN] = EVENT_JOIN,   [RECORD_END] = EVENT_END,
        [RECORD_CHOOSE] = EVENT_CHOOSE, [RECORD_CALL] = EVENT_MARK,   [RECORD_RETURN] = EVENT_MARK};
    return kind < sizeof kinds ? kinds[kind] : 0;
}

/* The values of atomic objects live in the graph; who looks at memory with a debugger expects the
 * newest there. Initial values were read when the location was made, so nothing depends on it. */
static void show_value(const Location *x)
{
    EventId last = x->co[x->writes - 1];
    uint64_t value[2] = {write_value(last, x), x->size == 16 ? graph_value_high(last, x) : 0};
    memcpy(x->address, value, MIN(x->size, sizeof value));
}

static bool perform(uint32_t i)
{
    const RecordEvent *e = &old.events[i];
    GuidedStep step = {.thread = e->thread,
                       .kind = graph_kind(e->kind),
                       .address = e->address,
                       .pc = e->pc,
                       .co = (int32_t)e->co,
                       .value = e->value[0],
                       .expected = e->expected[0],
                       .child = e->other};
    if (step.thread >= MAX_THREADS)
        return false;
    if (e->kind == RECORD_READ) {
        if (e->rf != RECORD_INIT && e->rf >= i)
            return false;
        step.read_from = e->rf == RECORD_INIT ? 0 : made[e->rf];
        step.fails = (e->flags & RECORD_FLAG_CAS) && !(e->flags & RECORD_FLAG_RMW);
    }
    const Event *done = guided_step(&step);
    if (!done)
        return false;
    made[i] = event_id(done);
    if (findings.debugged && done->kind == EVENT_WRITE)
        show_value(&locations[done->location]);
    fill_written();
    RecordEvent *to = evidence_append(RECORD_READ, done->thread, done->pc);
    evidence_describe(to, made[i]);
    evidence_locate(to);
    return true;
}

/* An access that was not made, because it is the violation: the last event of its thread. */
static void add_blamed(void)
{
    static const RecordKind kinds[] = {[BLAME_READ] = RECORD_PLAIN_READ,
                                       [BLAME_WRITE] = RECORD_PLAIN_WRITE,
                                       [BLAME_FREE] = RECORD_FREE};
    if (finding.kind != FINDING_VIOLATION || !finding.blame || finding.thread < 0)
        return;
    RecordEvent *e = evidence_append(kinds[finding.blame], finding.thread, finding.pc);
    e->address = finding.address;
    e->size = (uint8_t)finding.bytes;
    e->other = RECORD_NONE;
    evidence_locate(e);
}

static bool is_read(const RecordEvent *e)
{
    return e->kind == RECORD_READ || e->kind == RECORD_PLAIN_READ;
}

/* Marks the last access of the other thread of a race, or of a use of freed memory. PLAIN: only
 * accesses that are not atomic, since two atomic ones do not race; the memory's allocation is one,
 * too (calloc fills it). WRITES: no reads. Returns whether there is any. */
static bool mark_partner(RecordEvent *events, uint64_t count, bool plain, bool writes)
{
    for (uint64_t k = count; k-- > 0;) {
        RecordEvent *e = &events[k];
        bool allocates = plain && e->kind == RECORD_ALLOC;
        uint64_t bytes = allocates ? e->value[0] : e->size;
        bool fits =
            allocates ||
            (plain ? e->kind == RECORD_PLAIN_READ || e->kind == RECORD_PLAIN_WRITE : bytes > 0);
        if (e->thread == finding.partner && fits && !(writes && is_read(e)) &&
            e->address < finding.address + finding.bytes && finding.address < e->address + bytes) {
            e->flags |= RECORD_FLAG_PARTNER;
            return true;
        }
    }
    return false;
}

/* Numbers of reads-from and final coherence places, once everything is there. */
static void finish_record(Link *link)
{
    RecordEvent *events = (RecordEvent *)(void *)link->evidence;
    uint32_t at = 0;
    for (uint32_t i = 0; i < old.count && made[i]; i++) {
        /* graph events follow each other in the new record in the same order */
        while (at < link->events.count && graph_kind(events[at].kind) == 0)
            at++;
        if (at == link->events.count)
            break;
        new_number[made[i]] = at;
        evidence_describe(&events[at], made[i]);
        if (events[at].kind == RECORD_READ) {
            const Event *e = &pool[made[i]];
            events[at].rf = e->rf ? new_number[e->rf] : RECORD_INIT;
        }
        at++;
    }
    /* A history that no serial order explains shows at its last result; the finder did nothing
     * wrong itself.
     */
    bool unexplained = finding.violation == VIOLATION_LINEARIZABILITY ||
                       finding.violation == VIOLATION_NONDETERMINISM;
    for (uint64_t k = link->events.count; unexplained && k-- > 0;)
        if (events[k].kind == RECORD_RETURN) {
            events[k].flags |= RECORD_FLAG_BAD;
            break;
        }
    bool is_atomic = false;
    bool only_reads = false; /* then its partner in a race writes; a free is no event yet */
    if (finding.thread >= 0 && !unexplained && finding.violation != VIOLATION_STUCK)
        for (uint64_t k = link->events.count; k-- > 0;)
            if (events[k].thread == finding.thread) {
                if (events[k].kind != RECORD_END) /* found when all was over: nobody's step */
                    events[k].flags |= RECORD_FLAG_BAD;
                /* one that is blamed is atomic, but not made yet (races.c) */
                is_atomic = finding.violation == VIOLATION_RACE &&
                            (finding.blame != BLAME_NOTHING ||
                             ((events[k].kind == RECORD_READ || events[k].kind == RECORD_WRITE) &&
                              events[k].order <= ORDER_SEQ_CST));
                only_reads = finding.violation == VIOLATION_RACE && is_read(&events[k]);
                break;
            }
    if (finding.partner >= 0 &&
        !(is_atomic && mark_partner(events, link->events.count, true, only_reads)))
        (void)mark_partner(events, link->events.count, false, only_reads);
}

/* Those that had run on when the violation was found do so: what they did behind their last events
 * (free memory and wait in a join, say) is no event. When a thread waits in a loop for plain
 * memory, all others have. */
static void run_others_on(void)
{
    ThreadSet others = threads_created & ~threads_ended & ~thread_bit(old.finder);
    for (ThreadSet left = spin.in_replay ? others & ~threads_waiting : others & ran_on; left;
         left &= left - 1)
        guided_run_on(thread_first(left));
    ran_on = 0;
}

/* Is step I the last read of the record, by its finder? The violation may be that read itself. */
static bool is_last_read(uint32_t i)
{
    const RecordEvent *e = &old.events[i];
    return e->kind == RECORD_READ && e->thread == old.finder &&
           (i + 1 == old.count || (i + 2 == old.count && e[1].kind == RECORD_WRITE &&
                                   e[1].thread == old.finder && e[1].flags & RECORD_FLAG_RMW));
}

/* A thread that waits, rather than one that waits for its end. */
static void stop_stuck(void)
{
    int shown = -1;
    for (ThreadSet left = threads_waiting & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (shown < 0 || (threads[t].count && last_event(t)->waits == WAITS_BLOCKED))
            shown = t;
    }
    if (findings.debugged)
        heddle__stop(shown);
}

/* Where a debugger stops: after so many events. What no serial order explains is seen best in the
 * operation with the last result, at its last step: there its thread and all others stand as they
 * do when the result is decided. Other violations stop by themselves. */
static uint32_t debug_stop(const Link *link)
{
    if (!link->debugged || link->debug_stop)
        return link->debug_stop;
    if (link->record_violation != VIOLATION_LINEARIZABILITY &&
        link->record_violation != VIOLATION_NONDETERMINISM)
        return 0;
    uint32_t last = old.count;
    while (last > 0 && old.events[last - 1].kind != RECORD_RETURN)
        last--;
    for (uint32_t i = last; i-- > 1;)
        if (last && old.events[i - 1].thread == old.events[last - 1].thread)
            return i;
    return last;
}

/* Takes the record out of the link: its threads, and its events without the plain accesses of an
 * earlier replay, which are no steps. */
static void take_record(const Link *link)
{
    old.wanted = (ViolationKind)link->record_violation;
    old.finder = -1;
    old.ran_on = 0;
    old.thread_count = (uint32_t)MIN(link->threads.count, (uint64_t)MAX_THREADS);
    memcpy(old.threads, link->evidence + link->threads.offset,
           sizeof(RecordThread) * old.thread_count);
    for (uint32_t t = 0; t < old.thread_count; t++) {
        if (old.threads[t].finder)
            old.finder = (int)t;
        old.ran_on |= (ThreadSet)(old.threads[t].ran_on != 0) << t;
    }
    uint32_t count = (uint32_t)link->events.count;
    old.events = pages_alloc(sizeof(RecordEvent) * ((size_t)count + 1));
    memcpy(old.events, link->evidence + link->events.offset, sizeof(RecordEvent) * count);
    uint32_t *renumber = pages_alloc(sizeof(uint32_t) * ((size_t)count + 1));
    old.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        renumber[i] = old.count;
        if (!graph_kind(old.events[i].kind))
            continue;
        if (old.events[i].rf < count)
            old.events[i].rf = renumber[old.events[i].rf];
        old.events[old.count++] = old.events[i];
    }
    made = pages_alloc(sizeof(EventId) * ((size_t)old.count + 1));
    new_number = pages_reserve(sizeof(uint32_t) * MAX_EVENTS);
    old.stop_after = debug_stop(link);
}

/* A plain or volatile access of the recorded execution was an event, or would have been the next
 * one of its thread: it is one again. */
static void recall_access(uint64_t address, uint32_t bytes, uint32_t kind)
{
    char *at = (char *)(uintptr_t)address;
    if (kind == RECORD_PROMOTED)
        memory_promote_read(at, bytes);
    if (kind == RECORD_VOLATILE && fiber_of_stack(at) >= 0)
        memory_mark_foreign(at, bytes);
}

/* Has the accesses and allocations of the program traced, and knows what the exploration knew. */
static void begin_tracing(const Link *link)
{
    if (link->debugged) {
        fiber_use_kernel_threads();
        findings.debugged = true;
    }
    callers_kept = true;
    memory_state.trace = trace_access;
    spin_begin();
    spin.may_stall = true;
    heap_trace = trace_heap;
    for (uint32_t i = 0; i < old.count; i++) {
        const RecordEvent *e = &old.events[i];
        recall_access(e->address, e->size, e->order);
        process_recall(e->address);
        rwlock_recall(e->address);
        threads_recall(e->address);
        specific_recall(e->address);
        bool access = e->kind == RECORD_READ || e->kind == RECORD_WRITE;
        if (access && e->other > 1 && e->other <= 16) {
            char *block = (char *)(uintptr_t)(e->address & ~(uint64_t)(e->other - 1));
            blocks_add(block, e->other, block, e->other);
        }
    }
    for (uint32_t t = 0; t < old.thread_count; t++)
        recall_access(old.threads[t].asks_address, old.threads[t].asks_bytes,
                      old.threads[t].asks_order);
}

static void perform_steps(Link *link)
{
    same_steps = true;
    evidence_begin(link);
    ran_on = old.ran_on;
    exploration.restarts = 1;
    finding = (Finding){.kind = FINDING_NONE, .partner = -1, .thread = -1};
    guided_begin();
    for (uint32_t i = 0; i < old.count && same_steps; i++) {
        if (old.finder >= 0 && is_last_read(i))
            run_others_on();
        same_steps = perform(i);
        if (i + 1 == old.stop_after || heddle__stop_always)
            heddle__stop(old.events[i].thread);
    }
}

/* After all steps: makes the violation show, by the thread that found it or by judging what has
 * happened. */
static void show_violation(void)
{
    bool stuck = old.wanted == VIOLATION_DEADLOCK || old.wanted == VIOLATION_LIVELOCK ||
                 old.wanted == VIOLATION_STUCK;
    if (old.finder >= 0) {
        run_others_on();
        guided_finish(old.finder);
    } else if (options.check.enabled && (!stuck || child_test.serially || guided_is_stuck())) {
        if (stuck && !child_test.serially) /* serially others are held */
            stop_stuck();
        child_check_judge_again(stuck);
    } else if (old.wanted == VIOLATION_LEAK) {
        leaks_look();
    } else if (options.check.annotated && !stuck) {
        annotated_judge_again();
    } else if (stuck &&
               (guided_is_stuck() || (old.wanted == VIOLATION_LIVELOCK && guided_loops_on()))) {
        stop_stuck();
        finding = (Finding){
            .kind = FINDING_VIOLATION, .violation = old.wanted, .thread = -1, .partner = -1};
    }
}

/* The partner's access may stand behind its last event: the exploration had run it on. (Of memory
 * that the finder frees, it is then the one that comes too late.) */
static void finish_partners(void)
{
    if (old.finder < 0 || (old.wanted != VIOLATION_RACE && old.wanted != VIOLATION_USE_AFTER_FREE))
        return;
    for (ThreadSet left =
             threads_created & ~(threads_ended | threads_waiting | thread_bit(old.finder));
         left; left &= left - 1)
        guided_finish(thread_first(left));
}

static void judge(OutcomeMessage *outcome)
{
    if (finding.violation == VIOLATION_DEADLOCK || finding.violation == VIOLATION_LIVELOCK)
        explore_describe_deadlock(finding.message, sizeof finding.message);
    outcome->verdict = VERDICT_INCONCLUSIVE;
    const char *axiom = graph_axioms_broken(NULL, 0);
    if (!same_steps)
        outcome_say(outcome, OUTCOME_reason, "%s", guided_problem);
    else if (finding.kind != FINDING_VIOLATION || finding.violation != old.wanted)
        outcome_say(outcome, OUTCOME_reason, "the same steps do not show the %s again",
                    violation_word(old.wanted));
    else if (axiom)
        outcome_say(outcome, OUTCOME_reason, "the execution is not consistent by the axioms: %s",
                    axiom);
    else {
        outcome->verdict = VERDICT_VIOLATED;
        outcome->violation = old.wanted;
        outcome->replayed = 1;
    }
}

/* Each restart of a replay has learnt something that the search knew (a word that is used in parts
 * begins it again once), so there are as many as in the search; beyond this many it is a fault. */
enum { MOST_RESTARTS = 100000 };

void child_replay(Link *link)
{
    take_record(link);
    if (options.check.enabled && !child_check_prepare(link)) {
        link->outcome.verdict = VERDICT_INCONCLUSIVE;
        return;
    }
    begin_tracing(link);
    /* what an exploration learns at its first restarts is learnt again */
    static volatile int tries;
    tries = 0;
    bool found = setjmp(findings.jump);
    if (found && finding.kind == FINDING_RESTART && tries++ < MOST_RESTARTS)
        found = false;
    if (!found) {
        perform_steps(link);
        if (same_steps) {
            show_violation();
            finish_partners();
        }
    }
    memory_state.trace = NULL;
    heap_trace = NULL;
    judge(&link->outcome);
    /* a write that crashed was never made, and its address can't be read */
    if (written && written->pc != finding.pc && finding.violation != VIOLATION_CRASH)
        fill_written();
    add_blamed();
    finish_record(link);
    evidence_end();
}
