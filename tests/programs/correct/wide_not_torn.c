// expect: holds
// args: --model=tso
// executions: 12
// Structures that are assigned as a whole race, and the pointer in them is read alone; but nobody accesses a
// part of a pointer, so it is never torn. There are two pieces, which the two threads write in either order: 4
// ways; each with three pointers to be read.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
struct wide { char name[8]; long *pointer; };
static long one, other;
static struct wide shared;
static void *assign(void *to)
{
    struct wide local = {"", to};
    memcpy(&shared, &local, sizeof shared);
    return NULL;
}
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, assign, &one);
    pthread_create(&second, 0, assign, &other);
    long *seen = shared.pointer;
    assert(!seen || seen == &one || seen == &other);
    pthread_join(first, 0);
    pthread_join(second, 0);
}
