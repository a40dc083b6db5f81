// expect: holds
// args: --spec=queue:fifo,stack:lifo
// Each object is as its own specification says.
#include "../objects.h"
