// expect: holds
// executions: 8
// A node's atomic member begins with what its maker read. The revisit by source.store(1) makes the node again, at the
// same address and with 1; afterwards it has begun with 0 again. Executions: beside is 0 or 1, and published NULL or
// the node, and source 0 or 1: each with each.
#include <atomic>
#include <cassert>
#include <thread>
struct Node {
    int copy;
    std::atomic<int> value;
    explicit Node(int v) : copy(v), value(v) {}
};
static std::atomic<int> source, beside;
static std::atomic<Node *> published;
int main()
{
    std::thread first([] { beside.store(1); });
    std::thread maker([] {
        Node *node = new Node(source.load());
        node->value.load();
        published.store(node);
    });
    std::thread reader([] {
        beside.load();
        source.store(1);
        Node *node = published.load();
        if (node)
            assert(node->value.load() == node->copy);
    });
    first.join();
    maker.join();
    reader.join();
    delete published.load();
}
