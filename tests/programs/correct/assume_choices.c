// expect: holds
// executions: 6
// args: --rand=4
// Open numbers, 4 x 4 of them: 6 pairs are in strict order.
#include <assert.h>

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    __VERIFIER_assume(a < b);
    assert(b > 0);
}
