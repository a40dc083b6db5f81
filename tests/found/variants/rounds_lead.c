// A thread goes rounds for nothing, in which it looks at memory, and then says so by a relaxed store. Only one that has
// seen it uses that memory again: nothing but the round orders the two, and without the round there is no look. Odd
// variants create the thread that looks before another one, even ones after it. With EXITS main ends before them: then the
// other threads may have ended when the one that uses the memory runs.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define KIND ((V + 1) / 2)
#define LOAD(x) atomic_load_explicit(&(x), memory_order_acquire)
#define STORE(x, v) atomic_store_explicit(&(x), v, memory_order_release)
#define SAID() atomic_load_explicit(&word, memory_order_relaxed)
typedef struct Node {
	int value;
	atomic_int atomic_value;
} Node;
static Node *node;
static _Atomic(Node *) top;
static _Atomic(int *) local;
static _Atomic(atomic_int *) atomic_local;
static atomic_int flag, before, ready, word;
int var, other; // not static: a compiler sees that nothing but 0 is written to some

// What is looked at, and used: 1: it is written in the round, with what it holds, and read; 2: atomically read, written;
// 3, 4: read, atomically read, freed; 5: of a zeroed object that was published; 6: written before, too; 7: and by main,
// before all threads; 8: after a loop in which the same thread looks at what is not used again, but by main before it;
// 9: after such a loop of choices; 10: atomically written before; 11, 12: a local variable, atomic or not, whose function
// ends; 13: of an object that was published, atomically written before; 14: or not written; 15: atomically written.
static void *look(void *a)
{
	int s = 0;
#if KIND == 8
	while (!LOAD(before))
		s = other;
#elif KIND == 9
	while (!heddle_choose(2))
		s = other;
#endif
	while (!LOAD(flag)) {
#if KIND == 1
		var = 0;
#elif KIND == 2
		s = __atomic_load_n(&var, __ATOMIC_RELAXED);
#elif KIND == 3
		s = node->value;
#elif KIND == 4
		s = atomic_load_explicit(&node->atomic_value, memory_order_relaxed);
#elif KIND == 5 || KIND == 14
		Node *n = LOAD(top);
		s = n ? n->value : 0;
#elif KIND == 6
		s = LOAD(ready) ? var : 0;
#elif KIND == 10
		s = LOAD(ready) ? __atomic_load_n(&var, __ATOMIC_RELAXED) : 0;
#elif KIND == 11
		int *p = LOAD(local);
		s = p ? *p : 0;
#elif KIND == 12
		atomic_int *p = LOAD(atomic_local);
		s = p ? atomic_load_explicit(p, memory_order_relaxed) : 0;
#elif KIND == 13
		Node *n = LOAD(top);
		s = n ? __atomic_load_n(&n->value, __ATOMIC_RELAXED) : 0;
#else
		s = var;
#endif
	}
	atomic_store_explicit(&word, 1, memory_order_relaxed);
	return s ? a : NULL;
}
static void *use(void *a)
{
#if KIND == 1
	return SAID() && var ? a : NULL;
#elif KIND == 3 || KIND == 4
	if (SAID())
		free(node);
#elif KIND == 5 || KIND == 13 || KIND == 14
	Node *n = (Node *)(KIND == 5 ? calloc(1, sizeof *n) : malloc(sizeof *n));
	if (KIND == 13)
		__atomic_store_n(&n->value, 0, __ATOMIC_RELAXED);
	STORE(top, n);
	if (SAID())
		n->value = 5;
#elif KIND == 11
	int here = 0;
	STORE(local, &here);
	while (!SAID())
		;
#elif KIND == 12
	atomic_int here;
	atomic_init(&here, 0);
	STORE(atomic_local, &here);
	while (!SAID())
		;
#else
	if (KIND == 6)
		var = 0;
	else if (KIND == 10)
		__atomic_store_n(&var, 0, __ATOMIC_RELAXED);
	STORE(ready, 1);
	if (!SAID())
		return a;
	if (KIND == 15)
		__atomic_store_n(&var, 2, __ATOMIC_RELAXED);
	else
		var = 2;
#endif
	return a;
}
static void *store(void *a)
{
	STORE(before, 1);
	STORE(flag, 1);
	return a;
}
int main(void)
{
	pthread_t t[3];
	node = (Node *)calloc(1, sizeof *node);
	other = 0;
	if (KIND == 7)
		var = 0;
	pthread_create(&t[0], NULL, KIND == 8 || KIND == 9 ? use : store, NULL);
	other = 0;
	pthread_create(&t[1], NULL, V % 2 ? look : KIND == 8 || KIND == 9 ? store : use, t);
	pthread_create(&t[2], NULL, V % 2 ? (KIND == 8 || KIND == 9 ? store : use) : look, t);
#ifdef EXITS
	pthread_exit(NULL);
#endif
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
