// expect: holds
// executions: 1
// A thread with more than 8000 events: the program is built and explored once more, with the runtime for long threads.
#include <stdatomic.h>

/** @DeclareState: int sum;
    @Initial: sum = 0; */
static atomic_int total;

/** @Transition: STATE(sum) += times;
    @PostCondition: return C_RET == STATE(sum); */
int add(atomic_int *at, int times)
{
    int last = 0;
    for (int i = 0; i < times; i++)
        last = atomic_fetch_add(at, 1) + 1;
    /** @OPDefine: 1 */
    return last;
}

int main(void)
{
    add(&total, 4500);
    add(&total, 4500);
}
