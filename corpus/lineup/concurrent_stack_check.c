/* ConcurrentStack: Clear, Count, Push, PushRangeTen, TryPop, TryPopRangeOne, TryPopRangeTwo,
 * TryPopRangeFour, TryPeek, ToArray. */
#include <heddle.h>
#include "concurrent_stack.h"

static struct stack stack;
static const int ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static HdValue pop_range(int count)
{
    int values[4];
    count = stack_try_pop_range(&stack, values, count);
    return HD_ARRAY(values, count);
}

HD_INIT { stack_init(&stack); }
HD_OP(Clear) { stack_clear(&stack); return HD_VOID; }
HD_OP(Count) { return HD_INT(stack_count(&stack)); }
HD_OP(Push, int, value, 11, 12) { stack_push_range(&stack, &value, 1); return HD_VOID; }
HD_OP(PushRangeTen) { stack_push_range(&stack, ten, 10); return HD_VOID; }
HD_OP(TryPop)
{
    int value;
    return stack_try_pop_range(&stack, &value, 1) ? HD_INT(value) : HD_NONE;
}
HD_OP(TryPopRangeOne) { return pop_range(1); }
HD_OP(TryPopRangeTwo) { return pop_range(2); }
HD_OP(TryPopRangeFour) { return pop_range(4); }
HD_OP(TryPeek)
{
    int value;
    return stack_to_array(&stack, &value, 1) ? HD_INT(value) : HD_NONE;
}
HD_OP(ToArray)
{
    int values[32], count = stack_to_array(&stack, values, 32);
    return HD_ARRAY(values, count);
}
