// expect: violated assertion
// args: --races=ignore
// As wrong/sizes_release.c: the reader that saw the other store need not see what was published.
#define BESIDE 0
#include "../correct/sizes_release.c"
