// package: liburcu-dev
// options: --shape=2x2
// expect: tso holds
// Userspace RCU's queue: an exchange of the tail puts an element in, its link follows; who takes one holds a
// mutex and waits (spinning, then sleeping with poll) for a link that is not there yet. A put takes effect at
// its exchange, an unsuccessful get where it sees that the tail is the head.
#define _LGPL_SOURCE
#include <heddle.h>
#include <stdlib.h>
#include <urcu/wfcqueue.h>
struct item { struct cds_wfcq_node node; int v; };
static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
HD_INIT { cds_wfcq_init(&head, &tail); }
HD_OP(put, int, v, 1, 2)
{
    struct item *item = malloc(sizeof *item);
    item->v = v;
    cds_wfcq_node_init(&item->node);
    cds_wfcq_enqueue(&head, &tail, &item->node);
    return HD_VOID;
}
HD_OP(get)
{
    struct cds_wfcq_node *node = cds_wfcq_dequeue_blocking(&head, &tail);
    if (!node)
        return HD_NONE;
    int v = ((struct item *)node)->v;
    free(node);
    return HD_INT(v);
}
