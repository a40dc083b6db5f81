/* jumps.c: longjmp and its kin. They end frames without the hook of a function's end, so whatever
 * the thread has deferred (guest/explore/memory/deferred.h) is settled before the jump. */
#include "guest/entry/guest.h"
#include <setjmp.h>
#include "guest/explore/memory/deferred.h"

#define JUMP(name, native)                                                                         \
    GUEST NORETURN void __wrap_##name(struct __jmp_buf_tag *buffer, int value);                    \
    void __wrap_##name(struct __jmp_buf_tag *buffer, int value)                                    \
    {                                                                                              \
        if (op_active())                                                                           \
            deferred_settle();                                                                     \
        native(buffer, value);                                                                     \
    }
JUMP(longjmp, longjmp)
JUMP(_longjmp, _longjmp)
JUMP(siglongjmp, siglongjmp)
JUMP(__longjmp_chk, longjmp)
