// expect: holds
#include <atomic>
#include <thread>
#define mo_acquire std::memory_order_acquire
#define mo_acq_rel std::memory_order_acq_rel
struct Node { int data; int version; };
template<class T> class RCU {
/** @Structure_Define:
    @DeclareVar: int _data, _version;
    @InitVar: _data = 0; _version = 0;
    @Happens_Before: Update->Read Update->Update */
  std::atomic<Node*> node;
public:
  RCU() {
    Node *n = new Node;
    n->data = 0;
    n->version = 0;
    node.store(n, std::memory_order_relaxed);
  }
  /** @Interface: Read
      @Ordering_Point_Set: Read_Point
      @ID: this
      @PostCondition:
        _data == *data && _version == *version */
  void read(int *data, int *version) {
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
  void update(int data) {
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
RCU<int> x, y;
int r1, r2, v1, v2;
void thrd_1() { x.update(1); y.read(&r1, &v1); }
void thrd_2() { y.update(1); x.read(&r2, &v2); }
int main() { std::thread a(thrd_1), b(thrd_2); a.join(); b.join(); }
