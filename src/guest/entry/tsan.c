/* tsan.c: the functions that gcc and clang call for every access of code compiled with
 * -fsanitize=thread. Plain accesses are checked in place; atomics become requests. The program uses
 * the value that an atomic hook returns, so a stale value can be handed out. Before main (static
 * constructors) and after it the native operation is done. */
#include "guest/runtime/callers.h"
#include "guest/explore/graph/promises.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/arch.h"
#include "guest/runtime/fiber.h"
#include "guest/entry/guest.h"
#include "guest/entry/orders.h"
#include "guest/runtime/request.h"
#include "guest/explore/memory/returned.h"
#include "guest/explore/memory/volatile.h"
#include <string.h>

#define PC __builtin_return_address(0)
__extension__ typedef unsigned __int128 Wide;

/* op_active, inline: plain accesses are many. (The hooks of atomics call it: their frames, on which
 * requests are made, are what tool/instrument/liveness/liveness.c can follow.) */
static inline bool is_explored(void)
{
    return fiber_current >= 0;
}
GUEST void __tsan_init(void);
GUEST void __tsan_func_entry(void *pc);
GUEST void __tsan_func_exit(void);
void __tsan_init(void)
{
}
/* The program's stack pointer at the call of a hook. */
#define SP ((char *)__builtin_dwarf_cfa())
void __tsan_func_entry(void *pc)
{
    if (UNLIKELY(returned_is_wanted() && is_explored()))
        returned_enter(SP);
    if (UNLIKELY(callers_kept))
        callers_enter(pc, PC);
}
void __tsan_func_exit(void)
{
    if (UNLIKELY(deferred.address) && op_active())
        deferred_leave_frame();
    if (UNLIKELY(returned_is_wanted() && is_explored())) {
        char *frame = *(void **)__builtin_frame_address(0);
        /* gcc makes jumps of calls at the end */
        bool jumped = !arch_is_call_of(PC, __extension__(const void *) __tsan_func_exit);
        returned_leave(SP, frame, jumped, PC);
    }
    if (UNLIKELY(callers_kept))
        callers_leave();
}

/* ---- plain accesses ---- */
/* Notes what rbp holds, in hooks of loads; __builtin_frame_address makes it the first word of the
 * hook's frame. */
#define NOTE_RBP()                                                                                 \
    do {                                                                                           \
        if (UNLIKELY(deferred.address))                                                            \
            deferred_hook = (DeferredHook){PC, *(void **)__builtin_frame_address(0)};              \
    } while (0)
#define PLAIN(kind, bytes)                                                                         \
    GUEST void __tsan_##kind##read##bytes(void *p);                                                \
    GUEST void __tsan_##kind##write##bytes(void *p);                                               \
    GUEST void __tsan_##kind##read_write##bytes(void *p);                                          \
    GUEST void __tsan_##kind##volatile_read##bytes(void *p);                                       \
    GUEST void __tsan_##kind##volatile_write##bytes(void *p);                                      \
    void __tsan_##kind##read##bytes(void *p)                                                       \
    {                                                                                              \
        if (LIKELY(is_explored())) {                                                               \
            NOTE_RBP();                                                                            \
            op_plain_read(p, bytes, PC);                                                           \
        }                                                                                          \
    }                                                                                              \
    void __tsan_##kind##write##bytes(void *p)                                                      \
    {                                                                                              \
        if (LIKELY(is_explored()))                                                                 \
            op_plain_write(p, bytes, PC);                                                          \
    }                                                                                              \
    void __tsan_##kind##read_write##bytes(void *p)                                                 \
    {                                                                                              \
        if (LIKELY(is_explored())) {                                                               \
            NOTE_RBP();                                                                            \
            op_plain_read(p, bytes, PC);                                                           \
            op_plain_write(p, bytes, PC);                                                          \
        }                                                                                          \
    }                                                                                              \
    void __tsan_##kind##volatile_read##bytes(void *p)                                              \
    {                                                                                              \
        if (LIKELY(is_explored())) {                                                               \
            NOTE_RBP();                                                                            \
            volatile_read(p, bytes, PC);                                                           \
        }                                                                                          \
    }                                                                                              \
    void __tsan_##kind##volatile_write##bytes(void *p)                                             \
    {                                                                                              \
        if (LIKELY(is_explored()))                                                                 \
            volatile_write(p, bytes, PC);                                                          \
    }
PLAIN(, 1)
PLAIN(, 2)
PLAIN(, 4)
PLAIN(, 8)
PLAIN(, 16)
PLAIN(unaligned_, 2)
PLAIN(unaligned_, 4)
PLAIN(unaligned_, 8)
PLAIN(unaligned_, 16)

GUEST void __tsan_read_range(void *p, size_t bytes);
GUEST void __tsan_write_range(void *p, size_t bytes);
GUEST void __tsan_vptr_update(void **p, void *value);
GUEST void __tsan_vptr_read(void **p);
void __tsan_read_range(void *p, size_t bytes)
{
    if (op_active()) {
        NOTE_RBP();
        op_plain_read(p, bytes, PC);
    }
}
void __tsan_write_range(void *p, size_t bytes)
{
    if (op_active())
        op_plain_write(p, bytes, PC);
}
void __tsan_vptr_update(void **p, void *value)
{
    if (op_active() && *p != value) /* writing the pointer that is there already is no race */
        op_plain_write(p, sizeof *p, PC);
}
void __tsan_vptr_read(void **p)
{
    if (op_active()) {
        NOTE_RBP();
        op_plain_read(p, sizeof *p, PC);
    }
}

/* ---- atomics ---- */

/* The operation that is made in place of another one; it fits two registers. */
typedef struct NotedOrder {
    OrderSite *site; /* NULL: as written */
    int order;
} NotedOrder;

/* Performs the fence that `heddle repair` tries before an operation. Others use `request`
 * meanwhile. */
__attribute__((noinline)) static void fence_before(const OrderSite *site, const void *pc)
{
    uint8_t op = request.op;
    op_fence(site->fence_before, pc);
    request.op = op;
}

/* Performs the fence that `heddle repair` tries after an operation, whose reply stays. */
__attribute__((noinline)) static void fence_after(const OrderSite *site, const void *pc)
{
    Reply kept = reply;
    op_fence(site->fence_after, pc);
    reply = kept;
}

/* Off the way: only `heddle weaken` and `heddle repair` want to know the orders, or others in their
 * place. */
__attribute__((noinline)) static NotedOrder noted_order(RequestKind kind, int order, const void *pc)
{
    OrderOperation operation = kind == REQUEST_LOAD    ? ORDER_OF_LOAD
                               : kind == REQUEST_STORE ? ORDER_OF_STORE
                               : kind == REQUEST_FENCE ? ORDER_OF_FENCE
                                                       : ORDER_OF_RMW;
    OrderSite *site = orders_apply(operation, pc, &order, NULL);
    if (site)
        __atomic_fetch_or(&site->used, ORDER_USED_SUCCESS, __ATOMIC_RELAXED);
    if (site && site->fence_before)
        fence_before(site, pc);
    return (NotedOrder){.site = site, .order = order};
}

/* C and C++ give such an access no meaning, and processors tear it or trap: mostly a pointer with a
 * tag that was not taken off. */
__attribute__((noinline)) NORETURN static void refuse_misaligned(const void *address, unsigned size,
                                                                 const void *pc)
{
    op_violation(VIOLATION_MISUSE, pc,
                 "an atomic access of %u bytes to the address %p, which is no multiple of %u", size,
                 address, size);
}

static inline void submit(RequestKind kind, void *address, unsigned size, Wide value, int order,
                          const void *pc)
{
    if (UNLIKELY((uintptr_t)address & (size - 1)))
        refuse_misaligned(address, size, pc);
    NotedOrder noted = {.order = order};
    if (UNLIKELY(orders_table) && kind != REQUEST_CAS)
        noted = noted_order(kind, order, pc);
    request.kind = (uint8_t)kind;
    request.order = (uint8_t)noted.order;
    request.size = (uint8_t)size;
    request.plain = 0;
    request.locked = 0;
    request.address = address;
    request.operand = (uint64_t)value;
    request.operand_high = (uint64_t)(value >> 64);
    request.pc = pc;
    request_submit();
    if (UNLIKELY(noted.site != NULL) && noted.site->fence_after)
        fence_after(noted.site, pc);
}

static inline Wide replied(void)
{
    return (Wide)reply.value_high << 64 | reply.value;
}

static Wide atomic_rmw(void *address, unsigned size, RmwOp op, Wide operand, int order,
                       const void *pc)
{
    request.op = (uint8_t)op;
    submit(REQUEST_RMW, address, size, operand, order, pc);
    return replied();
}

/* The orders of a compare-exchange; it fits two registers. */
typedef struct CasOrders {
    OrderSite *site;
    uint8_t success, failure;
} CasOrders;

/* Off the way, and apart: variables whose addresses are taken make bytes of their frame live that
 * nobody has written, so that atomic_cas would not be in the same state twice. */
__attribute__((noinline)) static CasOrders noted_cas_orders(int success, int failure,
                                                            const void *pc)
{
    OrderSite *site = orders_apply(ORDER_OF_CAS, pc, &success, &failure);
    if (site && site->fence_before)
        fence_before(site, pc);
    return (CasOrders){.site = site, .success = (uint8_t)success, .failure = (uint8_t)failure};
}

__attribute__((noinline)) static void note_cas(OrderSite *site, const void *pc)
{
    __atomic_fetch_or(&site->used, reply.success ? ORDER_USED_SUCCESS : ORDER_USED_FAILURE,
                      __ATOMIC_RELAXED);
    if (site->fence_after)
        fence_after(site, pc);
}

static bool atomic_cas(void *address, unsigned size, Wide *expected, Wide desired, int success,
                       int failure, bool weak, const void *pc)
{
    CasOrders orders = {.success = (uint8_t)success, .failure = (uint8_t)failure};
    if (UNLIKELY(orders_table))
        orders = noted_cas_orders(success, failure, pc);
    request.op = RMW_EXCHANGE;
    request.failure_order = orders.failure;
    request.weak = weak;
    request.expected = (uint64_t)*expected;
    request.expected_high = (uint64_t)(*expected >> 64);
    submit(REQUEST_CAS, address, size, desired, orders.success, pc);
    *expected = replied();
    if (UNLIKELY(orders.site != NULL))
        note_cas(orders.site, pc);
    return reply.success;
}

/* A compare-exchange that tells what it has found and nothing else. clang calls this for strong
 * ones and for weak ones, and takes it for a success if the value fits: one that fails for no
 * reason can't be told. */
static void cas_by_value(void *address, unsigned size, Wide *expected, Wide desired, int success,
                         int failure, const void *pc)
{
    if (UNLIKELY(guest_options.weak_cas))
        op_unsupported_at(pc, "with clang weak compare-exchanges can't be told from strong ones: "
                              "--weak-cas needs gcc");
    atomic_cas(address, size, expected, desired, success, failure, false, pc);
}

/* The expected value of a compare-exchange is plain memory, often but not always a local. */
static Wide read_expected(const void *p, unsigned size, const void *pc)
{
    op_plain_read(p, size, pc);
    Wide value = 0;
    memcpy(&value, p, size);
    return value;
}

static void write_expected(void *p, unsigned size, Wide value, const void *pc)
{
    op_plain_write(p, size, pc);
    memcpy(p, &value, size);
}

/* Each operation is defined for the hooks of the sanitizer, and for libatomic's functions of 16
 * bytes, which clang calls without -mcx16 (and from version 19 on, some of them even with it). */
#define DEFINE_LOAD(function, bytes, Type)                                                         \
    Type function(const volatile Type *p, int order)                                               \
    {                                                                                              \
        if (UNLIKELY(!op_active()))                                                                \
            return *p;                                                                             \
        guest_before_load(p, PC);                                                                  \
        if (UNLIKELY(promises.makes) && (bytes) <= 8)                                              \
            return (Type)op_load_by_promise((const void *)(uintptr_t)p, bytes, order, PC);         \
        submit(REQUEST_LOAD, (void *)(uintptr_t)p, bytes, 0, order, PC);                           \
        return (Type)replied();                                                                    \
    }
#define DEFINE_STORE(function, bytes, Type)                                                        \
    void function(volatile Type *p, Type v, int order)                                             \
    {                                                                                              \
        if (LIKELY(op_active()))                                                                   \
            submit(REQUEST_STORE, (void *)(uintptr_t)p, bytes, v, order, PC);                      \
        else                                                                                       \
            *p = v;                                                                                \
    }
#define DEFINE_FETCH(function, bytes, Type, op, expression)                                        \
    Type function(volatile Type *p, Type v, int order)                                             \
    {                                                                                              \
        if (LIKELY(op_active()))                                                                   \
            return (Type)atomic_rmw((void *)(uintptr_t)p, bytes, op, v, order, PC);                \
        Type old = *p;                                                                             \
        *p = (Type)(expression);                                                                   \
        return old;                                                                                \
    }
#define DEFINE_CAS(function, bytes, Type, Result, is_weak)                                         \
    Result function(volatile Type *p, Type *e, Type v, int success, int failure)                   \
    {                                                                                              \
        if (LIKELY(op_active())) {                                                                 \
            Wide expected = read_expected(e, bytes, PC);                                           \
            if (atomic_cas((void *)(uintptr_t)p, bytes, &expected, v, success, failure, is_weak,   \
                           PC))                                                                    \
                return 1;                                                                          \
            write_expected(e, bytes, expected, PC);                                                \
            return 0;                                                                              \
        }                                                                                          \
        Type old = *p;                                                                             \
        if (old == *e) {                                                                           \
            *p = v;                                                                                \
            return 1;                                                                              \
        }                                                                                          \
        *e = old;                                                                                  \
        return 0;                                                                                  \
    }
#define EACH_FETCH(X, bits, Type)                                                                  \
    X(bits, Type, exchange, RMW_EXCHANGE, v)                                                       \
    X(bits, Type, fetch_add, RMW_ADD, old + v)                                                     \
    X(bits, Type, fetch_sub, RMW_SUB, old - v)                                                     \
    X(bits, Type, fetch_and, RMW_AND, old &v)                                                      \
    X(bits, Type, fetch_or, RMW_OR, old | v)                                                       \
    X(bits, Type, fetch_xor, RMW_XOR, old ^ v)                                                     \
    X(bits, Type, fetch_nand, RMW_NAND, ~(old & v))

#define ATOMIC_FETCH(bits, Type, name, op, expression)                                             \
    GUEST Type __tsan_atomic##bits##_##name(volatile Type *p, Type v, int order);                  \
    DEFINE_FETCH(__tsan_atomic##bits##_##name, bits / 8, Type, op, expression)
#define ATOMIC_CAS(bits, Type, name, is_weak)                                                      \
    GUEST int __tsan_atomic##bits##_##name(volatile Type *p, Type *e, Type v, int success,         \
                                           int failure);                                           \
    DEFINE_CAS(__tsan_atomic##bits##_##name, bits / 8, Type, int, is_weak)
#define ATOMIC(bits, Type)                                                                         \
    GUEST Type __tsan_atomic##bits##_load(const volatile Type *p, int order);                      \
    GUEST void __tsan_atomic##bits##_store(volatile Type *p, Type v, int order);                   \
    GUEST Type __tsan_atomic##bits##_compare_exchange_val(volatile Type *p, Type e, Type v,        \
                                                          int success, int failure);               \
    DEFINE_LOAD(__tsan_atomic##bits##_load, bits / 8, Type)                                        \
    DEFINE_STORE(__tsan_atomic##bits##_store, bits / 8, Type)                                      \
    Type __tsan_atomic##bits##_compare_exchange_val(volatile Type *p, Type e, Type v, int success, \
                                                    int failure)                                   \
    {                                                                                              \
        if (LIKELY(op_active())) {                                                                 \
            Wide expected = e;                                                                     \
            cas_by_value((void *)(uintptr_t)p, bits / 8, &expected, v, success, failure, PC);      \
            return (Type)expected;                                                                 \
        }                                                                                          \
        Type old = *p;                                                                             \
        if (old == e)                                                                              \
            *p = v;                                                                                \
        return old;                                                                                \
    }                                                                                              \
    ATOMIC_CAS(bits, Type, compare_exchange_strong, false)                                         \
    ATOMIC_CAS(bits, Type, compare_exchange_weak, true)                                            \
    EACH_FETCH(ATOMIC_FETCH, bits, Type)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
ATOMIC(128, Wide)

GUEST void __tsan_atomic_thread_fence(int order);
GUEST void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    if (op_active())
        op_fence(UNLIKELY(orders_table) ? noted_order(REQUEST_FENCE, order, PC).order : order, PC);
}
void __tsan_atomic_signal_fence(int order)
{
    (void)order; /* orders a thread with its own signal handlers only */
}

/* ---- libatomic's calls: clang makes them for 16 bytes ---- */
/* The compiler knows these names as built-ins of another type, hence the assembler names. */
#define WIDE_FETCH(bits, Type, name, op, expression)                                               \
    GUEST Type wide_##name(volatile Type *p, Type v, int order) __asm__("__atomic_" #name "_16");  \
    DEFINE_FETCH(wide_##name, sizeof(Type), Type, op, expression)
GUEST Wide wide_load(const volatile Wide *p, int order) __asm__("__atomic_load_16");
GUEST void wide_store(volatile Wide *p, Wide v, int order) __asm__("__atomic_store_16");
GUEST bool wide_cas(volatile Wide *p, Wide *e, Wide v, int success,
                    int failure) __asm__("__atomic_compare_exchange_16");
DEFINE_LOAD(wide_load, sizeof(Wide), Wide)
DEFINE_STORE(wide_store, sizeof(Wide), Wide)
DEFINE_CAS(wide_cas, sizeof(Wide), Wide, bool, false)
EACH_FETCH(WIDE_FETCH, 128, Wide)

GUEST void generic_load(size_t bytes, const void *p, void *result,
                        int order) __asm__("__atomic_load");
GUEST void generic_store(size_t bytes, void *p, const void *value,
                         int order) __asm__("__atomic_store");
GUEST void generic_exchange(size_t bytes, void *p, const void *value, void *result,
                            int order) __asm__("__atomic_exchange");
GUEST bool generic_cas(size_t bytes, void *p, void *expected, const void *desired, int success,
                       int failure) __asm__("__atomic_compare_exchange");

static void check_size(size_t bytes, const void *pc)
{
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)
        op_unsupported_at(pc,
                          "an atomic object of %zu bytes: only 1, 2, 4, 8 and 16 can be explored; "
                          "guard a plain object by a mutex, or make this one smaller",
                          bytes);
}

void generic_load(size_t bytes, const void *p, void *result, int order)
{
    if (!op_active()) {
        memcpy(result, p, bytes);
        return;
    }
    check_size(bytes, PC);
    submit(REQUEST_LOAD, (void *)(uintptr_t)p, (unsigned)bytes, 0, order, PC);
    write_expected(result, (unsigned)bytes, replied(), PC);
}

void generic_store(size_t bytes, void *p, const void *value, int order)
{
    if (!op_active()) {
        memcpy(p, value, bytes);
        return;
    }
    check_size(bytes, PC);
    submit(REQUEST_STORE, p, (unsigned)bytes, read_expected(value, (unsigned)bytes, PC), order, PC);
}

void generic_exchange(size_t bytes, void *p, const void *value, void *result, int order)
{
    if (!op_active()) {
        char old[16];
        memcpy(old, p, MIN(bytes, sizeof old));
        memcpy(p, value, bytes);
        memcpy(result, old, MIN(bytes, sizeof old));
        return;
    }
    check_size(bytes, PC);
    Wide operand = read_expected(value, (unsigned)bytes, PC);
    Wide old = atomic_rmw(p, (unsigned)bytes, RMW_EXCHANGE, operand, order, PC);
    write_expected(result, (unsigned)bytes, old, PC);
}

bool generic_cas(size_t bytes, void *p, void *expected, const void *desired, int success,
                 int failure)
{
    if (!op_active()) {
        bool same = memcmp(p, expected, bytes) == 0;
        memcpy(same ? p : expected, same ? desired : p, bytes);
        return same;
    }
    check_size(bytes, PC);
    Wide wanted = read_expected(expected, (unsigned)bytes, PC);
    Wide value = read_expected(desired, (unsigned)bytes, PC);
    if (atomic_cas(p, (unsigned)bytes, &wanted, value, success, failure, false, PC))
        return true;
    write_expected(expected, (unsigned)bytes, wanted, PC);
    return false;
}

/* std::atomic<T>::is_lock_free where the compiler leaves it to libatomic. clang lets nobody define
 * a function of that name: so it has another one in C. */
GUEST bool heddle__is_lock_free(size_t bytes,
                                const volatile void *address) __asm__("__atomic_is_lock_free");
bool heddle__is_lock_free(size_t bytes, const volatile void *address)
{
    return bytes <= 16 && !(bytes & (bytes - 1)) && !((uintptr_t)address & (bytes - 1));
}
