// expect: holds
// Every read-modify-write of <stdatomic.h>, on 1, 2, 4 and 8 bytes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static _Atomic uint8_t a = 0xf0;
static _Atomic uint16_t b = 0x00ff;
static _Atomic uint32_t c = 5;
static _Atomic uint64_t d = UINT64_C(1) << 40;
static uint32_t e = 5;
static void *one(void *arg)
{
    atomic_fetch_or(&a, 1);
    atomic_fetch_and(&b, 0xfff0);
    atomic_fetch_sub(&c, 2);
    atomic_fetch_xor(&d, 1);
    __atomic_sub_fetch(&e, 2, __ATOMIC_ACQ_REL);
    return arg;
}
static void *two(void *arg)
{
    atomic_fetch_or(&a, 2);
    atomic_fetch_and(&b, 0xff0f);
    atomic_fetch_add(&c, 4);
    __atomic_fetch_nand(&e, 0, __ATOMIC_SEQ_CST);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(a == 0xf3 && b == 0 && d == (UINT64_C(1) << 40) + 1);
    assert(c == 7);
    assert(e == UINT32_MAX || e == UINT32_MAX - 2); /* nand with 0 gives all ones, then perhaps - 2 */
    return 0;
}
