/* CancellationTokenSource: Increment, which registers a callback that increments a counter, and
 * Cancel. */
#include <heddle.h>
#include "cancellation_token_source.h"

static struct source source;
static atomic_int counter;
static void increment(void)
{
    counter++;
}

HD_INIT { source_init(&source); counter = 0; }
HD_OP(Increment) { return HD_BOOL(source_register(&source, increment)); }
HD_OP(Cancel) { return HD_INT(source_cancel(&source)); }
HD_INVARIANT { return counter == 0 || source_is_cancelled(&source); }
