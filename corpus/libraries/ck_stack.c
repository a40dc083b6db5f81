// package: libck-dev
// options: --shape=2x2
// expect: tso holds; rc11 inconclusive
// Concurrency Kit's stack (Treiber's, with unlimited memory). Its atomics are inline assembly: Heddle performs
// them under sc and tso, as the processor does; C11 has no meaning for them, so that under rc11 it says what
// it can't see. (A pop whose compare-exchange succeeds takes the node that was on top when it read the link,
// and nodes are not used again: each operation takes effect at its successful compare-exchange.)
#include <heddle.h>
#include <stdlib.h>
#include <ck_stack.h>
struct node { ck_stack_entry_t e; int v; };
static ck_stack_t s;
HD_INIT { ck_stack_init(&s); }
HD_OP(push, int, v, 1, 2) { struct node *n = malloc(sizeof *n); n->v = v; ck_stack_push_upmc(&s, &n->e); return HD_VOID; }
HD_OP(pop) { ck_stack_entry_t *e = ck_stack_pop_upmc(&s); return e ? HD_INT(((struct node *)(void*)e)->v) : HD_NONE; }
