/* text.h: programs whose threads access 16 bytes of memory atomically in sizes from 1 to 16, as
 * text. Threads are separated by |, and each step has eight characters: kind   l load, s store, x
 * exchange, c compare-exchange, a fetch-add, of the 16 bytes; L load, S store, of another variable
 * of four bytes; f fence size   as a power of two, 0 to 4 offset in the 16 bytes, a hexadecimal
 * digit order  as the number of <stdatomic.h> value  two hexadecimal digits: every byte of the
 * operand wanted two hexadecimal digits: every byte of what a compare-exchange expects */
#ifndef HEDDLE_TWIN_PARTS_TEXT_H
#define HEDDLE_TWIN_PARTS_TEXT_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_THREADS = 3, PARTS_STEPS = 4 };
/* What each step found, then the 16 bytes and the other variable in the end. */
enum { PARTS_RESULTS = PARTS_THREADS * PARTS_STEPS + 2 };
#define PARTS_UNTOUCHED UINT64_C(0x123456789abcdef0) /* no step leaves this value behind */
typedef unsigned __int128 Wide;

typedef struct Step {
    char kind;
    unsigned size, offset;
    int order;
    Wide value, wanted;
} Step;

typedef struct Program {
    int threads, length[PARTS_THREADS];
    Step step[PARTS_THREADS][PARTS_STEPS];
} Program;

static inline Wide parts_repeat(unsigned byte, unsigned size)
{
    Wide value = 0;
    memset(&value, (int)byte, size);
    return value;
}

static inline unsigned parts_number(const char *text, int digits)
{
    char copy[3] = {text[0], digits > 1 ? text[1] : 0, 0};
    return (unsigned)strtoul(copy, NULL, 16);
}

static inline Program parts_read(const char *text)
{
    Program p = {.threads = 1};
    for (; *text; text += *text == '|' ? 1 : 8) {
        if (*text == '|') {
            p.threads++;
            continue;
        }
        int t = p.threads - 1;
        Step *s = &p.step[t][p.length[t]++];
        s->kind = text[0];
        s->size = 1u << parts_number(text + 1, 1);
        s->offset = parts_number(text + 2, 1);
        s->order = (int)parts_number(text + 3, 1);
        s->value = parts_repeat(parts_number(text + 4, 2), s->size);
        s->wanted = parts_repeat(parts_number(text + 6, 2), s->size);
    }
    return p;
}

/* What a compare-exchange may use when it fails. */
static inline int parts_failure(int order)
{
    return order == __ATOMIC_RELEASE   ? __ATOMIC_RELAXED
           : order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE
                                       : order;
}
#endif
