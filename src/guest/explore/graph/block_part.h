/* block_part.h: accesses to a part of a location. A location that is accessed in several sizes is a
 * block of 2, 4, 8 or 16 bytes, and an access names the part of it that it is about
 * (guest/explore/memory/blocks.h, which finds the blocks). */
#ifndef HEDDLE_EXPLORE_GRAPH_BLOCK_PART_H
#define HEDDLE_EXPLORE_GRAPH_BLOCK_PART_H
#include "base/common.h"

extern bool blocks_incomplete; /* executions may be missing, see memory/blocks.h */

/* A part of a block: its offset and size; 0 is the whole. */
static inline uint8_t block_part_make(unsigned offset, unsigned size)
{
    return (uint8_t)(offset | size << 4);
}
static inline unsigned block_part_offset(uint8_t part)
{
    return part & 15u;
}
/* The bytes of PART of a location of SIZE bytes, as a mask. */
static inline unsigned block_part_bytes(uint8_t part, unsigned size)
{
    return part ? ((1u << (part >> 4)) - 1) << block_part_offset(part) : (1u << size) - 1;
}
static inline unsigned block_part_size(uint8_t part, unsigned size)
{
    return part ? part >> 4 : size;
}
/* The value of PART, given the words of the whole. */
uint64_t block_part_value(uint8_t part, uint64_t low, uint64_t high);
#endif
