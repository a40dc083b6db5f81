// A gate in C++ that is announced before it is open: whoever is woken finds it shut and waits again.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable opened;
static bool is_open;

static void pass()
{
    std::unique_lock<std::mutex> held(lock);
    while (!is_open)
        opened.wait(held);
}

static void open_it()
{
    opened.notify_one();
    std::lock_guard<std::mutex> held(lock);
    is_open = true;
}

int main()
{
    std::thread a(pass), b(open_it);
    a.join();
    b.join();
}
