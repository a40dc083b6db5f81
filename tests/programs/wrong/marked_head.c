// expect: violated assertion
// Takers that lose their compare-exchange look at the node that they have found, and give up if it is marked. Whether it
// is depends on what its pusher has read before it published the node; all may read the old head, and then lose. What a
// taker would do after losing must not be told from what the node holds in another execution (guest/explore/search/ghost.h).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef TAKERS
#define TAKERS 4
#endif
static atomic_int head, marking, given_up;
static struct {
	int mark;
} node[TAKERS + 2];

static void *marker(void *a)
{
	atomic_store_explicit(&marking, 1, memory_order_relaxed);
	return a;
}

static void *pusher(void *a)
{
	node[1].mark = atomic_load_explicit(&marking, memory_order_relaxed);
	atomic_store_explicit(&head, 1, memory_order_release);
	return a;
}

static void *taker(void *a)
{
	int h = atomic_load_explicit(&head, memory_order_acquire), seen = 0;
	for (;;) {
		seen = node[h].mark;
		if (atomic_compare_exchange_strong_explicit(&head, &h, (int)(long)a, memory_order_acq_rel, memory_order_acquire))
			return seen ? a : NULL;
		if (node[h].mark) {
			atomic_fetch_add_explicit(&given_up, 1, memory_order_relaxed);
			return a;
		}
	}
}

int main(void)
{
	pthread_t t[TAKERS + 2];
	for (long i = 0; i < TAKERS; i++) pthread_create(&t[i], NULL, taker, (void *)(i + 2));
	pthread_create(&t[TAKERS], NULL, pusher, NULL);
	pthread_create(&t[TAKERS + 1], NULL, marker, NULL);
	for (int i = 0; i < TAKERS + 2; i++) pthread_join(t[i], NULL);
	assert(given_up < TAKERS);
}
