/* Figure 11 as printed: the set of O'Hearn, Rinetzky, Vechev, Yahav and Yorsh, line by line. A variable or field of the
 * figure is an atomic one here, `atomic' a lock. What the figure leaves to the reader: the two nodes that a set begins
 * with, and what remove and add return when the key is not, or already, there: as the figure's "else" belongs to the
 * comparison of p.next, retval has no value then, so it begins as false here. */
#include <heddle.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct E {
    atomic_int mark;
    int key;
    _Atomic(struct E *) next;
} *E;
typedef struct ExE {
    E p, c;
} ExE;
static E H, T;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ExE locate(int k)
{
    E p = H;
    E c = p->next;
    while (c->key < k) {
        p = c;
        c = p->next;
    }
    return (ExE){p, c};
}

static bool contains(int k)
{
    ExE pc = locate(k);
    bool b = pc.c->key == k;
    return b;
}

static bool remove_(int k)
{
    bool restart = true, retval = false;
    while (restart) {
        ExE pc = locate(k);
        E p = pc.p, c = pc.c;
        pthread_mutex_lock(&lock);
        if (p->next == c && !p->mark) {
            restart = false;
            if (c->key == k) {
                c->mark = true;
                p->next = c->next;
                retval = true;
            }
        } else {
            retval = false;
        }
        pthread_mutex_unlock(&lock);
    }
    return retval;
}

static bool add(int k)
{
    bool restart = true, retval = false;
    while (restart) {
        ExE pc = locate(k);
        E p = pc.p, c = pc.c;
        pthread_mutex_lock(&lock);
        if (p->next == c && !p->mark) {
            restart = false;
            if (c->key != k) {
                E t = malloc(sizeof *t);
                t->mark = false;
                t->key = k;
                t->next = c;
                p->next = t;
                retval = true;
            }
        } else {
            retval = false;
        }
        pthread_mutex_unlock(&lock);
    }
    return retval;
}

HD_INIT
{
    H = calloc(1, sizeof *H);
    T = calloc(1, sizeof *T);
    H->key = INT_MIN;
    T->key = INT_MAX;
    H->next = T;
}
HD_OP(add, int, k, 1, 2) { return HD_BOOL(add(k)); }
HD_OP(remove, int, k, 1, 2) { return HD_BOOL(remove_(k)); }
HD_OP(contains, int, k, 1, 2) { return HD_BOOL(contains(k)); }
HD_SPEC("set")
