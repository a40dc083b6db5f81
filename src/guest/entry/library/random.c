/* random.c: pseudo-random numbers of libc, and std::random_device. The sequence is virtual: it
 * depends on the calling thread and its seed alone, not on the order of threads, so an execution
 * can be repeated. A new thread's sequence is derived from its creator's. With
 * guest_options.rand_values rand() and its like give each number below that instead, and every
 * choice is explored: a program that uses rand() % n is then explored completely if n divides no
 * more than that. The answer says so, since the runtime can't know what becomes of the number. */
#include "guest/entry/guest.h"
#include <stdlib.h>
#include <sys/random.h>

int __wrap_rand(void);
void __wrap_srand(unsigned seed);
int __wrap_rand_r(unsigned *seed);
long __wrap_random(void);
void __wrap_srandom(unsigned seed);
double __wrap_drand48(void);
long __wrap_lrand48(void);
long __wrap_mrand48(void);
void __wrap_srand48(long seed);
ssize_t __wrap_getrandom(void *buffer, size_t bytes, unsigned flags);
int __wrap_getentropy(void *buffer, size_t bytes);
uint32_t __wrap_arc4random(void);
unsigned __wrap__ZNSt13random_device9_M_getvalEv(void *device);

/* splitmix64: every state gives an independent-looking word. */
static uint64_t mix(uint64_t state)
{
    state = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    state = (state ^ (state >> 27)) * UINT64_C(0x94d049bb133111eb);
    return state ^ (state >> 31);
}

static uint64_t step(void)
{
    GuestThread *self = guest_current();
    op_note_identity();
    guest_set(self->random, self->random + UINT64_C(0x9e3779b97f4a7c15));
    return mix(self->random);
}

/* Which of the few values is drawn is a choice; later ones are 0 once a thread has had its share of
 * others. */
static uint64_t choose(const void *pc)
{
    GuestThread *self = guest_current();
    unsigned values = guest_options.rand_values, most = guest_options.rand_others;
    if (most)
        op_warning("rand() gives 0 to %u only, and at most %u times a thread another than 0",
                   values - 1, most);
    else
        op_warning("rand() gives 0 to %u only", values - 1);
    if (values < 2 || (most && self->rand_others >= most))
        return 0;
    uint64_t value = op_choose(values, pc);
    if (value && most)
        guest_set(self->rand_others, self->rand_others + 1);
    return value;
}

/* 64 bits of the thread's virtual sequence. */
static uint64_t guest_random(const void *pc)
{
    if (op_active() && guest_options.rand_values)
        return choose(pc);
    if (op_active())
        op_warning("the program draws random numbers; one made-up sequence a thread is explored");
    return step();
}

uint64_t random_child(void)
{
    GuestThread *self = guest_current();
    return mix(self->random + self->created + 1);
}

static void reseed(uint64_t seed)
{
    GuestThread *self = guest_current();
    guest_set(self->random, mix(seed + 1));
}

GUEST int __wrap_rand(void)
{
    return (int)(guest_random(GUEST_PC) & 0x7fffffff);
}

GUEST void __wrap_srand(unsigned seed)
{
    reseed(seed);
}

GUEST int __wrap_rand_r(unsigned *seed)
{
    const void *pc = GUEST_PC;
    if (op_active() && guest_options.rand_values)
        return (int)choose(pc);
    guest_will_read(seed, sizeof *seed, pc);
    uint64_t next = mix(*seed + UINT64_C(0x9e3779b97f4a7c15));
    unsigned state = (unsigned)next;
    guest_store(seed, &state, sizeof state, pc);
    return (int)(next >> 33);
}

GUEST long __wrap_random(void)
{
    return (long)(guest_random(GUEST_PC) & 0x7fffffff);
}

GUEST void __wrap_srandom(unsigned seed)
{
    reseed(seed);
}

GUEST double __wrap_drand48(void)
{
    const void *pc = GUEST_PC;
    if (op_active() && guest_options.rand_values)
        return (double)choose(pc) / guest_options.rand_values;
    return (double)(guest_random(pc) >> 11) / 9007199254740992.0;
}

GUEST long __wrap_lrand48(void)
{
    return (long)(guest_random(GUEST_PC) & 0x7fffffff);
}

GUEST long __wrap_mrand48(void)
{
    return (long)(int32_t)guest_random(GUEST_PC);
}

GUEST void __wrap_srand48(long seed)
{
    reseed((uint64_t)seed);
}

GUEST uint32_t __wrap_arc4random(void)
{
    return (uint32_t)guest_random(GUEST_PC);
}

static void fill(void *buffer, size_t bytes, const void *pc)
{
    for (size_t done = 0; done < bytes; done += 8) {
        uint64_t word = guest_random(pc);
        guest_store((char *)buffer + done, &word, MIN(bytes - done, 8), pc);
    }
}

GUEST ssize_t __wrap_getrandom(void *buffer, size_t bytes, unsigned flags)
{
    (void)flags;
    fill(buffer, bytes, GUEST_PC);
    return (ssize_t)bytes;
}

GUEST int __wrap_getentropy(void *buffer, size_t bytes)
{
    fill(buffer, bytes, GUEST_PC);
    return 0;
}

/* std::random_device::_M_getval() */
GUEST unsigned __wrap__ZNSt13random_device9_M_getvalEv(void *device)
{
    (void)device;
    return (unsigned)guest_random(GUEST_PC);
}
