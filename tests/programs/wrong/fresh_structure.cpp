// expect: violated assertion
// gcc does not announce the store of a structure that a function returns. Here it goes to memory that nobody else knows
// yet, so it races with nothing; but what it wrote in another branch (1, at the same address) must not be found there.
// A node with 0 beside a reader that has read 0, too, is possible.
#include <atomic>
#include <cassert>
#include <thread>
#ifndef WORDS
#define WORDS 1
#endif
struct Value {
    long at[WORDS];
};
static std::atomic<int> source, beside;
static Value make()
{
    Value v;
    long x = source.load();
    for (long &word : v.at)
        word = x;
    return v;
}
static Value make_by_another()
{
    return make();
}
struct Node {
    Value value;
#ifdef CONSTRUCTOR
    Node() : value(make_by_another()) {}
#endif
};
static std::atomic<Node *> published;
int main()
{
    std::thread first([] { beside.store(1); });
    std::thread maker([] {
        Node *node = new Node;
#ifndef CONSTRUCTOR
        node->value = make_by_another();
#endif
        published.store(node);
    });
    std::thread reader([] {
        int seen = beside.load();
        source.store(1);
        Node *node = published.load();
        if (node)
            assert(node->value.at[WORDS - 1] == 1 || seen == 1);
    });
    first.join();
    maker.join();
    reader.join();
    delete published.load();
}
