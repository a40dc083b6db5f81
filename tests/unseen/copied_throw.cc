// An exception passes through a library function that is watched: native code catches it.
#include <cassert>
#include <search.h>

static int compare(const void *, const void *)
{
    throw 5;
}

int main()
{
    void *root = nullptr;
    int one = 1, two = 2;
    tsearch(&one, &root, compare);
    try {
        tsearch(&two, &root, compare);
    } catch (int thrown) {
        assert(thrown == 5);
        return 0;
    }
    assert(!"it was thrown");
}
