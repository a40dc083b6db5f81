#include <heddle.h>
#include "clerk.h"

HD_OP(send, int, to, 1, 2) { return HD_INT(clerk_send(to, "hello")); }
HD_OP(read) { return HD_INT(clerk_read()); }
