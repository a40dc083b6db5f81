#include "guest/entry/sync/attributes.h"
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include "guest/entry/guest.h"
#include "guest/runtime/unseen.h"

/* In place of glibc's 56 bytes. A thread's stack and scheduling are the runtime's affair: the
 * values are kept and given back, and only `detached` has an effect. */
typedef struct Attributes {
    size_t stack_size, guard_size;
    void *stack;
    int detached, scope, inherit, policy, priority;
} Attributes;
_Static_assert(sizeof(Attributes) <= sizeof(pthread_attr_t), "no room in pthread_attr_t");

bool attributes_detached(const pthread_attr_t *attributes)
{
    return ((const Attributes *)attributes)->detached == PTHREAD_CREATE_DETACHED;
}

GUEST int pthread_attr_init(pthread_attr_t *attributes)
{
    Attributes fresh = {.stack_size = 8 << 20, .guard_size = 4096};
    guest_store(attributes, &fresh, sizeof fresh, GUEST_PC);
    return 0;
}

GUEST int pthread_attr_destroy(pthread_attr_t *attributes)
{
    (void)attributes;
    return 0;
}

/* FIELD(name, argument type, field, which values are allowed) */
#define FIELD(name, type, field, allowed)                                                          \
    GUEST int pthread_attr_set##name(pthread_attr_t *attributes, type value)                       \
    {                                                                                              \
        Attributes *own = (Attributes *)attributes;                                                \
        if (!(allowed))                                                                            \
            return EINVAL;                                                                         \
        guest_store(&own->field, &value, sizeof value, GUEST_PC);                                  \
        return 0;                                                                                  \
    }                                                                                              \
    GUEST int pthread_attr_get##name(const pthread_attr_t *restrict attributes,                    \
                                     type *restrict value)                                         \
    {                                                                                              \
        const Attributes *own = (const Attributes *)attributes;                                    \
        guest_store(value, &own->field, sizeof *value, GUEST_PC);                                  \
        return 0;                                                                                  \
    }
FIELD(detachstate, int, detached,
      value == PTHREAD_CREATE_JOINABLE || value == PTHREAD_CREATE_DETACHED)
FIELD(stacksize, size_t, stack_size, value >= (size_t)PTHREAD_STACK_MIN)
FIELD(guardsize, size_t, guard_size, true)
FIELD(scope, int, scope, value == PTHREAD_SCOPE_SYSTEM)
FIELD(inheritsched, int, inherit, value == PTHREAD_INHERIT_SCHED || value == PTHREAD_EXPLICIT_SCHED)
FIELD(schedpolicy, int, policy, value == SCHED_OTHER || value == SCHED_FIFO || value == SCHED_RR)

GUEST int pthread_attr_setschedparam(pthread_attr_t *restrict attributes,
                                     const struct sched_param *restrict parameter)
{
    Attributes *own = (Attributes *)attributes;
    guest_store(&own->priority, &parameter->sched_priority, sizeof(int), GUEST_PC);
    return 0;
}

GUEST int pthread_attr_getschedparam(const pthread_attr_t *restrict attributes,
                                     struct sched_param *restrict parameter)
{
    const Attributes *own = (const Attributes *)attributes;
    guest_store(&parameter->sched_priority, &own->priority, sizeof(int), GUEST_PC);
    return 0;
}

GUEST int pthread_attr_setstack(pthread_attr_t *attributes, void *stack, size_t bytes)
{
    Attributes *own = (Attributes *)attributes;
    if (bytes < (size_t)PTHREAD_STACK_MIN)
        return EINVAL;
    guest_store(&own->stack, &stack, sizeof stack, GUEST_PC);
    guest_store(&own->stack_size, &bytes, sizeof bytes, GUEST_PC);
    return 0;
}

GUEST int pthread_attr_getstack(const pthread_attr_t *restrict attributes, void **restrict stack,
                                size_t *restrict bytes)
{
    const Attributes *own = (const Attributes *)attributes;
    guest_store(stack, &own->stack, sizeof *stack, GUEST_PC);
    guest_store(bytes, &own->stack_size, sizeof *bytes, GUEST_PC);
    return 0;
}

GUEST int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t bytes,
                                      const cpu_set_t *set)
{
    (void)attributes, (void)bytes, (void)set;
    return 0;
}

GUEST int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    (void)thread, (void)attributes;
    if (op_active())
        op_unsupported_at(GUEST_PC, "the program asks where its stacks are (pthread_getattr_np)");
    return ENOSYS;
}

/* ---- scheduling: hints without effect ----
 * What was set is not kept: where a program asks for it that may have set it before, or beside, the
 * call is named as unseen. */

static void note_scheduling(bool sets, const char *name, const void *pc)
{
    static bool is_set, is_asked; /* in any execution */
    if (!op_active())
        return;
    is_set |= sets;
    is_asked |= !sets && (op_others_exist() || guest_thread(0)->schedules);
    if (sets && !guest_thread(0)->schedules)
        guest_set(guest_thread(0)->schedules, 1);
    if (is_set && is_asked)
        unseen_call(name, (uintptr_t)pc);
}
#define SCHEDULING(sets) note_scheduling(sets, __func__ + (__func__[0] == '_' ? 7 : 0), GUEST_PC)

int __wrap_nice(int more);
int __wrap_setpriority(__priority_which_t which, id_t who, int priority);
int __wrap_getpriority(__priority_which_t which, id_t who);
int __wrap_sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set);
int __wrap_sched_setscheduler(pid_t process, int policy, const struct sched_param *parameter);
int __wrap_sched_getscheduler(pid_t process);
int __wrap_sched_setparam(pid_t process, const struct sched_param *parameter);
int __wrap_sched_getparam(pid_t process, struct sched_param *parameter);

GUEST int __wrap_nice(int more)
{
    SCHEDULING(true);
    return more;
}

GUEST int __wrap_setpriority(__priority_which_t which, id_t who, int priority)
{
    (void)which, (void)who, (void)priority;
    SCHEDULING(true);
    return 0;
}

GUEST int __wrap_getpriority(__priority_which_t which, id_t who)
{
    (void)which, (void)who;
    SCHEDULING(false);
    return 0;
}

GUEST int __wrap_sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set)
{
    (void)process, (void)bytes, (void)set;
    SCHEDULING(true);
    return 0;
}

GUEST int __wrap_sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    (void)process;
    return pthread_getaffinity_np(0, bytes, set);
}

GUEST int __wrap_sched_setscheduler(pid_t process, int policy, const struct sched_param *parameter)
{
    (void)process, (void)policy, (void)parameter;
    SCHEDULING(true);
    return 0;
}

GUEST int __wrap_sched_getscheduler(pid_t process)
{
    (void)process;
    SCHEDULING(false);
    return SCHED_OTHER;
}

GUEST int __wrap_sched_setparam(pid_t process, const struct sched_param *parameter)
{
    (void)process, (void)parameter;
    SCHEDULING(true);
    return 0;
}

GUEST int __wrap_sched_getparam(pid_t process, struct sched_param *parameter)
{
    (void)process;
    int zero = 0;
    SCHEDULING(false);
    guest_store(&parameter->sched_priority, &zero, sizeof zero, GUEST_PC);
    return 0;
}

GUEST int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameter)
{
    (void)thread, (void)policy, (void)parameter;
    SCHEDULING(true);
    return 0;
}

GUEST int pthread_getschedparam(pthread_t thread, int *restrict policy,
                                struct sched_param *restrict parameter)
{
    int other = SCHED_OTHER, zero = 0;
    (void)thread;
    SCHEDULING(false);
    guest_store(policy, &other, sizeof other, GUEST_PC);
    guest_store(&parameter->sched_priority, &zero, sizeof zero, GUEST_PC);
    return 0;
}

GUEST int pthread_setschedprio(pthread_t thread, int priority)
{
    (void)thread, (void)priority;
    SCHEDULING(true);
    return 0;
}

GUEST int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
    (void)thread, (void)bytes, (void)set;
    SCHEDULING(true);
    return 0;
}

GUEST int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set)
{
    (void)thread;
    SCHEDULING(false);
    guest_will_write(set, bytes, GUEST_PC);
    memset(set, 0, bytes);
    CPU_SET_S(0, bytes, set);
    CPU_SET_S(1, bytes, set);
    return 0;
}

GUEST int pthread_setname_np(pthread_t thread, const char *name)
{
    (void)thread;
    guest_will_read(name, strlen(name) + 1, GUEST_PC);
    return strlen(name) < 16 ? 0 : ERANGE;
}

GUEST int pthread_getname_np(pthread_t thread, char *name, size_t bytes)
{
    (void)thread;
    if (bytes < 1)
        return ERANGE;
    guest_store(name, "", 1, GUEST_PC);
    return 0;
}

GUEST int pthread_setconcurrency(int level)
{
    return level < 0 ? EINVAL : 0;
}

GUEST int pthread_getconcurrency(void)
{
    return 0;
}

GUEST int pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
    clockid_t monotonic = CLOCK_MONOTONIC;
    (void)thread;
    guest_store(clock, &monotonic, sizeof monotonic, GUEST_PC);
    return 0;
}
