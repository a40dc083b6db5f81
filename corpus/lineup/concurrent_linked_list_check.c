/* ConcurrentLinkedList: Count, AddFirst, AddLast, RemoveFirst, RemoveFirst(out), RemoveList,
 * RemoveLast(out). */
#include <heddle.h>
#include "concurrent_linked_list.h"

static struct list list;

HD_INIT { list_init(&list); }
HD_OP(Count) { return HD_INT(list_count(&list)); }
HD_OP(AddFirst, int, value, 10) { list_add_first(&list, value); return HD_VOID; }
HD_OP(AddLast, int, value, 20) { list_add_last(&list, value); return HD_VOID; }
HD_OP(RemoveFirst)
{
    int value;
    return HD_BOOL(list_remove_first(&list, &value));
}
HD_OP(RemoveFirstOut)
{
    int value;
    return list_remove_first(&list, &value) ? HD_INT(value) : HD_NONE;
}
HD_OP(RemoveList) { return HD_INT(list_remove_list(&list)); }
HD_OP(RemoveLastOut)
{
    int value;
    return list_remove_last(&list, &value) ? HD_INT(value) : HD_NONE;
}
