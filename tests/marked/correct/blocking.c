// expect: holds
// Three takes and two puts: one take waits for ever, as it does when calls are atomic.
#include "../blocking.h"
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, taker, NULL);
    put(1);
    put(2);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
