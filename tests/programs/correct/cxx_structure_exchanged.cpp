// expect: holds
// executions: 2
// args: --checkpoints=always
// A stack whose head is a structure: what load returns is stored into the new node without an announcement (gcc), and
// compare_exchange stores there, too, when it fails. One execution for each order of the two nodes.
#include <atomic>
#include <thread>
struct Node;
struct Link {
    Node *node;
};
struct Node {
    Link next;
};
static std::atomic<Link> head{};
static void push()
{
    Link link;
    link.node = new Node;
    link.node->next = head.load();
    while (!head.compare_exchange_weak(link.node->next, link))
        ;
}
static bool pop()
{
    Link old = head.load();
    if (!old.node)
        return false;
    head.store(old.node->next);
    delete old.node;
    return true;
}
int main()
{
    std::thread a([] { push(); });
    std::thread b([] { push(); });
    a.join();
    b.join();
    while (pop())
        ;
}
