/* zstd's thread pool: two workers, a queue of one, three jobs from main and a bystander that changes the number of
 * workers. Each job runs once, and POOL_joinJobs returns after all of them. */
#include <assert.h>
#include "pool.h"

#ifndef JOBS
#define JOBS 2
#endif
static int done[JOBS];

static void job(void *opaque)
{
    *(int *)opaque += 1;
}

int main(void)
{
    POOL_ctx *pool = POOL_create(WORKERS, 1);
    assert(pool);
    for (int i = 0; i < JOBS; i++)
        POOL_add(pool, job, &done[i]);
    POOL_joinJobs(pool);
    for (int i = 0; i < JOBS; i++)
        assert(done[i] == 1);
    POOL_free(pool);
    return 0;
}
