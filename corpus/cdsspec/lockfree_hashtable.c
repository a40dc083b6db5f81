/* The paper's test: two threads, both update the value of the same key and read it. The table has room. */
#include "driver.h"
#include "lockfree_hashtable.h"

static struct hashtable map;

static void *user(void *argument)
{
    int *value = argument;
    *value += 10;
    int *before = ht_put(&map, 1, value);
    assert(!before || *before >= 11);
    int *now = ht_get(&map, 1);
    assert(now && *now >= 11);
    return NULL;
}

int main(void)
{
    static int values[] = {1, 2};
    ht_init(&map);
    pthread_t a = start(user, &values[0]), b = start(user, &values[1]);
    finish(a);
    finish(b);
    assert(ht_get(&map, 1));
    ht_destroy(&map);
}
