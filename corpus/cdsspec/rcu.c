/* The paper's test (section 6.1): four threads, two update the data structure and two read it. Every version has the
 * data of one update, and counts those before it. */
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
    assert(version >= 0 && version <= 2);
    assert((data == 0) == (version == 0));
    return argument;
}

int main(void)
{
    static int values[] = {1, 2};
    rcu_init(&rcu);
    pthread_t a = start(writer, &values[0]), b = start(writer, &values[1]);
    pthread_t c = start(reader, NULL), d = start(reader, NULL);
    finish(a);
    finish(b);
    finish(c);
    finish(d);
    int data, version;
    rcu_read(&rcu, &data, &version);
    assert(version == 2);
}
