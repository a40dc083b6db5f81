// expect: holds
// The two-lock queue against golden code: an array, and a take that waits while it is empty.
#include "../blocking.h"
static int golden[8], golden_first, golden_end;
HD_GOLDEN_INIT { golden_first = golden_end = 0; }
HD_GOLDEN(put, int, v) { golden[golden_end++] = v; return HD_VOID; }
HD_GOLDEN(take)
{
    if (golden_first == golden_end)
        return HD_WAIT;
#ifdef LAST
    return HD_INT(golden[--golden_end]);
#else
    return HD_INT(golden[golden_first++]);
#endif
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, taker, NULL);
    put(1);
    put(2);
    take();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
