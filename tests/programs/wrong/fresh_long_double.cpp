// expect: violated assertion
// args: --cc=clang
// only if: defined __x86_64__
// clang does not announce the store of a long double, either; see fresh_structure.cpp.
#include <atomic>
#include <cassert>
#include <thread>
struct Node {
    long double value;
};
static std::atomic<int> source, beside;
static std::atomic<Node *> published;
int main()
{
    std::thread first([] { beside.store(1); });
    std::thread maker([] {
        Node *node = new Node;
        node->value = source.load();
        published.store(node);
    });
    std::thread reader([] {
        int seen = beside.load();
        source.store(1);
        Node *node = published.load();
        if (node)
            assert(node->value == 1 || seen == 1);
    });
    first.join();
    maker.join();
    reader.join();
    delete published.load();
}
