/* calls.c: calls and jumps by their words. */
#include <string.h>
#include "tool/instrument/isa/aarch64/aarch64.h"

static uint32_t word_at(const uint8_t *code, size_t at)
{
    uint32_t word;
    memcpy(&word, code + at, sizeof word);
    return word;
}

bool a64_calls_indirectly(const uint8_t *code, size_t bytes)
{
    for (size_t at = 0; at + 4 <= bytes; at += 4)
        if ((word_at(code, at) & 0xfefff000) == 0xd63f0000) /* blr */
            return true;
    return false;
}

/* How far the branch WORD leads, in bytes; 0 if it is none. */
static int64_t distance_of(uint32_t word)
{
    if ((word & 0x7c000000) == 0x14000000) /* b, bl */
        return (int64_t)((uint64_t)word << 38) >> 36;
    if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) /* b.cond, cbz */
        return (int64_t)((uint64_t)(word >> 5) << 45) >> 43;
    if ((word & 0x7e000000) == 0x36000000) /* tbz */
        return (int64_t)((uint64_t)(word >> 5) << 50) >> 48;
    return 0;
}

void a64_each_call(const uint8_t *code, size_t bytes, uint64_t address, bool alone,
                   IsaCalled called, void *context)
{
    for (size_t at = 0; at + 4 <= bytes; at += 4) {
        int64_t distance = distance_of(word_at(code, at));
        uint64_t to = address + at + (uint64_t)distance;
        if (distance && (!alone || to <= address || to >= address + bytes))
            called(context, to, false);
    }
}
