// Executions that are sampled begin alike: main, alone, writes to the heap, to a static and to its stack, uses atomics
// and a lock, and creates a thread. All of that, and nothing that came after it in the execution before, must be there
// again when main and the threads go on; where blocks lie is part of an execution. WHAT 1: there is a schedule that fails.
// 2: main makes a choice, which is not the same in all executions (--rand=3).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef WHAT
#define WHAT 0
#endif
static atomic_int turns, seen, chosen;
static atomic_long place;
static int begun, shared;
static int *block;
static _Thread_local int own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
	assert(begun == 1 && own == 0 && block[0] == 7);
	own++;
	pthread_mutex_lock(&lock);
	block[1] += 1;
	shared += (int)(long)argument;
	pthread_mutex_unlock(&lock);
	int before = atomic_fetch_add(&turns, 1);
	assert(before >= 5 && before <= 7);
	if (WHAT == 1)
		assert(before != 5 || (long)argument != 4);
	atomic_store(&seen, before);
	void *mine = malloc(24);
	atomic_store(&place, (long)mine);
	free(mine);
	assert(own == 1);
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	int local = 1;
	volatile int kept = 3;
	assert(begun == 0 && own == 0 && shared == 0 && atomic_load(&turns) == 0 && atomic_load(&seen) == 0);
	begun++;
	own = 0;
	block = calloc(4, sizeof *block);
	block[0] = 7;
	if (WHAT == 2)
		atomic_store(&chosen, rand());
	atomic_store(&turns, 4);
	atomic_fetch_add(&turns, 1);
	pthread_mutex_lock(&lock);
	shared = 8;
	pthread_mutex_unlock(&lock);
	for (long i = 0; i < 3; i++) {
		assert(local == 1 + i && kept == 3 + i);
		pthread_create(&t[i], NULL, work, (void *)(1L << i));
		local++;
		kept++;
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(begun == 1 && block[1] == 3 && shared == 8 + 7 && atomic_load(&turns) == 8 && kept == 6);
	free(block);
	return 0;
}
