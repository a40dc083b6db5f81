#include <heddle.h>
#include "mcs_lock.h"
static struct mcs_lock lock;
static int counter;
HD_OP(increment)
{
    struct mcs_node node;
    mcs_acquire(&lock, &node);
    int before = counter++;
    mcs_release(&lock, &node);
    return HD_INT(before);
}
