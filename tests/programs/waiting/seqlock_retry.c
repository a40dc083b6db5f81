// Sequence lock: one writer, N readers that try again until they have seen a consistent pair.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 1
#endif
static atomic_int seq, a, b;
static void *writer(void *arg)
{
	atomic_store_explicit(&seq, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_store_explicit(&b, 1, memory_order_relaxed);
	atomic_store_explicit(&seq, 2, memory_order_release);
	return arg;
}
static void *reader(void *arg)
{
	int s, x, y;
	for (;;) {
		s = atomic_load_explicit(&seq, memory_order_acquire);
		if (s & 1)
			continue;
		x = atomic_load_explicit(&a, memory_order_relaxed);
		y = atomic_load_explicit(&b, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		if (s == atomic_load_explicit(&seq, memory_order_relaxed))
			break;
	}
	assert(x == y);
	return arg;
}
int main(void)
{
	pthread_t w, r[N];
	pthread_create(&w, NULL, writer, NULL);
	for (int i = 0; i < N; i++) pthread_create(&r[i], NULL, reader, NULL);
	pthread_join(w, NULL);
	for (int i = 0; i < N; i++) pthread_join(r[i], NULL);
	return 0;
}
