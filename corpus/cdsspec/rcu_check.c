/* Two objects: a thread that has updated one and reads the other may see it as it was, and so may the other thread. No
 * serial order of the calls explains both (Figure 3 of CDSSpec): RCU is not linearizable, and not meant to be. */
#include <heddle.h>
#include "rcu.h"
static struct rcu x, y;
HD_INIT { rcu_init(&x); rcu_init(&y); }
static HdValue read_of(struct rcu *rcu) { int data, version; rcu_read(rcu, &data, &version); return HD_INT(10 * version + data); }
HD_OP(update_x, int, v, 1, 2) { rcu_update(&x, v); return HD_VOID; }
HD_OP(read_x) { return read_of(&x); }
#ifdef TWO
HD_OP(update_y) { rcu_update(&y, 1); return HD_VOID; }
HD_OP(read_y) { return read_of(&y); }
#endif
