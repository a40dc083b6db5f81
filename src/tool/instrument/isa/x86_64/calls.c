/* calls.c: the opcodes of calls, found without decoding. All of a program's code is looked at, and
 * few bytes are such. */
#include <string.h>
#include "tool/instrument/isa/x86_64/x86_64.h"

bool x86_calls_indirectly(const uint8_t *code, size_t bytes)
{
    for (const uint8_t *p = code, *last = code + bytes - 5; p <= last; p++)
        if (p[0] == 0xff && (p[1] >> 3 & 7) == 2)
            return true;
    return false;
}

/* Bit 7 of some byte is set if a byte of WORD is 0, and only then. */
static uint64_t zero_bytes(uint64_t word)
{
    return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

static bool begins_call(uint8_t byte) /* 0f: a branch; e8 and e9: a call, a jump */
{
    return byte == 0x0f || (byte & 0xfe) == 0xe8;
}

/* Returns the first byte from P on that may begin a direct call, jump or branch; beyond LAST if
 * there is none. */
static const uint8_t *next_call(const uint8_t *p, const uint8_t *last)
{
    for (;;) {
        for (uint64_t word; last - p >= 8; p += 8) {
            memcpy(&word, p, 8);
            if (zero_bytes(word ^ UINT64_C(0x0f0f0f0f0f0f0f0f)) |
                zero_bytes((word & UINT64_C(0xfefefefefefefefe)) ^ UINT64_C(0xe8e8e8e8e8e8e8e8)))
                break;
        }
        for (const uint8_t *end = p + 8; p < end; p++)
            if (p > last || begins_call(*p))
                return p;
    }
}

/* Jumps and branches of two bytes out of the function: they stand within 128 bytes of its begin or
 * end. */
static void each_short_jump(const uint8_t *code, size_t bytes, uint64_t address, IsaCalled called,
                            void *context)
{
    const uint8_t *end = code + bytes;
    for (const uint8_t *p = code; p < end - 1; p++) {
        if (p == code + 128 && end - p > 129)
            p = end - 129;
        if (*p != 0xeb && (*p & 0xf0) != 0x70)
            continue;
        int64_t place = p - code + 2 + (int8_t)p[1];
        if (place < 0 || place >= (int64_t)bytes)
            called(context, address + (uint64_t)place, true);
    }
}

void x86_each_call(const uint8_t *code, size_t bytes, uint64_t address, bool alone,
                   IsaCalled called, void *context)
{
    if (bytes < 5)
        return;
    const uint8_t *last = code + bytes - 5; /* an instruction of 5 bytes fits there */
    for (const uint8_t *at = code; (at = next_call(at, last)) <= last; at++) {
        const uint8_t *opcode = *at == 0x0f ? at + 1 : at; /* its last byte, if it is one */
        if (opcode > last || (opcode > at && (*opcode & 0xf0) != 0x80))
            continue;
        int32_t distance;
        memcpy(&distance, opcode + 1, 4);
        uint64_t to = address + (uint64_t)(opcode - code) + 5 + (uint64_t)(int64_t)distance;
        if (!alone || to <= address || to >= address + bytes) /* most branches stay inside */
            called(context, to, false);
    }
    each_short_jump(code, bytes, address, called, context);
}
