/* A triple buffer: one writer, one reader, neither ever waits. Each side owns a buffer, and the third lies in the middle; a
 * side exchanges its own for the one in the middle, which says whether it is new. So the same three buffers are used again
 * for ever, and each exchange must both hand over what was written or read and take over what the other side has done.
 *
 * -DWRITER_ORDER=memory_order_acquire  the writer does not publish the contents
 * -DWRITER_ORDER=memory_order_release  the writer writes into a buffer beside the reader that has given it back
 * -DREADER_ORDER=memory_order_acquire  the same, by the reader's fault
 * -DEARLY                              the buffer is handed over before its second half is written
 * -DTWO_STEPS                          the reader takes by a load and a store */
#include <stdatomic.h>
#ifndef WRITER_ORDER
#define WRITER_ORDER memory_order_acq_rel
#endif
#ifndef READER_ORDER
#define READER_ORDER memory_order_acq_rel
#endif
#define FRESH 4

struct triple_buffer {
    struct {
        int first, second;
    } buffer[3];
    atomic_int middle; /* number of a buffer; with FRESH if the reader has not had it */
    int back, front;   /* the writer's and the reader's own */
};

static void triple_buffer_init(struct triple_buffer *t)
{
    t->back = 0;
    atomic_init(&t->middle, 1);
    t->front = 2;
}

static void triple_buffer_write(struct triple_buffer *t, int value)
{
    t->buffer[t->back].first = value;
#ifdef EARLY
    int old = t->back;
    t->back = atomic_exchange_explicit(&t->middle, t->back | FRESH, WRITER_ORDER) & 3;
    t->buffer[old].second = value;
#else
    t->buffer[t->back].second = value;
    t->back = atomic_exchange_explicit(&t->middle, t->back | FRESH, WRITER_ORDER) & 3;
#endif
}

static void triple_buffer_read(struct triple_buffer *t, int *first, int *second)
{
    if (atomic_load_explicit(&t->middle, memory_order_relaxed) & FRESH) {
#ifdef TWO_STEPS
        int middle = atomic_load_explicit(&t->middle, memory_order_acquire);
        atomic_store_explicit(&t->middle, t->front, memory_order_release);
        t->front = middle & 3;
#else
        t->front = atomic_exchange_explicit(&t->middle, t->front, READER_ORDER) & 3;
#endif
    }
    *first = t->buffer[t->front].first;
    *second = t->buffer[t->front].second;
}
