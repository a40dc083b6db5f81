// asks: run
// reason: the program asks for any number
// advice: Say how many values matter: --rand=3
// then: run @--rand
// better: holds
#include <pthread.h>
#include <stddef.h>
extern int __VERIFIER_nondet_int(void);
static void *draw(void *unused)
{
    int number = __VERIFIER_nondet_int();
    return number < 0 ? NULL : unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, draw, NULL);
    pthread_join(thread, NULL);
}
