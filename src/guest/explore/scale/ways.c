#include "guest/explore/scale/ways.h"
#include "guest/explore/search/frames.h"

uint32_t ways_put(unsigned char *to, int length)
{
    DEBUG_ASSERT(length >= 0);
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        uint32_t v = frames[i].taken;
        if (at + 5 > UNITS_WAY_BYTES)
            return 0;
        for (; v >= 128; v >>= 7)
            to[at++] = (unsigned char)(v | 128);
        to[at++] = (unsigned char)v;
    }
    return (uint32_t)at;
}

double ways_part_left(int floor, int length)
{
    double left = 0, weight = 1;
    for (int i = 0; i < length; i++) {
        double later = frames_alternatives(i);
        weight /= frames[i].taken + later;
        if (i >= floor)
            left += weight * later;
    }
    return left;
}

bool ways_read(const unsigned char *from, const UnitHead *head, uint32_t *to)
{
    const unsigned char *end = from + head->way_bytes;
    for (int i = 0; i < head->length; i++) {
        uint64_t v = 0;
        for (unsigned shift = 0;; shift += 7) {
            if (from == end || shift > 28)
                return false;
            v |= (uint64_t)(*from & 127) << shift;
            if (*from++ < 128)
                break;
        }
        if (!v || v > UINT32_MAX)
            return false;
        to[i] = (uint32_t)v;
    }
    return from == end;
}
