// package: libck-dev
// expect: rc11 inconclusive
// Concurrency Kit's atomics are inline assembly: Heddle says so instead of answering.
#include <heddle.h>
#include <stdlib.h>
#include <ck_stack.h>
struct node { ck_stack_entry_t e; int v; };
static ck_stack_t s;
HD_INIT { ck_stack_init(&s); }
HD_OP(push, int, v, 1, 2) { struct node *n = malloc(sizeof *n); n->v = v; ck_stack_push_upmc(&s, &n->e); return HD_VOID; }
HD_OP(pop) { ck_stack_entry_t *e = ck_stack_pop_upmc(&s); return e ? HD_INT(((struct node *)(void*)e)->v) : HD_NONE; }
