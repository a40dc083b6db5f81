#include "guest/explore/graph/block_part.h"

bool blocks_incomplete;

uint64_t block_part_value(uint8_t part, uint64_t low, uint64_t high)
{
    unsigned offset = block_part_offset(part), size = part >> 4;
    if (!part)
        return low;
    uint64_t value = offset >= 8 ? high >> 8 * (offset - 8) : low >> 8 * offset;
    if (offset && offset < 8)
        value |= high << (64 - 8 * offset);
    return size >= 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}
