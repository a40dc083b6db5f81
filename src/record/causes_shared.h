/* causes_shared.h: part of the link: why tests of `heddle check --keep-going` fail. Each process
 * adds what it finds, under workers_lock. */
#ifndef HEDDLE_RECORD_CAUSES_SHARED_H
#define HEDDLE_RECORD_CAUSES_SHARED_H
#include "base/common.h"

#define CAUSES_MOST 64

typedef struct SharedCause {
    uint32_t violation; /* ViolationKind */
    uint32_t tests;     /* that fail for it */
    uint64_t pc; /* the last access of the call that is to blame, or where it went wrong; 0 */
    char operations[128]; /* the calls that are to blame: "TryTake = none" */
    char test[1024];      /* a small test that shows it */
    char shape[16];       /* of that: "2x2" */
} SharedCause;

typedef struct CausesShared {
    uint32_t count;
    uint32_t more; /* tests with causes for which there was no room */
    SharedCause at[CAUSES_MOST];
} CausesShared;
#endif
