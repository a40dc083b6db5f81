// expect: holds
// The end of main is that of the program: nobody who waits for it goes on.
#include <assert.h>
#include <pthread.h>
static pthread_t first;
static void *wait_for_main(void *unused)
{
	pthread_join(first, NULL);
	assert(0);
	return unused;
}
int main(void)
{
	pthread_t t;
	first = pthread_self();
	pthread_create(&t, NULL, wait_for_main, NULL);
	return 0;
}
