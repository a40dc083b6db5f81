#include "guest/states/key.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/fiber.h"
#include "guest/states/early.h"
#include "guest/states/keysum.h"
#include "guest/states/part.h"
#include "guest/states/symmetry.h"
#include "guest/states/views/views.h"

/* All that the key is made of. Its words are put behind each other by functions that are given the
 * place of the next one, and return the place behind what they put: it stays in a register. */
static Vec(uint64_t) words;
static StatesBlock *reached[STATES_BLOCKS];
static uint32_t reached_count;

/* ---- the words of a key ---- */

/* Returns AT, or where it has moved: COUNT words fit there. */
static inline uint64_t *make_room(uint64_t *at, size_t count)
{
    size_t used = (size_t)(at - words.at);
    if (LIKELY(used + count < words.capacity)) /* (keysum writes one more) */
        return at;
    words.count = used;
    vec_reserve(&words, used + count + 1024);
    return words.at + used;
}

enum { WORD_ROOM = 2 }; /* that put_value takes at most, and put_own_value */

/* Words whose top byte is that of KEY_POINTER stand for something else than a value of the program;
 * a value that looks like one comes after KEY_VALUE. */
#define KEY_POINTER UINT64_C(0x9000000000000000)
#define KEY_TAGGED UINT64_C(0x0080000000000000) /* a word with the tag follows */
#define KEY_VALUE UINT64_C(0x9040000000000000)
#define KEY_OWN UINT64_C(0x9020000000000000) /* a place in the stack of the thread follows */

static inline uint64_t name_of(const StatesBlock *block, uint64_t offset)
{
    DEBUG_ASSERT(block->number && offset <= block->bytes);
    return KEY_POINTER + ((uint64_t)block->number << 32) + offset;
}

static inline void reach(StatesBlock *block)
{
    DEBUG_ASSERT(block >= states_blocks && block < states_blocks + states_block_count);
    if (block->number)
        return;
    reached[reached_count++] = block;
    block->number = (uint16_t)reached_count;
}

/* Puts a word that is at least STATES_AREA and, as it is, points to no block. */
static __attribute__((noinline)) uint64_t *put_odd_value(uint64_t *at, uint64_t word)
{
    unsigned shift;
    uint64_t tag;
    StatesBlock *block = states_pointee(word, &shift, &tag);
    if (block) {
        reach(block);
        *at++ = name_of(block, ((word & ~tag) >> shift) - block->at) | KEY_TAGGED;
        *at++ = tag + shift;
        return at;
    }
    if (word >> 56 == KEY_POINTER >> 56)
        *at++ = KEY_VALUE;
    *at++ = word;
    return at;
}

static inline uint64_t *put_value(uint64_t *at, uint64_t word)
{
    if (LIKELY(word < STATES_AREA)) {
        *at++ = word;
        return at;
    }
    StatesBlock *block = states_block_of(word);
    if (UNLIKELY(!block))
        return put_odd_value(at, word);
    reach(block);
    *at++ = name_of(block, word - block->at);
    return at;
}

static uint32_t owner; /* the thread whose words are put */

/* Puts a word of a request or a store of `owner`. */
static inline uint64_t *put_own_value(uint64_t *at, uint64_t value)
{
    uint64_t place = part_own_place(owner, value);
    if (LIKELY(place == PART_NOT_OWN))
        return put_value(at, value);
    *at++ = KEY_OWN;
    *at++ = place;
    return at;
}

/* ---- the parts of a state ---- */

static uint64_t visit_put(uint64_t at, uint64_t word)
{
    return (uintptr_t)put_value((uint64_t *)at, word);
}

static uint64_t visit_put_own(uint64_t at, uint64_t word)
{
    return (uintptr_t)put_own_value((uint64_t *)at, word);
}

/* THREAD_ROOM is what a thread takes but for its buffer, if few words of its stack lead to blocks.
 */
enum { FEW_POINTERS = 8, THREAD_ROOM = 4 + WORD_ROOM * (1 + PART_REQUEST_WORDS + FEW_POINTERS) };

/* Returns AT, or where it has moved: COUNT words fit there, and THREAD_ROOM for each thread. */
static inline uint64_t *make_room_for_threads(uint64_t *at, size_t count)
{
    return make_room(at, count + THREAD_ROOM * STATES_THREADS);
}

static uint64_t *put_buffer(uint64_t *at, uint32_t t)
{
    DEBUG_ASSERT(t < STATES_THREADS);
    const StatesBuffer *b = &states_buffers[t];
    at = make_room_for_threads(at, 1 + b->calls + (1 + 3 * WORD_ROOM) * (size_t)b->count);
    *at++ = b->count | (uint64_t)b->calls << 32;
    for (uint32_t i = 0; i < b->calls; i++)
        *at++ = b->left[i] | (uint64_t)(uint8_t)b->change[i] << 8;
    for (uint32_t i = 0; i < b->count; i++)
        *at++ = b->at[i].bytes | (uint64_t)b->at[i].plain << 32;
    return (uint64_t *)buffers_each_word(t, (uintptr_t)at, visit_put_own);
}

static uint64_t *put_thread(uint64_t *at, uint32_t t)
{
    owner = t;
    const StatesThread *thread = &states_thread[t];
    *at++ = (uint64_t)(uint32_t)(thread->call + 1) | (uint64_t)thread->place << 32;
    if (states_lag)
        *at++ = thread->overtaken;
    if (!states_first) /* only threads of a program have one */
        at = put_value(at, thread->result);
    if (buffers_used)
        at = put_buffer(at, t);
    if (!states_has_stack[t])
        return at;
    const StatesScan *scan = part_scan((int)t);
    if (UNLIKELY(scan->firsts > FEW_POINTERS))
        at = make_room_for_threads(at, WORD_ROOM * (size_t)scan->firsts);
    *at++ = scan->a; /* (with the size of the stack, and which words of the request follow) */
    *at++ = scan->b;
    return (uint64_t *)part_each_pointer(t, scan, (uintptr_t)at, visit_put);
}

static inline uint64_t block_word(const StatesBlock *block, uint32_t i)
{
    DEBUG_ASSERT(i < (block->bytes + 7) / 8);
    uint64_t word;
    memcpy(&word, (const char *)block->at + 8 * (size_t)i, 8);
    return word;
}

enum { SMALL_BLOCK = 16, BLOCK_ROOM = 1 + SMALL_BLOCK / 8 * WORD_ROOM };

/* Returns AT, or where it has moved: COUNT words fit there, and each block that is small. */
static inline uint64_t *make_room_for_blocks(uint64_t *at, size_t count)
{
    return make_room(at, count + BLOCK_ROOM * (size_t)states_block_count);
}

/* Puts the words of a block, and behind each eight of them which of their bytes are written. */
static uint64_t *put_contents(uint64_t *at, const StatesBlock *block)
{
    const unsigned char *written = states_written(block);
    uint32_t count = (block->bytes + 7) / 8;
    uint64_t bits = 0;
    at = make_room_for_blocks(at, (WORD_ROOM + 1) * (size_t)count);
    for (uint32_t i = 0; i < count; i++) {
        at = put_value(at, block_word(block, i));
        bits = bits << 8 | written[i];
        if (!block->zeroed && (i % 8 == 7 || i + 1 == count))
            *at++ = bits;
    }
    return at;
}

/* Puts a block. For a small one the first word says which bytes are written, too. */
static inline uint64_t *put_block(uint64_t *at, const StatesBlock *block)
{
    uint64_t first = block->bytes | (uint64_t)block->freed << 40 | (uint64_t)block->zeroed << 41;
    if (UNLIKELY(block->freed || block->bytes > SMALL_BLOCK || !block->bytes)) {
        *at++ = first;
        return block->freed ? at : put_contents(at, block);
    }
    const unsigned char *written = states_written(block);
    uint64_t bits = written[0] | (block->bytes > 8 ? (uint64_t)written[1] << 8 : 0);
    *at++ = block->zeroed ? first : first | bits << 44;
    at = put_value(at, block_word(block, 0));
    return block->bytes > 8 ? put_value(at, block_word(block, 1)) : at;
}

/* Leaves in *WHERE and *HOW what is put of an access. False: nobody can touch the memory any more.
 */
static inline bool name_print(const StatesPrint *p, uint64_t *where, uint64_t *how)
{
    const StatesBlock *block = states_block_of(p->at);
    if (block && !block->number)
        return false;
    *where = block ? name_of(block, p->at - block->at) : p->at;
    *how = (uint64_t)p->after << 40 | (uint64_t)p->bytes << 1 | p->writes; /* never 0 */
    return true;
}

/* Puts what T touched, at most two words: one access as it is, of several a sum, since in which
 * order they were made does not matter. */
static uint64_t *put_prints(uint64_t *at, uint32_t t)
{
    DEBUG_ASSERT(states_prints[t].count <= STATES_PRINTS);
    const StatesPrints *f = &states_prints[t];
    uint64_t all = 0, other = 0, where = 0, how = 0;
    if (LIKELY(f->count == 1)) {
        bool counts = name_print(&f->at[0], &where, &how);
        at[0] = where;
        at[1] = how;
        return at + 1 + counts;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        uint64_t next_where, next_how;
        if (!name_print(&f->at[i], &next_where, &next_how))
            continue;
        if (how) {
            uint64_t one = hash_combine(where, how);
            all += one;
            other += hash_mix(one ^ UINT64_C(0x5851F42D4C957F2D));
        }
        where = next_where;
        how = next_how;
    }
    if (all || other) {
        uint64_t one = hash_combine(where, how);
        where = all + one;
        how = other + hash_mix(one ^ UINT64_C(0x5851F42D4C957F2D));
    }
    *at++ = where;
    if (where || how)
        *at++ = how;
    return at;
}

/* Puts the blocks that are reached, from number FROM on. */
static uint64_t *put_blocks(uint64_t *at, uint32_t from)
{
    DEBUG_ASSERT(from <= states_block_count);
    at = make_room_for_blocks(at, 0);
    for (; from < reached_count; from++) /* grows as blocks are found */
        at = put_block(at, reached[from]);
    return at;
}

/* Puts the summary of the graph so far; its places may lead to more blocks. */
static uint64_t *put_views(uint64_t *at)
{
    enum { PLACE_ROOM = 64 };
    uint32_t done = reached_count;
    while (views_next_place()) {
        at = views_put_place(make_room(at, PLACE_ROOM), put_value);
        at = put_blocks(at, done);
        done = reached_count;
    }
    return views_put(make_room(at, views_words()), put_value);
}

/* A key begins with words, and the blocks that they lead to. */
typedef struct KeyStart {
    size_t words;
    uint32_t reached, blocks; /* blocks that have a number; that were put */
} KeyStart;

/* The key that begins with START and lists threads in this order, by slot. */
static StatesKey finish_key(const KeyStart *start, const uint8_t *order)
{
    for (uint32_t i = start->reached; i < reached_count; i++)
        reached[i]->number = 0;
    reached_count = start->reached;
    uint64_t *at = make_room_for_threads(words.at + start->words, 0);
    for (uint32_t t = states_first; t <= states_threads; t++)
        at = put_thread(at, order[t]);
    at = put_blocks(at, start->blocks);
    if (UNLIKELY(views_used))
        at = put_views(at);
    at = make_room(at, 2 * STATES_THREADS + 1);
    for (uint32_t t = states_first; t <= states_threads; t++) {
        if (UNLIKELY(states_prints[order[t]].count))
            at = put_prints(at, order[t]);
        else
            *at++ = 0;
    }
    *at++ = states_elements;
    Hash128 sum = keysum(words.at, (uint32_t)(at - words.at));
    return (StatesKey){sum.low, sum.high};
}

static const uint8_t by_number[STATES_THREADS] = {0, 1, 2, 3, 4, 5, 6};

static StatesKey finish_symmetric_key(const KeyStart *start)
{
    uint8_t order[STATES_THREADS + 1] = {0};
    uint64_t by[STATES_THREADS + 1];
    bool several = symmetry_order(order, by);
    StatesKey best = finish_key(start, order);
    symmetry_turn = turn_of_order(order);
    for (uint32_t turn = 0; several && turn < turn_count(); turn++) {
        for (uint32_t slot = 1; slot <= states_threads && slot < COUNT_OF(order); slot++)
            order[slot] = (uint8_t)turn_slot((uint8_t)turn, slot);
        if (!symmetry_is_in_order(order, by))
            continue;
        StatesKey other = finish_key(start, order);
        if (other.a < best.a || (other.a == best.a && other.b < best.b)) {
            best = other;
            symmetry_turn = turn_of_order(order);
        }
    }
    return best;
}

static KeyStart start_key(void)
{
    if (UNLIKELY(views_used))
        views_forget();
    else if (UNLIKELY(early_objects))
        early_forget();
    for (uint32_t i = 0; i < states_block_count; i++)
        states_blocks[i].number = 0;
    reached_count = 0;
    uint64_t *at = make_room(words.at, (1 + WORD_ROOM) * states_words.count + 1);
    for (size_t i = 0; i < states_words.count; i++) {
        uint64_t value = *states_words.at[i].address;
        if (value == states_words.at[i].initial)
            continue;
        *at++ = i;
        at = put_value(at, value);
    }
    KeyStart start = {0};
    if (symmetry_used) { /* threads are told apart by them */
        at = make_room(put_blocks(at, 0), 1);
        start.blocks = reached_count;
        *at++ = KEY_POINTER + start.blocks;
    }
    start.words = (size_t)(at - words.at);
    start.reached = reached_count;
    return start;
}

StatesKey states_key(void)
{
    KeyStart start = start_key();
    return symmetry_used ? finish_symmetric_key(&start) : finish_key(&start, by_number);
}

StatesKey states_key_by_number(void)
{
    KeyStart start = start_key();
    symmetry_turn = 0;
    return finish_key(&start, by_number);
}

bool states_has_turn(StatesKey key, uint8_t turn)
{
    uint8_t order[STATES_THREADS + 1] = {0};
    KeyStart start = start_key();
    for (uint32_t t = 1; t <= states_threads; t++)
        order[turn_slot(turn, t)] = (uint8_t)t;
    StatesKey turned = finish_key(&start, order);
    return turned.a == key.a && turned.b == key.b;
}

void states_collect(void)
{
    uint32_t kept = 0;
    if (LIKELY(reached_count == states_block_count))
        return;
    for (uint32_t i = 0; i < states_block_count; i++)
        if (states_blocks[i].number)
            states_blocks[kept++] = states_blocks[i];
        else
            heap_remove_block((void *)states_blocks[i].at);
    states_block_count = kept;
    states_blocks_changed = true;
    for (uint32_t t = states_first; t <= states_threads; t++) {
        StatesPrints *f = &states_prints[t];
        uint32_t count = 0;
        for (uint32_t i = 0; i < f->count; i++)
            if (!states_in_area(f->at[i].at) || states_block_of(f->at[i].at))
                f->at[count++] = f->at[i];
        f->count = count;
    }
}

/* ---- what only one thread can reach ----
 * A function of what is alive, as everything that decides about steps must be: else equal states
 * would take different ones. */

enum { SHARED = 1, WANTED = 2 }; /* StatesBlock.number: another thread can reach it; asked about */
static uint32_t wanted; /* blocks that are asked about, and were not found to be shared so far */
static bool without_stores; /* in the buffer of the thread itself: they lead nowhere yet */

static void want(uint64_t address)
{
    StatesBlock *block = states_block_of(address);
    if (!block || block->number == WANTED)
        return;
    block->number = WANTED;
    wanted++;
}

static uint64_t mark(uint64_t carried, uint64_t word)
{
    if (LIKELY(word < STATES_AREA))
        return carried;
    unsigned shift;
    uint64_t tag;
    StatesBlock *block = states_block_of(word);
    if (UNLIKELY(!block))
        block = states_packed_pointee(word, &shift, &tag);
    if (!block || block->number == SHARED)
        return carried;
    wanted -= block->number == WANTED;
    block->number = SHARED;
    reached[reached_count++] = block;
    return carried;
}

static void mark_value(uint64_t value)
{
    mark(0, value);
}

/* Marks what the words outside of blocks lead to, those of T's own stack left out, as long as
 * something is wanted. */
static void mark_roots(int thread)
{
    for (size_t i = 0; i < states_words.count && wanted; i++)
        mark(0, *states_words.at[i].address);
    for (uint32_t t = states_first; t <= states_threads && buffers_used && wanted; t++)
        if (!without_stores || (int)t != thread)
            buffers_each_word(t, 0, mark); /* of its own, too: it is soon to be shared */
    if (UNLIKELY(views_used) && wanted)
        views_each_value(mark_value);
    for (uint32_t t = states_first; t <= states_threads && !states_first && wanted; t++)
        mark(0, states_thread[t].result);
    for (uint32_t t = states_first; t <= states_threads && wanted; t++)
        if ((int)t != thread && states_has_stack[t])
            part_each_pointer(t, part_scan((int)t), 0, mark);
    if (states_stacks_shared >> thread & 1 && states_has_stack[thread] &&
        wanted) /* others may look into it */
        part_each_pointer((uint32_t)thread, part_scan(thread), 0, mark);
}

/* Marks blocks that another thread than T can reach: all of them, unless those that are wanted are
 * found before that. */
static void mark_shared(int thread)
{
    reached_count = 0;
    mark_roots(thread);
    for (uint32_t i = 0; i < reached_count && wanted; i++)
        for (uint32_t k = 0; k < reached[i]->bytes && !reached[i]->freed; k += 8)
            mark(0, *(const uint64_t *)(reached[i]->at + k));
}

bool states_is_private(int thread, const void *address)
{
    DEBUG_ASSERT(thread >= 0 && thread < STATES_THREADS);
    if (fiber_of_stack(address) == thread)
        return !(states_stacks_shared >> thread & 1);
    const StatesBlock *block = states_block_of((uintptr_t)address);
    return block && block->number != SHARED;
}

static void drop_private_prints(int thread)
{
    StatesPrints *f = &states_prints[thread];
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->count; i++)
        if (!states_is_private(thread, (void *)f->at[i].at))
            f->at[count++] = f->at[i];
        else if (states_in_area(f->at[i].at))
            states_hide(f->at[i].at, f->at[i].bytes, f->at[i].writes);
    f->count = count;
}

bool states_is_out_of_reach(int thread, uint64_t address)
{
    if (!states_in_area(address)) /* (stores to a stack that nobody shares are in no buffer) */
        return false;
    for (uint32_t i = 0; i < states_block_count; i++)
        states_blocks[i].number = 0;
    wanted = 0;
    want(address);
    without_stores = true;
    mark_shared(thread);
    without_stores = false;
    return wanted != 0;
}

void states_look_for_private(int thread, const void *address)
{
    const StatesPrints *f = &states_prints[thread];
    for (uint32_t i = 0; i < states_block_count; i++)
        states_blocks[i].number = 0;
    wanted = 0;
    for (uint32_t i = 0; i < f->count; i++)
        want(f->at[i].at);
    bool has_prints = wanted;
    want((uintptr_t)address);
    if (!wanted)
        return;
    mark_shared(thread);
    for (uint32_t i = 0; i < f->count && has_prints; i++)
        if (states_in_area(f->at[i].at))
            states_decide(states_is_private(thread, (void *)f->at[i].at));
    if (has_prints && wanted)
        drop_private_prints(thread);
}
