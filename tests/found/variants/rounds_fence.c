// A thread writes to memory, releases by a fence, and writes the same value again in each round of a loop that waits; then it
// publishes by a relaxed store. Who has read that by an acquiring load, or a relaxed one and a fence, knows the first write and
// not those after the fence. Odd variants create the thread that waits first, even ones last.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define KIND ((V + 1) / 2)
static atomic_int flag, ready;
static _Atomic(int *) top;
int var; // not static: a compiler sees that it is not read

// 1: a variable; 2: a block that calloc has zeroed; 3: a block that is written in a round for the first time; 4: a variable, by
// a seq_cst fence, and a fence in the reader; 5: as 1, but no fence: the first write is not known either; 6: as 1, but the
// store that publishes releases; 7: as 1, but the fence stands behind the loop
static void *wait_and_publish(void *a)
{
	int *mine = &var;
#if KIND == 2
	mine = (int *)calloc(1, sizeof *mine);
#elif KIND == 3
	mine = (int *)malloc(sizeof *mine);
#else
	*mine = 7;
#endif
#if KIND == 4
	atomic_thread_fence(memory_order_seq_cst);
#elif KIND != 5 && KIND != 7
	atomic_thread_fence(memory_order_release);
#endif
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		*mine = KIND == 2 || KIND == 3 ? 0 : 7;
#if KIND == 7
	atomic_thread_fence(memory_order_release);
#endif
	atomic_store_explicit(&top, mine, KIND == 6 ? memory_order_release : memory_order_relaxed);
	return a;
}

static void *use(void *a)
{
	static int seen;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	int *p = atomic_load_explicit(&top, KIND == 4 ? memory_order_relaxed : memory_order_acquire);
	if (KIND == 4)
		atomic_thread_fence(memory_order_acquire);
	if (p)
		seen = *(volatile int *)p;
	return a;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, V % 2 ? wait_and_publish : use, 0);
	pthread_create(&b, 0, V % 2 ? use : wait_and_publish, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
