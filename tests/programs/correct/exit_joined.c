// expect: holds
// executions: 1
// A thread that calls exit never returns to whoever waits for it: main does not come to the assertion.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *leave(void *unused)
{
	(void)unused;
	exit(0);
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, leave, NULL);
	pthread_join(t, NULL);
	assert(0);
}
