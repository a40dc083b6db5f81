// expect: violated use-after-free
// A thread publishes a local variable and ends; nothing orders its end after the look of main.
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(atomic_int *) published;

static void *work(void *unused)
{
	atomic_int count;
	atomic_init(&count, 1);
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
