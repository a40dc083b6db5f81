// Rounds that a thread goes for nothing, and in which it looks at memory that another one uses later: the look races, or is
// a use after free, though a thread that was faster, or had written the flag before, is the only one that gets there.
// Odd variants create the thread that looks first, even ones last.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define KIND ((V + 1) / 2)
typedef struct Node {
	struct Node *next;
	_Atomic(struct Node *) atomic_next;
	int value;
} Node;
static Node nodes[2];
static _Atomic(Node *) top;
static atomic_int flag, word;
static int var, sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(Node *n)
{
	Node *h = atomic_load(&top);
	do
		n->next = h;
	while (!atomic_compare_exchange_strong(&top, &h, n));
}
static Node *pop(void)
{
	Node *h = atomic_load(&top);
	while (h) {
#if KIND == 6
		Node *next = atomic_load_explicit(&h->atomic_next, memory_order_relaxed);
#else
		Node *next = h->next;
#endif
		if (atomic_compare_exchange_strong(&top, &h, next))
			break;
	}
	return h;
}

// 1: it waits for a flag that is stored before the variable is written; 2: for one that a third thread stores. 3: what it
// does after its round leads to the write. 4: a node that was popped is pushed again. 5, 6: it is freed, the look is plain
// or atomic. 7: a lock is tried. 8: what it looks at is written before the flag only (correct). 9: a node is
// pushed once, and kept when it is popped (correct).
static void *look(void *a)
{
	int s = 0;
#if KIND == 1 || KIND == 2
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		s = var;
	assert(!s);
#elif KIND == 3
	Node *h = atomic_load_explicit(&top, memory_order_acquire);
	while (h) {
		s = h->value;
		if (atomic_compare_exchange_strong_explicit(&top, &h, NULL, memory_order_acq_rel, memory_order_acquire))
			break;
	}
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
#elif KIND == 7
	while (pthread_mutex_trylock(&lock))
		s = var;
	pthread_mutex_unlock(&lock);
	assert(!s);
#elif KIND == 8
	while (atomic_load_explicit(&flag, memory_order_acquire) < 2)
		s = sink;
	s = var;
#else
	Node *h = pop();
	s = h ? h->value : 0;
#endif
	return s ? a : NULL;
}
static void *use(void *a)
{
#if KIND == 1
	atomic_store_explicit(&flag, 1, memory_order_release);
	var = 1;
#elif KIND == 2
	if (atomic_load_explicit(&flag, memory_order_acquire))
		var = 1;
#elif KIND == 3
	Node *h = atomic_load_explicit(&top, memory_order_acquire);
	while (h && !atomic_compare_exchange_strong_explicit(&top, &h, NULL, memory_order_acq_rel, memory_order_acquire))
		;
	if (h && atomic_load_explicit(&flag, memory_order_acquire))
		h->value = 5;
#elif KIND == 4
	Node *h = pop();
	if (h)
		push(h);
#elif KIND == 5 || KIND == 6
	free(pop());
#elif KIND == 7
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	var = 1;
#elif KIND == 8
	atomic_store_explicit(&flag, 1, memory_order_release);
	var = 1;
	atomic_store_explicit(&flag, 2, memory_order_release);
#else
	Node *h = pop();
	push(&nodes[0]);
	sink = h != NULL;
#endif
	return a;
}
static void *store(void *a)
{
#if KIND == 2
	atomic_store_explicit(&flag, 1, memory_order_release);
#else
	atomic_fetch_add_explicit(&word, 1, memory_order_relaxed);
#endif
	return a;
}
int main(void)
{
	pthread_t t[3];
#if KIND == 5 || KIND == 6
	push((Node *)calloc(1, sizeof(Node)));
#else
	push(&nodes[1]);
#endif
	pthread_create(&t[0], NULL, store, NULL);
	pthread_create(&t[1], NULL, V % 2 ? look : use, t);
	pthread_create(&t[2], NULL, V % 2 ? use : look, t);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
