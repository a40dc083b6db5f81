// Settings that the first user loads: double-checked locking.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#ifdef FIXED
#define PUBLISH std::memory_order_release
#define LOOK std::memory_order_acquire
#else
#define PUBLISH std::memory_order_relaxed
#define LOOK std::memory_order_relaxed
#endif

struct Settings {
    int limit = 0;
    explicit Settings(int limit) : limit(limit) {}
    static Settings &get()
    {
        Settings *it = instance.load(LOOK);
        if (!it) {
            std::lock_guard<std::mutex> lock(mutex);
            it = instance.load(std::memory_order_relaxed);
            if (!it) {
                it = new Settings(3);
                instance.store(it, PUBLISH);
            }
        }
        return *it;
    }

private:
    static std::atomic<Settings *> instance;
    static std::mutex mutex;
};
std::atomic<Settings *> Settings::instance{nullptr};
std::mutex Settings::mutex;

int main()
{
    std::thread other([] { return Settings::get().limit; });
    int limit = Settings::get().limit;
    other.join();
    return limit == 3 ? 0 : 1;
}
