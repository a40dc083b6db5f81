// tcmalloc's SpinLock, whose waiters sleep on a futex with a timeout: threads that hold it are alone. Its atomic
// operations are inline assembly. The lock spins a thousand times on machines with several processors; here, on one.
#include <cassert>
#include <thread>
#include "base/spinlock.h"

int GetSystemCPUsCount()
{
    return 1;
}

static SpinLock lock(base::LINKER_INITIALIZED);
static int value;

static void add()
{
    SpinLockHolder holder(&lock);
    value++;
}

int main()
{
    std::thread other(add);
    add();
    other.join();
    assert(value == 2);
    return 0;
}
