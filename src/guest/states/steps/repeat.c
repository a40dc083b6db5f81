#include "guest/states/steps/repeat.h"
#include "guest/states/state.h"
#include "guest/states/memory.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/interner.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/memory/scrub.h"
#include "guest/runtime/request.h"
#include "guest/states/present.h"
#include "guest/states/key.h"
#include "guest/states/part.h"
#include "guest/states/tickets.h"
#include "guest/states/transcript.h"
#include "record/hooks.h"

typedef struct Branch {
    uint32_t from, to; /* nodes; `to` 0: none */
    uint64_t answer;
} Branch;
/* The first STATES_THREADS nodes are where steps of these threads begin: their branches are parts
 * with ways to go on. */
typedef struct Node {
    uint8_t kind;  /* RepeatKind */
    bool writes;   /* or zeroed */
    bool is_known; /* what is there: the run has written it; it has no answer */
    bool replies;  /* REQUEST: there is an answer to it */
    uint32_t bytes;
    uint64_t at;
    const void *pc;
    uint64_t answer; /* of the branch that was found first, to `next`; the others are in a table */
    uint32_t next;   /* or 0 */
    uint32_t stop;   /* REQUEST: of `stops` */
} Node;
typedef struct Write {
    uint64_t at, value;
    uint32_t bytes;
} Write;
typedef struct Stop {
    uint64_t transcript;   /* of a step that has ended here (transcript.h) */
    uint32_t request;      /* of `requests` */
    uint32_t part;         /* its number + 1, if a step has ended here inside a call; or 0 */
    uint32_t first, count; /* of `writes`: those of the run */
} Stop;
enum { REQUEST_WORDS = sizeof(Request) / 8, FEW = 1 << 12, REPEATED_PER_NODE = 64 };
_Static_assert(sizeof(Request) % 8 == 0, "kept as words");

bool repeat_follows, repeat_records;
RepeatEvent repeat_events[REPEAT_EVENTS];
uint32_t repeat_count;
static struct {
    bool used, missed;
    uint32_t root, at; /* of the step that is made: nodes; `at` 0: it is not kept any further */
    uint64_t answer;   /* to the request from which the run that is kept has begun */
    Vec(Node) nodes;
    Vec(Stop) stops;
    Interner requests; /* kept once */
    Vec(Write) writes;
    uint64_t repeated, missed_count; /* steps */
    uint64_t looked, missed_before;  /* see look_at_use: steps by then; of these, not known */
    Branch *others; /* branches by open addressing, `slots` of them, `filled` in use */
    uint32_t slots, filled;
} tree;

/* ---- branches ---- */

static Branch *find_branch(uint32_t from, uint64_t answer)
{
    for (uint32_t slot = (uint32_t)hash_combine(answer, from);; slot++) {
        Branch *branch = &tree.others[slot & (tree.slots - 1)];
        if (!branch->to || (branch->answer == answer && branch->from == from))
            return branch;
    }
}

static uint32_t follow(uint32_t from, uint64_t answer)
{
    const Node *node = &tree.nodes.at[from];
    if (LIKELY(node->next && node->answer == answer))
        return node->next;
    return find_branch(from, answer)->to;
}

static void enlarge(void)
{
    Branch *old = tree.others;
    uint32_t slots = tree.slots;
    tree.slots = slots ? slots * 2 : 1024;
    tree.others = calloc(tree.slots, sizeof *old);
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].to)
            *find_branch(old[i].from, old[i].answer) = old[i];
    free(old);
}

/* Does what `follow` does, and adds the branch if there is none. 0: there are too many nodes for so
 * few steps that were repeated. */
static uint32_t follow_or_add(uint32_t from, uint64_t answer)
{
    uint32_t to = follow(from, answer);
    if (to || tree.nodes.count >= FEW + tree.repeated / REPEATED_PER_NODE)
        return to;
    to = (uint32_t)tree.nodes.count;
    vec_push(&tree.nodes, (Node){0});
    Node *node = &tree.nodes.at[from];
    if (from >= STATES_THREADS && !node->next) {
        node->next = to;
        node->answer = answer;
        return to;
    }
    if (tree.filled++ * 4 >= tree.slots * 3)
        enlarge();
    *find_branch(from, answer) = (Branch){from, to, answer};
    return to;
}

/* The answer with which a thread goes on from its request at node AT. (Whether a compare-exchange
 * succeeds is seen by the value that it finds, but for spurious failures: those are ways.) */
static uint64_t answer_at(uint32_t at)
{
    return tree.nodes.at[at].replies ? reply.value : 0;
}

static bool has_reply(const Request *q)
{
    return q->plain != 1 && q->kind != REQUEST_FENCE;
}

/* ---- steps that are kept ---- */

void repeat_note_begin(void)
{
    repeat_count = 0;
    op_unannounced = false;
    if (tree.at)
        tree.answer = answer_at(tree.at);
}

/* The path that is kept ends where it is: steps that begin as it does are made by their code. */
static void give_up(void)
{
    tree.nodes.at[tree.root].kind = REPEAT_NEVER;
    tree.at = 0;
}

/* Is what was found there known by what this run has written before? False in *SURE: in part. */
static bool is_written_before(uint32_t event, bool *sure)
{
    const RepeatEvent *e = &repeat_events[event];
    for (uint32_t i = 0; i < event; i++) {
        const RepeatEvent *w = &repeat_events[i];
        if (!w->writes || (w->kind != REPEAT_ACCESS && w->kind != REPEAT_SITE) ||
            e->at >= w->at + w->bytes || w->at >= e->at + e->bytes)
            continue;
        *sure = e->at >= w->at && e->at + e->bytes <= w->at + w->bytes;
        return true;
    }
    return false;
}

/* Keeps what the code did next. False: it can't be kept, or differs from what it did before. */
static bool keep_event(uint32_t event)
{
    const RepeatEvent *e = &repeat_events[event];
    Node *node = &tree.nodes.at[tree.at];
    bool is_access = e->kind == REPEAT_ACCESS || e->kind == REPEAT_SITE, sure = true;
    Node made = {.kind = e->kind, .writes = e->writes, .bytes = e->bytes, .at = e->at, .pc = e->pc};
    if (e->kind == REPEAT_NEVER || (is_access && e->bytes > 8))
        return false;
    made.is_known = e->kind == REPEAT_FREE || (is_access && is_written_before(event, &sure));
    if (!sure)
        return false;
    if (node->kind == REPEAT_NOTHING)
        *node = made;
    else if (node->kind != made.kind || node->writes != made.writes || node->bytes != made.bytes ||
             node->at != made.at || node->pc != made.pc || node->is_known != made.is_known)
        return false;
    tree.at = follow_or_add(tree.at, made.is_known ? 0 : e->answer);
    return true;
}

/* (A request on a stack is performed there, where that of a repeated step is not as it should be.)
 */
static bool can_keep_request(const Request *q)
{
    if (q->kind == REQUEST_CHOOSE)
        return q->operand == STATES_IDLE_REQUEST;
    return q->kind == REQUEST_FENCE ||
           (q->kind >= REQUEST_LOAD && q->kind <= REQUEST_CAS && q->plain != 2 && q->size <= 8 &&
            fiber_of_stack(q->address) < 0);
}

static uint64_t value_at(uint64_t at, uint32_t bytes)
{
    return states_peek((const void *)at, bytes);
}

/* Is there what runs that stop there have written? */
static bool has_written(const Stop *stop)
{
    bool same = true;
    for (uint32_t i = 0; i < stop->count; i++) {
        const Write *w = &tree.writes.at[stop->first + i];
        same &= value_at(w->at, w->bytes) == w->value;
    }
    return same;
}

static uint32_t number_request(const Request *q)
{
    uint64_t words[REQUEST_WORDS];
    memcpy(words, q, sizeof words);
    return interner_number(&tree.requests, words, REQUEST_WORDS);
}

/* Keeps the request with which a run has ended, and what it wrote. False: that differs. */
static bool keep_stop(Node *node)
{
    uint32_t number = number_request(&request);
    if (node->kind != REPEAT_NOTHING)
        return node->kind == REPEAT_REQUEST && tree.stops.at[node->stop].request == number &&
               has_written(&tree.stops.at[node->stop]);
    Stop stop = {.request = number, .first = (uint32_t)tree.writes.count};
    for (uint32_t i = 0; i < repeat_count; i++) {
        const RepeatEvent *e = &repeat_events[i];
        if (e->writes && (e->kind == REPEAT_ACCESS || e->kind == REPEAT_SITE))
            vec_push(&tree.writes, (Write){e->at, value_at(e->at, e->bytes), e->bytes});
    }
    stop.count = (uint32_t)tree.writes.count - stop.first;
    *node = (Node){
        .kind = REPEAT_REQUEST, .replies = has_reply(&request), .stop = (uint32_t)tree.stops.count};
    vec_push(&tree.stops, stop);
    return true;
}

void repeat_note_run(void)
{
    if (!tree.at)
        return;
    bool kept = !op_unannounced && !blocks_asked && repeat_count <= REPEAT_EVENTS &&
                can_keep_request(&request);
    if (kept)
        tree.at = follow_or_add(tree.at, tree.answer);
    for (uint32_t i = 0; i < repeat_count && kept && tree.at; i++)
        kept = keep_event(i);
    if (kept && tree.at)
        kept = keep_stop(&tree.nodes.at[tree.at]);
    if (!kept)
        give_up();
}

/* The step was made, by its code. */
static void keep_end(int t)
{
    if (!tree.at)
        return;
    Stop *stop = &tree.stops.at[tree.nodes.at[tree.at].stop];
    uint32_t part = states_has_stack[t] ? part_number(t) + 1 : 0;
    if (stop->part && stop->part != part) {
        give_up();
        return;
    }
    stop->part = part;
    stop->transcript = transcript_sum;
}

/* ---- steps that are repeated ---- */

bool repeat_run(int t)
{
    uint64_t answer = answer_at(tree.at);
    for (;;) {
        tree.at = follow(tree.at, answer);
        const Node *node = &tree.nodes.at[tree.at];
        switch ((RepeatKind)node->kind) {
        case REPEAT_ACCESS:
        case REPEAT_SITE:
            answer = node->is_known ? 0 : value_at(node->at, node->bytes);
            states_repeat_access(t, (char *)node->at, node->bytes, node->writes,
                                 node->kind == REPEAT_SITE, node->pc);
            break;
        case REPEAT_ALLOCATE:
            answer = (uintptr_t)states_allocate(node->bytes, node->at, node->writes, node->pc);
            break;
        case REPEAT_FREE:
            states_release(t, (void *)node->at, node->pc);
            answer = 0;
            break;
        case REPEAT_REQUEST: {
            const Stop *stop = &tree.stops.at[node->stop];
            for (uint32_t i = 0; i < stop->count; i++) {
                const Write *w = &tree.writes.at[stop->first + i];
                states_poke((void *)w->at, w->bytes, w->value);
            }
            size_t words;
            memcpy(&request, interner_words(&tree.requests, stop->request, &words), sizeof request);
            request_count++;
            states_late_write = NULL; /* (refused by the code, or not at all) */
            return true;
        }
        case REPEAT_NOTHING:
        case REPEAT_NEVER:
            tree.missed = true;
            return false;
        }
    }
}

void repeat_stop(int t)
{
    uint32_t part = tree.stops.at[tree.nodes.at[tree.at].stop].part;
    if (part)
        part_put_back(t, part - 1);
    else
        tree.missed = true;
}

/* ---- the whole ---- */

static void forget_all(void)
{
    tree.used = false;
    vec_free(&tree.nodes);
    vec_free(&tree.stops);
    vec_free(&tree.writes);
    interner_free(&tree.requests);
    free(tree.others);
    tree.others = NULL;
    tree.slots = tree.filled = 0;
    tree.repeated = tree.missed_count = tree.looked = tree.missed_before = 0;
}

void repeat_begin(bool used)
{
    repeat_drop_step();
    forget_all();
    tree.used = used && states_first && !buffers_used && !tickets_used && !states_stacks_shared &&
                !scrub.torture;
    if (!tree.used)
        return;
    enlarge();
    for (uint32_t t = 0; t < STATES_THREADS; t++)
        vec_push(&tree.nodes, (Node){0});
}

/* Looks, now and then, whether steps are known often enough. Where there are ever new ones it is
 * not worth to keep them. */
static void look_at_use(void)
{
    enum { STEPS = 1 << 14, SELDOM = 2 };
    if (tree.repeated + tree.missed_count - tree.looked < STEPS)
        return;
    tree.looked += STEPS;
    if (tree.missed_count - tree.missed_before > STEPS / SELDOM)
        forget_all();
    tree.missed_before = tree.missed_count;
}

void repeat_drop_step(void)
{
    repeat_follows = repeat_records = false;
}

/* Returns where the path of the step begins, or 0. */
static uint32_t root_of(int t, uint32_t way)
{
    if (!tree.used || !part_present[t])
        return 0;
    uint32_t root = follow_or_add((uint32_t)t, (uint64_t)way << 32 | part_present[t]);
    if (root && tree.nodes.at[root].kind == REPEAT_NOTHING) {
        const Request *q = &states_thread[t].request;
        bool is_idle = !states_has_stack[t];
        tree.nodes.at[root].kind = is_idle || can_keep_request(q) ? REPEAT_REQUEST : REPEAT_NEVER;
        tree.nodes.at[root].replies = is_idle || has_reply(q);
    }
    return root && tree.nodes.at[root].kind != REPEAT_NEVER ? root : 0;
}

/* Takes the step by its path, as far as that is known; true: to its end. */
static bool repeat(int t, uint32_t way, StatesDone *done)
{
    tree.at = tree.root;
    tree.missed = false;
    repeat_follows = true;
    states_step(t, way, done);
    repeat_follows = false;
    if (!tree.missed)
        transcript_sum = tree.stops.at[tree.nodes.at[tree.at].stop].transcript;
    return !tree.missed;
}

/* A step was repeated with DONE: its code must do the same. */
static void compare(const char *copy, int t, uint32_t way, StatesDone *done)
{
    StatesDone repeated = *done;
    StatesKey key = states_key();
    uint64_t transcript = transcript_sum;
    states_restore(copy);
    states_step(t, way, done);
    StatesKey native = states_key();
    transcript_sum = transcript;
    if (native.a != key.a || native.b != key.b || repeated.call != done->call ||
        repeated.returned != done->returned || repeated.result.word != done->result.word ||
        repeated.ended != done->ended || repeated.requests != done->requests ||
        repeated.wrote != done->wrote || repeated.site != done->site)
        die("internal error: a step that was repeated differs from that of its code");
}

void repeat_step(const char *copy, int t, uint32_t way, StatesDone *done)
{
    tree.root = root_of(t, way);
    if (tree.root && tree.nodes.at[tree.root].next) {
        if (LIKELY(repeat(t, way, done))) {
            tree.repeated++;
            if (UNLIKELY(hooks.check_steps))
                compare(copy, t, way, done);
            return;
        }
        states_restore_again(copy);
    }
    tree.missed_count += tree.used;
    look_at_use();
    if (!tree.used)
        tree.root = 0;
    tree.at = tree.root;
    repeat_records = tree.root != 0;
    transcript_begin(t, way);
    states_step(t, way, done);
    if (repeat_records)
        keep_end(t);
    repeat_records = false;
}

uint64_t repeat_bytes(void)
{
    return tree.nodes.capacity * sizeof *tree.nodes.at + tree.stops.capacity * sizeof(Stop) +
           tree.writes.capacity * sizeof(Write) + tree.slots * sizeof(Branch) +
           interner_memory(&tree.requests);
}
