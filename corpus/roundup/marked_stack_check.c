#include <heddle.h>
#include "marked_stack.h"
#ifdef FAR
#define DEPTH heddle_choose(K + 2)
#else
#define DEPTH 0
#endif
static struct stack s;
HD_OP(push, int, v, 1, 2, 3, 4) { stack_push(&s, v); return HD_VOID; }
HD_OP(pop) { int v; return stack_pop(&s, DEPTH, &v) ? HD_INT(v) : HD_NONE; }
HD_SPEC("lifo")
