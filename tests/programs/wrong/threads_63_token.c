// expect: violated race
// As correct/threads_63_token.c, but the last threads pass the token on without release.
#define PASS_ON(self) ((self) < 40 ? memory_order_release : memory_order_relaxed)
#include "../correct/threads_63_token.c"
