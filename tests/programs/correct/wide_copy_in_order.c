// expect: holds
// args: --model=sc
// executions: 3
// As wrong/wide_copy_torn.c, but the last member is read before the first: whoever finds the last one fresh
// finds the first one fresh, too. Both stale, the first one fresh, or both. The one between does not race.
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
    long last = shared.last, first = shared.first;
    assert(!last || first);
    pthread_join(thread, 0);
    assert(shared.between == 1);
}
