#include "guest/explore/memory/write.h"
#include <string.h>
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/runtime/fiber.h"

void op_write(void *to, const void *from, size_t bytes)
{
    char *at = to;
    Fiber *self = fiber_current >= 0 ? &fibers[fiber_current] : NULL;
    if (UNLIKELY(memory_divert != NULL)) {
        if (self)
            memory_divert->write(to, bytes);
        memcpy(to, from, bytes);
        return;
    }
    bool own_stack = self && at >= self->limit && at < self->base;
    memory_state.writes += !own_stack;
    if (self && !own_stack)
        for (size_t done = 0; done < bytes; done += 8)
            undo_save(at + done, (unsigned)MIN(bytes - done, (size_t)8));
    if (LIKELY(bytes == 4)) /* without a call */
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}
