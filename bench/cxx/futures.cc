// Promises, packaged tasks and std::async, and one future that three threads share.
#include <cassert>
#include <future>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::shared_future<int> shared = promise.get_future().share();
    auto twice = std::async(std::launch::async, [shared] { return 2 * shared.get(); });
    auto thrice = std::async(std::launch::async, [shared] { return 3 * shared.get(); });
    promise.set_value(7);
    assert(twice.get() + thrice.get() == 35);
}
