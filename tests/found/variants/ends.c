// A thread uses memory, then says that it is done; another one that has been told so ends that memory: by free, by leaving
// a function, or by its own end. Nothing is released where C11 wants it, so all of it is wrong under rc11. Under sc and tso
// memory has performed whatever comes before the store that says so. Under pso it has performed
//   - every load before that store: loads are performed in program order, and no store before an older load of its thread;
//   - of the stores before it those that a release store, a release or seq_cst fence or a read-modify-write puts before it,
//     that are to the same location, or that somebody has read from memory. Any other may still be in its buffer.
// Loads of those who are told need no order: nothing after a load is performed before it.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define RELAXED memory_order_relaxed
typedef struct Node {
	int value;
	volatile int often;
	atomic_int shared, flag;
} Node;
static Node *node;
static _Atomic(int *) lent;
static atomic_int word, relayed;
atomic_int other; // not static: a compiler sees that nobody writes it
static __thread int own;

static void say(atomic_int *where, int value, memory_order order)
{
	atomic_store_explicit(where, value, order);
}
static int told(atomic_int *where)
{
	return atomic_load_explicit(where, V == 8 || V == 17 ? memory_order_acquire : RELAXED);
}

static int *borrow(void)
{
	int *p;
	while (!(p = atomic_load_explicit(&lent, memory_order_acquire)))
		;
	return p;
}

static void *user(void *a)
{
	int s = 0;
#if V == 1 || V == 16 || V == 28
	s = node->value;
#elif V == 2
	s = atomic_load_explicit(&node->shared, RELAXED);
#elif V == 3
	s = node->often;
#elif V == 5 || V == 23 || V == 24 || V == 27
	say(&node->shared, 1, RELAXED);
#elif V == 6
	node->often = 1;
#elif V == 12
	atomic_fetch_add_explicit(&node->shared, 1, RELAXED);
#elif V == 19 || V == 21
	s = *borrow();
#elif V == 20 || V == 22
	*borrow() = 1;
#elif V == 25 || V == 26
	say(&node->shared, 1, memory_order_seq_cst);
	s = atomic_load_explicit(&other, V == 25 ? memory_order_seq_cst : RELAXED);
#elif V != 14 && V < 29
	node->value = 1;
#endif
#if V == 9
	atomic_thread_fence(memory_order_release);
#elif V == 10
	atomic_thread_fence(memory_order_acquire);
#elif V == 11
	atomic_thread_fence(memory_order_seq_cst);
#elif V == 27
	s = atomic_load_explicit(&node->shared, RELAXED) - 1;
#endif
#if V == 13
	atomic_fetch_add_explicit(&word, 1, RELAXED);
#elif V == 14 || V == 15
	say(&node->flag, 1, RELAXED);
#elif V == 24
	say(&word, 1, memory_order_release);
	say(&word, 2, RELAXED);
#elif V != 23
	say(&word, 1, V == 7 || V == 18 ? memory_order_release : RELAXED);
#endif
#if V == 29
	s = node->value;
#elif V == 30
	node->value = 1;
#endif
	return s ? a : NULL;
}

static void *relay(void *a)
{
#if V == 23
	if (told(&node->shared))
		say(&word, 1, RELAXED);
#elif V >= 16 && V <= 18
	if (told(&word))
		say(&relayed, 1, V == 17 ? memory_order_release : RELAXED);
#endif
	return a;
}

static void lend(void)
{
	int here = 0;
	atomic_store_explicit(&lent, V == 21 || V == 22 ? &own : &here, memory_order_release);
	while (!told(&word))
		;
}
static void *ender(void *a)
{
#if V >= 19 && V <= 22
	lend();
#elif V == 14 || V == 15
	if (told(&node->flag))
		free(node);
#elif V == 24
	if (told(&word) == 2)
		free(node);
#elif V == 28
	if (told(&word))
		node = (Node *)realloc(node, 2 * sizeof *node);
#else
	if (told(V >= 16 && V <= 18 ? &relayed : &word))
		free(node);
#endif
	return a;
}

int main(void)
{
	pthread_t t[3];
	node = (Node *)calloc(1, sizeof *node);
	pthread_create(&t[0], NULL, user, t);
	pthread_create(&t[1], NULL, relay, t);
	pthread_create(&t[2], NULL, ender, t);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
