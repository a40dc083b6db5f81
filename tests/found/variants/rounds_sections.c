// In each round a thread takes a lock, or counts itself in and out, for nothing, looks whether a flag is set, and if not at
// memory; when it is set, it says so by a relaxed store. Only one that has seen that uses the memory again: nothing but the
// round orders the two. The round that was kept for its look was left out with the round that follows it. Odd variants
// create the thread that looks before the one that uses, even ones after it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define KIND ((V + 1) / 2)
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int flag, word, spin, count;
static int *block;
int var, other; // not static: a compiler sees that nothing but 0 is written to some

// 1: under a mutex; 2: under two, one in the other; 3: under one after the other; 4: with a lock for readers; 5: with an
// exchange lock; 6: counted in and out; 7: under a mutex, and the memory is freed; 8: it is looked at atomically
static void pass(int *seen)
{
#if KIND == 2
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&second);
	*seen = other;
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&mutex);
#elif KIND == 3
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&second);
	*seen = other;
	pthread_mutex_unlock(&second);
#elif KIND == 4
	pthread_rwlock_rdlock(&shared);
	*seen = other;
	pthread_rwlock_unlock(&shared);
#elif KIND == 5
	while (atomic_exchange_explicit(&spin, 1, memory_order_acquire))
		;
	*seen = other;
	atomic_store_explicit(&spin, 0, memory_order_release);
#elif KIND == 6
	atomic_fetch_add_explicit(&count, 1, memory_order_acq_rel);
	*seen = other;
	atomic_fetch_sub_explicit(&count, 1, memory_order_acq_rel);
#else
	pthread_mutex_lock(&mutex);
	*seen = other;
	pthread_mutex_unlock(&mutex);
#endif
}
static void *look(void *a)
{
	int s = 0, o = 0;
	for (;;) {
		pass(&o);
		if (atomic_load_explicit(&flag, memory_order_acquire))
			break;
#if KIND == 7
		s = *block;
#elif KIND == 8
		s = __atomic_load_n(&var, __ATOMIC_RELAXED);
#else
		s = var;
#endif
	}
	atomic_store_explicit(&word, 1, memory_order_relaxed);
	return s + o ? a : NULL;
}
static void *use(void *a)
{
	if (!atomic_load_explicit(&word, memory_order_relaxed))
		return a;
#if KIND == 7
	free(block);
#else
	var = 1;
#endif
	return a;
}
static void *set(void *a)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	return a;
}
int main(void)
{
	pthread_t t[3];
	block = (int *)calloc(1, sizeof *block);
	pthread_create(&t[0], NULL, set, NULL);
	pthread_create(&t[1], NULL, V % 2 ? look : use, t);
	pthread_create(&t[2], NULL, V % 2 ? use : look, t);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
