// expect: holds
// args: -std=c++17
// Structures that are returned in memory, as C++ has them everywhere: to temporary objects, to members of objects
// under construction, to what was just allocated.
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>
struct Big {
    long a, b, c;
    Big operator+(const Big &o) const { return {a + o.a, b + o.b, c + o.c}; }
};
static Big make(int i) { return {i, i, i}; }
struct Holder {
    Big big;
    explicit Holder(int i) : big(make(i)) {}
    Big get() const { return big; }
};
static std::mutex lock;
static std::vector<Big> list;
static std::shared_ptr<Holder> holder;
static std::string name() { return "long enough to be on the heap, as strings are"; }
static void use()
{
    std::lock_guard<std::mutex> guard(lock);
    list.push_back(make(1));
    holder = std::make_shared<Holder>(3);
    std::string text = name();
    text += name();
    list.push_back(make(3) + holder->get());
    std::optional<Big> maybe = make(5);
    std::unique_ptr<Big> fresh(new Big(make(6)));
    std::function<Big(int)> call = make;
    Big local = call(3);
    list.push_back(local);
}
int main()
{
    std::thread other(use);
    use();
    other.join();
    return list.size() != 6;
}
