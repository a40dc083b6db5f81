// expect: holds
// As wrong/thread_local_detached.c, but the thread does not end before main has looked.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static _Thread_local atomic_int count;
static _Thread_local int plain;
static _Atomic(atomic_int *) published;
static int *beside;
static atomic_int looked;

static void *work(void *unused)
{
	plain = 5;
	beside = &plain;
	atomic_fetch_add(&count, 1);
	atomic_store(&published, &count);
	while (!atomic_load(&looked))
		;
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	atomic_int *found = atomic_load(&published);
	if (found)
		assert(atomic_load(found) == 1 && *beside == 5);
	atomic_store(&looked, 1);
	pthread_join(thread, NULL);
}
