/* A test of a concurrent map with real threads: every operation is recorded by libheddle-history, and
 * at the end the history must be linearizable.
 *
 *   cc -pthread map_test.c $(pkg-config --cflags --libs heddle-history) && ./a.out
 *
 * With -DBROKEN each thread keeps what it read in a cache that nobody invalidates; the program then
 * prints why that is wrong and returns 1. */
#include <heddle_history.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { KEYS = 4, THREADS = 4, ROUNDS = 500 };

typedef struct Bucket {
    pthread_mutex_t lock;
    int value; /* 0: there is none */
} Bucket;
static Bucket map[KEYS];

static void map_put(int key, int value)
{
    pthread_mutex_lock(&map[key].lock);
    map[key].value = value;
    pthread_mutex_unlock(&map[key].lock);
}

static int map_get(int key)
{
    pthread_mutex_lock(&map[key].lock);
    int value = map[key].value;
    pthread_mutex_unlock(&map[key].lock);
#ifdef BROKEN
    static _Thread_local int cache[KEYS]; /* a cache that nobody invalidates */
    if (!cache[key])
        cache[key] = value;
    return cache[key];
#else
    return value;
#endif
}

static heddle_history *history;

static void *client(void *argument)
{
    int64_t me = (int64_t)(intptr_t)argument;
    unsigned seed = (unsigned)me + 1;
    for (int i = 0; i < ROUNDS; i++) {
        char text[64];
        seed = seed * 1103515245u + 12345u;
        int key = (int)(seed >> 16) % KEYS;
        if (seed >> 30 & 1) {
            int value = (int)me * ROUNDS + i + 1;
            snprintf(text, sizeof text, "[%d, %d]", key, value);
            heddle_history_call(history, me, "put", text);
            map_put(key, value);
            heddle_history_return(history, me, NULL);
        } else {
            snprintf(text, sizeof text, "[%d]", key);
            heddle_history_call(history, me, "get", text);
            int value = map_get(key);
            snprintf(text, sizeof text, "%d", value);
            heddle_history_return(history, me, value ? text : NULL);
        }
    }
    return NULL;
}

int main(void)
{
    char message[256];
    pthread_t threads[THREADS];
    history = heddle_history_open("map", message, sizeof message);
    if (!history) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    for (int i = 0; i < KEYS; i++)
        pthread_mutex_init(&map[i].lock, NULL);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, client, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    heddle_history_limits limits = {.seconds = 30};
    enum heddle_history_answer answer = heddle_history_check(history, &limits);
    printf("%zu operations: %s\n", heddle_history_count(history),
           answer == HEDDLE_HISTORY_HOLDS      ? "linearizable"
           : answer == HEDDLE_HISTORY_VIOLATED ? "NOT linearizable"
           : answer == HEDDLE_HISTORY_ERROR    ? heddle_history_error(history)
                                               : "inconclusive");
    fputs(heddle_history_explain(history), stderr);
    heddle_history_close(history);
    return answer;
}
