// expect: violated stuck
// args: -DSEES_EMPTY
// As blocking.c, but main does not wait for the takers: the program ends while one sleeps.
#include "../blocking.h"
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, taker, NULL);
    put(1);
    put(2);
    return 0;
}
