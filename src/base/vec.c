#include "base/vec.h"
#include <stdlib.h>
#include <string.h>

void *vec_grow(void *elements, size_t *capacity, size_t element_bytes, size_t wanted)
{
#ifdef HEDDLE_DEBUG
    /* Capacity 1 at first, and always a move: stale pointers fail early. */
    size_t grown = MAX(wanted, *capacity ? *capacity * 2 : 1);
    char *moved = malloc(grown * element_bytes);
    if (!moved)
        die("out of memory");
    if (*capacity)
        memcpy(moved, elements, *capacity * element_bytes);
    free(elements);
#else
    size_t grown = MAX(wanted, *capacity ? *capacity * 2 : 8);
    void *moved = realloc(elements, grown * element_bytes);
    if (!moved)
        die("out of memory");
#endif
    *capacity = grown;
    return moved;
}

void vec_release(void *elements)
{
    free(elements);
}
