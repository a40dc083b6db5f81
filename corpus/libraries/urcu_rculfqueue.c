// package: liburcu-dev
// options: --shape=2x2
// expect: tso holds
// Userspace RCU's lock-free queue (Michael and Scott's, with dummy nodes of its own). Memory is never given
// back while a test runs, as if every thread were in one read-side critical section.
#define _LGPL_SOURCE
#include <heddle.h>
#include <stdlib.h>
#include <urcu/urcu-mb.h>
#include <urcu/rculfqueue.h>
struct item { struct cds_lfq_node_rcu node; int v; };
static struct cds_lfq_queue_rcu q;
static void later(struct rcu_head *head, void (*reclaim)(struct rcu_head *)) { (void)head; (void)reclaim; }
HD_INIT { cds_lfq_init_rcu(&q, later); }
HD_OP(put, int, v, 1, 2)
{
    struct item *item = malloc(sizeof *item);
    item->v = v;
    cds_lfq_node_init_rcu(&item->node);
    cds_lfq_enqueue_rcu(&q, &item->node);
    return HD_VOID;
}
HD_OP(get)
{
    struct cds_lfq_node_rcu *node = cds_lfq_dequeue_rcu(&q);
    return node ? HD_INT(((struct item *)node)->v) : HD_NONE;
}
