// expect: holds
// executions: 8
// A file system after Flanagan and Godefroid (POPL 2005): 16 threads each give a block to their inode. Threads i and i + 13
// begin with the same block, and who comes later takes the next one: three pairs, 2^3 orders. Main does not wait for them.
#include <pthread.h>
enum { THREADS = 16, INODES = 32, BLOCKS = 26 };
static pthread_mutex_t lock_inode[INODES], lock_block[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void *work(void *number)
{
    int i = *(int *)number % INODES;
    pthread_mutex_lock(&lock_inode[i]);
    for (int b = i * 2 % BLOCKS; !inode[i]; b = (b + 1) % BLOCKS) {
        pthread_mutex_lock(&lock_block[b]);
        if (!busy[b]) {
            busy[b] = 1;
            inode[i] = b + 1;
        }
        pthread_mutex_unlock(&lock_block[b]);
    }
    pthread_mutex_unlock(&lock_inode[i]);
    return 0;
}

int main(void)
{
    static int numbers[THREADS];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&lock_inode[i], 0);
    for (int b = 0; b < BLOCKS; b++)
        pthread_mutex_init(&lock_block[b], 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_t t;
        numbers[i] = i;
        pthread_create(&t, 0, work, &numbers[i]);
    }
    return 0;
}
