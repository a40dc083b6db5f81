#include <assert.h>
__attribute__((constructor)) static void begin(void) { assert(0 && "early"); }
int main(void) { return 0; }
