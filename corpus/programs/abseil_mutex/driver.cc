// abseil's Mutex, by its futexes: a thread waits for a condition that the other makes true under the lock; a reader
// and a writer meet. What the lock guards is plain.
#include <cassert>
#include <thread>
#include "absl/synchronization/mutex.h"

static absl::Mutex mutex;
static int value;

int main()
{
    std::thread setter([] {
        absl::MutexLock lock(&mutex);
        value++;
    });
#ifdef READER
    {
        absl::ReaderMutexLock lock(&mutex);
        assert(value == 0 || value == 1);
    }
#else
    {
        absl::MutexLock lock(&mutex);
        mutex.Await(absl::Condition(
            +[](int *seen) { return *seen == 1; }, &value));
        assert(value == 1);
    }
#endif
    setter.join();
    assert(value == 1);
    return 0;
}
