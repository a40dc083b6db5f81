#include "guest/entry/setup.h"
#include <unwind.h>
#include "guest/entry/guest.h"
#include "guest/runtime/native.h"

/* The unwinder sets itself up on first use, by pthread_once: that must not happen inside the
 * program, where it would be an event. */
static _Unwind_Reason_Code stop_at_once(struct _Unwind_Context *context, void *unused)
{
    (void)context, (void)unused;
    return _URC_END_OF_STACK;
}

void entry_setup(void)
{
    guest_thread(0);
    futex_slots();
    process_setup();
    signals_setup();
    native_init();
    guest_find_wait_table();
    guest_exempt_streams();
    _Unwind_Backtrace(stop_at_once, NULL);
}
