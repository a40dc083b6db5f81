/* signals.c: what signals do, and which of them a thread blocks. A handler would run at any
 * instruction: it is accepted, since many programs only care for interruption by the user, and
 * never runs. What a signal does belongs to the process, so that the calls which set it or ask for
 * it are events, explored in all orders; they synchronise nothing. A mask is its thread's. */
#include <errno.h>
#include <signal.h>
#include "guest/entry/guest.h"
#include "guest/entry/library/hidden.h"

enum { LAST_SIGNAL = 64 };

typedef void (*Handler)(int);
Handler __wrap_signal(int signal, Handler handler);
int __wrap_sigaction(int signal, const struct sigaction *restrict new,
                     struct sigaction *restrict old);
int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);

static struct sigaction *actions; /* by the signal's number */

/* Its address is the same in a replay, since entry_setup calls this. */
void signals_setup(void)
{
    if (!actions)
        actions = op_permanent((LAST_SIGNAL + 1) * sizeof *actions);
}

/* 32 and 33 are the C library's own. */
static bool is_wrong(int number, bool changes)
{
    bool exists = number > 0 && number <= LAST_SIGNAL && number != 32 && number != 33;
    if (exists && !(changes && (number == SIGKILL || number == SIGSTOP)))
        return false;
    guest_errno(EINVAL);
    return true;
}

static void change(int number, const struct sigaction *new)
{
    if (new->sa_handler != SIG_IGN &&new->sa_handler != SIG_DFL)
        op_warning("the program installs a signal handler; it never runs");
    guest_put(&actions[number], new, sizeof *new);
}

GUEST Handler __wrap_signal(int number, Handler handler)
{
    if (!op_active())
        return signal(number, handler);
    if (is_wrong(number, true))
        return SIG_ERR;
    hidden_enter('S', 'o', GUEST_PC);
    Handler before = actions[number].sa_handler;
    struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaddset(&new.sa_mask, number);
    change(number, &new);
    hidden_leave('S', 'o', GUEST_PC);
    return before;
}

GUEST int __wrap_sigaction(int number, const struct sigaction *restrict new,
                           struct sigaction *restrict old)
{
    const void *pc = GUEST_PC;
    if (!op_active())
        return sigaction(number, new, old);
    if (is_wrong(number, new != NULL))
        return -1;
    if (new)
        guest_will_read(new, sizeof *new, pc);
    hidden_enter('S', 'o', pc);
    struct sigaction before = actions[number];
    if (new)
        change(number, new);
    hidden_leave('S', 'o', pc);
    if (old)
        guest_store(old, &before, sizeof before, pc);
    return 0;
}

/* ---- masks ---- */

static uint64_t bit_of(int number)
{
    return UINT64_C(1) << (number - 1);
}

/* Returns an error number. The kernel's set is the first word of the library's. */
static int mask(int how, const sigset_t *set, sigset_t *old, const void *pc)
{
    GuestThread *self = guest_current();
    uint64_t before = self->signal_mask, given = 0, after;
    if (set) {
        guest_will_read(set, sizeof given, pc);
        memcpy(&given, set, sizeof given);
        after = how == SIG_BLOCK ? before | given : how == SIG_UNBLOCK ? before & ~given : given;
        if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
            return EINVAL;
        after &= ~(bit_of(SIGKILL) | bit_of(SIGSTOP) | bit_of(32) | bit_of(33));
        if (after != before)
            guest_set(self->signal_mask, after);
    }
    if (old) {
        sigset_t told;
        sigemptyset(&told);
        memcpy(&told, &before, sizeof before);
        guest_store(old, &told, sizeof told, pc);
    }
    return 0;
}

GUEST int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!op_active())
        return sigprocmask(how, set, old);
    int problem = mask(how, set, old, GUEST_PC);
    if (problem)
        guest_errno(problem);
    return problem ? -1 : 0;
}

GUEST int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return op_active() ? mask(how, set, old, GUEST_PC) : sigprocmask(how, set, old);
}
