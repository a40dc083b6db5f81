/* A reader for the instructions that compilers put between two calls. All are four bytes long. */
#include "guest/runtime/code.h"
#include <string.h>

typedef struct Instruction {
    bool known;
    bool ends; /* a jump or return: no straight line */
    bool calls;
    bool reads, writes, updates; /* memory */
    bool on_stack;               /* the memory operand is at the stack pointer, or */
    bool at_frame;               /* at x29 */
    bool sets_frame;             /* it may change x29 */
    uint64_t place;              /* names the memory operand */
} Instruction;

enum { FRAME_POINTER = 29, STACK_POINTER = 31 };

static uint32_t bits(uint32_t word, int high, int low)
{
    return word >> low & ((UINT32_C(2) << (high - low)) - 1);
}

static void at_base(Instruction *in, uint32_t word, bool loads, bool stores)
{
    uint32_t base = bits(word, 9, 5);
    in->reads = loads;
    in->writes = stores;
    in->updates = loads && stores;
    in->on_stack = base == STACK_POINTER;
    in->at_frame = base == FRAME_POINTER;
}

static Instruction read_memory(uint32_t word)
{
    Instruction in = {.known = true};
    bool vector = bits(word, 26, 26), load = bits(word, 22, 22);
    uint32_t size = bits(word, 31, 30), opc = bits(word, 23, 22), base = bits(word, 9, 5);
    uint32_t target = bits(word, 4, 0);
    if ((word & 0x3b000000) == 0x18000000) { /* literal */
        in.reads = true;
        in.place = UINT64_C(1) << 62 | word >> 5;
        in.sets_frame = !vector && target == FRAME_POINTER;
    } else if ((word & 0x3a000000) == 0x28000000) { /* pairs */
        at_base(&in, word, load, !load);
        uint32_t scale = vector ? 2 + size : size & 2 ? 3 : 2;
        int64_t offset = (int64_t)((uint64_t)bits(word, 21, 15) << 57) >> 57;
        in.place = (uint64_t)base << 32 | (uint32_t)(offset << scale);
        bool writes_back = bits(word, 23, 23); /* pre- and post-indexed */
        in.sets_frame =
            (!vector && load && (target == FRAME_POINTER || bits(word, 14, 10) == FRAME_POINTER)) ||
            (writes_back && base == FRAME_POINTER);
    } else if ((word & 0x3a000000) == 0x38000000) { /* one register */
        bool atomic =
            !vector && !bits(word, 24, 24) && bits(word, 21, 21) && bits(word, 11, 10) == 0;
        bool stores = opc == 0 || (vector && opc == 2);
        bool prefetch = !vector && size == 3 && opc == 2;
        if (atomic)
            at_base(&in, word, true, true);
        else
            at_base(&in, word, !stores && !prefetch, stores);
        uint32_t scale = vector && opc & 2 ? 4 : size;
        int64_t offset = (int64_t)((uint64_t)bits(word, 20, 12) << 55) >> 55;
        if (bits(word, 24, 24))
            in.place = (uint64_t)base << 32 | bits(word, 21, 10) << scale;
        else if (bits(word, 21, 21)) /* by a register */
            in.place = UINT64_C(1) << 61 | (uint64_t)base << 32 | bits(word, 20, 12);
        else
            in.place = (uint64_t)base << 32 | (uint32_t)(bits(word, 11, 10) == 1 ? 0 : offset);
        bool writes_back = !bits(word, 24, 24) && !bits(word, 21, 21) && bits(word, 10, 10);
        in.sets_frame = (!vector && !stores && target == FRAME_POINTER) ||
                        (writes_back && base == FRAME_POINTER);
    } else if ((word & 0xbe000000) == 0x0c000000) { /* structures of vectors */
        at_base(&in, word, load, !load);
        in.place = UINT64_C(1) << 60 | (uint64_t)base << 32;
        in.sets_frame = bits(word, 23, 23) && base == FRAME_POINTER;
    } else {
        in.known = false; /* exclusive and ordered ones, tags, copies of memory */
    }
    return in;
}

static Instruction read_instruction(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    Instruction in = {.known = true};
    uint32_t group = bits(word, 28, 25);
    if ((group & 5) == 4)
        return read_memory(word);
    if ((group & 14) == 8 || (group & 7) == 5) { /* general registers */
        in.sets_frame = bits(word, 4, 0) == FRAME_POINTER;
    } else if ((group & 7) == 7) { /* vector registers; a few write a general one */
        in.sets_frame = bits(word, 4, 0) == FRAME_POINTER;
    } else if ((group & 14) == 10) {
        in.calls = word >> 26 == 0x25;
        bool hint = (word & 0xfffff01f) == 0xd503201f;
        bool reads_system = (word & 0xfff00000) == 0xd5300000;
        in.sets_frame = reads_system && bits(word, 4, 0) == FRAME_POINTER;
        if (!in.calls && !hint && !reads_system) {
            in.ends = word >> 25 != 0x6a; /* branches; not traps and system calls */
            in.known = in.ends;
        }
    } else {
        in.known = false;
    }
    return in;
}

CodeBetween code_between(const void *from, const void *to, bool stack_counts, bool frame_on_stack)
{
    const unsigned char *at = from;
    bool stored_at_frame = false;
    const ptrdiff_t most = 256;
    if ((const unsigned char *)to <= at || (const unsigned char *)to - at > most)
        return CODE_STORES; /* elsewhere: a branch lies between */
    while (at < (const unsigned char *)to) {
        Instruction next = read_instruction(at);
        if (!next.known)
            return CODE_UNKNOWN;
        bool on_stack = next.on_stack || (next.at_frame && frame_on_stack);
        if (next.ends || (next.writes && (stack_counts || !on_stack)))
            return CODE_STORES;
        stored_at_frame |= next.writes && next.at_frame;
        if (stored_at_frame && next.sets_frame)
            return CODE_UNKNOWN;
        at += 4;
        if (next.calls)
            return at == to ? CODE_NOTHING : CODE_STORES;
    }
    return CODE_STORES;
}

CodeBetween code_before(const void *from, const void *to, bool stack_counts, bool frame_on_stack,
                        unsigned (*trapped)(const void *address))
{
    enum { MOST = 64 }; /* instructions that are read */
    const unsigned char *at = from;
    bool stored_at_frame = false;
    for (unsigned count = 0; at != to && count < MOST; count++, at += 4) {
        if (trapped(at))
            continue;
        Instruction in = read_instruction(at);
        bool on_stack = in.on_stack || (in.at_frame && frame_on_stack);
        if (in.known && (in.calls || (in.writes && !on_stack)))
            return CODE_STORES;
        stored_at_frame |= in.writes && in.at_frame;
        if (!in.known || in.ends || (in.writes && stack_counts) ||
            (stored_at_frame && in.sets_frame))
            return CODE_UNKNOWN;
    }
    return at == to ? CODE_NOTHING : CODE_UNKNOWN;
}

bool code_loads_first(const void *from, bool stack_counts)
{
    enum { MOST = 256, LOADS = 16 }; /* bytes of code; loads */
    uint64_t loaded[LOADS];
    unsigned count = 0;
    const unsigned char *at = from;
    while (at < (const unsigned char *)from + MOST) {
        Instruction next = read_instruction(at);
        if (next.known && (next.ends || next.calls))
            return false;
        bool counts = stack_counts || !next.on_stack;
        if (!next.known || (next.updates && counts) || (next.reads && count == LOADS))
            return true;
        for (unsigned i = 0; i < count && next.writes && counts; i++)
            if (loaded[i] == next.place)
                return true;
        if (next.writes && !next.on_stack && !next.at_frame)
            return false;
        if (next.reads)
            loaded[count++] = next.place;
        at += 4;
    }
    return true;
}
