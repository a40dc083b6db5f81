// expect: violated race or violated assertion
// As correct/sizes_release.c, but the other store is to the same byte, and ends the release sequence.
#define BESIDE 0
#include "../correct/sizes_release.c"
