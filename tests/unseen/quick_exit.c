#include <assert.h>
#include <stdlib.h>
static void f(void) { assert(0); }
int main(void) { at_quick_exit(f); quick_exit(0); }
