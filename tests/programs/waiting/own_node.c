// Threads write their own node plainly in each round. What it held before differs between executions, and with it whether
// a round leaves memory as it was (guest/explore/reduce/confirm/supposed.h).
#include <pthread.h>
#include <stdatomic.h>
static atomic_int head, y, done;
static struct {
	int tag;
} node[3];
static void *storer(void *a) { atomic_store_explicit(&y, 1, memory_order_relaxed); return a; }
static void *pusher(void *a)
{
	int me = (int)(long)a, h;
	node[me].tag = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&done, me, memory_order_relaxed);
	for (;;) {
		h = atomic_load_explicit(&head, memory_order_acquire);
		node[me].tag = h & 1;
		if (atomic_compare_exchange_strong_explicit(&head, &h, me, memory_order_acq_rel, memory_order_acquire))
			break;
	}
	return a;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, storer, 0);
	for (long i = 1; i < 3; i++)
		pthread_create(&t[i], 0, pusher, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
