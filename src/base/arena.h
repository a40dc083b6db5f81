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

#define arena_new_of(arena, Type) ((Type *)arena_alloc((arena), sizeof(Type)))
#define arena_array_of(arena, Type, count) ((Type *)arena_alloc((arena), sizeof(Type) * (count)))
#endif
