// package: libck-dev
// options: --shape=2x2
// expect: rc11 holds
// Concurrency Kit's reader-writer lock with the port to the compiler's builtins (no pointers: compare
// ck_stack_builtin.c) and its fences for weak memory: readers see both variables or none of a write.
#define CK_USE_CC_BUILTINS 1
#define CK_MD_RMO
#include <heddle.h>
#include <ck_rwlock.h>
static ck_rwlock_t lock;
static int a, b;
HD_INIT { ck_rwlock_init(&lock); a = b = 0; }
HD_OP(increment) { ck_rwlock_write_lock(&lock); int v = ++a; b = a; ck_rwlock_write_unlock(&lock); return HD_INT(v); }
HD_OP(read) { ck_rwlock_read_lock(&lock); int v = a * 10 + b; ck_rwlock_read_unlock(&lock); return HD_INT(v); }
