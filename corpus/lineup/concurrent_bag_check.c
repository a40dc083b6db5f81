/* ConcurrentBag: Count, Add(10), Add(20), TryTake, IsEmpty, TryPeek, ToArray. -DONE_VALUE adds only 10,
 * so that it can't be seen which value is taken. */
#include <heddle.h>
#include "concurrent_bag.h"

static struct bag bag;

HD_INIT { bag_init(&bag); }
HD_OP(Count) { return HD_INT(bag_count(&bag)); }
#ifdef ONE_VALUE
HD_OP(Add, int, value, 10) { bag_add(&bag, value); return HD_VOID; }
#else
HD_OP(Add, int, value, 10, 20) { bag_add(&bag, value); return HD_VOID; }
#endif
HD_OP(TryTake)
{
    int value;
    return bag_try(&bag, &value, true) ? HD_INT(value) : HD_NONE;
}
HD_OP(IsEmpty) { return HD_BOOL(bag_count(&bag) == 0); }
HD_OP(TryPeek)
{
    int value;
    return bag_try(&bag, &value, false) ? HD_INT(value) : HD_NONE;
}
HD_OP(ToArray)
{
    int values[16], count = bag_to_array(&bag, values, 16);
    return HD_ARRAY(values, count);
}
