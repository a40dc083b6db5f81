#include "guest/states/part.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/runtime/fiber.h"

typedef struct Part {
    StatesScan scan;
    Request request;
    uint32_t bytes;
    char stack[];
} Part;

static Vec(Part *) parts;
static HashMap by_content;
static uint64_t bytes_used;
static StatesScan own[STATES_THREADS];          /* of threads whose part has no number */
static const StatesScan *known[STATES_THREADS]; /* NULL: not looked at since it ran */
static uint32_t present[STATES_THREADS];        /* the number of its part + 1; 0: not known */

/* ---- looking at a stack ---- */

static inline bool may_point(uint64_t word)
{
    return UNLIKELY(word >= STATES_AREA) &&
           (states_in_area(word) || states_in_area(word & UINT64_C(0xffffffffffff)) ||
            states_in_area(word >> 16));
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
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
    uint64_t a = UINT64_C(0xA4093822299F31D0), b = UINT64_C(0x082EFA98EC4E6C89);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, sp + 8 * (size_t)i, 8);
        if (UNLIKELY(may_point(word))) {
            scan->word[scan->count++] = i;
            word = UINT64_C(0x452821E638D01377); /* here is one */
        }
        a = fold(a ^ word, UINT64_C(0x9E3779B97F4A7C15)) + word;
        b = fold(b + word, UINT64_C(0xD6E8FEB86659FD93)) ^ (word << 1);
    }
    scan->a = a;
    scan->b = b;
}

const StatesScan *part_scan(int t)
{
    if (!known[t]) {
        scan_stack(fibers[t].sp, stack_bytes(t), &own[t]);
        known[t] = &own[t];
    }
    return known[t];
}

void part_forget(int t)
{
    known[t] = NULL;
    present[t] = 0;
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

/* (Requests that differ in padding only are different parts, which does no harm.) */
static bool is_same(const Part *part, const Content *c)
{
    return part->bytes == c->bytes && are_same(part->stack, c->stack, c->bytes) &&
           are_same(&part->request, c->request, sizeof part->request);
}

static Part *keep_part(const Content *c)
{
    const StatesScan *scan = c->scan;
    Part *part = malloc(sizeof *part + c->bytes);
    part->scan = *scan;
    part->scan.word = malloc(sizeof *scan->word * scan->count + 1);
    part->scan.room = scan->count;
    memcpy(part->scan.word, scan->word, sizeof *scan->word * scan->count);
    part->request = *c->request;
    part->bytes = c->bytes;
    memcpy(part->stack, c->stack, c->bytes);
    bytes_used += sizeof *part + c->bytes + sizeof *scan->word * scan->count + 64;
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
    memcpy(to + sizeof bytes + sizeof part->request, part->stack, part->bytes);
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
    memcpy(fibers[t].sp, part->stack, part->bytes);
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
    hashmap_clear(&by_content);
    bytes_used = 0;
}

uint64_t part_bytes(void)
{
    return bytes_used + by_content.capacity * 17 + parts.capacity * sizeof *parts.at;
}
