// expect: holds
// A take that waits while the program ends: there is nothing to take.
#include "../blocking.h"
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, taker, NULL);
    put(1);
    return 0;
}
