// expect: holds
// A thread's number depends on who creates threads before it: backtracking gives each its function back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, z, c, d;
static void *set_c(void *arg) { atomic_store(&c, 1); return arg; }
static void *set_d(void *arg) { atomic_store(&d, 1); return arg; }
static void *first(void *arg)
{
	if (atomic_load(&x) == 0) {
		pthread_t t;
		pthread_create(&t, NULL, set_c, NULL);
		atomic_load(&z);
		pthread_join(t, NULL);
		assert(atomic_load(&c) == 1);
	}
	return arg;
}
static void *second(void *arg)
{
	pthread_t t;
	pthread_create(&t, NULL, set_d, NULL);
	pthread_join(t, NULL);
	assert(atomic_load(&d) == 1);
	return arg;
}
static void *third(void *arg) { atomic_store(&x, 1); return arg; }
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, third, NULL);
	atomic_store(&z, 1);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	return 0;
}
