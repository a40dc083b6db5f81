/* cxx_containers.c: the functions of std::list, std::map, std::set and the unordered containers
 * that are compiled into libstdc++.so. What they write to the program's nodes would be seen neither
 * by the race detector nor by the undo log. Each is left to libstdc++, between two looks at the
 * nodes that it may touch: what has changed is put back, and then written in sight. What it reads
 * without changing it is announced as read. Layouts are part of libstdc++'s ABI. */
#include "guest/entry/guest.h"
#include "guest/runtime/native.h"

#define WRAP(type, name, parameters)                                                               \
    GUEST type __wrap_##name parameters;                                                           \
    type __wrap_##name parameters

/* -- looking at memory before and after
 * ------------------------------------------------------------ */

enum { FIELDS = 4, NODES = 256 };
typedef struct Look {
    uint64_t *node;
    unsigned changed;        /* fields (bits) that are to be written again */
    uint64_t before[FIELDS]; /* put_back: what those will be */
} Look;
typedef struct Looks {
    unsigned count, fields;
    const void *pc;
    Look at[NODES];
} Looks;

static void look_begin(Looks *looks, unsigned fields, const void *pc)
{
    looks->count = 0;
    looks->fields = fields;
    looks->pc = pc;
}

static void look_at(Looks *looks, void *node)
{
    DEBUG_ASSERT(node && looks->count <= COUNT_OF(looks->at));
    if (!node)
        return;
    for (unsigned i = looks->count; i-- > 0 && i + 16 > looks->count;)
        if (looks->at[i].node == node)
            return; /* the neighbours of neighbours repeat soon, if at all */
    if (looks->count == NODES)
        op_unsupported("a search tree of the C++ library is too deep");
    Look *look = &looks->at[looks->count++];
    look->node = node;
    memcpy(look->before, node, sizeof(uint64_t) * looks->fields);
}

/* Undoes every change since. */
static void put_back(Looks *looks)
{
    for (unsigned i = 0; i < looks->count; i++) {
        Look *look = &looks->at[i];
        look->changed = 0;
        for (unsigned f = 0; f < looks->fields; f++) {
            uint64_t after = look->node[f];
            if (after == look->before[f])
                continue;
            look->node[f] = look->before[f];
            look->before[f] = after;
            look->changed |= 1u << f;
        }
    }
}

/* Every change since is undone and made again through guest_store. All are undone before the first
 * is made: other threads may run at each of them, and must not see what is still to come. */
static void redo(Looks *looks)
{
    put_back(looks);
    for (unsigned i = 0; i < looks->count; i++)
        for (unsigned f = 0; f < looks->fields; f++) {
            Look *look = &looks->at[i];
            if (look->changed >> f & 1)
                guest_store(&look->node[f], &look->before[f], sizeof *look->before, looks->pc);
        }
}

static void *real(const char *name)
{
    void *found = native_symbol(name);
    if (!found)
        die("the C++ library has no %s", name);
    return found;
}

/* -- std::list: nodes {next, previous}
 * ------------------------------------------------------------- */

typedef struct ListNode {
    struct ListNode *next, *previous;
} ListNode;

static void set_link(ListNode **link, ListNode *node, const void *pc)
{
    guest_store(link, &node, sizeof node, pc);
}

static ListNode *get_link(ListNode **link, const void *pc)
{
    guest_will_read(link, sizeof *link, pc);
    return *link;
}

/* _List_node_base::_M_hook(position): NODE comes before POSITION */
WRAP(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_, (ListNode * node, ListNode *position))
{
    const void *pc = GUEST_PC;
    ListNode *before = get_link(&position->previous, pc);
    set_link(&node->next, position, pc);
    set_link(&node->previous, before, pc);
    set_link(&before->next, node, pc);
    set_link(&position->previous, node, pc);
}

/* _List_node_base::_M_unhook() */
WRAP(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, (ListNode * node))
{
    const void *pc = GUEST_PC;
    ListNode *next = get_link(&node->next, pc), *previous = get_link(&node->previous, pc);
    set_link(&previous->next, next, pc);
    set_link(&next->previous, previous, pc);
}

/* _List_node_base::_M_transfer(first, last): [FIRST, LAST) comes before POSITION */
WRAP(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
     (ListNode * position, ListNode *first, ListNode *last))
{
    const void *pc = GUEST_PC;
    if (position == last)
        return;
    ListNode *before_first = get_link(&first->previous, pc);
    ListNode *end = get_link(&last->previous, pc);
    ListNode *before = get_link(&position->previous, pc);
    set_link(&before_first->next, last, pc);
    set_link(&last->previous, before_first, pc);
    set_link(&before->next, first, pc);
    set_link(&first->previous, before, pc);
    set_link(&end->next, position, pc);
    set_link(&position->previous, end, pc);
}

/* _List_node_base::_M_reverse() */
WRAP(void, _ZNSt8__detail15_List_node_base10_M_reverseEv, (ListNode * head))
{
    const void *pc = GUEST_PC;
    ListNode *node = head;
    do {
        ListNode *next = get_link(&node->next, pc), *previous = get_link(&node->previous, pc);
        set_link(&node->next, previous, pc);
        set_link(&node->previous, next, pc);
        node = next;
    } while (node != head);
}

/* _List_node_base::swap(x, y): the heads of two lists; an empty one points to itself */
WRAP(void, _ZNSt8__detail15_List_node_base4swapERS0_S1_, (ListNode * x, ListNode *y))
{
    const void *pc = GUEST_PC;
    ListNode old_x = {get_link(&x->next, pc), get_link(&x->previous, pc)};
    ListNode old_y = {get_link(&y->next, pc), get_link(&y->previous, pc)};
    bool x_empty = old_x.next == x, y_empty = old_y.next == y;
    set_link(&x->next, y_empty ? x : old_y.next, pc);
    set_link(&x->previous, y_empty ? x : old_y.previous, pc);
    set_link(&y->next, x_empty ? y : old_x.next, pc);
    set_link(&y->previous, x_empty ? y : old_x.previous, pc);
    if (!y_empty) {
        set_link(&x->next->previous, x, pc);
        set_link(&x->previous->next, x, pc);
    }
    if (!x_empty) {
        set_link(&y->next->previous, y, pc);
        set_link(&y->previous->next, y, pc);
    }
}

/* -- std::map and std::set: red-black trees of nodes {colour, parent, left, right}
 * ------------------- Rebalancing changes nodes on the way to the root, their children (colours)
 * and grandchildren (parents, by a rotation). */

typedef struct TreeNode {
    uint32_t colour; /* 0: red */
    uint32_t padding;
    struct TreeNode *parent, *left, *right;
} TreeNode;

static void look_around(Looks *looks, TreeNode *node)
{
    TreeNode *children[2] = {node->left, node->right};
    look_at(looks, node);
    for (unsigned i = 0; i < 2; i++)
        if (children[i]) {
            look_at(looks, children[i]);
            look_at(looks, children[i]->left);
            look_at(looks, children[i]->right);
        }
}

static void look_upwards(Looks *looks, TreeNode *from, TreeNode *header)
{
    look_at(looks, header);
    for (TreeNode *node = from; node && node != header; node = node->parent) {
        guest_will_read(node, sizeof *node, looks->pc);
        look_around(looks, node);
    }
}

/* std::_Rb_tree_insert_and_rebalance(left, node, parent, header) */
WRAP(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
     (bool left, TreeNode *node, TreeNode *parent, TreeNode *header))
{
    void (*insert)(bool, TreeNode *, TreeNode *, TreeNode *);
    Looks looks; /* not cleared: it is large */
    look_begin(&looks, 4, GUEST_PC);
    *(void **)&insert = real("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
    look_at(&looks, node);
    look_upwards(&looks, parent, header);
    insert(left, node, parent, header);
    redo(&looks);
}

/* std::_Rb_tree_rebalance_for_erase(node, header): the node that takes its place is its
 * successor */
WRAP(TreeNode *, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
     (TreeNode * node, TreeNode *header))
{
    TreeNode *(*erase)(TreeNode *, TreeNode *);
    Looks looks; /* not cleared: it is large */
    look_begin(&looks, 4, GUEST_PC);
    TreeNode *lowest = node;
    *(void **)&erase = real("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
    if (node->left && node->right)
        for (lowest = node->right; lowest->left;)
            lowest = lowest->left;
    look_upwards(&looks, lowest, header);
    /* The new extremes are looked for below the node's child. */
    for (TreeNode *child = node->right; child; child = child->left)
        guest_will_read(child, sizeof *child, looks.pc);
    for (TreeNode *child = node->left; child; child = child->right)
        guest_will_read(child, sizeof *child, looks.pc);
    TreeNode *result = erase(node, header);
    redo(&looks);
    return result;
}

/* The next node in order: down to the left of the right child, or up until it comes from the
 * left. */
static TreeNode *step(TreeNode *node, bool forward, const void *pc)
{
    guest_will_read(node, sizeof *node, pc);
    if (!forward && node->colour == 0 && node->parent && node->parent->parent == node)
        return node->right; /* from the end: the header is red, and its parent's parent */
    TreeNode *down = forward ? node->right : node->left;
    if (down) {
        for (TreeNode *next = down; next; next = forward ? next->left : next->right) {
            guest_will_read(next, sizeof *next, pc);
            down = next;
        }
        return down;
    }
    TreeNode *up = node->parent;
    guest_will_read(up, sizeof *up, pc);
    while (node == (forward ? up->right : up->left)) {
        node = up;
        up = up->parent;
        guest_will_read(up, sizeof *up, pc);
    }
    /* Beyond the last of a tree whose root is the last, the climb has gone one too far. */
    if (forward)
        return node->right == up ? node : up;
    return up;
}

WRAP(TreeNode *, _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, (TreeNode * node))
{
    return step(node, true, GUEST_PC);
}

WRAP(TreeNode *, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, (TreeNode * node))
{
    return step(node, true, GUEST_PC);
}

WRAP(TreeNode *, _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, (TreeNode * node))
{
    return step(node, false, GUEST_PC);
}

WRAP(TreeNode *, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, (TreeNode * node))
{
    return step(node, false, GUEST_PC);
}

/* -- unordered containers: the policy {load factor, next resize} of when to grow
 * --------------------- */

typedef struct CxxBoolSize {
    bool first;
    size_t second;
} CxxBoolSize;

/* _Prime_rehash_policy::_M_need_rehash(buckets, elements, inserted) const */
WRAP(CxxBoolSize, _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm,
     (void *policy, size_t buckets, size_t elements, size_t inserted))
{
    CxxBoolSize (*need)(void *, size_t, size_t, size_t);
    Looks looks;
    look_begin(&looks, 2, GUEST_PC);
    *(void **)&need = real("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm");
    guest_will_read(policy, 16, looks.pc);
    look_at(&looks, policy);
    CxxBoolSize result = need(policy, buckets, elements, inserted);
    redo(&looks);
    return result;
}

/* _Prime_rehash_policy::_M_next_bkt(size) const */
WRAP(size_t, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm, (void *policy, size_t size))
{
    size_t (*next)(void *, size_t);
    Looks looks;
    look_begin(&looks, 2, GUEST_PC);
    *(void **)&next = real("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm");
    guest_will_read(policy, 16, looks.pc);
    look_at(&looks, policy);
    size_t result = next(policy, size);
    redo(&looks);
    return result;
}

/* -- futures: the base class {table, exception} of a result
 * ------------------------------------------ */

/* Constructor and destructor both write the object; each has the two forms that the ABI wants. */
static void call_on_object(void *object, const char *name, const void *pc)
{
    void (*call)(void *);
    Looks looks;
    look_begin(&looks, 2, pc);
    *(void **)&call = real(name);
    look_at(&looks, object);
    call(object);
    redo(&looks);
}

#define MEMBER(name)                                                                               \
    WRAP(void, name, (void *object))                                                               \
    {                                                                                              \
        call_on_object(object, #name, GUEST_PC);                                                   \
    }
MEMBER(_ZNSt13__future_base12_Result_baseC1Ev)
MEMBER(_ZNSt13__future_base12_Result_baseC2Ev)
MEMBER(_ZNSt13__future_base12_Result_baseD1Ev)
MEMBER(_ZNSt13__future_base12_Result_baseD2Ev)
