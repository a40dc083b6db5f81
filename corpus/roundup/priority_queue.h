/* A quasi priority queue of factor K: a sorted array behind one pointer, never changed; an
 * operation makes the next one and swaps the pointer if it is still the same (Herlihy's universal
 * construction). deqmin takes the first element or one of the K-1 behind it. An element that was
 * taken early keeps its place in the array, with the number of places by which it was early, until
 * all before it are taken, too.
 *
 * Every element that is added before it meanwhile makes it one place earlier, since a run of a
 * priority queue takes it after all of them: 4 that was taken before 1 is one place early, two if a
 * 2 is added before the 1 is taken, and three after a 3. So a queue whose takes overtake and whose
 * additions always succeed keeps to no factor: take early, then add smaller elements as often as
 * one likes. Here takes use K-1 of the K places, and one is left for additions; a second one before
 * the same element is refused until that has had its turn. In tests that add one element beside a
 * take, as Round-Up's 2*2+4, none is refused.
 *
 * -DFAR     deqmin takes the element that is up to K+1 places behind the first (b2: more than K
 * away from the head) -DADMITS  additions do not look at who was taken early -DLOSES   the pointer
 * is written though it may have changed */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifndef K
#define K 2
#endif
#ifdef FAR
enum { CHOICES = K + 2 };
#else
enum { CHOICES = K };
#endif
enum { CAPACITY = 8 };

struct element {
    int value, priority;
    int early; /* 0: it is here; else by how many places it was taken early, so far */
};
struct contents {
    int count;
    struct element
        elements[CAPACITY]; /* by priority, equal ones in the order in which they were added */
};
struct queue {
    _Atomic(struct contents *) contents; /* NULL: it was always empty */
};

static struct contents *copy(const struct contents *old)
{
    struct contents *new = calloc(1, sizeof *new);
    if (old)
        *new = *old;
    return new;
}

static bool replace(struct queue *q, struct contents *old, struct contents *new)
{
#ifdef LOSES
    (void)old;
    atomic_store(&q->contents, new);
    return true;
#else
    return atomic_compare_exchange_strong(&q->contents, &old, new);
#endif
}

/* Returns whether an element may be added: none that is taken early by K places would follow it. */
static bool has_room(const struct contents *c, int priority)
{
    if (!c)
        return true;
#ifndef ADMITS
    for (int i = c->count; i > 0 && c->elements[i - 1].priority > priority; i--)
        if (c->elements[i - 1].early == K)
            return false;
#endif
    return c->count < CAPACITY;
}

static void add(struct contents *c, int value, int priority)
{
    int place = c->count++;
    for (; place > 0 && c->elements[place - 1].priority > priority; place--) {
        c->elements[place] = c->elements[place - 1];
        c->elements[place].early += c->elements[place].early > 0;
    }
    c->elements[place] = (struct element){value, priority, 0};
}

/* Returns whether the element was added; else try again after the next take. */
static bool queue_enqueue(struct queue *q, int value, int priority)
{
    for (;;) {
        struct contents *old = atomic_load(&q->contents);
        if (!has_room(old, priority))
            return false;
        struct contents *new = copy(old);
        add(new, value, priority);
        if (replace(q, old, new))
            return true;
        free(new);
    }
}

/* Takes the element at PLACE out; what was taken early before is forgotten where nothing is left
 * before it. */
static void take(struct contents *c, int place)
{
    c->elements[place].early = place > 0 ? place : 1;
    int settled = 0;
    while (settled < c->count && c->elements[settled].early > 0)
        settled++;
    for (int i = settled; i < c->count; i++)
        c->elements[i - settled] = c->elements[i];
    c->count -= settled;
}

/* STEPS, less than CHOICES: how far behind the first element to take. */
static bool queue_dequeue(struct queue *q, int steps, int *value)
{
    for (;;) {
        struct contents *old = atomic_load(&q->contents);
        if (!old || old->count == 0)
            return false;
        int place = steps < old->count ? steps : old->count - 1;
        if (old->elements[place].early > 0)
            place = 0;
        struct contents *new = copy(old);
        *value = old->elements[place].value;
        take(new, place);
        if (replace(q, old, new))
            return true;
        free(new);
    }
}
