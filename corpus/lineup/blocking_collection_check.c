/* BlockingCollection: Count, ToArray, TryAdd, TryAdd(1), IsCompleted, IsAddingCompleted, CompleteAdding,
 * Add, Take, TakeWithEnum, TryTake, TryTake(1); unbounded. -DWITH_CANCEL adds Cancel; -DWITHOUT_COUNT
 * leaves out Count and ToArray, -DWITHOUT_TRY TryTake, -DONLY_FIGURE_1 all but Add and TryTake. */
#include <heddle.h>
#include "blocking_collection.h"

static struct collection collection;
static atomic_bool cancelled;
static HdValue added(enum collection_answer a)
{
    return a == COLLECTION_YES ? HD_BOOL(true) : HD_STR("completed");
}
static HdValue taken(enum collection_answer a, int value, HdValue completed)
{
    return a == COLLECTION_YES         ? HD_INT(value)
           : a == COLLECTION_COMPLETED ? completed
           : a == COLLECTION_CANCELLED ? HD_STR("cancelled")
                                       : HD_NONE;
}

HD_INIT { collection_init(&collection); atomic_init(&cancelled, false); }
HD_OP(Add, int, value, 200, 400) { return added(collection_add(&collection, value)); }
#ifndef WITHOUT_TRY
HD_OP(TryTake)
{
    int value = 0;
    enum collection_answer a = collection_try_take(&collection, &value);
    return taken(a, value, HD_NONE);
}
#endif
#ifndef ONLY_FIGURE_1
#ifndef WITHOUT_TRY
HD_OP(TryTake1)
{
    int value = 0;
    enum collection_answer a = collection_try_take_1(&collection, &value);
    return taken(a, value, HD_NONE);
}
#endif
#ifndef WITHOUT_COUNT
HD_OP(Count) { return HD_INT(collection_count(&collection)); }
HD_OP(ToArray)
{
    int values[16], count = queue_to_array(&collection.queue, values, 16);
    return HD_ARRAY(values, count);
}
#endif
HD_OP(TryAdd) { return added(collection_add(&collection, 200)); }
HD_OP(TryAdd1) { return added(collection_add(&collection, 400)); } /* never waits: unbounded */
HD_OP(IsCompleted) { return HD_BOOL(collection_is_completed(&collection)); }
HD_OP(IsAddingCompleted) { return HD_BOOL(collection_is_adding_completed(&collection)); }
HD_OP(CompleteAdding) { collection_complete_adding(&collection); return HD_VOID; }
HD_OP(Take)
{
    int value = 0;
    enum collection_answer a = collection_take(&collection, &cancelled, &value);
    return taken(a, value, HD_STR("completed"));
}
HD_OP(TakeWithEnum) /* the end of the sequence is no error */
{
    int value = 0;
    enum collection_answer a = collection_take(&collection, &cancelled, &value);
    return taken(a, value, HD_NONE);
}
#ifdef WITH_CANCEL
HD_OP(Cancel) { collection_cancel(&collection, &cancelled); return HD_VOID; }
#ifdef ASYNC_CANCEL /* "the effects of cancellation can take place well after the method has returned" (section 5.3) */
HD_ASYNC(Cancel)
#endif
#endif
#endif
