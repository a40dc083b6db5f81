/* The file system of Flanagan and Godefroid: N threads give blocks to inodes, each under its lock;
 * main does not join. */
#include <pthread.h>
#ifndef N
#define N 14
#endif
enum { INODES = 32, BLOCKS = 26 };
static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];
static void *run(void *arg)
{
    int i = (int)(long)arg % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (!inode[i])
        for (int b = i * 2 % BLOCKS;; b = (b + 1) % BLOCKS) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            pthread_mutex_unlock(&block_lock[b]);
        }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}
int main(void)
{
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], NULL);
    for (int b = 0; b < BLOCKS; b++)
        pthread_mutex_init(&block_lock[b], NULL);
    for (long i = 0; i < N; i++) {
        pthread_t t;
        pthread_create(&t, NULL, run, (void *)i);
    }
}
