/* Writes that become events at the next hook, where what comes next ends the life of their memory: none is a use after
 * free. */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct n {
    volatile int magic;
    atomic_int refs;
    int v;
};
static struct n *make(void)
{
    struct n *p = (struct n *)malloc(sizeof *p);
    p->magic = 1;
    atomic_init(&p->refs, 1);
    p->v = 0;
    return p;
}
static void drop(struct n *p)
{
    p->magic = 0;
    free(p);
}
static void *worker(void *p)
{
    struct n *n = (struct n *)p;
    atomic_fetch_add(&n->refs, 1);
    *(int *)&n->refs = 7;
    n->magic = 2;
    return NULL;
}
static jmp_buf env;
static void jump(struct n *p)
{
    volatile int local = 1;
    local = 2;
    p->magic = local;
    longjmp(env, 1);
}
int main(void)
{
    struct n *p = make();
    pthread_t t;
#if V == 1
    p->magic = 0;
    p = (struct n *)realloc((void *)p, 2 * sizeof *p);
    p->magic = 3;
    free(p);
#elif V == 2
    drop(p);
#elif V == 3
    atomic_load(&p->refs);
    memset((void *)&p->refs, 0, sizeof p->refs);
    free(p);
#elif V == 4
    if (!setjmp(env))
        jump(p);
    free(p);
#elif V == 5
    pthread_create(&t, 0, worker, p);
    pthread_join(t, 0);
    free(p);
#elif V == 6
    p->magic = 5;
    exit(0);
#elif V == 7
    pthread_create(&t, 0, worker, p);
    pthread_join(t, 0);
    p->magic = 4;
    drop(p);
#elif V == 8
    volatile char *c = (volatile char *)malloc(3);
    c[0] = 1, c[1] = 2, c[2] = 3, c[0] = 4;
    free((void *)c);
    free(p);
#elif V == 9
    atomic_fetch_sub(&p->refs, 1);
    struct n other;
    memset((void *)&other, 0, sizeof other);
    memcpy((void *)p, (void *)&other, sizeof other);
    free(p);
#elif V == 10
    atomic_store(&p->refs, 2);
    *(int *)&p->refs = -1;
    p = (struct n *)realloc((void *)p, sizeof *p);
    *(int *)&p->refs = -2;
    free(p);
#endif
    return 0;
}
