#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/search/rules.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/symmetry/recall.h"
#include "guest/explore/search/validate.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

enum {
    MOST_NODES = 1 << 21,
    MOST_TERMS = 1 << 25,
    FIRST_SLOTS = 1 << 12,
    MOST_SLOTS = 1 << 22,
    STRETCH = 1 << 16, /* terms of one stretch */
    MOST_WRITES = 1 << 12,
    OWN_MARK = 255, /* PastTerm.owner of what the thread leaves in a lock that it takes */
    WORD = 254,     /* of a word as it is, perhaps an address, in a stretch that is not settled */
    PART = 253,     /* of the word of which a part was read; the part stands before it */
    RMW_OPERAND = 2 /* its place among the terms of such a request */
};

PastTree past_tree;
static uint32_t term_count;
static uint32_t *slots; /* of a hash table: numbers of nodes */
static uint32_t slot_count;
/* The threads that are alike form groups: the first one's number plus 1, or 0. Known across
 * restarts of one exploration. */
static uint32_t creation[MAX_THREADS]; /* main's node at the request */

static struct { /* what a thread does at present, from an answer to its next request */
    int thread;
    Past *of; /* NULL: no thread runs */
    PastTerm *at;
    uint32_t count;
    uint32_t written; /* where the terms of what it wrote plainly begin */
    uint32_t asked;   /* those of the request */
    bool is_spoilt;   /* too long, or a part of an address was looked at */
    struct {
        uint64_t address;
        size_t bytes;
    } writes[MOST_WRITES];
    uint32_t write_count;
    const void *lock; /* the word of one that it is about to try, or NULL */
} stretch;

static void set_up(void)
{
    past_tree.nodes = pages_reserve(sizeof *past_tree.nodes * MOST_NODES);
    past_tree.terms = pages_reserve(sizeof *past_tree.terms * (MOST_TERMS + STRETCH));
    slots = pages_reserve(sizeof *slots * MOST_SLOTS);
    stretch.at = pages_reserve(sizeof *stretch.at * (STRETCH + 64));
}

static void trace(const void *address, size_t bytes, bool writes, const void *pc, bool holds);

void pasts_begin(bool on)
{
    if (on && !past_tree.nodes)
        set_up();
    if (slots)
        memset(slots, 0, sizeof *slots * slot_count);
    slot_count = FIRST_SLOTS;
    recall_begin();
    past_tree.count = on ? MAX_THREADS : 0;
    term_count = 0;
    for (uint32_t n = 1; n <= past_tree.count; n++)
        past_tree.nodes[n] = (PastNode){.parent = 0};
    memset(creation, 0, sizeof creation);
    if (graphs.pasts_on)
        memory_state.trace = NULL;
    graphs.pasts_on = on;
    if (on)
        memory_state.trace = trace;
}

/* ---- who is who ---- */

Past pasts_root(int t)
{
    if (!graphs.leaders[t])
        return (Past){.node = (uint32_t)t + 1};
    return (Past){.node = graphs.leaders[t], .count = 1, .owner = {(uint8_t)t}};
}

/* ---- terms ---- */

/* The number of OWNER in the present past, which may come upon it now. */
static uint64_t number_of(int owner)
{
    Past *h = stretch.of;
    for (unsigned i = 0; i < h->count; i++)
        if (h->owner[i] == owner)
            return i;
    if (h->count == COUNT_OF(h->owner)) {
        stretch.is_spoilt = true;
        return 0;
    }
    h->owner[h->count] = (uint8_t)owner;
    return h->count++;
}

/* For PastTerm.owner: which threads may stand for OWNER. */
static uint64_t group_of(int owner)
{
    return (uint64_t)graphs.leaders[owner] << 8;
}

/* Where the memory of thread T begins that is of this kind, or ends: places are relative to it. */
static uint64_t origin_of(int t, PastRegion region)
{
    switch (region) {
    case PAST_HEAP:
        return HEAP_BASE + (uint64_t)t * HEAP_SLOT;
    case PAST_STACK:
        return (uintptr_t)fibers[t].base;
    default:
        return fibers[t].thread_pointer;
    }
}

/* The thread whose memory WORD points into, if it is like another one; else -1. */
static int owner_of(uint64_t word, PastRegion *region)
{
    uint64_t in = word - HEAP_BASE;
    int owner = in < HEAP_END - HEAP_BASE ? (int)(in / HEAP_SLOT) : -1;
    *region = PAST_HEAP;
    if (owner < 0) {
        owner = fiber_of_stack((void *)(uintptr_t)word);
        *region = PAST_STACK;
    }
    if (owner < 0) {
        owner = fiber_of_storage((void *)(uintptr_t)word);
        *region = PAST_STORAGE;
    }
    return owner >= 0 && owner < MAX_THREADS && graphs.leaders[owner] ? owner : -1;
}

static void add(uint64_t bits, uint64_t owner)
{
    if (stretch.count < STRETCH)
        stretch.at[stretch.count++] = (PastTerm){bits, owner};
    else
        stretch.is_spoilt = true;
}

static void add_number(uint64_t number)
{
    add(number, 0);
}

/* Most stretches were met before, as they are (recall.h): so which words are addresses is asked
 * when this one was not (settle). */
static void add_word(uint64_t word)
{
    add(word, WORD);
}

static void add_range(uint64_t address, uint64_t bytes)
{
    add(address, WORD | bytes << PAST_BYTES);
}

/* A value of SIZE bytes: a smaller one than an address is none. */
static void add_value(uint64_t low, uint64_t high, unsigned size)
{
    if (size < 8)
        add_number(low);
    else
        add_word(low);
    if (size == 16)
        add_word(high);
}

uint64_t pasts_word(const PastTerm *term, const Past *h)
{
    if (!(term->owner & 255))
        return term->bits;
    unsigned code = (unsigned)(term->owner & 255) - 1;
    return term->bits + origin_of(h->owner[code / PAST_REGIONS], code % PAST_REGIONS);
}

uint32_t pasts_words(const char *address, size_t bytes)
{
    uintptr_t from = (uintptr_t)address, to = from + bytes;
    return (uint32_t)((to + 7) / 8 - from / 8);
}

/* Adds what these bytes hold, and the words of which they are parts if LOOKS. */
static void add_bytes(const char *address, size_t bytes, bool looks)
{
    while (bytes) {
        unsigned offset = (uintptr_t)address & 7;
        size_t piece = MIN(bytes, (size_t)8 - offset);
        uint64_t word, part = 0;
        memcpy(&word, address - offset, 8);
        memcpy(&part, address, piece);
        if (piece == 8)
            add_word(word);
        else
            add_number(part);
        if (piece < 8 && looks)
            add(word, PART);
        address += piece;
        bytes -= piece;
    }
}

static void note_write(uint64_t address, size_t bytes)
{
    if (stretch.write_count == MOST_WRITES) {
        stretch.is_spoilt = true;
        return;
    }
    stretch.writes[stretch.write_count].address = address;
    stretch.writes[stretch.write_count++].bytes = bytes;
}

void pasts_note(uint64_t word)
{
    if (stretch.of)
        note_write(word, 0);
}

void pasts_note_lock(const void *word)
{
    stretch.lock = word;
}

static void trace(const void *at, size_t bytes, bool writes, const void *pc, bool holds)
{
    char *address = (char *)(uintptr_t)at;
    (void)pc;
    if (!stretch.of || writes == holds)
        return;
    if (writes) {
        note_write((uintptr_t)address, bytes);
        return;
    }
    add_range((uintptr_t)address, bytes);
    if (UNLIKELY(past_tree.make_hold != NULL))
        past_tree.make_hold(address, bytes);
    add_bytes(address, bytes, true);
}

static void add_answer(const PastNode *node)
{
    switch (node->kind) {
    case REQUEST_RMW:
    case REQUEST_LOAD:
        add_value(reply.value, reply.value_high, node->size);
        break;
    case REQUEST_CAS:
    case REQUEST_AWAIT:
        add_value(reply.value, reply.value_high, node->size);
        add_number(reply.success);
        break;
    case REQUEST_CREATE:
    case REQUEST_CHOOSE:
        add_number(reply.value);
        break;
    case REQUEST_JOIN:
        add_word(reply.value);
        break;
    default:
        break;
    }
}

/* An RMW's result is not the thread's doing: it goes with the answer. */
static void add_result(const PastNode *node)
{
    if (node->kind != REQUEST_RMW)
        return;
    const PastTerm *operand = &past_tree.terms[node->asked + RMW_OPERAND];
    uint64_t high = reply.value_high;
    uint64_t low = graph_rmw_result(node->op, reply.value, pasts_word(operand, stretch.of),
                                    node->size == 16 ? pasts_word(operand + 1, stretch.of) : 0,
                                    node->size, &high);
    add_value(low, high, node->size);
}

/* The final contents of what was written plainly. */
static void add_writes(void)
{
    stretch.written = stretch.count;
    add_number(stretch.write_count);
    for (uint32_t i = 0; i < stretch.write_count; i++) {
        const char *address = (const char *)(uintptr_t)stretch.writes[i].address;
        add_range((uintptr_t)address, stretch.writes[i].bytes);
        add_bytes(address, stretch.writes[i].bytes, false); /* to write a part is no look at it */
    }
}

/* The word that a lock gets when the present thread takes it: its number plus 1, perhaps negative.
 * Nobody but the runtime looks at that, and only to tell whether it is the caller's own. */
static void add_mark(uint64_t word)
{
    const Past *h = stretch.of;
    bool is_owner = h->count && stretch.thread == h->owner[0];
    uint32_t mine = is_owner ? h->owner[0] + 1u : 0;
    if (mine && (word == mine || word == (uint32_t)-mine))
        add(word == mine, OWN_MARK);
    else
        add_number(word);
}

/* Only what its kind uses: other fields hold what an earlier request left there. */
static uint64_t word_of_kind(const Request *q)
{
    bool access = q->kind >= REQUEST_LOAD && q->kind <= REQUEST_AWAIT;
    bool may_be_plain = access && q->kind != REQUEST_CAS && q->kind != REQUEST_AWAIT;
    uint64_t word = q->kind | (uint64_t)(access || q->kind == REQUEST_FENCE ? q->order : 0) << 8;
    if (access)
        word |= (uint64_t)q->size << 16 | (uint64_t)(may_be_plain ? q->plain : 0) << 24 |
                (uint64_t)q->part << 32 | (uint64_t)q->merge << 40;
    switch (q->kind) {
    case REQUEST_CAS:
        return word | (uint64_t)q->failure_order << 48 | (uint64_t)q->weak << 56;
    case REQUEST_AWAIT:
        return word | (uint64_t)q->op << 48 | (uint64_t)q->test << 56;
    case REQUEST_RMW:
        return word | (uint64_t)q->op << 48;
    default:
        return word;
    }
}

static void add_request(const Request *q)
{
    stretch.asked = stretch.count;
    add(word_of_kind(q), q->kind == REQUEST_EXIT ? 0 : (uintptr_t)q->pc << PAST_BYTES);
    if (q->kind >= REQUEST_LOAD && q->kind <= REQUEST_AWAIT)
        add_word((uintptr_t)q->address);
    switch (q->kind) {
    case REQUEST_CAS:
        add_value(q->expected, q->expected_high, q->size);
        if (q->address == stretch.lock && !q->expected)
            add_mark(q->operand);
        else
            add_value(q->operand, q->operand_high, q->size);
        break;
    case REQUEST_AWAIT:
        add_number(q->expected); /* the runtime's own words hold no addresses */
        if (q->op == RMW_EXCHANGE)
            add_mark(q->operand);
        else
            add_number(q->operand);
        break;
    case REQUEST_RMW:
    case REQUEST_STORE:
        add_value(q->operand, q->operand_high, q->size);
        break;
    case REQUEST_CREATE:
        add_number((uintptr_t)q->function);
        add_word(q->operand);
        add_word(q->expected);
        break;
    case REQUEST_MARK: /* whoever judges results takes them as they are; calls are numbered */
        add_number(q->expected);
        add_number((uint64_t)q->returns << 8 | q->op);
        break;
    case REQUEST_CHOOSE:
        add_number(q->operand);
        add_number(q->expected);
        break;
    case REQUEST_JOIN:
        add_number(q->operand);
        break;
    case REQUEST_EXIT:
        add_word(q->operand);
        add_number(q->ends_program);
        break;
    default:
        break;
    }
}

/* ---- settled stretches ---- */

/* TERM of the present stretch, as it is in a past. */
static PastTerm settled(PastTerm term)
{
    PastRegion region;
    if ((term.owner & 255) != WORD)
        return term;
    term.owner -= WORD;
    int owner = owner_of(term.bits, &region);
    if (owner < 0)
        return term;
    uint64_t place = term.owner + group_of(owner) + 1 + PAST_REGIONS * number_of(owner) + region;
    return (PastTerm){term.bits - origin_of(owner, region), place};
}

/* Makes a past's terms of those of the present stretch; of what was written, one number. */
static void settle(void)
{
    uint32_t to = 0, written = 0, asked = 0;
    for (uint32_t i = 0; i < stretch.count; i++) {
        PastTerm term = stretch.at[i];
        PastRegion region;
        if (term.owner == PART) {
            stretch.is_spoilt |= owner_of(term.bits, &region) >= 0;
            continue;
        }
        if (i == stretch.written)
            written = to;
        if (i == stretch.asked)
            to = asked = written + 1;
        stretch.at[to++] = settled(term);
        if (i > stretch.written && i < stretch.asked) {
            const PastTerm *wrote = &stretch.at[to - 1];
            stretch.at[written].bits =
                hash_combine(stretch.at[written].bits, hash_combine(wrote->bits, wrote->owner));
        }
    }
    stretch.count = to;
    stretch.asked = asked;
}

/* ---- nodes ---- */

static bool is_node(uint32_t n, uint64_t hash, uint32_t parent)
{
    const PastNode *node = &past_tree.nodes[n];
    return node->hash == hash && node->parent == parent &&
           node->last - node->first == stretch.count &&
           !memcmp(past_tree.terms + node->first, stretch.at, sizeof(PastTerm) * stretch.count);
}

static uint32_t next_slot(uint32_t i)
{
    return (i + 1) & (slot_count - 1);
}

static void grow_slots(void)
{
    memset(slots, 0, sizeof *slots * slot_count);
    slot_count *= 4;
    for (uint32_t n = MAX_THREADS + 1; n <= past_tree.count; n++) {
        uint32_t i = (uint32_t)past_tree.nodes[n].hash & (slot_count - 1);
        while (slots[i])
            i = next_slot(i);
        slots[i] = n;
    }
}

/* The node for the present stretch behind PARENT, or 0 if there are too many. */
static uint32_t find_node(uint32_t parent, const Past *h)
{
    uint64_t hash = parent;
    for (uint32_t i = 0; i < stretch.count; i++)
        hash = hash_combine(hash + stretch.at[i].owner, stretch.at[i].bits);
    uint32_t i = (uint32_t)hash & (slot_count - 1);
    for (; slots[i]; i = next_slot(i))
        if (is_node(slots[i], hash, parent))
            return slots[i];
    if (past_tree.count + 1 >= MOST_NODES || term_count + stretch.count >= MOST_TERMS)
        return 0;
    uint32_t n = slots[i] = ++past_tree.count;
    past_tree.nodes[n] = (PastNode){.hash = hash,
                                    .parent = parent,
                                    .first = term_count,
                                    .last = term_count + stretch.count,
                                    .asked = term_count + stretch.asked,
                                    .kind = request.kind,
                                    .size = request.size,
                                    .op = request.op,
                                    .like = *h};
    past_tree.nodes[n].like.node = n;
    memcpy(past_tree.terms + term_count, stretch.at, sizeof(PastTerm) * stretch.count);
    term_count += stretch.count;
    past_tree.nodes[parent].goes_on = true;
    if (past_tree.count > slot_count / 2 && slot_count < MOST_SLOTS)
        grow_slots();
    return n;
}

/* The present stretch ends at another node, with perhaps more owners: makes that of PAST. */
static void find_end(Past *past)
{
    stretch.of = past;
    settle();
    stretch.of = NULL;
    past->node = stretch.is_spoilt ? 0 : find_node(past->node, past);
    if (!past->node)
        alike_refuse();
}

static void note_created(int t)
{
    creation[t] = pasts[0].node;
}

uint32_t pasts_creation(int t)
{
    return creation[t];
}

static void begin_stretch(int t)
{
    const PastNode *node = &past_tree.nodes[pasts[t].node];
    stretch.count = stretch.write_count = 0;
    stretch.is_spoilt = false;
    stretch.of = &pasts[t];
    stretch.thread = t;
    stretch.lock = NULL;
    add_answer(node);
    add_result(node);
}

static void end_stretch(int t)
{
    if (request.kind != REQUEST_STOP) {
        add_writes();
        add_request(&request);
    }
    stretch.of = NULL;
    if (request.kind == REQUEST_STOP)
        return; /* nothing is concluded from that, or the search ends */
    if (stretch.is_spoilt || request.kind == REQUEST_STALL)
        alike_refuse();
    Past to = pasts[t];
    bool recalled = recall_find(&to, stretch.at, stretch.count);
    if (recalled && LIKELY(!graphs.validates)) {
        pasts[t] = to;
        return;
    }
    find_end(&pasts[t]);
    ASSERT(!recalled || !memcmp(&to, &pasts[t], sizeof to));
    recall_note(&pasts[t]);
}

/* ---- what the search asks ---- */

static void note_restart(int t)
{
    pasts[t] = pasts_root(t);
}

static bool are_kept(void)
{
    return graphs.pasts_on;
}

static void listen(void)
{
    memory_hooks.told = pasts_note;
}

const Rule pasts_rule = {.setup = listen};
const Rule pasts_kept_rule = {.active = are_kept,
                              .restart = note_restart,
                              .begin_stretch = begin_stretch,
                              .end_stretch = end_stretch,
                              .create = note_created};
