// MCS queue lock, N threads, one critical section each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 2
#endif
struct node { _Atomic(struct node *) next; atomic_int locked; };
static struct node nodes[N];
static _Atomic(struct node *) tail;
static int x;
static void *work(void *arg)
{
	struct node *me = &nodes[(long)arg];
	atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
	struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
	if (before) {
		atomic_store_explicit(&before->next, me, memory_order_release);
		while (atomic_load_explicit(&me->locked, memory_order_acquire))
			;
	}
	x++;
	struct node *next = atomic_load_explicit(&me->next, memory_order_acquire);
	if (!next) {
		struct node *expected = me;
		if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release, memory_order_relaxed))
			return NULL;
		while (!(next = atomic_load_explicit(&me->next, memory_order_acquire)))
			;
	}
	atomic_store_explicit(&next->locked, 0, memory_order_release);
	return NULL;
}
int main(void)
{
	pthread_t t[N];
	for (long i = 0; i < N; i++) pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
	assert(x == N);
	return 0;
}
