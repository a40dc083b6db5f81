// expect: holds
// A 16-byte std::atomic: pointer and version change together.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>
struct alignas(16) Tagged {
    std::uint64_t value, version;
};
static std::atomic<Tagged> tagged{Tagged{0, 0}};
static void bump()
{
    Tagged old = tagged.load(), next;
    do
        next = Tagged{old.value + 3, old.version + 1};
    while (!tagged.compare_exchange_weak(old, next));
}
int main()
{
    std::thread t(bump), u(bump);
    Tagged seen = tagged.load();
    assert(seen.value == 3 * seen.version);
    t.join();
    u.join();
    assert(tagged.load().value == 6 && tagged.load().version == 2);
}
