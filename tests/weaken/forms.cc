/* How orders are written in C++: operators, defaults, templates, macros, inlined functions. Every flag hands over data
 * of its own: seq_cst is more than is needed, release and acquire are needed. An order in a function is one, however
 * often the compiler copies it; two in one macro are two. */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
static int data[8];
static std::atomic<int> flag, other;
static std::atomic<long> number;
static std::atomic<bool> ready, late;
static std::atomic_flag lock = ATOMIC_FLAG_INIT;
template <class T> static T take(std::atomic<T> &from)
{
    return from.load(std::memory_order_acquire); // weaken: needed load acquire
}
static inline __attribute__((always_inline)) void publish(std::atomic<int> &to)
{
    to.store(1, std::memory_order_release); // weaken: needed store release
}
#define TWO(a, b) a.store(true, std::memory_order_release); b.store(true, std::memory_order_release)
static void publish_as(std::atomic<long> &to, std::memory_order order)
{
    to.store(1, order); // weaken: needed store release
}
static void with_lock(int *value)
{
    while (lock.test_and_set()) // weaken: weaker read-modify-write seq_cst to acquire
        ;
    ++*value;
    lock.clear(); // weaken: weaker store seq_cst to release
}
static std::atomic<int> opened, added;
int main()
{
    auto shared = std::make_shared<int>(3);
    std::thread writer([shared] {
        data[0] = 1;
        flag = 1;                        // weaken: weaker store seq_cst to release
        data[1] = 1;
        publish(other);
        data[2] = 1;
        publish_as(number, std::memory_order_release);
        data[3] = 1;
        TWO(ready, late);                // weaken: needed store release; unneeded store release
        data[4] = 1;
        opened++;                        // weaken: weaker read-modify-write seq_cst to release
        data[5] = 1;
        std::atomic_store(&added, 1);    // weaken: weaker store seq_cst to release
    });
    if (flag)                            // weaken: weaker load seq_cst to acquire
        assert(data[0] == 1);
    if (take(other))
        assert(data[1] == 1);
    if (take(number))
        assert(data[2] == 1);
    if (ready.load())                    // weaken: weaker load seq_cst to acquire
        assert(data[3] == 1);
    if (opened.fetch_add(0, std::memory_order_acquire)) // weaken: needed read-modify-write acquire
        assert(data[4] == 1);
    if (std::atomic_load_explicit(&added, std::memory_order_acquire)) // weaken: needed load acquire
        assert(data[5] == 1);
    writer.join();
    int count = 0;
    std::thread first(with_lock, &count);
    with_lock(&count);
    first.join();
    assert(count == 2 && *shared == 3);
    if (count > 2)
        flag = 2; // weaken: unreached store
}
