/* Compiled without heddle, for foreign.c. */
struct node {
    long value;
    struct node *next;
};
struct node list[4] = {{1, &list[1]}, {2, &list[2]}, {3, 0}, {4, 0}};
long foreign_counters[8];

long foreign_sum(const struct node *first)
{
    long sum = 0;
    for (; first; first = first->next)
        sum += first->value;
    return sum;
}

void foreign_bump(long *counters, int index, long by)
{
    counters[index] += by;
}

void foreign_locked(long *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

void foreign_set(int *to)
{
    __atomic_store_n(to, 1, __ATOMIC_RELEASE);
}

int foreign_exchange_if(_Atomic int *at, int expected)
{
    __atomic_compare_exchange_n((int *)at, &expected, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
