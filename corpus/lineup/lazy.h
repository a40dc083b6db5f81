/* lazy.h: a value that is made by its factory when it is first asked for, once. Reading takes no lock
 * after that: the flag is checked, then checked again under the lock. */
#ifndef LAZY_H
#define LAZY_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct lazy {
    atomic_bool created;
    int value;
    int (*factory)(void);
    pthread_mutex_t lock;
};

static inline void lazy_init(struct lazy *l, int (*factory)(void))
{
    atomic_init(&l->created, false);
    l->factory = factory;
    pthread_mutex_init(&l->lock, NULL);
}

static inline bool lazy_is_value_created(struct lazy *l)
{
    return atomic_load(&l->created);
}

static inline int lazy_value(struct lazy *l)
{
    if (!atomic_load(&l->created)) {
        pthread_mutex_lock(&l->lock);
        if (!atomic_load(&l->created)) {
            l->value = l->factory();
            atomic_store(&l->created, true);
        }
        pthread_mutex_unlock(&l->lock);
    }
    return l->value;
}

/* The value as text, which does not make it. */
static inline const char *lazy_to_string(struct lazy *l)
{
    static const char *const digits[] = {"0", "1", "2", "3"};
    return lazy_is_value_created(l) ? digits[l->value & 3] : "Value is not created.";
}
#endif
