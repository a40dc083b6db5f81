/* slots.c: threads that put objects into slots and take them out; TEXT says what each does, as tests/leaks/twin.c writes
 * it: threads between commas, an operation is a letter and a slot. What the letters mean, twin.c says once more.
 * SLOTS_IN_HEAP: the slots are an object themselves, to which a global points in its middle. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef _Atomic(long *) Slot;
#ifdef SLOTS_IN_HEAP
static Slot *middle;
#define slot(n) (&middle[(n) - 1])
#else
static Slot slots[3];
#define slot(n) (&slots[n])
#endif
static const char *const text = TEXT;

static void step(char what, int n)
{
    long *none = NULL, *mine = what == 'T' || what == 'M' || what == 'X' ? NULL : malloc(sizeof *mine);
    switch (what) {
    case 'P': /* puts, and frees what was there */
        free(atomic_exchange(slot(n), mine));
        break;
    case 'L': /* puts, and loses what was there */
        atomic_exchange(slot(n), mine);
        break;
    case 'C': /* puts if nothing is there */
        if (!atomic_compare_exchange_strong(slot(n), &none, mine))
            free(mine);
        break;
    case 'D': /* the same, and loses its own otherwise */
        atomic_compare_exchange_strong(slot(n), &none, mine);
        break;
    case 'R': /* retries once, with another object; frees only the last one */
        if (!atomic_compare_exchange_strong(slot(n), &none, mine)) {
            mine = malloc(sizeof *mine);
            none = NULL;
            if (!atomic_compare_exchange_strong(slot(n), &none, mine))
                free(mine);
        }
        break;
    case 'T': /* takes, and frees */
        free(atomic_exchange(slot(n), NULL));
        break;
    case 'X': /* takes, and loses */
        atomic_exchange(slot(n), NULL);
        break;
    case 'M': /* moves to the next slot, and frees what was there */
        free(atomic_exchange(slot((n + 1) % 3), atomic_exchange(slot(n), NULL)));
        break;
    }
}

static void *run(void *at)
{
    for (const char *t = at; *t && *t != ','; t += 2)
        step(t[0], t[1] - '0');
    return NULL;
}

int main(void)
{
#ifdef SLOTS_IN_HEAP
    middle = (Slot *)calloc(3, sizeof *middle) + 1;
#endif
    pthread_t thread[4];
    int count = 0;
    for (const char *t = text; t; count++) {
        const char *comma = NULL;
        for (const char *c = t; *c && !comma; c++)
            if (*c == ',')
                comma = c;
        pthread_create(&thread[count], NULL, run, (void *)(size_t)t);
        t = comma ? comma + 1 : NULL;
    }
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
