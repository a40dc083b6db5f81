/* A sequence lock as H.-J. Boehm writes it in C11 (Can Seqlocks Get Along with Programming Language Memory
 * Models?, MSPC 2012, Figure 6): one writer, any number of readers, who try again when a write was under way.
 * The register is two words wide.
 *
 * -DNO_READ_FENCE    the data may be read after the second look at the sequence
 * -DNO_WRITE_FENCE   the data may be written before the sequence is odd
 * -DEND_ORDER=memory_order_relaxed  the sequence may be even again before the data is written
 * -DNO_RECHECK       no second look at the sequence
 * -DNO_ODD_CHECK     a read may begin in the middle of a write */
#include <stdatomic.h>
#ifndef END_ORDER
#define END_ORDER memory_order_release
#endif

struct seqlock {
    atomic_uint sequence;
    atomic_int first, second;
};

static void seqlock_write(struct seqlock *s, int first, int second)
{
    unsigned now = atomic_load_explicit(&s->sequence, memory_order_relaxed);
    atomic_store_explicit(&s->sequence, now + 1, memory_order_relaxed);
#ifndef NO_WRITE_FENCE
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&s->first, first, memory_order_relaxed);
    atomic_store_explicit(&s->second, second, memory_order_relaxed);
    atomic_store_explicit(&s->sequence, now + 2, END_ORDER);
}

static void seqlock_read(struct seqlock *s, int *first, int *second)
{
    unsigned before, after;
    do {
        before = atomic_load_explicit(&s->sequence, memory_order_acquire);
        *first = atomic_load_explicit(&s->first, memory_order_relaxed);
        *second = atomic_load_explicit(&s->second, memory_order_relaxed);
#ifndef NO_READ_FENCE
        atomic_thread_fence(memory_order_acquire);
#endif
        after = atomic_load_explicit(&s->sequence, memory_order_relaxed);
#ifdef NO_RECHECK
        after = before;
#endif
#ifdef NO_ODD_CHECK
    } while (before != after);
#else
    } while (before != after || before & 1);
#endif
}
