/* shelf.h: arrays that grow by pieces and never move: `Shelf(int) s = {0};` is an empty one. Unlike
 * Vec they waste less than a piece, which counts where there are as many elements as states. */
#ifndef HEDDLE_STATES_SHELF_H
#define HEDDLE_STATES_SHELF_H
#include "base/vec.h"
#include <stdlib.h>

enum { SHELF_BITS = 12, SHELF_PIECE = 1 << SHELF_BITS };

#define Shelf(Type)                                                                                \
    struct {                                                                                       \
        Vec(Type *) pieces;                                                                        \
        size_t count;                                                                              \
    }
#define shelf_at(shelf, i) ((shelf)->pieces.at[(i) >> SHELF_BITS] + ((i) & (SHELF_PIECE - 1)))
/* Makes room for one more element and counts it; the value of the expression is none. */
#define shelf_push(shelf, ...)                                                                     \
    do {                                                                                           \
        if (UNLIKELY((shelf)->count >> SHELF_BITS == (shelf)->pieces.count))                       \
            vec_push(&(shelf)->pieces,                                                             \
                     vec_grow(NULL, &(size_t){0}, sizeof **(shelf)->pieces.at, SHELF_PIECE));      \
        *shelf_at(shelf, (shelf)->count) = (__VA_ARGS__);                                          \
        (shelf)->count++;                                                                          \
    } while (0)
#define shelf_bytes(shelf)                                                                         \
    ((shelf)->pieces.count * ((size_t)SHELF_PIECE * sizeof **(shelf)->pieces.at) +                 \
     (shelf)->pieces.capacity * sizeof *(shelf)->pieces.at)
#endif
