/* texts.h: a program that is a text, HEDDLE_TWIN_PROGRAM: each word is a thread, and what a thread
 * returns is kept where outcomes are compared. The source that includes this defines EXAMPLE before
 * and perform behind it; EACH_THREAD_ITS_OWN: equal threads have arguments and results of their
 * own; VOLATILE: relaxed loads and stores are volatile accesses. */
#ifndef HEDDLE_TWIN_TEXTS_H
#define HEDDLE_TWIN_TEXTS_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char text[512];
static atomic_long returned[8];

static inline int load_relaxed(atomic_int *cell)
{
#ifdef VOLATILE
    return *(volatile int *)cell;
#else
    return atomic_load_explicit(cell, memory_order_relaxed);
#endif
}

static inline void store_relaxed(atomic_int *cell, int value)
{
#ifdef VOLATILE
    *(volatile int *)cell = value;
#else
    atomic_store_explicit(cell, value, memory_order_relaxed);
#endif
}

static long perform(const char *word); /* all of a thread; returns what it has seen */
#ifdef CONCLUDES
static void conclude(void); /* main, after all threads, in sources that have defined CONCLUDES */
#endif

static void *run(void *word)
{
    long seen = perform(word);
    int number = 0;
    for (const char *at = text; at < (const char *)word; at++)
        number += *at == ' ';
#ifdef EACH_THREAD_ITS_OWN
    atomic_store_explicit(&returned[number], seen, memory_order_relaxed);
#else /* a sum, in which it does not show which of several equal threads has seen what */
    atomic_fetch_add_explicit(&returned[number], (seen + 1) * 0x9E3779B97F4A7C1,
                              memory_order_relaxed);
#endif
    return NULL;
}

__attribute__((constructor)) static void read_program(void)
{
    const char *program = getenv("HEDDLE_TWIN_PROGRAM");
    strncpy(text, program ? program : EXAMPLE, sizeof text - 1);
}

static int is_same_word(const char *a, const char *b)
{
    size_t length = strcspn(a, " ");
#ifdef EACH_THREAD_ITS_OWN
    return a == b;
#endif
    return length == strcspn(b, " ") && !strncmp(a, b, length);
}

int main(void)
{
    pthread_t threads[8];
    int count = 0;
    char *words[8]; /* threads that do the same have the same argument */
    for (char *at = text; *at && count < 8; at++)
        if (at == text || at[-1] == ' ') {
            words[count] = count && is_same_word(words[count - 1], at) ? words[count - 1] : at;
            count++;
        }
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, run, words[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
#ifdef CONCLUDES
    conclude();
#endif
    return 0;
}
#endif
