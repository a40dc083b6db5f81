#include <heddle.h>
#include "queue.c"

HD_OP(put, int, v, 1, 2) { queue_put(v); return HD_VOID; }
HD_OP(get)               { int v; return queue_get(&v) ? HD_INT(v) : HD_NONE; }
