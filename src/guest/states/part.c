#include "guest/states/part.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/runtime/fiber.h"
#include "guest/states/keysum.h"
#include "guest/states/piece.h"
#include "guest/states/transcript.h"

typedef struct Part {
    StatesScan scan;
    Request request;
    uint32_t bytes;       /* of its stack */
    const char *pieces[]; /* of that, from its base on: all but the last have PIECE_BYTES */
} Part;

static Vec(Part *) parts;
static HashMap by_content;
static uint64_t bytes_used;
static StatesScan own[STATES_THREADS];          /* of threads whose part has no number */
static const StatesScan *known[STATES_THREADS]; /* NULL: not looked at since it ran */
static uint32_t present[STATES_THREADS];        /* the number of its part + 1; 0: not known; IDLE */
static uint32_t expected[1 << 14]; /* the numbers of parts + 1, by the transcripts of the steps that
                                      led to them (a guess, to be compared) */
static Vec(uint64_t) scanned;      /* words of the stack that is looked at */

/* ---- looking at a stack ---- */

static inline bool may_point(uint64_t word)
{
    return UNLIKELY(word >= STATES_AREA) &&
           (states_in_area(word) || states_in_area(word & UINT64_C(0xffffffffffff)) ||
            states_in_area(word >> 16));
}

static uint32_t stack_bytes(int t)
{
    return (uint32_t)(fibers[t].base - (char *)fibers[t].sp);
}

/* Looks at the BYTES from SP on. */
static void scan_stack(const char *sp, uint32_t bytes, StatesScan *scan)
{
    uint32_t count = bytes / 8;
    if (scan->room < count) {
        free(scan->word);
        scan->word = malloc(sizeof *scan->word * count);
        scan->room = count;
    }
    scan->count = 0;
    vec_reserve(&scanned, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, sp + 8 * (size_t)i, 8);
        if (UNLIKELY(may_point(word))) {
            scan->word[scan->count++] = i;
            word = UINT64_C(0x452821E638D01377); /* here is one */
        }
        scanned.at[i] = word;
    }
    Hash128 sum = keysum(scanned.at, count);
    scan->a = sum.low; /* (it knows their number) */
    scan->b = sum.high;
}

void part_forget(int t)
{
    known[t] = NULL;
    present[t] = 0;
}

#define IDLE UINT32_MAX

void part_note_idle(int t)
{
    known[t] = NULL;
    present[t] = IDLE;
}

bool part_is_idle(int t)
{
    return present[t] == IDLE;
}

void part_note_moved(int t)
{
    present[t] = 0;
}

void part_forget_all(void)
{
    for (int t = 0; t < STATES_THREADS; t++)
        part_forget(t);
}

/* ---- numbers ---- */

static bool are_same(const void *a, const void *b, size_t bytes)
{
    return !memcmp(a, b, bytes);
}

/* A stack with its request. */
typedef struct Content {
    const char *stack;
    uint32_t bytes;
    const Request *request;
    const StatesScan *scan;
} Content;

static inline uint32_t piece_count(uint32_t bytes)
{
    return (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

/* Where piece I of a stack of BYTES begins, counted from its stack pointer, and how large it is. */
static inline uint32_t piece_start(uint32_t bytes, uint32_t i, uint32_t *count)
{
    uint32_t end = bytes - i * PIECE_BYTES;
    *count = MIN(end, (uint32_t)PIECE_BYTES);
    return end - *count;
}

static void copy_stack(const Part *part, char *to)
{
    for (uint32_t i = 0; i < piece_count(part->bytes); i++) {
        uint32_t count, start = piece_start(part->bytes, i, &count);
        if (LIKELY(count == PIECE_BYTES))
            memcpy(to + start, part->pieces[i], PIECE_BYTES);
        else
            memcpy(to + start, part->pieces[i], count);
    }
}

static bool has_stack(const Part *part, const Content *c)
{
    for (uint32_t i = 0; i < piece_count(part->bytes); i++) {
        uint32_t count, start = piece_start(part->bytes, i, &count);
        if (!are_same(part->pieces[i], c->stack + start, count))
            return false;
    }
    return true;
}

/* (Requests that differ in padding only are different parts, which does no harm.) */
static bool is_same(const Part *part, const Content *c)
{
    return part->bytes == c->bytes && has_stack(part, c) &&
           are_same(&part->request, c->request, sizeof part->request);
}

/* Is the present part of T the one that the last step with this transcript has led to? */
static bool is_as_expected(int t)
{
    uint32_t number = expected[transcript_sum % COUNT_OF(expected)];
    if (!number)
        return false;
    const Part *part = parts.at[number - 1];
    Content c = {fibers[t].sp, stack_bytes(t), &states_thread[t].request, NULL};
    if (!is_same(part, &c))
        return false;
    known[t] = &part->scan;
    present[t] = number;
    return true;
}

const StatesScan *part_scan(int t)
{
    if (!known[t] && !is_as_expected(t)) {
        scan_stack(fibers[t].sp, stack_bytes(t), &own[t]);
        known[t] = &own[t];
    }
    return known[t];
}

static Part *keep_part(const Content *c)
{
    const StatesScan *scan = c->scan;
    uint32_t pieces = piece_count(c->bytes);
    Part *part = malloc(sizeof *part + sizeof *part->pieces * pieces);
    part->scan = *scan;
    part->scan.word = malloc(sizeof *scan->word * scan->count + 1);
    part->scan.room = scan->count;
    memcpy(part->scan.word, scan->word, sizeof *scan->word * scan->count);
    part->request = *c->request;
    part->bytes = c->bytes;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t count, start = piece_start(c->bytes, i, &count);
        part->pieces[i] = piece_keep(c->stack + start, count);
    }
    bytes_used +=
        sizeof *part + sizeof *part->pieces * pieces + sizeof *scan->word * scan->count + 64;
    return part;
}

static uint32_t number_content(const Content *c)
{
    const StatesScan *scan = c->scan;
    uint64_t hash = hash_combine(scan->a ^ c->bytes, scan->b);
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
            *at = parts.count;
            vec_push(&parts, keep_part(c));
        } else if (!is_same(parts.at[*at], c)) {
            continue;
        }
        return (uint32_t)*at;
    }
}

uint32_t part_number(int t)
{
    if (present[t])
        return present[t] - 1;
    uint32_t number = number_content(
        &(Content){fibers[t].sp, stack_bytes(t), &states_thread[t].request, part_scan(t)});
    known[t] = &parts.at[number]->scan;
    present[t] = number + 1;
    expected[transcript_sum % COUNT_OF(expected)] = number + 1;
    return number;
}

uint32_t part_count(void)
{
    return (uint32_t)parts.count;
}

size_t part_export_bytes(uint32_t number)
{
    return sizeof(uint64_t) + sizeof(Request) + parts.at[number]->bytes;
}

void part_export(uint32_t number, char *to)
{
    const Part *part = parts.at[number];
    uint64_t bytes = part->bytes;
    memcpy(to, &bytes, sizeof bytes);
    memcpy(to + sizeof bytes, &part->request, sizeof part->request);
    copy_stack(part, to + sizeof bytes + sizeof part->request);
}

uint32_t part_import(const char *from)
{
    static StatesScan scan;
    Request asked;
    uint64_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    memcpy(&asked, from + sizeof bytes, sizeof asked);
    const char *stack = from + sizeof bytes + sizeof asked;
    scan_stack(stack, (uint32_t)bytes, &scan);
    return number_content(&(Content){stack, (uint32_t)bytes, &asked, &scan});
}

void part_restore(int t, uint32_t number)
{
    if (present[t] == number + 1)
        return;
    const Part *part = parts.at[number];
    fibers[t].sp = fibers[t].base - part->bytes;
    copy_stack(part, fibers[t].sp);
    states_thread[t].request = part->request;
    known[t] = &part->scan;
    present[t] = number + 1;
}

void part_begin(void)
{
    part_forget_all();
    for (size_t i = 0; i < parts.count; i++) {
        free(parts.at[i]->scan.word);
        free(parts.at[i]);
    }
    parts.count = 0;
    memset(expected, 0, sizeof expected);
    hashmap_clear(&by_content);
    bytes_used = 0;
    piece_begin();
}

uint64_t part_bytes(void)
{
    return piece_bytes() + bytes_used + by_content.capacity * 17 +
           parts.capacity * sizeof *parts.at;
}
