// expect: inconclusive
// args: -O2
// A thread is shown a local variable whose function has returned. (It may be an array of variable length instead.)
#include <pthread.h>
static int *shown;

__attribute__((noinline)) static void show(void)
{
	int local = 5;
	shown = &local;
}

static void *work(void *unused)
{
	return *shown == 5 ? unused : NULL;
}

int main(void)
{
	pthread_t thread;
	show();
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
}
