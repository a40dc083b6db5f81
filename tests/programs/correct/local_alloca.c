// expect: holds
// Where the frame of a function was, an array of variable length is, and another thread writes it first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(int *) asked;

static void *answer(void *unused)
{
	int *request;
	while (!(request = atomic_load(&asked)))
		;
	*request = 2;
	atomic_store(&asked, NULL);
	return unused;
}

static void *write_all(void *array)
{
	for (int i = 0; i < 4; i++)
		((int *)array)[i] = i;
	return array;
}

__attribute__((noinline)) static int ask(void)
{
	int request[8] = {0};
	atomic_store(&asked, &request[3]);
	while (atomic_load(&asked))
		;
	return request[3];
}

int main(int count, char **words)
{
	(void)words;
	pthread_t thread;
	pthread_create(&thread, NULL, answer, NULL);
	int seen = ask();
	pthread_join(thread, NULL);
	int array[count * 4];
	pthread_create(&thread, NULL, write_all, array);
	pthread_join(thread, NULL);
	assert(seen == 2 && array[3] == 3);
}
