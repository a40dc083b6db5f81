// Two threads that nothing tells apart wait for a flag, and one of them uses what the other one has touched in a round for
// nothing. Which of them does what is decided after the rounds: of two executions that differ in that, one is explored,
// and with the round it is another one than without. Odd variants create the thread that sets the flag last, even ones
// first. Variants from 7 on have threads of different functions.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define KIND ((V - 1) % 6 / 2 + 1)
#define RELAXED memory_order_relaxed
static atomic_int flag, tick, word;
static _Atomic(int *) top;
int var; // not static: a compiler sees that it is not read

// 1: a variable is read in the round, and written by the other thread after a relaxed load; 2: the thread's own block is
// written in the round for the first time, and read by the other one, to which it is published by a relaxed store; 3: it
// is read in the round, and written by the other one.
static void *wait_and(int is_user, void *a)
{
	int s = 0, *mine = (int *)malloc(sizeof *mine), *p;
	while (!atomic_load_explicit(&flag, memory_order_acquire)) {
#if KIND == 1
		s = var;
#elif KIND == 2
		*mine = 0;
#else
		s = *mine;
#endif
	}
	if (is_user < 0)
		is_user = !atomic_fetch_add_explicit(&tick, 1, RELAXED);
	if (!is_user) {
		atomic_store_explicit(&top, mine, RELAXED);
		atomic_fetch_add_explicit(&word, 1, RELAXED);
		return s == 1 ? a : NULL;
	}
	p = atomic_load_explicit(&word, RELAXED) ? atomic_load_explicit(&top, RELAXED) : NULL;
	if (p && KIND == 1)
		var = 2;
	else if (p && KIND == 2)
		s += *p;
	else if (p)
		*p = 2;
	return s == 1 ? a : NULL;
}
static void *both(void *a)
{
	return wait_and(-1, a);
}
static void *look(void *a)
{
	return wait_and(0, a);
}
static void *use(void *a)
{
	return wait_and(1, a);
}
static void *set(void *a)
{
	atomic_fetch_add_explicit(&flag, 1, memory_order_acq_rel);
	return a;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, V % 2 ? (V > 6 ? look : both) : set, NULL);
	pthread_create(&t[1], NULL, V % 2 && V > 6 ? use : V > 6 ? look : both, NULL);
	pthread_create(&t[2], NULL, V % 2 ? set : V > 6 ? use : both, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
