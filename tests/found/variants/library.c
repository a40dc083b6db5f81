/* What a library function writes is written before the next access of its thread: both threads write by one, then read
 * what the other one writes. V up to 10: both reads may see the writes. From 11 on: under sc one of them must. */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <stdio.h>
#include <stdlib.h>
static long x, y, seen[2];
static char text[8] = "a";
#define KIND ((V - 1) % 10 / 2)
static void put(long *to)
{
#if KIND == 0
    memset(to, 1, sizeof *to);
#elif KIND == 1
    long one = 1;
    memcpy(to, &one, sizeof one);
#elif KIND == 2
    long one = 1;
    memmove(to, &one, sizeof one);
#elif KIND == 3
    strcpy((char *)to, text);
#else
    long one = 1;
    bcopy(&one, to, sizeof one);
#endif
}
static void *first(void *a)
{
    put(&x);
    seen[0] = y;
    return a;
}
static void *second(void *a)
{
    put(&y);
    seen[1] = x;
    return a;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, V % 2 ? first : second, 0);
    pthread_create(&threads[1], 0, V % 2 ? second : first, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(V <= 10 ? !(seen[0] && seen[1]) : seen[0] || seen[1]);
}
