// expect: violated use-after-free
// The address of a thread-local variable outlives its thread, which main has joined.
#include <assert.h>
#include <pthread.h>
static _Thread_local int result;
static int *found;

static void *work(void *unused)
{
	result = 7;
	found = &result;
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	assert(*found == 7);
}
