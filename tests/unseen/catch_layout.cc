// An assertion laid out as Catch2 has it, without its header, which takes long to compile.
#include <atomic>
#include <cstddef>
#include <thread>
namespace Catch {
struct StringRef { const char *at; size_t length; };
struct Info { StringRef macro; struct { const char *file; size_t line; } place; StringRef expression; int disposition; };
struct TestFailureException {};
struct AssertionHandler {
    Info info; struct { bool stop, raise; } reaction; bool completed = false; void *capture = nullptr;
    void complete() { completed = true; if (reaction.raise) throw TestFailureException(); }
};
}
#define CHECK_IT(x) do { Catch::AssertionHandler h{{{"REQUIRE", 7}, {__FILE__, __LINE__}, {#x, sizeof #x - 1}, 1}, {false, false}}; h.reaction.raise = !(x); h.complete(); } while (0)
static std::atomic<int> n;
int main()
{
    CHECK_IT(n == 0);
    std::thread a([] { n = n + 1; });
    n++;
    a.join();
    CHECK_IT(n == 2);
}
