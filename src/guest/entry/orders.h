/* orders.h: notes and replaces the memory orders of atomic operations (record/order_table.h). This
 * is done where an operation enters the runtime, so that it makes no difference how the order was
 * written: a constant, a macro, a default argument, an operator. */
#ifndef HEDDLE_ENTRY_ORDERS_H
#define HEDDLE_ENTRY_ORDERS_H
#include "record/order_table.h"

extern OrderTable *orders_table; /* NULL: all orders are as written, and nobody asks */
/* The caller (a hook of the instrumentation, compiled with a frame pointer) was called from the
 * user's code at PC. Enters the operation and changes *order and *failure (NULL: it has none) if
 * the table asks for it. Returns its place, or NULL. */
OrderSite *orders_apply(OrderOperation operation, const void *pc, int *order, int *failure);
#endif
