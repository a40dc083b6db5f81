// package: libck-dev
// options: --shape=2x2
// expect: rc11 violated race
// The same stack with Concurrency Kit's port to the compiler's builtins, and with its fences for weak memory.
// ck_pr_load_ptr of that port (gcc/ck_pr.h) reads *(volatile void *const *)target: a plain pointer to
// something volatile, where the other types have a volatile access. So the head is read plainly while another
// thread's compare-exchange writes it.
#define CK_USE_CC_BUILTINS 1
#define CK_MD_RMO
#include "ck_stack.c"
