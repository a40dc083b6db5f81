// expect: violated race
// args: -std=c++20
// only if: _GLIBCXX_RELEASE == 12
// The program is right, but load() of libstdc++ 12 gives its lock back by a relaxed operation, so that its plain read
// and the write of the next store() are not ordered (heddle-library(7)).
#include <atomic>
#include <memory>
#include <thread>
static std::atomic<std::shared_ptr<int>> current{std::make_shared<int>(1)};
int main()
{
    std::thread writer([] { current.store(std::make_shared<int>(2)); });
    std::thread reader([] { current.load(); });
    writer.join();
    reader.join();
}
