// expect: violated use-after-free
// A request on the stack is taken back when it was not seen for a while, but the other thread may have it already.
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(atomic_int *) asked;

__attribute__((noinline)) static void ask(void)
{
	atomic_int request;
	atomic_init(&request, 1);
	atomic_store(&asked, &request);
	if (atomic_load(&request) == 1)
		atomic_store(&asked, NULL);
}

static void *work(void *unused)
{
	atomic_int *request = atomic_load(&asked);
	if (request)
		atomic_store(request, 2);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	ask();
	pthread_join(thread, NULL);
}
