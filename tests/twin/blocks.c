/* blocks.c: an ordinary threaded program that performs a text of steps with blocks of the heap and
 * pointers to them, for comparing two ways to explore. HEDDLE_TWIN_PROGRAM has one word a thread,
 * separated by blanks; letters with a digit each. Every thread has a block in its hand, or none:
 * N0     allocates one, with 0 in it
 * L0     has the address of a local variable of its own in its hand, which it and nobody else uses
 * P0 G0  stores what it has into pointer 0; takes what pointer 0 holds
 * X0     exchanges both      C0  stores it there if there is nothing
 * T0 Q0  pushes it on stack 0; takes the first of stack 0, if there is one: one attempt each
 * A0 R0  adds to the count of the block; loads that
 * V0     reads plainly what its maker wrote into the block, and adds to number 0 if it is odd
 * E0     adds to number 0 if pointer 0 holds what it has
 * and, of programs that look at addresses,
 * I0     adds to number 0 if pointer 0 holds a lower address than what it has
 * H0     adds to number 0 if a hash of the address that it has is odd
 * W0     writes such a hash into a block that it has made itself
 * A block is lost when something else is taken; that does not matter here. -DSTORAGE: blocks are
 * thread-local variables of those who allocate them, not of the heap. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Block {
    _Atomic(struct Block *) next;
    atomic_int count;
    unsigned written;
} Block;

static _Atomic(Block *) pointers[2], stacks[2];
static atomic_int numbers[2];
static char text[512];

static unsigned hash(const void *address)
{
#ifdef STORAGE
    return (unsigned)((uintptr_t)address >> 16 ^ (uintptr_t)address >> 12) & 3;
#else
    return (unsigned)((uintptr_t)address >> 32 ^ (uintptr_t)address >> 6) & 3;
#endif
}

static Block *allocate(unsigned number)
{
#ifdef STORAGE
    static _Thread_local Block blocks[4];
    return number < 4 ? &blocks[number] : NULL;
#else
    (void)number;
    return malloc(sizeof(Block));
#endif
}

static void push(_Atomic(Block *) *stack, Block *block)
{
    Block *top = atomic_load_explicit(stack, memory_order_acquire);
    atomic_store_explicit(&block->next, top, memory_order_relaxed);
    atomic_compare_exchange_strong(stack, &top, block);
}

static Block *pop(_Atomic(Block *) *stack)
{
    Block *top = atomic_load_explicit(stack, memory_order_acquire);
    if (!top)
        return NULL;
    Block *next = atomic_load_explicit(&top->next, memory_order_relaxed);
    return atomic_compare_exchange_strong(stack, &top, next) ? top : NULL;
}

static void *run(void *word)
{
    Block *hand = NULL, *none, local = {0};
    unsigned allocated = 0, made = 0; /* what is in its hand is a block of its own */
    for (const char *at = word; *at && *at != ' '; at += 2) {
        int n = at[1] - '0';
        if (!hand && strchr("ARVHWT", at[0]))
            continue;
        if (hand == &local && strchr("ARVWTPXC", at[0]))
            continue; /* others do not get it: it ends with the thread */
        switch (at[0]) {
        case 'N':
            hand = allocate(allocated++);
            atomic_init(&hand->next, NULL);
            atomic_init(&hand->count, 0);
            hand->written = 2;
            made = 1;
            continue;
        case 'L':
            hand = &local;
            break;
        case 'P':
            atomic_store_explicit(&pointers[n], hand, memory_order_release);
            break;
        case 'G':
            hand = atomic_load_explicit(&pointers[n], memory_order_acquire);
            break;
        case 'X':
            hand = atomic_exchange(&pointers[n], hand);
            break;
        case 'C':
            none = NULL;
            atomic_compare_exchange_strong(&pointers[n], &none, hand);
            break;
        case 'T':
            push(&stacks[n], hand);
            break;
        case 'Q':
            hand = pop(&stacks[n]);
            break;
        case 'A':
            atomic_fetch_add_explicit(&hand->count, 1, memory_order_relaxed);
            break;
        case 'R':
            atomic_load_explicit(&hand->count, memory_order_relaxed);
            break;
        case 'V':
            if (hand->written & 1)
                atomic_fetch_add(&numbers[n], 1);
            break;
        case 'E':
            if (atomic_load_explicit(&pointers[n], memory_order_relaxed) == hand)
                atomic_fetch_add(&numbers[n], 1);
            break;
        case 'I':
            if (atomic_load_explicit(&pointers[n], memory_order_relaxed) < hand)
                atomic_fetch_add(&numbers[n], 1);
            break;
        case 'H':
            if (hash(hand) & 1)
                atomic_fetch_add(&numbers[n], 1);
            break;
        case 'W':
            if (made) /* nobody else has it yet: the step stands directly behind N */
                hand->written = hash(hand);
            break;
        default:
            abort();
        }
        made = 0;
    }
    return NULL;
}

__attribute__((constructor)) static void read_program(void)
{
    const char *program = getenv("HEDDLE_TWIN_PROGRAM");
    strncpy(text, program ? program : "N0P0G0 N0P0G0", sizeof text - 1);
}

static int is_same_word(const char *a, const char *b)
{
    size_t length = strcspn(a, " ");
    return length == strcspn(b, " ") && !strncmp(a, b, length);
}

int main(void)
{
    pthread_t threads[8];
    int count = 0;
    char *words[8]; /* threads that do the same have the same argument */
    for (char *at = text; *at && count < 8; at++)
        if (at == text || at[-1] == ' ') {
            words[count] = count && is_same_word(words[count - 1], at) ? words[count - 1] : at;
            count++;
        }
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, run, words[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    _Exit(0);
}
