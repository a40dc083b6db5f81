#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x; static pthread_t t;
static void *f(void *a) { x = 1; return a; }
__attribute__((constructor)) static void begin(void) { pthread_create(&t, 0, f, 0); }
int main(void) {
#ifdef BAD
 assert(x == 1);
#endif
 int r = x; (void)r;
 pthread_join(t, 0); assert(x == 1); return 0; }
