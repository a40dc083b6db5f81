/* A structure that a function returns is stored into memory that was just allocated, which gcc does not announce: element
 * by element, by an index that depends on what another thread has done. One element is set in every execution. UPDATED: by
 * an addition; POINTER: the function is called through a pointer. MISSED: of a wrong program, that the third one may be it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct Row {
    int at[24];
};
static atomic_int place;
__attribute__((noinline)) static struct Row make(void)
{
    struct Row row = {{0}};
#ifdef UPDATED
    row.at[3 + atomic_load(&place)] += 1;
#else
    row.at[3 + atomic_load(&place)] = 1;
#endif
    return row;
}
static struct Row (*volatile maker)(void) = make;
static void *fill(void *arg)
{
    struct Row *row = malloc(sizeof *row);
#ifdef POINTER
    struct Row (*function)(void) = maker;
    *row = function();
#else
    *row = make();
#endif
    int sum = 0;
    for (int i = 0; i < 24; i++)
        sum += row->at[i];
#ifdef MISSED
    assert(!row->at[5] || row->at[3] || row->at[4]);
#else
    assert(sum == 1);
#endif
    free(row);
    return arg;
}
static void *move(void *arg)
{
    atomic_store(&place, 1);
    atomic_store(&place, 2);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, fill, NULL);
    pthread_create(&u, NULL, move, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return maker == NULL;
}
