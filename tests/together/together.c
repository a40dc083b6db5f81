/* together.c: threads that take several locks together, as std::lock does, beside others that take
 * or try one. The arguments are threads as words of statements (twin.py has the same words as steps
 * of a machine), and numbers: what is left in the end, as a number, must be one of them or, behind
 * `not', none of them. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                  PTHREAD_MUTEX_INITIALIZER};
static int x, done, failed; /* x and done by two of the locks, failed by lock 0 */
static int result[3];
static char **words;

static void take(const char *text)
{
    char which[4]; /* as in std::lock, nothing but the stack is looked at between the locks */
    int first = 0, count = (int)strlen(text);
    strcpy(which, text);
    for (;;) {
        int j = 1;
        pthread_mutex_lock(&lock[which[first] - '0']);
        while (j < count && !pthread_mutex_trylock(&lock[which[(first + j) % count] - '0']))
            j++;
        if (j == count)
            return;
        for (int k = j; k-- > 0;)
            pthread_mutex_unlock(&lock[which[(first + k) % count] - '0']);
        first = (first + j) % count;
    }
}

static void give_back(const char *which)
{
    for (; *which; which++)
        pthread_mutex_unlock(&lock[*which - '0']);
}

static void exchange(const char *which, int *r)
{
    take(which);
    *r = 2 * *r + x;
    x = !x;
    give_back(which);
}

static int try(int n)
{
    return !pthread_mutex_trylock(&lock[n]);
}

static void step(char word, int *r)
{
    switch (word) {
    case 'a':
        exchange("01", r);
        break;
    case 'b':
        exchange("10", r);
        break;
    case 'c':
        exchange("12", r);
        break;
    case 'd':
        exchange("20", r);
        break;
    case 'e':
        exchange("012", r);
        break;
    case 'f':
        exchange("210", r);
        break;
    case 'A': /* shows whether it is free */
    case 'B':
    case 'C': {
        int n = word - 'A', got = try(n);
        *r = 2 * *r + got;
        if (got)
            pthread_mutex_unlock(&lock[n]);
        break;
    }
    case 'l':
    case 'm':
        pthread_mutex_lock(&lock[word - 'l']);
        pthread_mutex_unlock(&lock[word - 'l']);
        break;
    case 'h': /* never given back */
        pthread_mutex_lock(&lock[1]);
        break;
    case 'T': { /* is lock 1 taken while lock 0 is not? */
        if (!try(0)) {
            *r = 2 * *r;
            break;
        }
        int got = try(1);
        *r = 2 * *r + !got;
        if (got)
            pthread_mutex_unlock(&lock[1]);
        pthread_mutex_unlock(&lock[0]);
        break;
    }
    case 'Y': /* is lock 1 taken? */
    case 'Z': {
        int n = word == 'Y' ? 2 : 0;
        pthread_mutex_lock(&lock[n]);
        int got = try(1);
        *r = 2 * *r + !got;
        if (got)
            pthread_mutex_unlock(&lock[1]);
        pthread_mutex_unlock(&lock[n]);
        break;
    }
    case 'W': /* until it is done */
        for (bool end = false; !end;) {
            take("01");
            end = done;
            give_back("01");
        }
        break;
    case 's':
        take("12");
        pthread_mutex_lock(&lock[0]);
        done = 1;
        give_back("012");
        break;
    case 'R': /* tells whether it has failed */
        for (int first = 0, all = 0;; first = !first, all = 1) {
            pthread_mutex_lock(&lock[first]);
            if (try(!first)) {
                *r = 2 * *r + all;
                give_back("01");
                break;
            }
            pthread_mutex_unlock(&lock[first]);
        }
        break;
    case 'P': /* the second order, if it fails, leaves a trace */
        for (int first = 0;; first = !first) {
            pthread_mutex_lock(&lock[first]);
            if (try(!first))
                break;
            if (first)
                failed = 1;
            pthread_mutex_unlock(&lock[first]);
        }
        *r = 2 * *r + failed;
        give_back("01");
        break;
    case 'G': /* tries no more than twice */
        for (int first = 0;; first = 1) {
            pthread_mutex_lock(&lock[first]);
            if (try(!first)) {
                *r = 2 * *r;
                give_back("01");
                break;
            }
            pthread_mutex_unlock(&lock[first]);
            if (first) {
                *r = 2 * *r + 1;
                break;
            }
        }
        break;
    default:
        break;
    }
}

static void *run(void *context)
{
    int t = *(int *)context, r = 0;
    for (const char *word = words[t]; *word; word++)
        step(*word, &r);
    result[t] = r;
    return NULL;
}

int main(int argc, char **argv)
{
    static int number[3] = {0, 1, 2};
    pthread_t handle[3];
    assert(argc > 4);
    words = argv + 1;
    for (int t = 0; t < 3; t++)
        pthread_create(&handle[t], NULL, run, &number[t]);
    for (int t = 0; t < 3; t++)
        pthread_join(handle[t], NULL);
    long left = (((x * 2 + done) * 2 + failed) * 16 + result[0]) * 256 + result[1] * 16 + result[2];
    bool found = false, not = !strcmp(argv[4], "not");
    for (char *at = argv[4 + not]; *at; at += *at == ',')
        found |= strtol(at, &at, 10) == left;
    assert(found != not);
}
