#include "guest/states/step.h"
#include "guest/states/state.h"
#include "guest/states/memory.h"
#include "guest/states/strong.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/entry/guest.h"
#include "guest/entry/sync/word.h"
#include "guest/entry/watch.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/graph/models/buffers.h"
#include "guest/explore/memory/scrub.h"
#include "guest/runtime/code.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/image.h"
#include "guest/states/buffers.h"
#include "guest/states/key.h"
#include "guest/states/part.h"
#include "guest/states/steps/late.h"
#include "guest/states/steps/perform.h"
#include "guest/states/steps/repeat.h"
#include "guest/states/steps/written.h"
#include "guest/states/transcript.h"
#include "guest/states/views/views.h"

static const StatesClient *client;
void (*states_on_end)(void);

/* ---- threads ---- */

/* The thread is between calls; it has returned RESULT from the last one. */
static uint32_t next_call(Value result)
{
    request.kind = REQUEST_CHOOSE;
    request.plain = 0;
    request.address = NULL;
    request.operand = STATES_IDLE_REQUEST;
    request.expected = result.word;
    request.pc = NULL;
    request_submit();
    return (uint32_t)reply.value;
}

/* (Its stack does not know which thread it is: symmetry.h.) */
static void *thread_program(void *unused)
{
    (void)unused;
    for (Value result = VALUE_UNKNOWN;;) {
        uint32_t call = next_call(result);
        result = client->perform((uint32_t)fiber_current, call);
    }
    return NULL;
}

static void *main_program(void *unused)
{
    (void)unused;
    client->begin();
    next_call(VALUE_UNKNOWN);
    return NULL;
}

static bool is_idle_request(void)
{
    return request.kind == REQUEST_CHOOSE && request.operand == STATES_IDLE_REQUEST;
}

/* False: as repeat_run. */
static bool resume(int t)
{
    DEBUG_ASSERT(t >= 0 && t < STATES_THREADS);
    if (LIKELY(repeat_follows))
        return repeat_run(t);
    states_run_begins(t);
    deferred.address = NULL; /* of a thread that was abandoned */
    findings.self = t;
    /* A deferred store keeps the request on the stack of its thread, where the last one of another
     * thread must not be part of the state. */
    memset(&request, 0, sizeof request);
    if (UNLIKELY(states_stacks_shared))
        part_forget_all();
    else
        part_forget(t);
    if (UNLIKELY(buffers_used))
        buffers_show(t);
    if (UNLIKELY(views_used))
        views_run_begins();
    watch_clear_registers();
    if (UNLIKELY(repeat_records))
        repeat_note_begin();
    fiber_resume(t);
    if (UNLIKELY(buffers_used))
        buffers_hide(t, is_idle_request() || request.kind == REQUEST_EXIT);
    if (request.kind == REQUEST_STOP)
        longjmp(findings.jump, 1);
    if (UNLIKELY(views_used))
        views_settle(t);
    if (UNLIKELY(scrub.torture))
        scrub_spoil(t);
    if (UNLIKELY(repeat_records))
        repeat_note_run();
    return true;
}

/* ---- requests ---- */

static bool is_about_threads(const Request *q)
{
    return client->program &&
           (q->kind == REQUEST_CREATE || q->kind == REQUEST_JOIN || q->kind == REQUEST_EXIT);
}

/* In how many ways can Q be performed by T now? */
static uint32_t ways_of(int t, const Request *q)
{
    if (buffers_hold(t, q))
        return 0;
    if (q->kind == REQUEST_CHOOSE)
        return (uint32_t)MIN(q->operand, UINT64_C(255));
    if (UNLIKELY(views_used) && request_is_access(q) && views_follow(t, q)) {
        request = *q;
        return views_ways(t, q);
    }
    bool may_fail = q->kind == REQUEST_CAS && q->weak && options.weak_cas;
    if (q->kind == REQUEST_AWAIT || may_fail)
        request = *q; /* should its address lead nowhere, it is the one to blame */
    if (q->kind == REQUEST_AWAIT)
        return perform_await_holds(t, q);
    /* who ends the program never returns; others that had ended could be joined before */
    if (q->kind == REQUEST_JOIN)
        return !(client->program && states_elements) && q->operand < STATES_THREADS &&
               states_thread[q->operand].call == STATES_ENDED;
    return may_fail && perform_cas_fits(q) ? 2 : 1;
}

uint32_t states_ways(int t)
{
    DEBUG_ASSERT(t >= (int)states_first && t <= (int)states_threads);
    findings.self = t;
    return states_thread[t].call < 0 ? 0 : ways_of(t, &states_thread[t].request);
}

/* ---- steps ---- */

/* Will T, which is at its place, begin another call? */
static bool may_call(int t)
{
    bool may = false;
    for (uint32_t c = 0; c < client->calls && !may; c++)
        may = client->may_call((uint32_t)t, states_thread[t].place, c);
    return may;
}

static void end_call(int t, StatesDone *done)
{
    StatesThread *thread = &states_thread[t];
    done->returned = true;
    done->result = (Value){request.expected};
    done->ended = (uint32_t)thread->call;
    done->requests++;
    int change = client->change((uint32_t)thread->call, true, done->result);
    done->late = buffers_end_call(t, change);
    states_elements += done->late ? 0 : (uint32_t)change;
    if (UNLIKELY(views_used) && states_concurrent) {
        views_return(t);
        done->late = true; /* for those who come behind others */
    }
    thread->call = STATES_IDLE;
    thread->overtaken = 0;
    for (uint32_t u = 1; u <= states_threads; u++)
        if (states_thread[u].call != STATES_IDLE && states_thread[u].overtaken < states_lag)
            states_thread[u].overtaken++;
    states_has_stack[t] = false;
    states_look_for_private(t, NULL);
}

/* gcc copies a structure after both hooks, that of the write first: if the read is a step of its
 * own, the write is made after it, at no step. (Looked at here, because what a thread's stack looks
 * like must not depend on it. rbp is not known here: it counts as the frame pointer.) */
static void refuse_copies(const Request *q)
{
    const void *write = states_late_write;
    if (q->plain == 1 && q->kind == REQUEST_LOAD && write &&
        (write == q->pc || code_between(write, q->pc, false, true) != CODE_STORES))
        op_unsupported("threads race on memory that is copied as a structure, or by a library "
                       "function");
}

/* T has stopped inside a call: dead bytes of its stack become zero, so that states which differ
 * only in them are the same. (Where other threads look into the stack, only registers are.) Not
 * just left out of keys: a pointer in one of them would outlive its block, and might count again
 * where less is known about the frame. */
static void clean_stack(int t)
{
    if (LIKELY(repeat_follows))
        repeat_stop(t);
    else if (scrub.active)
        scrub_clean(fibers[t].sp, fibers[t].base, states_stacks_shared >> t & 1);
}

/* T runs on. PERFORMED: the step's visible access is made. The call ends with the last one, and
 * begins with its first. */
static void run_on(int t, bool performed, StatesDone *done)
{
    enum { PATIENCE = 256 }; /* a loop on memory that others will find only later */
    uint32_t before = states_prints[t].count;
    bool stored = false; /* into its buffer: others may see that before its next access */
    for (uint32_t alone = 0;;) {
        if (!resume(t))
            return;
        if (is_idle_request()) {
            end_call(t, done);
            return;
        }
        bool held = buffers_hold(t, &request); /* a fence, too */
        if (!held && (request.kind == REQUEST_FENCE || request.kind == REQUEST_MARK)) {
            done->requests++;
            if (UNLIKELY(views_used) && request.kind == REQUEST_FENCE)
                views_fence(t, &request);
            continue;
        }
        if (!held && !request_is_access(&request) && request.kind != REQUEST_CHOOSE &&
            !is_about_threads(&request))
            op_unsupported("an operation creates a thread, waits for the end of one, or ends its "
                           "own: --unbounded does not follow that");
        Request asked = request;
        if (LIKELY(!repeat_follows)) /* its part is looked at below */
            states_thread[t].request = asked;
        states_look_for_private(t, asked.address);
        refuse_copies(&asked);
        bool one_way = request_is_access(&asked) && asked.kind != REQUEST_AWAIT &&
                       !(asked.weak && asked.kind == REQUEST_CAS && options.weak_cas);
        bool waits = asked.kind == REQUEST_AWAIT;
        if (UNLIKELY(views_used) && request_is_access(&asked) && views_follow(t, &asked)) {
            uint32_t ways = ways_of(t, &asked);
            one_way = ways == 1;
            waits = false;
            if (ways > 1 && guest_thread((unsigned)t)->inside)
                op_unsupported("states under rc11 do not follow a futex that finds one of several "
                               "values");
        }
        bool private = one_way && alone < PATIENCE && !(held && buffers_request_drains(&asked)) &&
                       states_is_private(t, asked.address);
        if (one_way && states_in_area((uintptr_t)asked.address))
            states_decide(private);
        bool unseen = private || (!held && buffers_take(&asked)); /* by others, so far */
        alone = private ? alone + 1 : 0;
        if (!unseen) {
            bool can = one_way || (waits && perform_await_holds(t, &asked));
            bool inside = guest_thread((unsigned)t)->inside; /* others wait until it is not */
            if (((performed || states_prints[t].count != before || stored) && !inside) || held ||
                !can) {
                done->site = asked.plain == 1 ? asked.pc : NULL;
                if (asked.kind == REQUEST_AWAIT && (!performed || inside))
                    states_touch(asked.address, asked.size, false); /* it was looked at */
                clean_stack(t);
                return;
            }
            performed = true;
        }
        done->requests += asked.plain != 1;
        if (!private)
            strong_note(&asked);
        perform_request(t, &asked, 0, private);
        if (!unseen)
            states_prints[t].count = 0;
        stored |= unseen && !private;
    }
}

/* ---- threads of a program ---- */

/* T begins, and runs to its first request: that may be one which others do not notice, because no
 * step of a script tells how many a thread performs before it is chosen. */
static void begin_thread(int t)
{
    fiber_restart(t);
    states_thread[t] = (StatesThread){.call = 0};
    states_has_stack[t] = true;
    findings.self = t;
    resume(t);
    states_thread[t].request = request;
    states_look_for_private(t, NULL);
    clean_stack(t);
}

/* The number of the thread that Q creates, which does not run yet. */
static int create_thread(const Request *q)
{
    DEBUG_ASSERT(!states_first);
    int t = 0;
    while (t < STATES_THREADS && states_thread[t].call != STATES_IDLE)
        t++;
    if (t == STATES_THREADS)
        op_unsupported("more than %d threads: states are explored of no more", STATES_THREADS - 1);
    fibers[t].function = q->function;
    fibers[t].argument = (void *)(uintptr_t)q->operand;
    states_thread[t].call = 0;
    threads_created |= thread_bit((unsigned)t);
    reply.value = (uint64_t)t;
    return t;
}

static void end_thread(int t, const Request *q)
{
    DEBUG_ASSERT(!states_first && t >= 0);
    if (q->ends_program)
        states_elements = 1;
    states_thread[t] = (StatesThread){.call = STATES_ENDED, .result = q->operand};
    states_has_stack[t] = false;
    states_prints[t].count = 0;
    part_forget(t);
}

static bool is_over(void)
{
    bool over = true;
    for (uint32_t t = states_first; t <= states_threads; t++)
        over &= states_thread[t].call < 0;
    return over || states_elements;
}

/* T, which stands at a request about threads, goes on. */
static void step_of_program(int t, StatesDone *done)
{
    Request q = states_thread[t].request;
    int created = -1;
    done->requests = 1;
    written_note_change();
    if (q.kind == REQUEST_EXIT) {
        end_thread(t, &q);
        if (UNLIKELY(views_used))
            views_end(t);
        if (UNLIKELY(states_on_end != NULL) && !part_is_elsewhere && is_over())
            states_on_end();
        return;
    }
    if (q.kind == REQUEST_CREATE) {
        created = create_thread(&q);
        if (UNLIKELY(views_used))
            views_create(t, created);
    } else {
        if (UNLIKELY(views_used))
            views_join(t, (int)q.operand);
        reply.value = states_thread[q.operand].result;
        states_thread[q.operand].result = 0;
    }
    states_prints[t].count = 0;
    run_on(t, true, done);
    if (created >= 0)
        begin_thread(created);
}

static void step(int t, uint32_t way, StatesDone *done)
{
    StatesThread *thread = &states_thread[t];
    findings.self = t;
    states_touched.bytes = states_touched.hidden = 0;
    done->site = NULL;
    if (way == STATES_FLUSH) {
        done->site = states_buffers[t].at[0].pc;
        int change = 0;
        done->over = buffers_flush(t, &change);
        states_elements += (uint32_t)change;
        return;
    }
    if (thread->call == STATES_IDLE) {
        uint32_t call = way % client->calls;
        done->call = (int16_t)call;
        done->requests = 1; /* the mark of a call, in a test */
        thread->call = (int32_t)call;
        thread->place = client->next_place ? client->next_place(thread->place) : 0;
        states_has_stack[t] = true;
        states_elements += (uint32_t)client->change(call, false, VALUE_UNKNOWN);
        if (UNLIKELY(views_used))
            views_call(t, way / client->calls, may_call(t));
        reply.value = call;
        run_on(t, false, done);
        return;
    }
    request = thread->request;
    if (is_about_threads(&request)) {
        step_of_program(t, done);
        return;
    }
    done->requests += request.plain != 1;
    strong_note(&thread->request);
    perform_request(t, &thread->request, way, false);
    states_prints[t].count = 0;
    run_on(t, true, done);
}

void states_step(int t, uint32_t way, StatesDone *done)
{
    DEBUG_ASSERT(t >= (int)states_first && t <= (int)states_threads &&
                 way < MAX(1u, states_ways(t)));
    written_begin();
    states_touched = (StatesTouched){.decisions = 1};
    *done = (StatesDone){.call = -1};
    if (UNLIKELY(views_used))
        views_step_begins();
    step(t, way, done);
    for (uint32_t behind = 0; late_goes_on(behind, done); behind++)
        step(t, 0, done);
    done->wrote = written_changed();
    done->tried = client->program && written_in_vain && !done->wrote;
    if (UNLIKELY(buffers_used) && late_settles())
        buffers_settle();
}

/* ---- calls one at a time ---- */

typedef struct Later { /* a state in which a call has several ways to go on */
    char *copy;
    uint32_t way;
} Later;
typedef Vec(Later) Laters;

static void keep_ways(uint32_t ways, Laters *later)
{
    for (uint32_t way = 1; way < ways; way++) {
        static StatesCopy copy;
        states_copy(&copy);
        vec_push(later, (Later){states_keep(&copy), way});
    }
}

/* Has the thread been in this state before, in this call? */
static bool goes_round(HashMap *seen)
{
    StatesKey key = states_key();
    bool fresh;
    hashmap_put(seen, hash_combine(key.a, key.b), &fresh);
    return !fresh;
}

/* T runs to the end of its call, in the first way that offers itself; the others are kept. False:
 * it waits. */
static bool run_to_end(int t, Laters *later, StatesDone *done)
{
    enum { QUIET = 64 }; /* requests before states are compared */
    HashMap seen = {0};
    for (uint32_t count = 0;; count++) {
        resume(t);
        if (is_idle_request()) {
            end_call(t, done);
            hashmap_free(&seen);
            return true;
        }
        if (request.kind == REQUEST_FENCE || request.kind == REQUEST_MARK)
            continue;
        if (!request_is_access(&request) && request.kind != REQUEST_CHOOSE)
            op_unsupported("an operation creates a thread, waits for the end of one, or ends its "
                           "own: --unbounded does not follow that");
        Request asked = states_thread[t].request = request;
        uint32_t ways = ways_of(t, &asked);
        if (count > QUIET)
            clean_stack(t);
        if (!ways || (count > QUIET && goes_round(&seen))) {
            hashmap_free(&seen);
            return false;
        }
        keep_ways(ways, later);
        perform_request(t, &asked, 0, false);
    }
}

bool states_run_alone(int t, uint32_t call, void (*ended)(Value result, void *context),
                      void *context)
{
    Laters later = {0};
    StatesDone done = {.call = -1};
    states_thread[t].call = (int32_t)call;
    states_has_stack[t] = true;
    reply.value = call;
    bool waits = false;
    for (;;) {
        if (run_to_end(t, &later, &done))
            ended(done.result, context);
        else
            waits = true;
        if (!later.count)
            break;
        Later next = vec_pop(&later);
        states_restore(next.copy);
        free(next.copy);
        Request asked = states_thread[t].request;
        perform_request(t, &asked, next.way, false);
    }
    vec_free(&later);
    return waits;
}

void states_use(const StatesClient *wanted)
{
    client = wanted;
}

/* ---- the start ---- */

static void run_main(void)
{
    fiber_set_main(main_program);
    fiber_restart(0);
    for (;;) {
        resume(0);
        if (is_idle_request())
            return;
        if (request.kind == REQUEST_FENCE || request.kind == REQUEST_MARK)
            continue;
        if (!request_is_access(&request))
            op_unsupported("HD_INIT creates a thread, makes a choice or ends: --unbounded does "
                           "not follow that");
        if (request.kind == REQUEST_AWAIT && !perform_await_holds(0, &request))
            op_violation(VIOLATION_DEADLOCK, request.pc, "HD_INIT waits for ever");
        Request asked = request;
        perform_request(0, &asked, 0, false);
    }
}

static void restore_program(void)
{
    image_restore();
    heap_restart();
    fiber_reset_storage();
    deferred.address = NULL;
}

void states_leave(void)
{
    restore_program();
    states_memory_leave();
    states_first = 1;
}

/* Main, whose program fiber.h knows, runs to its first request. */
static void start_program_states(void)
{
    for (int t = 0; t < STATES_THREADS; t++)
        states_thread[t] = (StatesThread){.call = STATES_IDLE};
    threads_created = 1;
    states_concurrent = true;
    begin_thread(0);
}

void states_start_again(const StatesClient *wanted)
{
    part_forget_all();
    client = wanted;
    ASSERT(client->program ||
           (client->threads && client->threads < STATES_THREADS && client->calls));
    restore_program();
    states_memory_restart();
    states_first = !client->program;
    states_threads = client->program ? STATES_THREADS - 1 : client->threads;
    states_elements = 0;
    buffers_begin();
    views_begin();
    memset(states_has_stack, 0, sizeof states_has_stack);
    if (client->program) {
        start_program_states();
        return;
    }
    run_main();
    uint32_t calling = 0;
    for (uint32_t t = 1; t <= client->threads; t++) {
        fibers[t].function = thread_program;
        fibers[t].argument = NULL;
        fiber_restart((int)t);
        resume((int)t);
        ASSERT(is_idle_request());
        states_note_idle((int)t, client->first_place ? client->first_place(t) : 0);
        calling |= (uint32_t)may_call((int)t) << t;
    }
    views_begin_client(calling);
    states_concurrent = true;
}

void states_start(const StatesClient *wanted)
{
    part_begin();
    states_start_again(wanted);
}
