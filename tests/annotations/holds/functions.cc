// expect: holds
// args: --histories=all
// C++ functions without a class and without an object: one state for all calls. All histories must pass.
#include <atomic>
#include <thread>

namespace {
std::atomic<int> word{0};

/** @Structure_Define:
    @DeclareStruct: struct Item { int value; };
    @DeclareVar: Item item;
    @InitVar: item.value = 0;
    @DefineFunc: bool is(int value) const { return item.value == value; }
    @Happens_Before: Set -> Get */

/** @Method: Set
    @Ordering_Point_Set: Set_Point
    @PreCondition: is(before)
    @SideEffect: item.value = value; */
bool set(int before, int value)
{
    int expected = before;
    bool done = word.compare_exchange_strong(expected, value);
    /** @Ordering_Point_Label_Check: done
        @Label: Set_Point */
    if (!done) {
        word.store(value);
        /** @Ordering_Point_Label_Check: false
            @Label: Set_Point */
    }
    return done;
}

template <class T> struct Box {
    T value;
};

/** @Method: Get
    @Ordering_Point_Set: Get_Point
    @PostCondition: is(__RET__.value) */
Box<int> get()
{
    int value = word.load();
    /** @Ordering_Point_Label_Check: true
        @Label: Get_Point */
    return {value};
}
} // namespace

int main()
{
    std::thread a([] {
        set(0, 1);
        set(1, 2);
    });
    get();
    get();
    a.join();
}
