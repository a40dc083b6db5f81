#ifndef RING_TYPES_H
#define RING_TYPES_H
#include <stdatomic.h>
#define RING_SIZE 2
struct ring {
    /** @Structure_Define:
        @DeclareVar: int put, got;
        @InitVar: put = got = 0;
        @Happens_Before: Put -> Get(Got) */
    atomic_uint head, tail;
    int items[RING_SIZE];
};
#endif
