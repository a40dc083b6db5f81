/* Figures 2 and 5 of CDSSpec as printed: the annotated RCU, and the program of Figure 2 in which both readers may see
 * the old value: r1 == 0 and r2 == 0. Only `mo_' stands for memory_order_, as in the paper. */
#include <atomic>
#include <thread>
using std::atomic;
#define mo_acquire std::memory_order_acquire
#define mo_acq_rel std::memory_order_acq_rel

struct Node {
    int data;
    int version;
};

class RCU {
    /** @Structure_Define:
        @DeclareVar: int _data, _version;
        @InitVar: _data = 0; _version = 0;
        @Happens_Before: Update->Read Update->Update */
    atomic<Node *> node;

public:
    RCU()
    {
        Node *n = new Node;
        n->data = 0;
        n->version = 0;
        atomic_init(&node, n);
    }
    /** @Interface: Read
        @Ordering_Point_Set: Read_Point
        @ID: this
        @PostCondition:
        _data == *data && _version == *version */
    void read(int *data, int *version)
    {
        Node *res = node.load(mo_acquire);
        /** @Ordering_Point_Label_Check: true
            @Label: Read_Point */
        *data = res->data;
        *version = res->version;
    }
    /** @Interface: Update
        @Ordering_Point_Set: Update_Point
        @ID: this
        @SideEffect: _data = data; _version++; */
    void update(int data)
    {
        bool succ = false;
        Node *newNode = new Node;
        Node *prev = node.load(mo_acquire);
        do {
            newNode->data = data;
            newNode->version = prev->version + 1;
            succ = node.compare_exchange_strong(prev, newNode, mo_acq_rel, mo_acquire);
            /** @Ordering_Point_Label_Check: succ
                @Label: Update_Point */
        } while (!succ);
    }
};

RCU x, y; // Define two RCU objects
int r1, r2, v1, v2;
void thrd_1() // Thread 1
{
    x.update(1);
    y.read(&r1, &v1); // r1 == 0
}
void thrd_2() // Thread 2
{
    y.update(1);
    x.read(&r2, &v2); // r2 == 0
}

int main()
{
    std::thread a(thrd_1), b(thrd_2);
    a.join();
    b.join();
#ifdef NEVER_BOTH_OLD
    if (r1 == 0 && r2 == 0)
        return 1; /* the paper: the C/C++11 memory model allows it */
#endif
}
