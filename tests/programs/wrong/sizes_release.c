// expect: violated race
// As correct/sizes_release.c, but the other store is to the same byte, and ends the release sequence.
#define BESIDE 0
#define CHECK (void)0 /* nothing but the race is wrong */
#include "../correct/sizes_release.c"
