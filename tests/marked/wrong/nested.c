// expect: violated linearizability
// args: -DNO_LOCK
// output: calls on pair gives
// The pair is set without its lock: half of it is seen. The cells themselves are right.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int cells[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void cell_set(atomic_int *cell, int value)
{
    HD_BEGIN(cell, "set", HD_INT(value));
    atomic_store(cell, value);
    HD_END(HD_VOID);
}
static int cell_get(atomic_int *cell)
{
    HD_BEGIN(cell, "get");
    int value = atomic_load(cell);
    HD_END(HD_INT(value));
    return value;
}
static void pair_set(int a, int b)
{
    HD_BEGIN("pair", "set", HD_INT(a), HD_INT(b));
#ifndef NO_LOCK
    pthread_mutex_lock(&lock);
#endif
    cell_set(&cells[0], a);
    cell_set(&cells[1], b);
#ifndef NO_LOCK
    pthread_mutex_unlock(&lock);
#endif
    HD_END(HD_VOID);
}
static void pair_get(void)
{
    HD_BEGIN("pair", "get");
    pthread_mutex_lock(&lock);
    int values[2] = {cell_get(&cells[0]), cell_get(&cells[1])};
    pthread_mutex_unlock(&lock);
    HD_END(HD_ARRAY(values, 2));
}
static void *setter(void *unused)
{
    pair_set(1, 2);
    return unused;
}
static void *looker(void *unused)
{
    cell_get(&cells[1]);
    return unused;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, setter, NULL);
    pthread_create(&u, NULL, looker, NULL);
    pair_get();
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
