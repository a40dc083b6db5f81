// expect: holds
// args: --spec=register:0
// A relaxed register: all threads agree on the order of its values (coherence), so its results are those of
// one that is written and read at once.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int cell;
static void write_cell(int value)
{
    HD_BEGIN(&cell, "write", HD_INT(value));
    atomic_store_explicit(&cell, value, memory_order_relaxed);
    HD_END(HD_VOID);
}
static int read_cell(void)
{
    HD_BEGIN(&cell, "read");
    int value = atomic_load_explicit(&cell, memory_order_relaxed);
    HD_END(HD_INT(value));
    return value;
}
static void *writer(void *value)
{
    write_cell((int)(long)value);
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, writer, (void *)1);
    pthread_create(&u, NULL, writer, (void *)2);
    read_cell();
    read_cell();
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
