#include "settings.h"
#include <atomic>
#include <mutex>

static std::atomic<const Settings *> instance{nullptr};
static std::mutex mutex;

Settings::Settings() : size_(42) {}

const Settings &Settings::get()
{
#ifdef FIXED
    constexpr auto look = std::memory_order_acquire;
#else
    constexpr auto look = std::memory_order_relaxed;
#endif
    const Settings *settings = instance.load(look);
    if (!settings) {
        std::lock_guard<std::mutex> guard(mutex);
        settings = instance.load(std::memory_order_relaxed);
        if (!settings) {
            settings = new Settings;
            instance.store(settings, std::memory_order_release);
        }
    }
    return *settings;
}
