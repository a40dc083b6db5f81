#include "judge/history/run_tree.h"
#include <string.h>

typedef struct RunNode {
    RunCall call;         /* that leads here */
    uint32_t child, next; /* first child; next child of the same parent; 0: none */
} RunNode;

struct RunTree {
    Arena *arena;       /* of the names */
    Vec(RunNode) nodes; /* 0 is the beginning */
};

RunTree *run_tree_new(Arena *arena)
{
    RunTree *tree = arena_new_of(arena, RunTree);
    tree->arena = arena;
    vec_push(&tree->nodes, (RunNode){0});
    return tree;
}

void run_tree_free(RunTree *tree)
{
    vec_free(&tree->nodes);
}

static bool is_same_call(const RunCall *a, const RunCall *b)
{
    return a->thread == b->thread && a->count == b->count && str_equal(a->name, b->name) &&
           !memcmp(a->arguments, b->arguments, a->count * sizeof(Value));
}

static uint32_t find_child(const RunTree *tree, uint32_t state, const RunCall *call)
{
    uint32_t child = tree->nodes.at[state].child;
    while (child && !is_same_call(&tree->nodes.at[child].call, call))
        child = tree->nodes.at[child].next;
    return child;
}

bool run_tree_add(RunTree *tree, const RunCall *calls, size_t count, size_t *place)
{
    uint32_t state = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t child = find_child(tree, state, &calls[i]);
        if (child && !value_equal(tree->nodes.at[child].call.result, calls[i].result)) {
            *place = i;
            return false;
        }
        if (!child) {
            child = (uint32_t)tree->nodes.count;
            RunNode node = {.call = calls[i], .next = tree->nodes.at[state].child};
            node.call.name = str_of(str_copy(tree->arena, calls[i].name));
            vec_push(&tree->nodes, node);
            tree->nodes.at[state].child = child;
        }
        state = child;
    }
    return true;
}

bool run_tree_find(const RunTree *tree, uint32_t *state, const RunCall *call, Value *result)
{
    uint32_t child = find_child(tree, *state, call);
    if (!child)
        return false;
    *state = child;
    *result = tree->nodes.at[child].call.result;
    return true;
}
