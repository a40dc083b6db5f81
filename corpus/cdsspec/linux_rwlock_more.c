/* What the paper's test does not reach: the locks that are only tried, and two readers. */
#include "driver.h"
#include "linux_rwlock.h"

static struct rwlock lock;
static int shared, writers;

static void *reader(void *argument)
{
    rwlock_read_lock(&lock);
    assert(shared == 0 || shared == 1);
    rwlock_read_unlock(&lock);
    return argument;
}

static void *writer(void *argument)
{
    rwlock_write_lock(&lock);
    shared++;
    rwlock_write_unlock(&lock);
    return argument;
}

static void *try_reader(void *argument)
{
    if (rwlock_read_trylock(&lock)) {
        assert(shared >= 0);
        rwlock_read_unlock(&lock);
    }
    return argument;
}

static void *try_writer(void *argument)
{
    if (rwlock_write_trylock(&lock)) {
        shared++;
        rwlock_write_unlock(&lock);
    } else {
        *(int *)argument = 1;
    }
    return NULL;
}

static void *user(void *argument)
{
    reader(argument);
    return writer(argument);
}

int main(void)
{
    int failed[2] = {0, 0};
    pthread_t a, b, c = 0;
    rwlock_init(&lock);
    switch (scenario(6)) {
    case 0: /* the paper's */
        writers = 2;
        a = start(user, NULL), b = start(writer, NULL);
        break;
    case 1:
        writers = 1;
        a = start(writer, NULL), b = start(try_reader, NULL);
        break;
    case 2:
        writers = 2;
        a = start(writer, NULL), b = start(try_writer, &failed[0]);
        break;
    case 3:
        writers = 1;
        a = start(reader, NULL), b = start(reader, NULL), c = start(try_writer, &failed[0]);
        break;
    case 4:
        writers = 2;
        a = start(try_writer, &failed[0]), b = start(try_writer, &failed[1]);
        break;
    default: /* the lock becomes free while another tries, and is about to fail */
        writers = 3;
        rwlock_write_lock(&lock);
        shared++;
        a = start(try_writer, &failed[0]), b = start(try_reader, NULL);
        rwlock_write_unlock(&lock);
        try_writer(&failed[1]);
        break;
    }
    finish(a);
    finish(b);
    if (c)
        finish(c);
    assert(shared == writers - failed[0] - failed[1]);
    assert(writers == 1 || shared > 0); /* of two writers one gets the lock */
}
