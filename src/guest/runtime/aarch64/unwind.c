/* unwind.c: frames of suspended and running functions, by the unwinder's tables (DWARF 5, 6.4),
 * which compilers write for every function of AArch64 unless told not to. A frame record does not
 * tell where a frame ends: gcc puts it at the low end, clang at the high one. Of the tables only
 * the rules for the frame's address, x29 and x30 are followed. */
#include <dlfcn.h>
#include <string.h>
#include "guest/runtime/arch.h"

enum { FRAME_POINTER = 29, RETURN = 30, STACK_POINTER = 31 };

typedef struct Rules { /* at one instruction; offsets from the frame's address */
    int cfa_register;
    int64_t cfa_offset;
    int64_t saved[2]; /* of x29 and x30 */
    bool is_saved[2], is_outermost;
} Rules;

typedef struct Reader {
    const unsigned char *at, *end;
    bool failed;
} Reader;

static uint64_t read_bytes(Reader *in, unsigned count)
{
    uint64_t value = 0;
    if (in->end - in->at < (ptrdiff_t)count) {
        in->failed = true;
        return 0;
    }
    memcpy(&value, in->at, count);
    in->at += count;
    return value;
}

static uint64_t read_number(Reader *in, bool is_signed)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = read_bytes(in, 1);
        value |= shift < 64 ? (byte & 127) << shift : 0;
        shift += 7;
    } while (byte & 128);
    if (is_signed && shift < 64 && byte & 64)
        value |= UINT64_MAX << shift;
    return value;
}

static void save(Rules *rules, uint64_t r, int64_t offset, bool is_saved)
{
    if (r == FRAME_POINTER || r == RETURN) {
        rules->saved[r - FRAME_POINTER] = offset;
        rules->is_saved[r - FRAME_POINTER] = is_saved;
    }
}

/* Performs the instructions of a description up to DISTANCE bytes into the function. */
static bool perform(Reader *in, uint64_t code_align, int64_t data_align, uint64_t distance,
                    const Rules *first, Rules *rules)
{
    enum { DEEPEST = 8 };
    Rules kept[DEEPEST];
    unsigned depth = 0;
    uint64_t place = 0;
    while (in->at < in->end && !in->failed) {
        uint8_t op = (uint8_t)read_bytes(in, 1);
        uint64_t low = op & 63, r;
        switch (op >> 6 ? op & 0xc0 : op) {
        case 0x40: /* advance */
        case 0x02:
        case 0x03:
        case 0x04:
            place += code_align * (op >> 6 ? low : read_bytes(in, 1u << (op - 2)));
            if (place > distance)
                return !in->failed;
            break;
        case 0x80: /* saved at an offset */
            save(rules, low, (int64_t)read_number(in, false) * data_align, true);
            break;
        case 0x05:
            r = read_number(in, false);
            save(rules, r, (int64_t)read_number(in, false) * data_align, true);
            break;
        case 0x11:
            r = read_number(in, false);
            save(rules, r, (int64_t)read_number(in, true) * data_align, true);
            break;
        case 0xc0: /* as at the beginning */
        case 0x06:
            r = op >> 6 ? low : read_number(in, false);
            if (r == FRAME_POINTER || r == RETURN)
                save(rules, r, first->saved[r - FRAME_POINTER], first->is_saved[r - FRAME_POINTER]);
            break;
        case 0x07: /* undefined: of the return address, nobody has called */
            rules->is_outermost |= read_number(in, false) == RETURN;
            break;
        case 0x08: /* unchanged */
            save(rules, read_number(in, false), 0, false);
            break;
        case 0x0a:
            if (depth == DEEPEST)
                return false;
            kept[depth++] = *rules;
            break;
        case 0x0b:
            if (!depth)
                return false;
            *rules = kept[--depth];
            break;
        case 0x0c: /* the frame's address */
            rules->cfa_register = (int)read_number(in, false);
            rules->cfa_offset = (int64_t)read_number(in, false);
            break;
        case 0x0d:
            rules->cfa_register = (int)read_number(in, false);
            break;
        case 0x0e:
            rules->cfa_offset = (int64_t)read_number(in, false);
            break;
        case 0x00:
        case 0x2d: /* the return address is signed, which heddle's options prevent */
            break;
        case 0x2e:
            read_number(in, false);
            break;
        default:
            return false;
        }
    }
    return !in->failed;
}

/* Finds the description of the function with PC by the search table (.eh_frame_hdr). */
static const unsigned char *find_description(uint64_t pc, uint64_t *function)
{
    enum { UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };
    struct dl_find_object object;
    if (_dl_find_object(__extension__(void *) pc, &object) || !object.dlfo_eh_frame)
        return NULL;
    const unsigned char *table = object.dlfo_eh_frame;
    uint32_t count;
    if (table[0] != 1 || (table[1] & 0x0f) != 0x0b || table[2] != UDATA4 ||
        table[3] != DATAREL_SDATA4)
        return NULL;
    memcpy(&count, table + 8, sizeof count);
    const int32_t *pairs = (const void *)(table + 12);
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)table + (uint64_t)(int64_t)pairs[2 * middle] <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    *function = (uintptr_t)table + (uint64_t)(int64_t)pairs[2 * low - 2];
    return table + pairs[2 * low - 1];
}

static bool find_rules(uint64_t pc, Rules *rules)
{
    enum { PCREL_SDATA4 = 0x1b };
    uint64_t function;
    uint32_t length, back, range;
    const unsigned char *fde = find_description(pc, &function);
    if (!fde)
        return false;
    memcpy(&length, fde, 4);
    memcpy(&back, fde + 4, 4);
    memcpy(&range, fde + 12, 4);
    const unsigned char *cie = fde + 4 - back;
    if (length == UINT32_MAX || length < 12 || pc - function >= range)
        return false;
    Reader in = {fde + 16, fde + 4 + length, false};
    memcpy(&length, cie, 4);
    Reader common = {cie + 9, cie + 4 + length, false};
    const char *letters = (const char *)common.at;
    if (length == UINT32_MAX || *letters != 'z')
        return false;
    common.at += strlen(letters) + 1;
    uint64_t code_align = read_number(&common, false);
    int64_t data_align = (int64_t)read_number(&common, true);
    read_number(&common, false); /* the return address */
    uint64_t size = read_number(&common, false);
    const unsigned char *data = common.at;
    for (const char *letter = letters + 1; *letter; letter++)
        if (*letter == 'R') {
            if (read_bytes(&common, 1) != PCREL_SDATA4)
                return false;
        } else if (*letter == 'L') {
            read_bytes(&common, 1);
        } else if (*letter == 'P') { /* how its address is written, and that */
            uint64_t encoding = read_bytes(&common, 1);
            read_bytes(&common, (encoding & 7) == 3 ? 4 : 8);
        } else if (*letter != 'S' && *letter != 'B') {
            return false;
        }
    common.at = data + size;
    size = read_number(&in, false);
    in.at += size;
    *rules = (Rules){.cfa_register = STACK_POINTER};
    Rules first = *rules;
    if (!perform(&common, code_align, data_align, UINT64_MAX, &first, rules))
        return false;
    first = *rules;
    return perform(&in, code_align, data_align, pc - function, &first, rules);
}

/* The address of the frame at PC, a return address: the stack pointer before the call of its
 * function. */
static char *frame_address(uint64_t pc, char *sp, char *frame, Rules *rules)
{
    if (!find_rules(pc - 4, rules))
        return NULL;
    if (rules->cfa_register == STACK_POINTER)
        return sp + rules->cfa_offset;
    return rules->cfa_register == FRAME_POINTER ? frame + rules->cfa_offset : NULL;
}

bool arch_frame_end(const void *pc, char *sp, char *frame, char **end)
{
    Rules rules;
    *end = frame_address((uintptr_t)pc, sp, frame, &rules);
    return *end > sp;
}

const char *arch_find_caller(const void *saved, const char *base, uint64_t pc)
{
    enum { DEEPEST = 256 };
    const uint64_t *registers = saved;
    uint64_t frame = registers[ARCH_SAVED_RETURN - 1], at = registers[ARCH_SAVED_RETURN];
    char *sp = (char *)(uintptr_t)(registers + ARCH_SAVED);
    for (int i = 0; i < DEEPEST && pc; i++) {
        Rules rules;
        if (at == pc)
            return sp;
        char *outer = frame_address(at, sp, (char *)frame, &rules);
        if (!outer || outer < sp || outer > base || rules.is_outermost)
            return NULL;
        for (int r = 0; r < 2; r++)
            if (rules.is_saved[r])
                memcpy(r ? &at : &frame, outer + rules.saved[r], 8);
        if (!rules.is_saved[1])
            return NULL;
        sp = outer;
    }
    return NULL;
}
