// expect: violated race
// One shared_ptr object, assigned in one thread and copied in the other.
#include <memory>
#include <thread>
int main()
{
    auto p = std::make_shared<int>(1);
    std::thread t([&] { p = std::make_shared<int>(2); });
    std::thread u([&] { auto q = p; });
    t.join();
    u.join();
}
