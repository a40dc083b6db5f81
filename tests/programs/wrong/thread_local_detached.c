// expect: violated use-after-free
// A thread publishes an atomic thread-local variable and ends; nothing orders its end after the look of main.
#include <pthread.h>
#include <stdatomic.h>
static _Thread_local atomic_int count;
static _Atomic(atomic_int *) published;

static void *work(void *unused)
{
	atomic_fetch_add(&count, 1);
	atomic_store(&published, &count);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	atomic_int *found = atomic_load(&published);
	int seen = found ? atomic_load(found) : 1;
	pthread_join(thread, NULL);
	return seen - 1;
}
