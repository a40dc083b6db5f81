#include <heddle.h>
#include "spsc_ring.h"
static struct ring r;
HD_SINGLE("put | get")
HD_OP(put, int, v, 1, 2) { return HD_BOOL(ring_put(&r, v)); }
HD_OP(get) { int v; return ring_get(&r, &v) ? HD_INT(v) : HD_NONE; }
