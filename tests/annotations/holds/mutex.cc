// expect: holds
// args: -Wall -Wextra -Werror -Wshadow -Wpedantic
// The ordering points are those of a mutex; the state is a container of the library; methods are defined
// outside of their class, which is in a namespace; results are a reference and a class.
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace store {
class Stack {
    /** @Structure_Define:
        @DeclareVar: std::deque<int> items;
        @Happens_Before: Push -> Pop(Some) */
public:
    void push(const int &value);
    /** @Method: Pop
        @Ordering_Point_Set: Locked
        @HB_Condition: Some :: __RET__.second
        @SideEffect: bool had = !items.empty(); int top = had ? items.back() : 0;
            if (had) items.pop_back();
        @PostCondition: __RET__.second == had && (!had || __RET__.first == top) */
    std::pair<int, bool> pop()
    {
        std::lock_guard<std::mutex> guard(mutex);
        /** @Ordering_Point_Label_Check: true
            @Label: Locked */
        if (size == 0)
            return {0, false};
        return std::make_pair(values[--size], true);
    }
    int &top();

private:
    std::mutex mutex;
    int values[8];
    int size = 0;
};

/** @Interface: Push
    @Ordering_Point_Set: Locked
    @SideEffect: items.push_back(value); */
void Stack::push(const int &value)
{
    mutex.lock();
    /** @Ordering_Point_Label_Check: true
        @Label: Locked */
    values[size++] = value;
    mutex.unlock();
}

/** @Interface: Top
    @Ordering_Point_Set: Locked
    @PostCondition: items.back() == __RET__ */
int &Stack::top()
{
    std::lock_guard<std::mutex> guard(mutex);
    /** @Ordering_Point_Label_Check: true
        @Label: Locked */
    return values[size - 1];
}
} // namespace store

static store::Stack stack;
int main()
{
    std::thread other([] {
        stack.push(1);
        stack.pop();
    });
    stack.push(2);
    stack.pop();
    other.join();
    stack.push(3);
    return stack.top() - 3;
}
