/* vec.h: growing arrays that hand out indexes. `Vec(int) v = {0};` is an empty one; elements move
 * when it grows, so keep indexes, not pointers. Out of memory ends in die(). */
#ifndef HEDDLE_BASE_VEC_H
#define HEDDLE_BASE_VEC_H
#include "base/common.h"

#define Vec(Type)                                                                                  \
    struct {                                                                                       \
        Type *at;                                                                                  \
        size_t count, capacity;                                                                    \
    }

/* Appends VALUE. */
#define vec_push(vec, ...)                                                                         \
    do {                                                                                           \
        if (UNLIKELY((vec)->count == (vec)->capacity))                                             \
            (vec)->at =                                                                            \
                vec_grow((vec)->at, &(vec)->capacity, sizeof *(vec)->at, (vec)->count + 1);        \
        (vec)->at[(vec)->count++] = (__VA_ARGS__);                                                 \
    } while (0)
/* Room for at least WANTED elements in all. */
#define vec_reserve(vec, wanted)                                                                   \
    do {                                                                                           \
        if ((vec)->capacity < (wanted))                                                            \
            (vec)->at = vec_grow((vec)->at, &(vec)->capacity, sizeof *(vec)->at, (wanted));        \
    } while (0)
#define vec_pop(vec) ((vec)->at[--(vec)->count])
#define vec_last(vec) ((vec)->at[(vec)->count - 1])
/* Its elements from OFFSET on; NULL if it never had any, since C has no NULL + 0. */
#define vec_from(vec, offset) ((vec)->at ? (vec)->at + (offset) : NULL)
#define vec_clear(vec) ((vec)->count = 0)
#define vec_free(vec) (vec_release((vec)->at), (vec)->at = NULL, (vec)->count = (vec)->capacity = 0)

void *vec_grow(void *elements, size_t *capacity, size_t element_bytes, size_t wanted);
void vec_release(void *elements);
#endif
