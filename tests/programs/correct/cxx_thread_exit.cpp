// expect: holds
// executions: 1
// pthread_exit runs the destructors of the frames that it leaves, and a handler that throws on.
#include <cassert>
#include <pthread.h>
static int count;
struct Counted {
    ~Counted() { count++; }
};
static void inner()
{
    Counted counted;
    pthread_exit((void *)5);
}
static void *outer(void *)
{
    Counted counted;
    try {
        inner();
    } catch (...) {
        count += 10;
        throw;
    }
    return nullptr;
}
int main()
{
    pthread_t t;
    void *result;
    pthread_create(&t, nullptr, outer, nullptr);
    pthread_join(t, &result);
    assert(result == (void *)5 && count == 12);
    return 0;
}
