// expect: violated use-after-free
// A local variable is looked at after its thread has ended.
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(int *) published;

static void *work(void *unused)
{
	int local = 5;
	atomic_store(&published, &local);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return *atomic_load(&published) - 5;
}
