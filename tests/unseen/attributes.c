#define unused __attribute__((unused))
#if defined(__has_attribute)
#if __has_attribute(no_sanitize_thread) || __has_attribute(no_sanitize)
#define NOTSAN __attribute__((no_sanitize_thread))
#endif
#endif
#ifndef NOTSAN
#define NOTSAN __attribute__((no_sanitize("thread")))
#endif
#define OTHER __attribute__((no_sanitize("thread", "address")))
NOTSAN static int f(void) { return 1; }
OTHER static int g(void) { return 1; }
__attribute__((noinline, __no_sanitize__("thread"))) static int h(void) { return 1; }
int main(void) { unused int x = f() + g(); return 0; }
