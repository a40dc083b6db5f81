// daily
// asks: run
// reason: heddle can't see|is an? .* that heddle can't see
// advice: the model of x86, where most instructions are understood: --model=tso; or answer for it yourself: --trust=assembly.c:[0-9]+
// then: run @--model
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static int shared;
static void *add(void *unused)
{
    __asm__ volatile("lock incl %0" : "+m"(shared));
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
}
