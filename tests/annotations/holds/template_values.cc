// expect: holds
// Values by reference in a template: temporaries are gone when the execution is judged, their copies are not.
#include <atomic>
#include <deque>
#include <thread>

template <class T> class Slot {
    /** @Structure_Define:
        @DeclareVar: std::deque<T> items;
        @Happens_Before: Put(Done) -> Get(Done) */
    std::atomic<int> state{0};
    T item{};

public:
    /** @Method: Put
        @Ordering_Point_Set: Point
        @HB_Condition: Done :: __RET__
        @PostCondition: (__RET__ ? items.push_back(value) : void(), items.size() <= 1) */
    bool put(const T &value)
    {
        int empty = 0;
        bool mine = state.compare_exchange_strong(empty, 1, std::memory_order_acquire);
        /** @Ordering_Point_Label_Check: !mine
            @Label: Point */
        if (!mine)
            return false;
        item = value;
        state.store(2, std::memory_order_release);
        /** @Ordering_Point_Label_Check: true
            @Label: Point */
        return true;
    }
    /** @Method: Get
        @Ordering_Point_Set: Point
        @HB_Condition: Done :: __RET__
        @PreCondition: !__RET__ || (items.size() == 1 && items.front() == value)
        @SideEffect: if (__RET__) items.pop_front(); */
    bool get(T &value);
};

template <class T> bool Slot<T>::get(T &value)
{
    int full = 2;
    bool mine = state.compare_exchange_strong(full, 3, std::memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Point */
    if (!mine)
        return false;
    value = item;
    state.store(0, std::memory_order_release);
    return true;
}

static Slot<long> slot;
static void produce()
{
    slot.put(5L + 2);
    slot.put(8);
}
int main()
{
    std::thread other(produce);
    long a = 0, b = 0;
    slot.get(a);
    slot.get(b);
    other.join();
    return a != 0 && a != 7 && a != 8;
}
