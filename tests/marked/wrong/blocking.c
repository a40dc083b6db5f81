// expect: violated stuck
// args: -DSEES_EMPTY
// Two takers sleep; the second put finds the first item still there and wakes nobody.
#include "../blocking.h"
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, taker, NULL);
    put(1);
    put(2);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
