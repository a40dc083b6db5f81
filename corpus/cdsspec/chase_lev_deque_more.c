/* What the paper's test does not reach: owner and thief, or two thieves, want the last item; slots that are used
 * again. Each item is got exactly once. */
#include "driver.h"
#include "chase_lev_deque.h"

static struct deque deque;
static int payload[4];        /* what an item stands for */
static int got[3][4], count[3]; /* by thread; 0 is the owner */

static void note(int who, int item)
{
    assert(item < 4);
    if (item < 0)
        return;
    assert(payload[item] == 17);
    got[who][count[who]++] = item;
}

static void push(int item)
{
    payload[item] = 17;
    deque_push(&deque, item);
}

static void take(void)
{
    note(0, deque_take(&deque));
}

static void *thief(void *argument)
{
    note((int)(size_t)argument, deque_steal(&deque));
    return NULL;
}

static void *thief_of_two(void *argument)
{
    thief(argument);
    thief(argument);
    return NULL;
}

int main(void)
{
    int items = 2, item;
    pthread_t a = 0, b = 0;
    deque_init(&deque);
    switch (scenario(5)) {
    case 0: /* the paper's */
        a = start(thief, (void *)1);
        push(0), push(1), push(2), take(), take();
        items = 3;
        break;
    case 1: /* owner and thief want the same item */
        a = start(thief_of_two, (void *)1);
        push(0), push(1), take();
        break;
    case 2: /* two thieves and the owner */
        a = start(thief, (void *)1), b = start(thief, (void *)2);
        push(0), push(1), take();
        break;
    case 3: /* slots are used again after a steal */
        push(0);
        a = start(thief_of_two, (void *)1);
        push(1), push(2);
        items = 3;
        break;
    default: /* the deque becomes empty, and is filled again */
        a = start(thief_of_two, (void *)1);
        push(0), take(), push(1), take();
        break;
    }
    finish(a);
    if (b)
        finish(b);
    while ((item = deque_take(&deque)) != DEQUE_EMPTY)
        note(0, item);
    int times[4] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < count[i]; k++)
            times[got[i][k]]++;
    for (int i = 0; i < items; i++)
        assert(times[i] == 1);
    deque_destroy(&deque);
}
