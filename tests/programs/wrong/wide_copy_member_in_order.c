// expect: violated assertion
// args: --model=sc
// The first member says that the structure was copied, and is copied first. That the second one races shows
// only in executions in which the first was seen fresh.
#include <assert.h>
#include <pthread.h>
#include <string.h>
struct wide { long first, second, third; };
static struct wide shared;
static const struct wide source = {1, 2, 3};
static void *copy(void *unused) { memcpy(&shared, &source, sizeof shared); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    if (shared.first)
        assert(shared.third == 3);
    pthread_join(thread, 0);
}
