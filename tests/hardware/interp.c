/* interp.c: runs a program of tests/hardware/imm.c, given as its argument. Registers stay in the threads: what they read is
 * no effect, so loops that only look are taken for such. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int shared[3];
static const char *text[3];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static memory_order order(char c, int reads, int writes)
{
    switch (c) {
    case 'a':
        return memory_order_acquire;
    case 'l':
        return memory_order_release;
    case 'b':
        return reads && writes ? memory_order_acq_rel : reads ? memory_order_acquire : memory_order_release;
    case 's':
        return memory_order_seq_cst;
    default:
        return memory_order_relaxed;
    }
}

static int load(const char *at)
{
    return atomic_load_explicit(&shared[at[0] - 'x'], order(at[1], 1, 0));
}

static void *run(void *arg)
{
    int last = 0, mixed = 0, expected;
    for (const char *at = text[(long)arg]; *at && *at != '/';) {
        char kind = *at++;
        atomic_int *x = &shared[at[0] - 'x'];
        int value = at[2] == '*' ? last : at[2] - '0';
        switch (kind) {
        case 'L':
            last = load(at);
            at += 2;
            break;
        case 'S':
            atomic_store_explicit(x, value, order(at[1], 0, 1));
            at += 3;
            break;
        case 'X':
            last = atomic_exchange_explicit(x, value, order(at[1], 1, 1));
            at += 3;
            break;
        case 'C':
            expected = 0;
            atomic_compare_exchange_strong_explicit(x, &expected, value, order(at[1], 1, 1),
                                                    at[1] == 'l' ? memory_order_relaxed : order(at[1], 1, 0));
            last = expected;
            at += 3;
            break;
        case 'F':
            atomic_thread_fence(order(*at++, 1, 1));
            break;
        case 'A':
            while (!load(at))
                ;
            at += 2;
            break;
        case 'B':
            while (!load(at))
                mixed |= load(at + 2);
            at += 4;
            break;
        case 'K':
            pthread_mutex_lock(&mutex);
            break;
        case 'U':
            pthread_mutex_unlock(&mutex);
            break;
        default: /* I */
            if (last)
                at += *at == 'I' ? 1 : *at == 'F' || *at == 'A' || *at == 'L' ? (*at == 'F' ? 2 : 3) : *at == 'B' ? 5 : 4;
        }
    }
    return (void *)(long)mixed;
}

int main(int argc, char **argv)
{
    pthread_t thread[3];
    int count = 0;
    if (argc != 2)
        return 2;
    text[count++] = argv[1];
    for (const char *at = argv[1]; *at; at++)
        if (*at == '/')
            text[count++] = at + 1;
    for (int t = 0; t < count; t++)
        pthread_create(&thread[t], 0, run, (void *)(long)t);
    for (int t = 0; t < count; t++)
        pthread_join(thread[t], 0);
    return 0;
}
