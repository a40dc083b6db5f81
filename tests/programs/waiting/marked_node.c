// A thread that takes the head gives up if the node that came between is marked, and tries again if it is not. Whether it
// is depends on what the node's pusher has read, so what the taker would do after a lost compare-exchange rests on plain
// memory (guest/explore/reduce/confirm/supposed.h). Complete executions: it takes the head before the push (the pusher has read
// 0 or 1), after it (0 or 1), or gives up in between (1): 5. To try again in between (0) is a round for nothing.
#include <pthread.h>
#include <stdatomic.h>
#ifndef ORDER
#define ORDER 0 /* who is created first: the storer, or the pusher */
#endif
static atomic_int head, y, z;
static struct {
	int flag;
} node[3];
static void *storer(void *a) { atomic_store_explicit(&y, 1, memory_order_relaxed); return a; }
static void *pusher(void *a)
{
	node[1].flag = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&head, 1, memory_order_release);
	return a;
}
static void *taker(void *a)
{
	int h = atomic_load_explicit(&head, memory_order_acquire), n = 0;
	for (;;) {
		n = node[h].flag;
		if (atomic_compare_exchange_strong_explicit(&head, &h, 2, memory_order_acq_rel, memory_order_acquire))
			break;
		if (node[h].flag) {
			atomic_store_explicit(&z, 9, memory_order_relaxed);
			return a;
		}
	}
	atomic_store_explicit(&z, 1 + h + 4 * n, memory_order_relaxed);
	return a;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, ORDER ? pusher : storer, 0);
	pthread_create(&t[1], 0, ORDER ? storer : pusher, 0);
	pthread_create(&t[2], 0, taker, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
