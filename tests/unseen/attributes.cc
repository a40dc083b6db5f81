#include <atomic>
[[gnu::no_sanitize("thread")]] static int f() { return 1; }
[[gnu::no_sanitize_thread]] static int g() { return 1; }
[[clang::no_sanitize("thread")]] static int h() { return 1; }
int main() { return f() - g() + h() - 1; }
