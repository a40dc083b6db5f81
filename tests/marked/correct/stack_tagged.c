// expect: holds
// args: -DTAGGED --spec=lifo
// A counter beside the top makes each state of it different (IBM System/370 Principles of Operation, 1983).
#include "../stack.h"
