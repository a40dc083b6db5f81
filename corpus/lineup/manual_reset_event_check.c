/* ManualResetEvent: Set, Wait, Reset, IsSet, WaitOne. */
#include <heddle.h>
#include "manual_reset_event.h"

static struct event event;

HD_INIT { event_init(&event); }
HD_OP(Set) { event_set(&event); return HD_VOID; }
HD_OP(Wait) { event_wait(&event); return HD_VOID; }
HD_OP(Reset) { event_reset(&event); return HD_VOID; }
HD_OP(IsSet) { return HD_BOOL(event_is_set(&event)); }
HD_OP(WaitOne) { event_wait_one(&event); return HD_VOID; }
HD_AFTER { free(atomic_load(&event.handle)); }
