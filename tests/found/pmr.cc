/* A request arena: a small buffer that grows into a pool. SHARED: both threads use one pool, which
 * nothing locks. GONE: the arena is destroyed while the thread still uses it. */
#include <cassert>
#include <memory>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>
struct counting : std::pmr::memory_resource {
    int live = 0;
    void *do_allocate(size_t n, size_t) override
    {
        live++;
        return ::operator new(n);
    }
    void do_deallocate(void *p, size_t, size_t) override
    {
        live--;
        ::operator delete(p);
    }
    bool do_is_equal(const memory_resource &o) const noexcept override
    {
        return this == &o;
    }
};
static size_t handle(std::pmr::memory_resource *up)
{
    char area[16];
    std::pmr::monotonic_buffer_resource arena(area, sizeof area, up);
    std::pmr::vector<std::pmr::string> words(&arena);
    words.emplace_back("a string that is longer than the small buffer");
    words.emplace_back("another one of that kind, of course longer");
    arena.release();
    return 2;
}
int main()
{
    counting up;
    {
        std::pmr::unsynchronized_pool_resource one(&up), two;
#ifdef GONE
        auto p = std::make_unique<std::pmr::monotonic_buffer_resource>();
        std::thread a([&] { (void)p->allocate(8); });
        p.reset();
        a.join();
#else
#ifdef SHARED
        std::thread a([&] { handle(&one); }), b([&] { handle(&one); });
#else
        std::thread a([&] { handle(&one); }), b([&] { handle(&two); });
#endif
        a.join();
        b.join();
#endif
    }
    assert(up.live == 0);
}
