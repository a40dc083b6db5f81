// expect: holds
// A thread waits for its child, which ends the program: its plain read of x does not race with main's write, since it
// never comes to it.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *leave(void *unused)
{
	(void)unused;
	_exit(0);
}
static void *parent(void *unused)
{
	pthread_t t;
	pthread_create(&t, NULL, leave, NULL);
	pthread_join(t, NULL);
	return x ? unused : NULL;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, parent, NULL);
	x = 1;
	pthread_join(t, NULL);
	return 1;
}
