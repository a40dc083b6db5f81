// expect: violated race
// A round that fails reads plain memory: twice `quiet`, which nobody writes, and once `data`, without order after the
// write of it. What is learnt where it is harmless (a load that confirms the one before it) must not hide the race.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int data, quiet;
static void look(atomic_int *cell, int *plain)
{
	for (;;) {
		int before = atomic_load_explicit(cell, memory_order_relaxed);
		if (atomic_load_explicit(cell, memory_order_relaxed) == before)
			return;
		if (*plain == 5)
			return;
	}
}
static void *writer(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	data = 1;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}
static void *adder(void *arg)
{
	for (int i = 0; i < 3; i++)
		look(&x, &quiet);
	atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return arg;
}
static void *reader(void *arg)
{
	look(&y, &data);
	for (int i = 0; i < 3; i++)
		look(&x, &quiet);
	return arg;
}
int main(void)
{
	pthread_t w, r, a;
	pthread_create(&r, 0, reader, 0);
	pthread_create(&w, 0, writer, 0);
	pthread_create(&a, 0, adder, 0);
	pthread_join(w, 0);
	pthread_join(a, 0);
	pthread_join(r, 0);
	return 0;
}
