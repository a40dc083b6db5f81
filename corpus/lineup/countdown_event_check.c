/* CountdownEvent: IsSet, Wait, Wait(0), CurrentCount, WaitOne, and with 1 (the default) and 2: Signal,
 * AddCount (an error if it is set already), TryAddCount. */
#include <heddle.h>
#include "countdown_event.h"

static struct countdown countdown;
static HdValue answer(enum countdown_answer a)
{
    return a == COUNTDOWN_ERROR ? HD_STR("error") : HD_BOOL(a == COUNTDOWN_YES);
}

HD_INIT { countdown_init(&countdown, 2); }
HD_OP(IsSet) { return HD_BOOL(countdown_is_set(&countdown)); }
HD_OP(Wait) { countdown_wait(&countdown); return HD_VOID; }
HD_OP(Wait0) { return HD_BOOL(countdown_wait_0(&countdown)); }
HD_OP(CurrentCount) { return HD_INT(countdown_current_count(&countdown)); }
HD_OP(WaitOne) { countdown_wait_one(&countdown); return HD_VOID; }
HD_OP(Signal, int, n, 1, 2) { return answer(countdown_signal(&countdown, n)); }
HD_OP(AddCount, int, n, 1, 2)
{
    return countdown_try_add_count(&countdown, n) ? HD_VOID : HD_STR("error");
}
HD_OP(TryAddCount, int, n, 1, 2) { return HD_BOOL(countdown_try_add_count(&countdown, n)); }
HD_AFTER { free(atomic_load(&countdown.zero.handle)); }
