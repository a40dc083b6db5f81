/* Real threads on a real machine: what they call and get is written down for `heddle history`. */
#define HEDDLE_LOG_IMPLEMENTATION
#include <heddle_log.h>
#include <stdint.h>
#include "queue.c"

static FILE *log_file;

static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument;
    for (int i = 0; i < 1000; i++) {
        char text[32];
        int value = thread * 1000 + i;
        snprintf(text, sizeof text, "%d", value);
        heddle_log_call(log_file, thread, "enq", text);
        queue_put(value);
        heddle_log_return(log_file, thread, "null");
        heddle_log_call(log_file, thread, "deq", "");
        if (queue_get(&value))
            snprintf(text, sizeof text, "%d", value);
        else
            snprintf(text, sizeof text, "null");
        heddle_log_return(log_file, thread, text);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    log_file = fopen(argc > 1 ? argv[1] : "history.jsonl", "w");
    if (!log_file)
        return 1;
    for (intptr_t i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return fclose(log_file) != 0;
}
