#include <heddle.h>
#include "era_stack.h"
HD_OP(push, int, v, 1, 2) { stack_push(v); return HD_VOID; }
HD_OP(pop) { int v; return stack_pop(&v) ? HD_INT(v) : HD_NONE; }
