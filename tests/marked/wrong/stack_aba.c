// expect: violated linearizability
// ABA: the popper reads top = 2 and next = 1; 2 and 1 are popped and 2 pushed again; its exchange succeeds and
// makes 1 the top, so 1 is popped twice.
#include "../stack.h"
