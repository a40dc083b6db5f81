#include "base/arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 16u
#define FIRST_BLOCK (16u * 1024)
#define LARGEST_STEP (8u * 1024 * 1024)

typedef struct Block Block;
struct Block {
    Block *next;
    size_t size, used; /* of bytes[] */
    _Alignas(ALIGNMENT) char bytes[];
};
struct Arena {
    Block *first, *current;
};

static Block *block_new(size_t size)
{
    Block *block = malloc(sizeof(Block) + size);
    if (!block)
        die("out of memory");
    block->next = NULL;
    block->size = size;
    block->used = 0;
    return block;
}

Arena *arena_new(void)
{
    Arena *arena = malloc(sizeof *arena);
    if (!arena)
        die("out of memory");
    arena->first = arena->current = block_new(FIRST_BLOCK);
    return arena;
}

void arena_free(Arena *arena)
{
    if (!arena)
        return;
    for (Block *block = arena->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

void arena_reset(Arena *arena)
{
    for (Block *block = arena->first; block; block = block->next) {
#ifdef HEDDLE_DEBUG
        memset(block->bytes, 0xA5, block->size); /* stale pointers fail early */
#endif
        block->used = 0;
    }
    arena->current = arena->first;
}

void *arena_alloc(Arena *arena, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    Block *block = arena->current;
    while (block->size - block->used < bytes) {
        if (!block->next) {
            size_t step = MIN(block->size * 2, LARGEST_STEP);
            block->next = block_new(MAX(step, bytes));
        }
        block = arena->current = block->next;
    }
    void *result = block->bytes + block->used;
    block->used += bytes;
    memset(result, 0, bytes);
    return result;
}

void *arena_grow(Arena *arena, const void *elements, size_t *capacity, size_t element_bytes,
                 size_t count)
{
    *capacity = MAX(2 * count, 4u);
    void *grown = arena_alloc(arena, *capacity * element_bytes);
    if (count)
        memcpy(grown, elements, count * element_bytes);
    return grown;
}

char *arena_copy(Arena *arena, const void *bytes, size_t count)
{
    char *copy = arena_alloc(arena, count + 1); /* the extra byte ends strings */
    if (count)
        memcpy(copy, bytes, count);
    return copy;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    ASSERT(length >= 0);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

size_t arena_used(const Arena *arena)
{
    size_t used = 0;
    for (const Block *block = arena->first; block; block = block->next)
        used += block->used;
    return used;
}
