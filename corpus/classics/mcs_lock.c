#include <heddle.h>
#include "mcs_lock.h"
static struct mcs_lock lock;
static _Thread_local struct mcs_node node;
static int counter;
HD_OP(increment)
{
    mcs_acquire(&lock, &node);
    int before = counter++;
    mcs_release(&lock, &node);
    return HD_INT(before);
}
HD_OP(get)
{
    mcs_acquire(&lock, &node);
    int now = counter;
    mcs_release(&lock, &node);
    return HD_INT(now);
}
