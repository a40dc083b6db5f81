#include "mailbox.h"
#include <stdatomic.h>
#include <stddef.h>

#ifdef FIXED
#define PUBLISH memory_order_release
#else
#define PUBLISH memory_order_relaxed
#endif

static _Atomic(struct letter *) box;

bool mailbox_put(struct letter *letter)
{
    struct letter *none = NULL;
    return atomic_compare_exchange_strong_explicit(&box, &none, letter, PUBLISH,
                                                   memory_order_relaxed);
}

struct letter *mailbox_take(void)
{
    return atomic_exchange_explicit(&box, NULL, memory_order_acquire);
}
