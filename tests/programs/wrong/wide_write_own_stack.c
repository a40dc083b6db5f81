// expect: violated race
// A structure on the stack is overwritten while another thread uses its last member: the race is not in the
// first eight bytes.
#include <pthread.h>
#include <string.h>
struct wide { long first, second, third; };
static void *use(void *to) { ((struct wide *)to)->third = 1; return 0; }
int main(void)
{
    struct wide local;
    pthread_t thread;
    pthread_create(&thread, 0, use, &local);
    memset(&local, 0, sizeof local);
    pthread_join(thread, 0);
    return (int)local.first;
}
