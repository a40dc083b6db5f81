/* More than the paper's test: three threads update, one reads. Every version has the data of one update, and counts those
 * before it. */
#include "driver.h"
#include "rcu.h"

static struct rcu rcu;

static void *writer(void *argument)
{
    rcu_update(&rcu, *(int *)argument);
    return NULL;
}

static void *reader(void *argument)
{
    int data, version;
    rcu_read(&rcu, &data, &version);
    assert(version >= 0 && version <= 3);
    assert((data == 0) == (version == 0));
    return argument;
}

int main(void)
{
    static int values[] = {1, 2, 3};
    pthread_t threads[4];
    rcu_init(&rcu);
    for (int i = 0; i < 3; i++)
        threads[i] = start(writer, &values[i]);
    threads[3] = start(reader, NULL);
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
    int data, version;
    rcu_read(&rcu, &data, &version);
    assert(version == 3);
}
