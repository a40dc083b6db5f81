/* What the paper's test does not reach: a table that is replaced by a larger one while others work on it. */
#define HT_SIZE 1
#include "driver.h"
#include "lockfree_hashtable.h"

static struct hashtable map;
static int one[4], two[4]; /* values: plain, so that who gets one needs it to be there */

static void put(int key, int *value)
{
    *value = 17;
    int *before = ht_put(&map, key, value);
    assert(!before || *before == 17);
}

static int *get(int key)
{
    int *value = ht_get(&map, key);
    assert(!value || *value == 17);
    return value;
}

static void *put_1(void *argument)
{
    put(1, &one[1]);
    return argument;
}

static void *put_2(void *argument)
{
    put(2, &two[1]);
    return argument;
}

static void *get_1(void *argument)
{
    get(1);
    return argument;
}

static void *get_1_again(void *argument)
{
    int *first = get(1);
    assert(!first || get(1));
    return argument;
}

static void *put_1_get_1(void *argument)
{
    put(1, &one[2]);
    assert(get(1));
    return argument;
}

static void *get_2(void *argument)
{
    get(2);
    return argument;
}

static void *put_1_only(void *argument)
{
    put(1, &one[3]);
    return argument;
}

/* Who replaces a value owns it, and may put it again. */
static void *put_in_turn(void *argument)
{
    put(1, &one[1]);
    one[2] = 17;
    if (ht_put(&map, 1, &one[2]) == &one[1]) {
        one[1] = 18;
        one[1]--;
        ht_put(&map, 1, &one[1]);
    }
    return argument;
}

int main(void)
{
    pthread_t a, b;
    int first = 1, second = 1;
    ht_init(&map);
    switch (scenario(8)) {
    case 0: /* the second key makes the table grow */
        a = start(put_1, NULL), b = start(put_2, NULL);
        break;
    case 1: /* a value is replaced while it is copied */
        put(1, &one[0]);
        a = start(put_1_get_1, NULL), b = start(put_2, NULL);
        break;
    case 2: /* a value is read while it is copied */
        put(1, &one[0]);
        a = start(get_1_again, NULL), b = start(put_2, NULL);
        break;
    case 3: /* what one has put is read while another copies it */
        a = start(put_1_get_1, NULL), b = start(put_2, NULL);
        break;
    case 4: /* a value is read by one who knows nothing of it */
        second = 0;
        a = start(put_1, NULL), b = start(get_1, NULL);
        break;
    case 5: /* both make the table grow */
        put(3, &two[3]);
        a = start(put_1, NULL), b = start(put_2, NULL);
        break;
    case 6: /* a key is looked for that is in the larger table only */
        put(1, &one[0]);
        a = start(put_2, NULL), b = start(get_2, NULL);
        break;
    default: /* a value that comes back */
        second = 0;
        a = start(put_in_turn, NULL), b = start(put_1_only, NULL);
        break;
    }
    finish(a);
    finish(b);
    assert(!first || get(1));
    assert(!second || get(2));
    ht_destroy(&map);
}
