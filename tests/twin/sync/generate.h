/* generate.h: random programs of sync.h from seeds. */
#ifndef HEDDLE_TWIN_SYNC_GENERATE_H
#define HEDDLE_TWIN_SYNC_GENERATE_H
#include "base/str.h"

void sync_generate(uint64_t seed, Buffer *text); /* ends with a zero byte */
#endif
