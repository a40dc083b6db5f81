// expect: violated assertion
// args: --model=sc
// A structure is copied while another thread reads it: its members arrive one after the other, in the order
// of their addresses. The first may be there when the last is not.
#include <assert.h>
#include <pthread.h>
#include <string.h>
struct wide { long first, between, last; };
static struct wide shared;
static const struct wide source = {1, 1, 1};
static void *copy(void *unused) { memcpy(&shared, &source, sizeof shared); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    long first = shared.first, last = shared.last;
    assert(!first || last);
    pthread_join(thread, 0);
}
