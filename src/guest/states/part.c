#include "guest/states/part.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/explore/memory/scrub.h"
#include "guest/states/keysum.h"
#include "guest/states/piece.h"
#include "guest/states/shelf.h"
#include "guest/states/symmetry.h"
#include "guest/states/transcript.h"

typedef struct Part {
    StatesScan scan;
    Request request;
    uint64_t sum; /* of its content */
    uint32_t thread;
    uint32_t bytes;       /* of its stack */
    const char *pieces[]; /* of that, from its base on: all but the last have PIECE_BYTES */
} Part;

static Shelf(Part *) parts;
static Vec(Part *) local; /* in the crew: parts that the search has not numbered */
static HashMap by_content;
static uint64_t bytes_used;
static StatesScan own[STATES_THREADS]; /* of threads whose part has no number */
const StatesScan *part_known[STATES_THREADS];
uint32_t part_present[STATES_THREADS];
static uint32_t expected[1 << 14]; /* the numbers of parts + 1, by the transcripts of the steps that
                                      led to them (a guess, to be compared) */
bool part_is_elsewhere;
const uint32_t *part_names;
static Vec(uint64_t) scanned; /* words of the stack that is looked at */

/* ---- looking at a stack ---- */

static inline Part *part_at(uint32_t number)
{
    return number >= PART_LOCAL ? local.at[number - PART_LOCAL] : *shelf_at(&parts, number);
}

static inline bool may_point(uint64_t word)
{
    return UNLIKELY(word >= STATES_AREA) &&
           (states_in_area(word) || states_in_area(word & UINT64_C(0xffffffffffff)) ||
            states_in_area(word >> 16));
}

static uint32_t stack_bytes(int t)
{
    DEBUG_ASSERT((char *)fibers[t].sp <= fibers[t].base && (char *)fibers[t].sp >= fibers[t].limit);
    return (uint32_t)(fibers[t].base - (char *)fibers[t].sp);
}

#define POINTER UINT64_C(0x452821E638D01377) /* stands for a word that may point to a block */

static inline uint64_t stack_word(const char *sp, uint32_t i)
{
    uint64_t word;
    memcpy(&word, sp + 8 * (size_t)i, 8);
    return word;
}

/* Lists word I of the stack at SP, which may point to a block. Returns what is hashed instead: to
 * which of the words that were listed first it is equal. */
static uint64_t list_pointer(const char *sp, uint32_t i, StatesScan *scan)
{
    enum { MOST = 16 }; /* that are compared: the others count as different */
    uint64_t word = stack_word(sp, i);
    uint32_t k = 0;
    while (k < MIN(scan->firsts, (uint32_t)MOST) && stack_word(sp, scan->word[k]) != word)
        k++;
    k = k < MOST ? k : scan->firsts;
    scan->word[scan->count++] = i;
    if (k == scan->firsts) { /* it changes places with one that is not among the first */
        scan->word[scan->count - 1] = scan->word[scan->firsts];
        scan->word[scan->firsts++] = i;
    }
    return POINTER + k;
}

/* Puts the words of request Q that its performance depends on at TO, a zero for each other one.
 * Returns those that may point to a block as bits, with POINTER in their places. */
static uint32_t list_request(const Request *q, uint64_t *to)
{
    bool changes = q->kind == REQUEST_RMW || q->kind == REQUEST_AWAIT;
    bool only_reads = q->kind == REQUEST_LOAD || q->plain == 1;
    bool expects = !only_reads && (q->kind == REQUEST_CAS || q->kind == REQUEST_AWAIT);
    bool is_wide = q->size == 16;
    bool counts[PART_REQUEST_WORDS] = {true, !only_reads, !only_reads && is_wide, expects,
                                       expects && is_wide};
    uint32_t pointers = 0;
    for (uint32_t i = 0; i < PART_REQUEST_WORDS; i++) {
        to[i] = counts[i] ? part_request_word(q, i) : 0;
        if (may_point(to[i])) {
            pointers |= 1u << i;
            to[i] = POINTER;
        }
    }
    to[PART_REQUEST_WORDS] = (uint64_t)q->kind | (uint64_t)(changes ? q->op : 0) << 8 |
                             (uint64_t)(q->kind == REQUEST_AWAIT ? q->test : 0) << 16 |
                             (uint64_t)q->size << 24 | (uint64_t)q->plain << 32 |
                             (uint64_t)(q->kind == REQUEST_CAS && q->weak) << 40;
    return pointers;
}

/* Makes idle bytes (explore/memory/scrub.h) of the COUNT words zero that were scanned from the
 * stack of T at SP. Only the hash does not know them: the stack keeps them, for a delay might not
 * end with others. States that differ in them alone lead to the same ones, only later or earlier: a
 * loop that only delays makes no request, so that no state lies inside of it. (T stands in none
 * even if it accesses its own stack; but then they count.) */
static void forget_delays(uint32_t t, const char *sp, uint32_t count, const Request *q)
{
    if (LIKELY(!scrub.has_idle) || (states_stacks_shared >> t & 1) ||
        fiber_of_stack(q->address) == (int)t)
        return;
    const uint64_t *mask = scrub_mask(sp, sp + 8 * (size_t)count);
    for (uint32_t i = 0; i < count; i++)
        scanned.at[i] &= mask[i];
}

/* Looks at the BYTES from SP on, the stack of T, and at its request Q. Words that lead into the
 * stack count by where they do, so that threads which stand at the same place have the same hash.
 */
static void scan_thread(uint32_t t, const char *sp, uint32_t bytes, const Request *q,
                        StatesScan *scan)
{
    uint32_t count = bytes / 8, all = count + PART_REQUEST_WORDS + 1;
    uint64_t own_words = 0;
    if (scan->room < count) {
        free(scan->word);
        scan->word = malloc(sizeof *scan->word * count);
        scan->room = count;
    }
    scan->count = scan->firsts = 0;
    vec_reserve(&scanned, all + 1);
    for (uint32_t i = 0; i < count; i++)
        scanned.at[i] = stack_word(sp, i);
    forget_delays(t, sp, count, q);
    for (uint32_t i = 0; i < count; i++)
        if (UNLIKELY(may_point(scanned.at[i])))
            scanned.at[i] = list_pointer(sp, i, scan);
    scan->request = list_request(q, scanned.at + count);
    for (uint32_t i = 0; i < all; i++) {
        uint64_t place = part_own_place(t, scanned.at[i]);
        if (place != PART_NOT_OWN) {
            own_words = hash_combine(own_words, i);
            scanned.at[i] = place;
        }
    }
    Hash128 sum = keysum(scanned.at, all);
    scan->a = sum.low ^ own_words; /* (it knows their number) */
    scan->b = sum.high;
}

void part_forget(int t)
{
    part_known[t] = NULL;
    part_present[t] = 0;
}

void part_note_idle(int t)
{
    part_known[t] = NULL;
    part_present[t] = PART_IDLE;
}

void part_note_moved(int t)
{
    part_present[t] = 0;
}

void part_forget_all(void)
{
    for (int t = 0; t < STATES_THREADS; t++)
        part_forget(t);
}

/* ---- numbers ---- */

/* BYTES is a multiple of 8. (Faster than memcmp, which looks for the first difference.) */
static inline bool are_same(const char *a, const char *b, size_t bytes)
{
    typedef uint64_t Word __attribute__((aligned(1), may_alias));
    typedef uint64_t Pair __attribute__((vector_size(16), aligned(1), may_alias));
    Pair different = {0, 0};
    size_t i = 0;
    for (; i + 16 <= bytes; i += 16)
        different |= *(const Pair *)(a + i) ^ *(const Pair *)(b + i);
    uint64_t last = i == bytes ? 0 : *(const Word *)(a + i) ^ *(const Word *)(b + i);
    return !(different[0] | different[1] | last);
}
_Static_assert(sizeof(Request) % 8 == 0, "compared by are_same");

/* A stack with its request. */
typedef struct Content {
    uint32_t thread;
    const char *stack;
    uint32_t bytes;
    const Request *request;
    const StatesScan *scan;
} Content;

static inline uint32_t piece_count(uint32_t bytes)
{
    return (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

/* Copies the stack of PART to TO, where that of BEFORE is already, unless it is PART itself: pieces
 * that both have stay, since a piece that is kept has one address, one size, and its place. */
static void copy_stack(const Part *part, const Part *before, char *to)
{
    uint32_t full = part->bytes / PIECE_BYTES, rest = part->bytes % PIECE_BYTES;
    uint32_t there = before == part ? 0 : piece_count(before->bytes);
    char *end = to + part->bytes;
    for (uint32_t i = 0; i < full; i++) {
        end -= PIECE_BYTES;
        if (i >= there || part->pieces[i] != before->pieces[i])
            memcpy(end, part->pieces[i], PIECE_BYTES);
    }
    if (rest && (full >= there || part->pieces[full] != before->pieces[full]))
        memcpy(to, part->pieces[full], rest);
}

static bool has_stack(const Part *part, const Content *c)
{
    uint32_t full = part->bytes / PIECE_BYTES, rest = part->bytes % PIECE_BYTES;
    const char *end = c->stack + part->bytes;
    if (rest && !are_same(part->pieces[full], c->stack, rest)) /* (it differs most often) */
        return false;
    for (uint32_t i = full; i-- > 0;)
        if (!are_same(part->pieces[i], end - (size_t)(i + 1) * PIECE_BYTES, PIECE_BYTES))
            return false;
    return true;
}

/* (Requests that differ in padding only are different parts, which does no harm.) */
static bool is_same(const Part *part, const Content *c)
{
    return part->bytes == c->bytes && part->thread == c->thread && has_stack(part, c) &&
           are_same((const char *)&part->request, (const char *)c->request, sizeof part->request);
}

/* Is the present part of T the one that the last step with this transcript has led to? */
static bool is_as_expected(int t)
{
    uint32_t number = expected[transcript_sum % COUNT_OF(expected)];
    if (!number)
        return false;
    const Part *part = part_at(number - 1);
    Content c = {(uint32_t)t, fibers[t].sp, stack_bytes(t), &states_thread[t].request, NULL};
    if (!is_same(part, &c))
        return false;
    part_known[t] = &part->scan;
    part_present[t] = number;
    return true;
}

static Part *keep_part(const Content *c)
{
    const StatesScan *scan = c->scan;
    uint32_t pieces = piece_count(c->bytes);
    Part *part = shelf_take_bytes(sizeof *part + sizeof *part->pieces * pieces);
    part->scan = *scan;
    part->scan.word = shelf_take_bytes(sizeof *scan->word * scan->count);
    part->scan.room = scan->count;
    memcpy(part->scan.word, scan->word, sizeof *scan->word * scan->count);
    part->request = *c->request;
    part->thread = c->thread;
    part->bytes = c->bytes;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t end = c->bytes - i * PIECE_BYTES, count = MIN(end, (uint32_t)PIECE_BYTES);
        part->pieces[i] = piece_keep(c->stack + end - count, count);
    }
    bytes_used +=
        sizeof *part + sizeof *part->pieces * pieces + sizeof *scan->word * scan->count + 64;
    return part;
}

static uint32_t add_part(Part *part)
{
    if (!shelf_is_guest) {
        shelf_push(&parts, part);
        return (uint32_t)parts.count - 1;
    }
    vec_push(&local, part);
    return PART_LOCAL + (uint32_t)local.count - 1;
}

static uint32_t number_content(const Content *c)
{
    const StatesScan *scan = c->scan;
    uint64_t hash = hash_combine(scan->a ^ c->bytes, scan->b ^ c->thread);
    for (uint32_t i = 0; i < scan->count; i++) {
        uint64_t word;
        memcpy(&word, c->stack + 8 * (size_t)scan->word[i], 8);
        hash = hash_combine(hash, word);
    }
    hash ^= hash_bytes(c->request, sizeof *c->request, 3);
    for (;; hash++) {
        bool absent;
        uint64_t *at = hashmap_put(&by_content, hash, &absent);
        if (absent) {
            Part *part = keep_part(c);
            part->sum = hash;
            *at = add_part(part);
        } else if (!is_same(part_at((uint32_t)*at), c)) {
            continue;
        }
        return (uint32_t)*at;
    }
}

/* Gives the part of T a number, whose stack was looked at. */
static void number_present(int t)
{
    uint32_t number = number_content(&(Content){(uint32_t)t, fibers[t].sp, stack_bytes(t),
                                                &states_thread[t].request, part_known[t]});
    part_known[t] = &part_at(number)->scan;
    part_present[t] = number + 1;
    expected[transcript_sum % COUNT_OF(expected)] = number + 1;
}

const StatesScan *part_look(int t)
{
    if (is_as_expected(t))
        return part_known[t];
    scan_thread((uint32_t)t, fibers[t].sp, stack_bytes(t), &states_thread[t].request, &own[t]);
    part_known[t] = &own[t];
    if (!part_is_elsewhere && !symmetry_used) /* else many of them are in no copy */
        number_present(t);
    return part_known[t];
}

uint32_t part_number(int t)
{
    DEBUG_ASSERT(t >= 0 && t < STATES_THREADS);
    if (!part_present[t]) {
        part_scan(t);
        if (!part_present[t])
            number_present(t);
    }
    if (UNLIKELY(part_present[t] > PART_LOCAL)) {
        uint32_t name =
            __atomic_load_n(&part_names[part_present[t] - 1 - PART_LOCAL], __ATOMIC_ACQUIRE);
        part_present[t] = name ? name : part_present[t];
    }
    DEBUG_ASSERT(!memcmp(&part_at(part_present[t] - 1)->request, &states_thread[t].request,
                         sizeof(Request)));
    return part_present[t] - 1;
}

uint64_t part_sum(int t)
{
    return part_at(part_number(t))->sum;
}

bool part_tells_local(void)
{
    bool local_one = false;
    for (uint32_t t = states_first; t <= states_threads; t++)
        local_one |= states_has_stack[t] && part_present[t] > PART_LOCAL;
    return local_one;
}

uint32_t part_local_count(void)
{
    return (uint32_t)local.count;
}

size_t part_export_bytes(uint32_t number)
{
    return sizeof(uint64_t) + sizeof(Request) + part_at(number)->bytes;
}

void part_export(uint32_t number, char *to)
{
    const Part *part = part_at(number);
    uint64_t bytes = part->bytes | (uint64_t)part->thread << 32;
    memcpy(to, &bytes, sizeof bytes);
    memcpy(to + sizeof bytes, &part->request, sizeof part->request);
    copy_stack(part, part, to + sizeof bytes + sizeof part->request);
}

uint32_t part_import(const char *from)
{
    static StatesScan scan;
    Request asked;
    uint64_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    memcpy(&asked, from + sizeof bytes, sizeof asked);
    const char *stack = from + sizeof bytes + sizeof asked;
    uint32_t thread = (uint32_t)(bytes >> 32);
    scan_thread(thread, stack, (uint32_t)bytes, &asked, &scan);
    return number_content(&(Content){thread, stack, (uint32_t)bytes, &asked, &scan});
}

void part_put_back(int t, uint32_t number)
{
    bool is_known = part_present[t] && part_present[t] != PART_IDLE;
    const Part *part = part_at(number), *before = is_known ? part_at(part_present[t] - 1) : part;
    fibers[t].sp = fibers[t].base - part->bytes;
    copy_stack(part, before, fibers[t].sp);
    states_thread[t].request = part->request;
    part_known[t] = &part->scan;
    part_present[t] = number + 1;
}

void part_begin(void)
{
    part_forget_all();
    shelf_forget_bytes();
    shelf_clear(&parts);
    memset(expected, 0, sizeof expected);
    hashmap_clear(&by_content);
    bytes_used = 0;
    piece_begin();
}

uint64_t part_bytes(void)
{
    return piece_bytes() + bytes_used + by_content.capacity * 17 + shelf_bytes(&parts);
}
