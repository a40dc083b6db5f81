/* The paper's test: the owner pushes three items (so that the array grows) and takes two, a thief steals one. */
#include "driver.h"
#include "chase_lev_deque.h"

static struct deque deque;
static int payload[3]; /* what an item stands for */
static int stolen;

static void *thief(void *argument)
{
    stolen = deque_steal(&deque);
    assert(stolen < 3);
    if (stolen >= 0)
        assert(payload[stolen] == 17);
    return argument;
}

int main(void)
{
    deque_init(&deque);
    pthread_t a = start(thief, NULL);
    for (int i = 0; i < 3; i++) {
        payload[i] = 17;
        deque_push(&deque, i);
    }
    int first = deque_take(&deque), second = deque_take(&deque);
    finish(a);
    assert(first == 2);
    assert(second == 1);
    assert(stolen <= 0);
    deque_destroy(&deque);
}
