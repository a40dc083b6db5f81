/* Settings that are replaced as a whole; the old ones are freed while somebody may still look at them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct settings {
    int width, height;
};
static _Atomic(struct settings *) current;

static void *area(void *unused)
{
    struct settings *now = atomic_load(&current);
    return now->width * now->height ? unused : NULL;
}

static void *replace(void *unused)
{
    struct settings *fresh = malloc(sizeof *fresh);
    *fresh = (struct settings){3, 4};
    free(atomic_exchange(&current, fresh));
    return unused;
}

int main(void)
{
    pthread_t a, b;
    current = calloc(1, sizeof(struct settings));
    pthread_create(&a, NULL, area, NULL);
    pthread_create(&b, NULL, replace, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(current);
}
