/* Two equal threads copy, under a lock, bytes of which one has its own access: what is known of these bytes is divided while
 * threads that are equal are followed (V: by what they are read). */
#include <heddle.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#ifndef V
#define V 0
#endif
static char name[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t units;
HD_INIT { sem_init(&units, 0, 1); }
HD_OP(shift)
{
    pthread_mutex_lock(&lock);
    name[1] = name[0];
    pthread_mutex_unlock(&lock);
    return HD_INT(1);
}
HD_OP(read)
{
    char local[8] = {0};
    int units_left;
    sem_getvalue(&units, &units_left);
    pthread_mutex_lock(&lock);
    if (V == 0)
        memcpy(local, name, 4);
    else if (V == 1)
        memmove(local, name, 3);
    else
        local[1] = (char)memcmp(local, name, 4);
    pthread_mutex_unlock(&lock);
    return HD_INT(local[1] + units_left);
}
