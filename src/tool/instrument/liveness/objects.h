/* objects.h: the variables that debug information puts on a function's stack: how far the
 * object reaches whose address was passed on. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_OBJECTS_H
#define HEDDLE_INSTRUMENT_LIVENESS_OBJECTS_H
#include "base/arena.h"
#include "tool/instrument/liveness/image.h"

typedef struct StackObject {
    int64_t offset; /* from the canonical frame address */
    uint64_t bytes;
} StackObject;

typedef struct StackObjects {
    /* The function was compiled without optimisation, so that no two objects share their place and
     * no address is formed but that of an object; else objects tell nothing and `count` is 0. */
    bool plain;
    size_t count;
    StackObject *at;
} StackObjects;

typedef struct ObjectReader ObjectReader;
/* Debug information is opened when it is first asked for. */
ObjectReader *objects_new(Arena *arena, const Image *image);
void objects_free(ObjectReader *reader);
/* Is the function known to get all its arguments in registers? Then it reads none from the stack,
 * whatever its code looks like. */
bool objects_in_registers(ObjectReader *reader, uint64_t function);
StackObjects objects_of(ObjectReader *reader, uint64_t function);
#endif
