// expect: holds
// A returned reference, and a returned pointer: what they point to changes later, the conditions see it as it was.
#include <atomic>

class Cell {
    /** @Structure_Define:
        @DeclareVar: int now; */
    std::atomic<int> count{0};
    int value = 0;

public:
    /** @Method: Next
        @Ordering_Point_Set: P
        @SideEffect: now++;
        @PostCondition: __RET__ == now */
    int &next()
    {
        count.fetch_add(1);
        /** @Ordering_Point_Label_Check: true
            @Label: P */
        value++;
        return value;
    }
    /** @Method: Look
        @Ordering_Point_Set: P
        @PostCondition: *__RET__ == now && (limit > now || limit == 0) */
    const int *look(int limit) const
    {
        count.load();
        /** @Ordering_Point_Label_Check: true
            @Label: P */
        return &value;
        (void)limit;
    }
};

static Cell cell;
int main()
{
    cell.next();
    cell.look(2);
    cell.next();
    return cell.look(100) == nullptr;
}
