#include "pool.h"
#include <stdatomic.h>
#include <stddef.h>

static struct letter letters[POOL_SIZE];
static atomic_int used[POOL_SIZE];

struct letter *pool_take(void)
{
    for (int i = 0; i < POOL_SIZE; i++) {
        int no = 0;
        if (atomic_compare_exchange_strong(&used[i], &no, 1))
            return &letters[i];
    }
    return NULL;
}

void pool_give(struct letter *letter)
{
    atomic_store(&used[letter - letters], 0);
}
