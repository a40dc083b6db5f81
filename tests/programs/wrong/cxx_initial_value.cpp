// expect: violated assertion
// A node's atomic member begins with what its maker read, 0 or 1: 0 beside a reader that has read 0, too, is possible.
// An explorer that keeps the value that the node had in another branch (1, at the same address) misses it.
#include <atomic>
#include <cassert>
#include <thread>
struct Node {
    std::atomic<int> value;
    explicit Node(int v) : value(v) {}
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
        int seen = beside.load();
        source.store(1);
        Node *node = published.load();
        if (node)
            assert(node->value.load() == 1 || seen == 1);
    });
    first.join();
    maker.join();
    reader.join();
    delete published.load();
}
