// asks: check
// reason: has calls that are not made, or not in an order that fits, when calls are atomic
// advice: Say what calls give when nothing runs beside them: --spec=register
// then: check @--spec
// better: violated
// When calls are atomic, reading 1 means that data is written, so write(2) is never called. The relaxed register
// does not promise that: write(2) happens, and no run tells what it should do.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int cell, data;
static void write_cell(int value)
{
    HD_BEGIN(&cell, "write", HD_INT(value));
    atomic_store_explicit(&cell, value, memory_order_relaxed);
    HD_END(HD_VOID);
}
static void *writer(void *unused)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    write_cell(1);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    HD_BEGIN(&cell, "read");
    int value = atomic_load_explicit(&cell, memory_order_relaxed);
    HD_END(HD_INT(value));
    if (value && !atomic_load_explicit(&data, memory_order_relaxed))
        write_cell(2);
    pthread_join(t, NULL);
    return 0;
}
