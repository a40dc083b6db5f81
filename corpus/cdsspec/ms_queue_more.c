/* What the paper's test does not reach: several producers (the tail lags behind, and others help), several consumers,
 * nodes that are used again. Nothing is lost, nothing comes twice, and elements of one producer stay in order. */
#include "driver.h"
#include "ms_queue.h"

enum { THREADS = 3 };
static struct ms_queue *queue;
static struct ms_pool pools[THREADS + 1];
static int payload[8]; /* what an element stands for */
static int got[THREADS + 1][8], count[THREADS + 1];

static void put(int who, int value)
{
    payload[value] = 17;
    ms_enqueue(queue, &pools[who], value);
}

static bool get(int who)
{
    int value;
    if (!ms_dequeue(queue, &pools[who], &value))
        return false;
    assert(value >= 1 && value < 8);
    assert(payload[value] == 17);
    got[who][count[who]++] = value;
    return true;
}

struct part { /* what one thread does: p puts, g gets, G gets and must succeed; then the next value to put */
    int who;
    const char *what;
    int value;
};

static void *play(void *argument)
{
    struct part *part = argument;
    for (const char *at = part->what; *at; at++)
        if (*at == 'p')
            put(part->who, part->value++);
        else if (!get(part->who))
            assert(*at == 'g');
    return NULL;
}

int main(void)
{
    static const char *const plays[][THREADS] = {
        {"p", "g"},      /* the paper's */
        {"pp", "gg"},    /* one after the other */
        {"p", "p"},      /* the tail lags behind: producers help */
        {"p", "p", "g"}, /* consumers help */
        {"p", "g", "g"}, /* consumers at the same element */
        {"pG", "pG"},    /* who puts can get */
        {"pgp", "g"},    /* a node is used again while a consumer looks at it */
        {"pGp", "pG"},   /* while a producer looks at it */
    };
    unsigned number = scenario(sizeof plays / sizeof plays[0]);
    pthread_t threads[THREADS];
    static struct part parts[THREADS];
    queue = malloc(sizeof *queue);
    ms_init(queue);
    int puts = 0, times[8] = {0};
    for (int i = 0; i < THREADS && plays[number][i]; i++) {
        parts[i] = (struct part){i + 1, plays[number][i], puts + 1};
        for (const char *at = plays[number][i]; *at; at++)
            puts += *at == 'p';
        ms_pool_init(&pools[i + 1], 2 + 2 * (unsigned)i, 2);
    }
    for (int i = 0; i < THREADS && plays[number][i]; i++)
        threads[i] = start(play, &parts[i]);
    for (int i = 0; i < THREADS && plays[number][i]; i++)
        finish(threads[i]);
    while (get(0))
        ;
    for (int who = 0; who <= THREADS; who++)
        for (int i = 0; i < count[who]; i++)
            times[got[who][i]]++;
    for (int value = 1; value <= puts; value++)
        assert(times[value] == 1);
    free(queue);
}
