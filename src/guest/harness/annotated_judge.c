/* annotated_judge.c: is a complete execution what its annotations say? As the paper orders it:
 * races and uninitialised loads have ended the execution before; then each call must have an
 * ordering point, the calls must be ordered without a cycle, the sequential histories must meet
 * pre- and post-conditions, and calls that a rule relates must synchronise.
 *
 * Only calls on the same object share sequential state, so histories are those of one object; the
 * relation is that of all calls. Conditions speak of what pointer arguments point to at the
 * response: the bytes copied then are put in place while the code of that call runs, so that the
 * pointer keeps its value and its pointee is as it was. */
#include <string.h>
#include "base/hash.h"
#include "guest/harness/annotated_now.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/search/ops.h"
#include "guest/runtime/pages.h"

#define STATE_BYTES (16u << 20)
#define MOST_COUNTED 1000000000u

static Link *target;
static const HeddleAnnotations *table;
AnnotatedNow annotated_now;
static AnnotatedNow *const now = &annotated_now;
typedef struct AnnotatedTally { /* over all executions of this process */
    uint64_t executions, histories, several, most_histories, unfinished, too_many, inadmissible;
} AnnotatedTally;
static AnnotatedTally tally;
static HashMap counted; /* how many histories an order has */
static unsigned char *state_memory;

/* ---- the calls of the execution ---- */

static bool collect_calls(void)
{
    now->call_count = 0;
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        const AnnotatedThread *thread = &annotated_threads[t];
        for (uint32_t k = 0; k < thread->count; k++) {
            const AnnotatedCall *call = &thread->calls[k];
            const AnnotatedPlace *place = &thread->places[k];
            if (!place->end)
                return false;
            if (now->call_count == ORDERING_MOST)
                op_unsupported("an execution with more than %d calls of annotated methods",
                               ORDERING_MOST);
            now->calls[now->call_count++] = (Call){
                thread, call, place, thread_event(t, place->begin), thread_event(t, place->end), t};
        }
    }
    return true;
}

static void collect_points(void)
{
    now->point_count = 0;
    uint32_t first = 0;
    for (uint32_t c = 0; c < now->call_count; c++) {
        const AnnotatedThread *thread = now->calls[c].thread;
        if (c && now->calls[c - 1].thread != thread)
            first = c;
        const AnnotatedCall *call = now->calls[c].call;
        now->last_point[c] = NULL;
        for (uint32_t p = call->cleared; p < thread->point_count; p++) {
            const AnnotatedPoint *point = &thread->points[p];
            if (point->call != c - first)
                continue;
            if (now->point_count == ANNOTATED_ALL_POINTS)
                op_unsupported("an execution with more than %u ordering points",
                               ANNOTATED_ALL_POINTS);
            const Event *e = thread_event(now->calls[c].number, thread->events[p]);
            now->events[now->point_count] = e;
            OrderingPoint *to = &now->points[now->point_count++];
            *to = (OrderingPoint){c, e->location, -1, -1};
            if (e->kind == EVENT_WRITE)
                to->write = e->co;
            if (e->kind == EVENT_READ || e->rmw)
                to->read = e->rf ? pool[e->rf].co : 0;
            if (!now->last_point[c] || now->last_point[c]->index < e->index)
                now->last_point[c] = e;
        }
    }
}

static void find_past(void)
{
    for (uint32_t i = 0; i < now->call_count; i++) {
        now->past[i] = 0;
        for (uint32_t j = 0; j < now->call_count; j++)
            if (j != i && now->last_point[i] != now->last_point[j] &&
                in_prefix(now->last_point[j], now->last_point[i]))
                now->past[i] |= (uint64_t)1 << j;
    }
}

/* The calls on the same object as call C. */
uint64_t annotated_members_with(uint32_t c)
{
    uint64_t members = 0;
    for (uint32_t d = 0; d < now->call_count; d++)
        if (now->calls[d].call->object == now->calls[c].call->object &&
            now->calls[d].call->method->structure->number ==
                now->calls[c].call->method->structure->number)
            members |= (uint64_t)1 << d;
    return members;
}

/* ---- words ---- */

static void print_thread(uint32_t c, const char *before_it, Buffer *out)
{
    if (now->calls[c].number)
        buffer_printf(out, "%sT%d", before_it, now->calls[c].number);
    else
        buffer_printf(out, "%smain", before_it);
}

void annotated_print(uint32_t c, const char *by, Buffer *out)
{
    annotated_print_call(now->calls[c].thread,
                         (uint32_t)(now->calls[c].call - now->calls[c].thread->calls), true, out);
    print_thread(c, by, out);
}

static void print_list(const uint32_t *list, uint32_t count, Buffer *out)
{
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(out, "%s", i ? ", " : "");
        annotated_print(list[i], " by ", out);
    }
}

static const HeddleMethodText *text_of(uint32_t c)
{
    return &table->methods[now->calls[c].call->method->number];
}

/* The condition's text in one line. */
const char *annotated_one_line(const char *code, char *line, size_t bytes)
{
    size_t used = 0;
    for (bool space = false; *code && used + 2 < bytes; code++) {
        if (*code == ' ' || *code == '\n' || *code == '\t') {
            space = used > 0;
            continue;
        }
        if (space)
            line[used++] = ' ';
        space = false;
        line[used++] = *code;
    }
    line[used] = 0;
    return line;
}

NORETURN void annotated_report(ViolationKind kind, const Buffer *message)
{
    now->running = NULL;
    op_violation(kind, NULL, "%.*s", STR_ARG(buffer_str(message)));
}

NORETURN static void report_failure(const Failure *failure)
{
    Buffer message = {0};
    char line[128];
    const HeddleMethodText *method = text_of(failure->call);
    ViolationKind kind = VIOLATION_SPECIFICATION;
    if (failure->kind == FAILED_SYNCHRONISATION) {
        kind = VIOLATION_SYNCHRONISATION;
        buffer_printf(&message, "%s:%d: @Happens_Before %s: ", failure->rule->file,
                      failure->rule->line, failure->rule->text);
        annotated_print(failure->call, " of ", &message);
        buffer_printf(&message, " does not happen before ");
        annotated_print(failure->other, " of ", &message);
        buffer_printf(&message, ", which its ordering points put after it");
    } else {
        bool pre = failure->kind == FAILED_PRE;
        buffer_printf(&message, "%s:%d: @%s %s does not hold for ", method->file,
                      pre ? method->pre_line : method->post_line,
                      pre ? "PreCondition" : "PostCondition",
                      annotated_one_line(pre ? method->pre : method->post, line, sizeof line));
        annotated_print(failure->call, " of ", &message);
    }
    buffer_printf(&message, ", in the sequential history ");
    print_list(failure->history, failure->length, &message);
    if (options.check.histories == CHECK_HISTORIES_SOME)
        buffer_printf(&message, "; no other history passes, either");
    uint64_t count =
        ordering_count(&now->ordering, annotated_members_with(failure->call), MOST_COUNTED);
    if (count > 1 && options.check.histories == CHECK_HISTORIES_ONE)
        op_warning(
            "the ordering points allow %s%llu sequential histories of this object in this "
            "execution, of which one was judged; if the unordered calls do not commute, more "
            "ordering points or --histories=some may be meant",
            count == MOST_COUNTED ? "at least " : "", (unsigned long long)count);
    annotated_report(kind, &message);
}

static void report_cycle(const uint32_t *cycle, uint32_t length)
{
    Buffer message = {0};
    buffer_printf(&message,
                  "%s:%d: the ordering points put these calls into a circle, so there is no "
                  "sequential history: ",
                  text_of(cycle[0])->file, text_of(cycle[0])->line);
    print_list(cycle, length, &message);
    annotated_report(VIOLATION_ORDERING_CYCLE, &message);
}

static void report_no_point(uint32_t c)
{
    Buffer message = {0};
    buffer_printf(&message, "%s:%d: ", text_of(c)->file, text_of(c)->line);
    annotated_print(c, " of ", &message);
    buffer_printf(&message, " has no ordering point; its @Ordering_Point_Set is ");
    bool first = true;
    for (unsigned l = 0; l < table->label_count; l++)
        if (text_of(c)->labels >> l & 1) {
            buffer_printf(&message, "%s%s", first ? "" : " | ", table->labels[l]);
            first = false;
        }
    annotated_report(VIOLATION_NO_ORDERING_POINT, &message);
}

bool annotated_judge_crashed(const char *how)
{
    if (!now->running)
        return false;
    Buffer message = {0};
    uint32_t c = (uint32_t)(now->running - now->calls);
    buffer_printf(&message, "%s:%d: the annotated code crashes (%s) for ", text_of(c)->file,
                  text_of(c)->line, how);
    annotated_print(c, " of ", &message);
    annotated_report(VIOLATION_SPECIFICATION, &message);
}

/* ---- one history ---- */

typedef struct Pointee {
    unsigned char *place, *copy;
    size_t bytes;
} Pointee;

static void exchange(const Pointee *pointee)
{
    for (size_t i = 0; i < pointee->bytes; i++) {
        unsigned char byte = pointee->place[i];
        pointee->place[i] = pointee->copy[i];
        pointee->copy[i] = byte;
    }
}

/* Puts the copies of what arguments point to in place, where they differ from what is there
 * (literals can't be written, and two arguments may point to the same); lists them, to be taken
 * back in the opposite order. */
static unsigned put_pointees(const Call *call, Pointee list[HEDDLE_ANNOTATED_POINTEES])
{
    const AnnotatedCall *c = call->call;
    unsigned char *data = (unsigned char *)(uintptr_t)call->thread->data + c->data,
                  *at = data + ((c->method->bytes + 15) & ~15ul), *limit = data + c->data_bytes;
    unsigned count = 0;
    while (at < limit) {
        uint64_t head[2];
        memcpy(head, at, sizeof head);
        Pointee pointee = {(unsigned char *)(uintptr_t)head[0], at + sizeof head, head[1]};
        at += sizeof head + ((head[1] + 15) & ~15ul);
        if (!memcmp(pointee.place, pointee.copy, pointee.bytes))
            continue;
        exchange(&pointee);
        list[count++] = pointee;
    }
    return count;
}

void annotated_begin_history(uint32_t c)
{
    const HeddleStructure *structure = now->calls[c].call->method->structure;
    if (structure->bytes > STATE_BYTES)
        op_unsupported("the sequential state needs more than %u bytes", STATE_BYTES);
    memset(state_memory, 0, structure->bytes);
    now->running = &now->calls[c];
    if (structure->make)
        structure->make(state_memory);
    now->running = NULL;
}

Failed annotated_run_call(uint32_t c, int mode)
{
    const AnnotatedCall *call = now->calls[c].call;
    Pointee pointees[HEDDLE_ANNOTATED_POINTEES];
    now->running = &now->calls[c];
    unsigned count = put_pointees(&now->calls[c], pointees);
    for (unsigned times = now->calls[c].place->repeated ? 2 : 1; times > 0; times--) {
        now->judged[c] = (HeddleJudged){.mode = mode};
        call->method->judge(state_memory,
                            (char *)(uintptr_t)now->calls[c].thread->data + call->data,
                            &now->judged[c]);
        if (now->judged[c].failed)
            break;
    }
    while (count > 0)
        exchange(&pointees[--count]);
    now->running = NULL;
    return (Failed)now->judged[c].failed;
}

/* A call happens before another if its invocation happens before the other's response. */
static bool happens_before(uint32_t c, uint32_t d)
{
    return before(now->calls[c].begin, &now->calls[d].end->hb);
}

/* The rules, on calls of one object, with what the last history said of them. */
static bool check_rules(uint64_t members, Failure *failure)
{
    for (unsigned r = 0; r < table->rule_count; r++) {
        const HeddleRule *rule = &table->rules[r];
        for (uint64_t left = members; left; left &= left - 1) {
            uint32_t c = (uint32_t)__builtin_ctzll(left);
            if ((int)now->calls[c].call->method->number != rule->from ||
                (rule->from_condition >= 0 &&
                 !(now->judged[c].conditions >> rule->from_condition & 1)))
                continue;
            for (uint64_t later = members & now->ordering.after[c]; later; later &= later - 1) {
                uint32_t d = (uint32_t)__builtin_ctzll(later);
                if ((int)now->calls[d].call->method->number != rule->to ||
                    (rule->to_condition >= 0 &&
                     !(now->judged[d].conditions >> rule->to_condition & 1)) ||
                    now->judged[c].id != now->judged[d].id || happens_before(c, d))
                    continue;
                failure->kind = FAILED_SYNCHRONISATION;
                failure->rule = rule;
                failure->call = c;
                failure->other = d;
                return false;
            }
        }
    }
    return true;
}

/* ---- the histories of one object ---- */

/* Among calls that may come next, one whose last ordering point has none of the others' in its past
 * (program order and reads-from, which has no cycle): where the ordering points leave it open, the
 * order in which things happened. If past and relation together have a cycle, the first. */
static void choose_history(uint64_t members, uint32_t *history)
{
    uint64_t left = members;
    for (uint32_t n = 0; left; n++) {
        uint64_t ready = left;
        for (uint64_t rest = left; rest; rest &= rest - 1)
            ready &= ~now->ordering.after[__builtin_ctzll(rest)];
        ASSERT(ready);
        uint32_t chosen = (uint32_t)__builtin_ctzll(ready);
        for (uint64_t rest = ready; rest; rest &= rest - 1) {
            uint32_t i = (uint32_t)__builtin_ctzll(rest);
            if (!(now->past[i] & left)) {
                chosen = i;
                break;
            }
        }
        history[n] = chosen;
        left &= ~((uint64_t)1 << chosen);
    }
}

static bool run_history(const uint32_t *history, uint32_t length, Failure *failure)
{
    annotated_begin_history(history[0]);
    for (uint32_t i = 0; i < length; i++) {
        Failed failed = annotated_run_call(history[i], HEDDLE_JUDGE_ALL);
        if (failed == FAILED_NOT)
            continue;
        failure->kind = failed;
        failure->call = history[i];
        failure->length = i + 1;
        memcpy(failure->history, history, sizeof(uint32_t) * (i + 1));
        return false;
    }
    failure->length = length;
    memcpy(failure->history, history, sizeof(uint32_t) * length);
    return true;
}

/* All histories, depth first. The state after a beginning can't be copied (it is the user's code
 * that made it), so it is made again when another branch is taken. */
typedef struct Trial {
    uint64_t members;
    uint32_t whole;
    uint32_t done[ORDERING_MOST], done_count; /* what the state is after */
    uint64_t tried;
    bool some; /* one that passes is enough; else one that fails is */
    bool passed;
    Failure failure; /* the first */
} Trial;

static OrderingStep try_step(void *context, const uint32_t *history, uint32_t length)
{
    Trial *trial = context;
    Failure failure = {.kind = FAILED_NOT};
    bool fine;
    if (length == 1 || trial->done_count != length - 1 ||
        memcmp(trial->done, history, sizeof(uint32_t) * (length - 1))) {
        fine = run_history(history, length, &failure);
    } else {
        Failed failed = annotated_run_call(history[length - 1], HEDDLE_JUDGE_ALL);
        fine = failed == FAILED_NOT;
        failure.kind = failed;
        failure.call = history[length - 1];
        failure.length = length;
        memcpy(failure.history, history, sizeof(uint32_t) * length);
    }
    memcpy(trial->done, history, sizeof(uint32_t) * length);
    trial->done_count = fine ? length : 0;
    if (fine && length == trial->whole) {
        tally.histories++;
        fine = check_rules(trial->members, &failure);
        trial->passed |= fine;
    }
    if (!fine && trial->failure.kind == FAILED_NOT)
        trial->failure = failure;
    if (length == trial->whole || !fine)
        if (++trial->tried >= ANNOTATED_HISTORIES) {
            tally.too_many++;
            return ORDERING_STOP;
        }
    if (trial->some)
        return trial->passed ? ORDERING_STOP : fine ? ORDERING_ON : ORDERING_PRUNE;
    return fine ? ORDERING_ON : ORDERING_STOP;
}

static void judge_all(uint64_t members)
{
    Trial trial = {.members = members,
                   .whole = (uint32_t)__builtin_popcountll(members),
                   .some = options.check.histories == CHECK_HISTORIES_SOME};
    uint64_t gave_up = tally.too_many;
    (void)ordering_histories(&now->ordering, members, try_step, &trial);
    if (trial.some && (trial.passed || tally.too_many > gave_up))
        return; /* if some were not tried, the answer will be inconclusive */
    if (trial.failure.kind != FAILED_NOT)
        report_failure(&trial.failure);
}

static void count_histories(uint64_t members)
{
    uint64_t key = hash_bytes(now->ordering.after, sizeof(uint64_t) * now->ordering.count, members);
    bool fresh;
    uint64_t *count = hashmap_put(&counted, key, &fresh);
    if (fresh)
        *count = ordering_count(&now->ordering, members, MOST_COUNTED);
    tally.several += *count > 1;
    tally.most_histories = MAX(tally.most_histories, *count);
}

/* ---- the whole ---- */

/* Before a person sees it. */
static void compare_with_twin(void)
{
    static Ordering twin;
    ordering_relate_slowly(&twin, now->call_count, now->points, now->point_count);
    if (memcmp(twin.next, now->ordering.next, sizeof(uint64_t) * now->call_count) ||
        memcmp(twin.after, now->ordering.after, sizeof(uint64_t) * now->call_count))
        die("internal error: the two ordering relations disagree");
}

static void judge_execution(bool again)
{
    if (!collect_calls()) {
        tally.unfinished++;
        return;
    }
    tally.executions++;
    collect_points();
    uint64_t with_point = 0;
    for (uint32_t p = 0; p < now->point_count; p++)
        with_point |= (uint64_t)1 << now->points[p].call;
    for (uint32_t c = 0; c < now->call_count; c++)
        if (!(with_point >> c & 1))
            report_no_point(c);
    ordering_relate(&now->ordering, now->call_count, now->points, now->point_count);
    if (again)
        compare_with_twin();
    annotated_order_by_time();
    uint32_t cycle[ORDERING_MOST], length = ordering_cycle(&now->ordering, cycle);
    if (length)
        report_cycle(cycle, length);
    if (!annotated_admissible()) {
        tally.inadmissible++;
        return;
    }
    find_past();
    HeapCursor heap = heap_cursor[HEAP_REGION_START]; /* where annotated code allocates */
    Failure failures[ORDERING_MOST];
    uint64_t objects[ORDERING_MOST], seen = 0;
    uint32_t object_count = 0;
    for (uint32_t c = 0; c < now->call_count; c++) {
        if (seen >> c & 1)
            continue;
        uint64_t members = annotated_members_with(c);
        seen |= members;
        objects[object_count] = members;
        count_histories(members);
        if (!annotated_justified(members))
            tally.too_many++;
        if (options.check.histories != CHECK_HISTORIES_ONE) {
            judge_all(members);
        } else {
            uint32_t history[ORDERING_MOST];
            choose_history(members, history);
            tally.histories++;
            Failure *failure = &failures[object_count];
            if (!run_history(history, (uint32_t)__builtin_popcountll(members), failure))
                report_failure(failure);
        }
        object_count++;
    }
    for (uint32_t i = 0; options.check.histories == CHECK_HISTORIES_ONE && i < object_count; i++)
        if (!check_rules(objects[i], &failures[i]))
            report_failure(&failures[i]);
    heap_cursor[HEAP_REGION_START] = heap;
}

static void judge(void)
{
    judge_execution(false);
}

void annotated_judge_setup(Link *link)
{
    target = link;
    link->outcome.annotated = 1;
    link->outcome.too_early = annotated_too_early;
    table = annotated_table();
    if (!table)
        die("the program was built without its table of annotations");
    state_memory = pages_reserve(STATE_BYTES);
    exploration.on_complete = judge;
}

void annotated_judge_again(void)
{
    judge_execution(true);
}

void annotated_judge_begin(bool again)
{
    OutcomeMessage *outcome = &target->outcome;
    tally = (AnnotatedTally){0};
    if (again)
        outcome->histories = outcome->judged = outcome->several = outcome->unfinished =
            outcome->too_many = outcome->inadmissible = outcome->most_histories = 0;
}

void annotated_judge_end(void)
{
    OutcomeMessage *outcome = &target->outcome;
    __atomic_add_fetch(&outcome->histories, tally.histories, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->judged, tally.executions, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->several, tally.several, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->unfinished, tally.unfinished, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->too_many, tally.too_many, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->inadmissible, tally.inadmissible, __ATOMIC_RELAXED);
    outcome_raise(&outcome->most_histories, tally.most_histories);
    tally = (AnnotatedTally){0};
}
