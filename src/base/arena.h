/* arena.h: memory by lifetime. Everything allocated from an arena lives until the arena is reset
 * or freed; there is no free of one object. Running out of memory ends in die(). */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H
#include "base/common.h"

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *arena);  /* NULL is allowed */
void arena_reset(Arena *arena); /* all its objects die; its memory is kept for reuse */
/* Zeroed, aligned for any type. */
void *arena_alloc(Arena *arena, size_t bytes);
char *arena_copy(Arena *arena, const void *bytes, size_t count);
char *arena_printf(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
size_t arena_used(const Arena *arena);

/* Room for more than the COUNT elements that are there, which are copied; see arena_push. */
void *arena_grow(Arena *arena, const void *elements, size_t *capacity, size_t element_bytes,
                 size_t count);
/* Appends VALUE to a Vec (base/vec.h) whose elements live in the arena, and are never freed alone.
 * Such a vector must not be given to vec_push or vec_free; copies of it may share its elements. */
#define arena_push(arena, vec, ...)                                                                \
    do {                                                                                           \
        if (UNLIKELY((vec)->count == (vec)->capacity))                                             \
            (vec)->at =                                                                            \
                arena_grow((arena), (vec)->at, &(vec)->capacity, sizeof *(vec)->at, (vec)->count); \
        (vec)->at[(vec)->count++] = (__VA_ARGS__);                                                 \
    } while (0)
/* Gives a Vec that shares its elements with others a copy of its own, in the arena. */
#define arena_own(arena, vec)                                                                      \
    do {                                                                                           \
        (vec)->capacity = (vec)->count;                                                            \
        (vec)->at =                                                                                \
            arena_grow((arena), (vec)->at, &(vec)->capacity, sizeof *(vec)->at, (vec)->count);     \
    } while (0)

#define arena_new_of(arena, Type) ((Type *)arena_alloc((arena), sizeof(Type)))
#define arena_array_of(arena, Type, count) ((Type *)arena_alloc((arena), sizeof(Type) * (count)))
#endif
