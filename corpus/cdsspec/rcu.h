/* Read-copy update as in Figure 2 of CDSSpec (P. Ou and B. Demsky, "Checking concurrent data structures under the
 * C/C++11 memory model"): readers follow a pointer, writers replace the structure behind it. Old versions are never
 * given back: grace periods are not part of it. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct rcu_node {
    int data, version;
};

/** @Structure_Define:
    @DeclareVar: int _data, _version;
    @InitVar: _data = 0; _version = 0;
    @Happens_Before: Update -> Read Update -> Update */
struct rcu {
    _Atomic(struct rcu_node *) node;
};

static inline void rcu_init(struct rcu *rcu)
{
    struct rcu_node *node = malloc(sizeof *node);
    node->data = node->version = 0;
    atomic_init(&rcu->node, node);
}

/** @Method: Read
    @Ordering_Point_Set: Read_Point
    @ID: rcu
    @PostCondition: _data == *data && _version == *version */
static inline void rcu_read(struct rcu *rcu, int *data, int *version)
{
    struct rcu_node *node = atomic_load_explicit(&rcu->node, memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Read_Point */
    *data = node->data;
    *version = node->version;
}

/** @Method: Update
    @Ordering_Point_Set: Update_Point
    @ID: rcu
    @SideEffect: _data = data; _version++; */
static inline void rcu_update(struct rcu *rcu, int data)
{
    bool done;
    struct rcu_node *fresh = malloc(sizeof *fresh);
    struct rcu_node *old = atomic_load_explicit(&rcu->node, memory_order_acquire);
    do {
        fresh->data = data;
        fresh->version = old->version + 1;
        done = atomic_compare_exchange_strong_explicit(&rcu->node, &old, fresh, memory_order_acq_rel,
                                                       memory_order_acquire);
        /** @Ordering_Point_Label_Check: done
            @Label: Update_Point */
    } while (!done);
}
