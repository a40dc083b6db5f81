#include "guest/entry/x86_64/lanes.h"
#include <cpuid.h>
#include <string.h>
#include "guest/explore/memory/deferred.h"
#include "guest/explore/search/ops.h"

enum {
    XMM = 160,    /* where the low halves lie in the area */
    HEADER = 512, /* tells which parts are in use; the others hold zeros */
    PART_X87 = 1, /* bits of the header */
    PART_SSE = 2,
    PART_AVX = 4,
    ALL_PARTS = 0xe7, /* x87, SSE, AVX, AVX-512 */
    VECTOR = 32
};

uint64_t lanes_state_bytes = 512, lanes_state_mask;
static uint32_t high_halves; /* where they lie */

void lanes_setup(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    __cpuid_count(0xd, 0, a, b, c, d);
    lanes_state_bytes = b;
    lanes_state_mask = a & ALL_PARTS;
    __cpuid_count(0xd, 2, a, b, c, d);
    high_halves = b;
}

void lanes_clear(void)
{
    static _Alignas(64) unsigned char none[HEADER + 64]; /* no part is in use: all become zero */
    enum { MXCSR = 24, MXCSR_FLAGS = 0x3f };
    uint32_t mxcsr;
    if (!lanes_state_mask)
        return;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    mxcsr &= ~(uint32_t)MXCSR_FLAGS;
    memcpy(none + MXCSR, &mxcsr, sizeof mxcsr);
    __asm__ volatile("xrstor64 %0"
                     :
                     : "m"(none), "a"((uint32_t)lanes_state_mask & ~(uint32_t)PART_X87), "d"(0)
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

static uint64_t parts_of(const unsigned char *state)
{
    uint64_t parts;
    memcpy(&parts, state + HEADER, sizeof parts);
    return parts;
}

static void get(const unsigned char *state, unsigned number, unsigned char *vector)
{
    DEBUG_ASSERT(number < 32);
    memset(vector, 0, VECTOR);
    if (parts_of(state) & PART_SSE)
        memcpy(vector, state + XMM + (size_t)number * 16, 16);
    if (parts_of(state) & PART_AVX)
        memcpy(vector + 16, state + high_halves + (size_t)number * 16, 16);
}

static void put(unsigned char *state, unsigned number, const unsigned char *vector)
{
    uint64_t parts = parts_of(state);
    if (!(parts & PART_SSE))
        memset(state + XMM, 0, 16 * 16);
    if (!(parts & PART_AVX))
        memset(state + high_halves, 0, 16 * 16);
    parts |= PART_SSE | PART_AVX;
    memcpy(state + HEADER, &parts, sizeof parts);
    memcpy(state + XMM + (size_t)number * 16, vector, 16);
    memcpy(state + high_halves + (size_t)number * 16, vector + 16, 16);
}

/* The address of lane I of a gather. */
static char *address_of(const LinkWatch *watch, uint64_t base, const unsigned char *indexes,
                        unsigned i)
{
    int64_t index;
    int32_t half;
    if (watch->lane_index_bytes == 8) {
        memcpy(&index, indexes + (size_t)i * 8, 8);
    } else {
        memcpy(&half, indexes + (size_t)i * 4, 4);
        index = half;
    }
    return (char *)(base + (uint64_t)index * watch->scale);
}

void lanes_perform(const LinkWatch *watch, uint64_t base, unsigned char *state)
{
    unsigned char data[VECTOR], mask[VECTOR], indexes[VECTOR], result[VECTOR] = {0};
    const void *pc = (const void *)(watch->address + watch->length);
    size_t bytes = watch->lane_bytes;
    bool gathers = watch->lane_index_bytes != 0;
    get(state, watch->lane_data, data);
    get(state, watch->lane_mask, mask);
    if (gathers)
        get(state, watch->index - 1u, indexes);
    for (unsigned i = 0; i < watch->lanes; i++) {
        unsigned char *lane = result + i * bytes;
        char *address = gathers ? address_of(watch, base, indexes, i) : (char *)base + i * bytes;
        bool chosen = mask[(i + 1) * bytes - 1] >> 7;
        if (chosen && watch->writes) {
            op_plain_write(address, bytes, pc);
            memcpy(address, data + i * bytes, bytes);
        } else if (chosen) {
            op_plain_read(address, bytes, pc);
            memcpy(lane, address, bytes);
        } else if (gathers) {
            memcpy(lane, data + i * bytes, bytes);
        }
        deferred_settle();
    }
    if (watch->writes)
        return;
    put(state, watch->lane_data, result);
    memset(mask, 0, sizeof mask);
    if (gathers)
        put(state, watch->lane_mask, mask);
}
