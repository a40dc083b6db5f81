/* heddle.h: what a test file declares for `heddle check`: how the object under test is set up and the
 * operations that threads may call on it, with representative arguments. Nothing else is needed: tests
 * are made from these, and what is correct is observed from serial runs.
 *
 *     #include <heddle.h>
 *     #include "queue.h"
 *     static struct queue q;
 *     HD_INIT { queue_init(&q); }
 *     HD_OP(put, int, v, 1, 2) { queue_put(&q, v); return HD_VOID; }
 *     HD_OP(get)               { int v; return queue_get(&q, &v) ? HD_INT(v) : HD_NONE; }
 *
 * Compiles as C11 and as C++11, with gcc and clang. heddle(7) has the whole language. */
#ifndef HEDDLE_H
#define HEDDLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <string>
#include <type_traits>
extern "C" {
#endif

/* ---- values: what operations take and give ---- */

enum { HEDDLE_VOID, HEDDLE_NONE, HEDDLE_INT, HEDDLE_BOOL, HEDDLE_TEXT, HEDDLE_ARRAY, HEDDLE_WAIT };
#define HEDDLE_ITEMS 32
typedef struct HdValue {
    int kind;
    int count;               /* of items */
    long long integer;       /* also of a bool */
    const char *text;        /* copied when the operation returns */
    long long items[HEDDLE_ITEMS];
} HdValue;

/* Calls and arguments, as Heddle reads them. */
typedef HdValue HeddleCall(const HdValue *arguments);
typedef struct HeddleOperation {
    const char *name;
    HeddleCall *call;
    int parameter_count;
    const HdValue *values[2]; /* of each parameter */
    int value_count[2];
    const char *file;
    int line;
    const char *object; /* of HD_OP_OF; else 0 */
} HeddleOperation;
typedef struct HeddleSetting { /* one line of the test file that is no operation */
    const char *key;           /* "init", "after", "invariant", "spec", "quasi", "single", "scenario",
                                  "reference", "golden_init", "may_block", "may_fail", "async", "unbounded", "first", "last", "sequence" */
    const char *text;
    void (*run)(void);
    bool (*holds)(void);
    const char *file;
    int line;
} HeddleSetting;

/* A choice from 0 to count-1 that is explored, not sampled. */
unsigned heddle_choose(unsigned count) __attribute__((weak));
/* Executions in which this is 0 do not count. */
void heddle_assume(int holds) __attribute__((weak));
/* Behind HD_BEGIN and HD_END; COUNT arguments of type HdValue follow NAME. */
void heddle_begin(const volatile void *object, const char *expression, const char *file, int line, int count,
                  const char *name, ...) __attribute__((weak));
void heddle_end(HdValue result, const char *file, int line) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
inline HdValue heddle_make(int kind, long long integer, const char *text)
{
    HdValue value = HdValue();
    value.kind = kind;
    value.integer = integer;
    value.text = text;
    return value;
}
inline HdValue heddle_value(const char *text) { return heddle_make(HEDDLE_TEXT, 0, text); }
inline HdValue heddle_value(bool truth) { return heddle_make(HEDDLE_BOOL, truth, 0); }
template <class T> inline HdValue heddle_value(T number)
{
    return heddle_make(HEDDLE_INT, static_cast<long long>(number), 0);
}
template <class T> inline typename std::enable_if<!std::is_pointer<T>::value && !std::is_class<T>::value, T>::type
heddle_argument(const HdValue &v)
{
    return static_cast<T>(v.integer);
}
template <class T> inline typename std::enable_if<std::is_pointer<T>::value || std::is_class<T>::value, T>::type
heddle_argument(const HdValue &v)
{
    return T(v.text);
}
#define HEDDLE_VALUE(x) heddle_value(x)
#define HEDDLE_ARGUMENT(Type, v) heddle_argument<Type>(v)
#define HEDDLE_UNUSED __attribute__((unused))
#else
static inline __attribute__((unused)) HdValue heddle_make(int kind, long long integer, const char *text)
{
    HdValue value = {kind, 0, integer, text, {0}};
    return value;
}
#define HEDDLE_VALUE(x)                                                                            \
    {_Generic((x), char *: HEDDLE_TEXT, const char *: HEDDLE_TEXT, bool: HEDDLE_BOOL,              \
              default: HEDDLE_INT),                                                                \
     0, _Generic((x), char *: 0, const char *: 0, default: (x)),                                   \
     _Generic((x), char *: (x), const char *: (x), default: (const char *)0), {0}}
#define HEDDLE_ARGUMENT(Type, v)                                                                   \
    ((Type)_Generic((Type)0, char *: (v).text, const char *: (v).text, default: (v).integer))
#define HEDDLE_UNUSED __attribute__((unused))
#endif

#define HD_VOID heddle_make(HEDDLE_VOID, 0, 0)
#define HD_NONE heddle_make(HEDDLE_NONE, 0, 0)
#define HD_INT(x) heddle_make(HEDDLE_INT, (long long)(x), 0)
#define HD_BOOL(x) heddle_make(HEDDLE_BOOL, (x) ? 1 : 0, 0)
#define HD_STR(x) heddle_make(HEDDLE_TEXT, 0, (x))
#define HD_ARRAY(pointer, count_) heddle_array((pointer), (int)(count_))
#define heddle_array(pointer, n)                                                                   \
    __extension__({                                                                                \
        HdValue heddle_result = heddle_make(HEDDLE_ARRAY, 0, 0);                                   \
        heddle_result.count = (n); /* more than fit are an error */                                \
        for (int heddle_i = 0; heddle_i < heddle_result.count && heddle_i < HEDDLE_ITEMS;          \
             heddle_i++)                                                                           \
            heddle_result.items[heddle_i] = (long long)(pointer)[heddle_i];                        \
        heddle_result;                                                                             \
    })

/* A function that ends without a return gives back rubbish: from the first operation on that is an error. */
#define HEDDLE_MUST_RETURN _Pragma("GCC diagnostic error \"-Wreturn-type\"")

/* ---- registration: pointers in a section of the program ---- */

#define HEDDLE_REGISTER(section_, Type, id, ...)                                                   \
    static const Type heddle_data_##id = __VA_ARGS__;                                              \
    __attribute__((section(section_), used)) static const Type *const heddle_entry_##id =          \
        &heddle_data_##id;

/* An operation: HD_OP(name) { ... } or HD_OP(name, type, parameter, value, value...) { ... }, and with
 * two parameters HD_OP2(name, type, a, (1, 2), type, b, (3, 4)) { ... }. It returns an HdValue. Of one of
 * several objects: HD_OP_OF(object, name, ...) and HD_OP2_OF(object, name, ...); each object is then checked
 * on its own. */
#define HD_OP(...) HEDDLE_CHOOSE(HEDDLE_OP_, __VA_ARGS__)(__VA_ARGS__)
#define HD_OP_OF(object_, ...) HEDDLE_CHOOSE(HEDDLE_OF_, __VA_ARGS__)(object_, __VA_ARGS__)
#define HEDDLE_CHOOSE(prefix, ...)                                                                 \
    HEDDLE_CHOOSE_(prefix, __VA_ARGS__, N, N, N, N, N, N, N, N, N, N, N, N, N, X, X, 0, X)
#define HEDDLE_CHOOSE_(prefix, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, which, ...)         \
    prefix##which
#define HEDDLE_OP_0(name_) HEDDLE_DECLARE_0(name_, 0, #name_)
#define HEDDLE_OP_N(name_, ...) HEDDLE_DECLARE_N(name_, 0, #name_, __VA_ARGS__)
#define HEDDLE_OF_0(object_, name_) HEDDLE_DECLARE_0(object_##_##name_, #object_, #name_)
#define HEDDLE_OF_N(object_, name_, ...)                                                           \
    HEDDLE_DECLARE_N(object_##_##name_, #object_, #name_, __VA_ARGS__)
#define HD_OP2(name_, ...) HEDDLE_DECLARE_2(name_, 0, #name_, __VA_ARGS__)
#define HD_OP2_OF(object_, name_, ...)                                                             \
    HEDDLE_DECLARE_2(object_##_##name_, #object_, #name_, __VA_ARGS__)
#define HEDDLE_DECLARE_0(id_, object_, text_)                                                      \
    HEDDLE_MUST_RETURN                                                                             \
    static HdValue heddle_op_##id_(void);                                                          \
    static HdValue heddle_call_##id_(const HdValue *heddle_arguments)                              \
    {                                                                                              \
        (void)heddle_arguments;                                                                    \
        return heddle_op_##id_();                                                                  \
    }                                                                                              \
    HEDDLE_REGISTER("heddle_operations", HeddleOperation, id_,                                     \
                    {text_, heddle_call_##id_, 0, {0, 0}, {0, 0}, __FILE__, __LINE__, object_})    \
    static HdValue heddle_op_##id_(void)
#define HEDDLE_DECLARE_N(id_, object_, text_, Type_, parameter_, ...)                              \
    HEDDLE_MUST_RETURN                                                                             \
    static HdValue heddle_op_##id_(Type_ parameter_);                                              \
    static HdValue heddle_call_##id_(const HdValue *heddle_arguments)                              \
    {                                                                                              \
        return heddle_op_##id_(HEDDLE_ARGUMENT(Type_, heddle_arguments[0]));                       \
    }                                                                                              \
    static const HdValue heddle_values_##id_[] = {HEDDLE_EACH(HEDDLE_VALUE, __VA_ARGS__)};         \
    HEDDLE_REGISTER("heddle_operations", HeddleOperation, id_,                                     \
                    {text_, heddle_call_##id_, 1, {heddle_values_##id_, 0},                        \
                     {(int)(sizeof heddle_values_##id_ / sizeof(HdValue)), 0},                     \
                     __FILE__, __LINE__, object_})                                                 \
    static HdValue heddle_op_##id_(Type_ parameter_)
#define HEDDLE_DECLARE_2(id_, object_, text_, Type1_, first_, values1_, Type2_, second_, values2_) \
    HEDDLE_MUST_RETURN                                                                             \
    static HdValue heddle_op_##id_(Type1_ first_, Type2_ second_);                                 \
    static HdValue heddle_call_##id_(const HdValue *heddle_arguments)                              \
    {                                                                                              \
        return heddle_op_##id_(HEDDLE_ARGUMENT(Type1_, heddle_arguments[0]),                       \
                               HEDDLE_ARGUMENT(Type2_, heddle_arguments[1]));                      \
    }                                                                                              \
    static const HdValue heddle_values_##id_[] = {HEDDLE_EACH(HEDDLE_VALUE, HEDDLE_OPEN values1_)}; \
    static const HdValue heddle_values2_##id_[] = {HEDDLE_EACH(HEDDLE_VALUE, HEDDLE_OPEN values2_)}; \
    HEDDLE_REGISTER("heddle_operations", HeddleOperation, id_,                                     \
                    {text_, heddle_call_##id_, 2,                                                  \
                     {heddle_values_##id_, heddle_values2_##id_},                                  \
                     {(int)(sizeof heddle_values_##id_ / sizeof(HdValue)),                         \
                      (int)(sizeof heddle_values2_##id_ / sizeof(HdValue))},                       \
                     __FILE__, __LINE__, object_})                                                 \
    static HdValue heddle_op_##id_(Type1_ first_, Type2_ second_)
#define HEDDLE_OPEN(...) __VA_ARGS__

/* Golden code: what an operation should do, in plain sequential C; its serial runs are then the
 * specification, instead of those of the operations themselves. One for each operation, with the same
 * parameters and without values:
 *
 *     static int items[16], first, end;
 *     HD_GOLDEN_INIT            { first = end = 0; }
 *     HD_GOLDEN(put, int, v)    { items[end++] = v; return HD_VOID; }
 *     HD_GOLDEN(get)            { return first < end ? HD_INT(items[first++]) : HD_NONE; }
 *
 * HD_WAIT says that the operation has to wait here; heddle_choose(n) that each of n ways is allowed. */
#define HD_WAIT heddle_make(HEDDLE_WAIT, 0, 0)
#define HD_GOLDEN(...) HEDDLE_GOLDEN_CHOOSE(__VA_ARGS__, 2, X, 1, X, 0, X)(__VA_ARGS__)
#define HEDDLE_GOLDEN_CHOOSE(a, b, c, d, e, which, ...) HEDDLE_GOLDEN_##which
#define HEDDLE_GOLDEN_REGISTER(name_, parameters_)                                                 \
    HEDDLE_REGISTER("heddle_golden", HeddleOperation, golden_##name_,                              \
                    {#name_, heddle_golden_call_##name_, parameters_, {0, 0}, {0, 0}, __FILE__,    \
                     __LINE__, 0})
#define HEDDLE_GOLDEN_0(name_)                                                                     \
    HEDDLE_MUST_RETURN                                                                             \
    static HdValue heddle_golden_##name_(void);                                                    \
    static HdValue heddle_golden_call_##name_(const HdValue *heddle_arguments)                     \
    {                                                                                              \
        (void)heddle_arguments;                                                                    \
        return heddle_golden_##name_();                                                            \
    }                                                                                              \
    HEDDLE_GOLDEN_REGISTER(name_, 0)                                                               \
    static HdValue heddle_golden_##name_(void)
#define HEDDLE_GOLDEN_1(name_, Type_, parameter_)                                                  \
    HEDDLE_MUST_RETURN                                                                             \
    static HdValue heddle_golden_##name_(Type_ parameter_);                                        \
    static HdValue heddle_golden_call_##name_(const HdValue *heddle_arguments)                     \
    {                                                                                              \
        return heddle_golden_##name_(HEDDLE_ARGUMENT(Type_, heddle_arguments[0]));                 \
    }                                                                                              \
    HEDDLE_GOLDEN_REGISTER(name_, 1)                                                               \
    static HdValue heddle_golden_##name_(Type_ parameter_)
#define HEDDLE_GOLDEN_2(name_, Type1_, first_, Type2_, second_)                                    \
    HEDDLE_MUST_RETURN                                                                             \
    static HdValue heddle_golden_##name_(Type1_ first_, Type2_ second_);                           \
    static HdValue heddle_golden_call_##name_(const HdValue *heddle_arguments)                     \
    {                                                                                              \
        return heddle_golden_##name_(HEDDLE_ARGUMENT(Type1_, heddle_arguments[0]),                 \
                                     HEDDLE_ARGUMENT(Type2_, heddle_arguments[1]));                \
    }                                                                                              \
    HEDDLE_GOLDEN_REGISTER(name_, 2)                                                               \
    static HdValue heddle_golden_##name_(Type1_ first_, Type2_ second_)

/* HEDDLE_EACH(F, a, b, c) is F(a), F(b), F(c); up to 12. */
#define HEDDLE_EACH(F, ...)                                                                        \
    HEDDLE_EACH_(F, HEDDLE_COUNT(__VA_ARGS__), __VA_ARGS__)
#define HEDDLE_EACH_(F, n, ...) HEDDLE_EACH__(F, n, __VA_ARGS__)
#define HEDDLE_EACH__(F, n, ...) HEDDLE_EACH_##n(F, __VA_ARGS__)
#define HEDDLE_COUNT(...) HEDDLE_COUNT_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define HEDDLE_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, n, ...) n
#define HEDDLE_EACH_1(F, a) F(a)
#define HEDDLE_EACH_2(F, a, ...) F(a), HEDDLE_EACH_1(F, __VA_ARGS__)
#define HEDDLE_EACH_3(F, a, ...) F(a), HEDDLE_EACH_2(F, __VA_ARGS__)
#define HEDDLE_EACH_4(F, a, ...) F(a), HEDDLE_EACH_3(F, __VA_ARGS__)
#define HEDDLE_EACH_5(F, a, ...) F(a), HEDDLE_EACH_4(F, __VA_ARGS__)
#define HEDDLE_EACH_6(F, a, ...) F(a), HEDDLE_EACH_5(F, __VA_ARGS__)
#define HEDDLE_EACH_7(F, a, ...) F(a), HEDDLE_EACH_6(F, __VA_ARGS__)
#define HEDDLE_EACH_8(F, a, ...) F(a), HEDDLE_EACH_7(F, __VA_ARGS__)
#define HEDDLE_EACH_9(F, a, ...) F(a), HEDDLE_EACH_8(F, __VA_ARGS__)
#define HEDDLE_EACH_10(F, a, ...) F(a), HEDDLE_EACH_9(F, __VA_ARGS__)
#define HEDDLE_EACH_11(F, a, ...) F(a), HEDDLE_EACH_10(F, __VA_ARGS__)
#define HEDDLE_EACH_12(F, a, ...) F(a), HEDDLE_EACH_11(F, __VA_ARGS__)

/* ---- settings ---- */

#define HEDDLE_SETTING(id, key_, text_, run_, holds_)                                              \
    HEDDLE_REGISTER("heddle_settings", HeddleSetting, id, {key_, text_, run_, holds_, __FILE__, __LINE__})
/* Before each test, in one thread: HD_INIT { ... } */
#define HD_INIT                                                                                    \
    static void heddle_init(void);                                                                 \
    HEDDLE_SETTING(init, "init", 0, heddle_init, 0)                                                \
    static void heddle_init(void)
/* After each test, when all threads have ended: HD_AFTER { free what is left } */
#define HD_AFTER                                                                                   \
    static void heddle_after(void);                                                                \
    HEDDLE_SETTING(after, "after", 0, heddle_after, 0)                                             \
    static void heddle_after(void)
/* Must hold when all threads have ended: HD_INVARIANT { return size >= 0; } */
#define HD_INVARIANT                                                                               \
    HEDDLE_MUST_RETURN                                                                             \
    static bool heddle_invariant(void);                                                            \
    HEDDLE_SETTING(invariant, "invariant", 0, 0, heddle_invariant)                                 \
    static bool heddle_invariant(void)
/* Before each serial run of the golden code: HD_GOLDEN_INIT { count = 0; } */
#define HD_GOLDEN_INIT                                                                             \
    static void heddle_golden_init(void);                                                          \
    HEDDLE_SETTING(golden_init, "golden_init", 0, heddle_golden_init, 0)                           \
    static void heddle_golden_init(void)
/* After HD_INIT, in the serial runs that are the specification only: another configuration of the
 * implementation says what is correct. HD_REFERENCE { set_relaxation(0); } */
#define HD_REFERENCE                                                                               \
    static void heddle_reference(void);                                                            \
    HEDDLE_SETTING(reference, "reference", 0, heddle_reference, 0)                                 \
    static void heddle_reference(void)
/* A specification instead of observed serial runs: HD_SPEC("fifo") */
#define HD_SPEC(text_) HEDDLE_SETTING(spec, "spec", text_, 0, 0)
/* Quasi factors: HD_QUASI("get:2") */
#define HD_QUASI(text_) HEDDLE_SETTING(quasi, "quasi", text_, 0, 0)
/* Only one thread may call these (a role): HD_SINGLE("push pop"); another one those after a bar, and so on:
 * HD_SINGLE("put | get") */
#define HD_SINGLE(text_) HEDDLE_SETTING(single, "single", text_, 0, 0)
/* The operations that may wait for ever if nobody comes to their help; any other one that does, even in a
 * serial run, is wrong: HD_MAY_BLOCK("take wait"), HD_MAY_BLOCK("") if there are none. Without it, an
 * operation may wait where it does in a serial run. */
#define HD_MAY_BLOCK(text_) HEDDLE_SETTING(may_block, "may_block", text_, 0, 0)
/* The operation may give this result, and have no effect, whenever its call overlaps another call, whatever the
 * specification says: HD_MAY_FAIL(put, HD_BOOL(0)), HD_MAY_FAIL(get, HD_NONE). A call that overlaps no other one is
 * judged as always. The result is written as one of HD_NONE, HD_BOOL(0), HD_BOOL(1) and HD_INT(number). */
#define HD_MAY_FAIL(name_, result_)                                                                \
    HEDDLE_SETTING(may_fail_##name_, "may_fail", #name_ " " #result_, 0, 0)
/* The effect of the operation may come after its call has returned, once, at any time from the call on (a cancel that
 * others notice later): HD_ASYNC(cancel). It is a call that is in progress until the end. */
#define HD_ASYNC(name_) HEDDLE_SETTING(async_##name_, "async", #name_, 0, 0)
/* The first number of those that are counted for ever and of which only differences, and rests of a division by a
 * small number, matter: static atomic_uint next = HD_TICKET(0). It is 0, but for check --unbounded, which then takes
 * states for the same whose tickets differ by a multiple of a modulus that it finds. */
#ifndef HEDDLE_TICKETS
#ifdef HD_UNBOUNDED
#define HEDDLE_TICKETS 0x5EBF0000u
#else
#define HEDDLE_TICKETS 0u
#endif
#endif
#define HD_TICKET(number_) (HEDDLE_TICKETS + (number_))
/* A fixed test instead of generated ones, threads separated by |: HD_SCENARIO("put(1) get() | put(2)") */
#define HD_SCENARIO(text_) HEDDLE_SETTING(scenario, "scenario", text_, 0, 0)

/* Threads that call the operations for ever instead of tests, as check --unbounded=2; before this file is included:
 *
 *     #define HD_UNBOUNDED 2
 *     #include <heddle.h> */
#ifdef HD_UNBOUNDED
#define HEDDLE_TEXT_OF(x) #x
#define HEDDLE_TEXT_OF_VALUE(x) HEDDLE_TEXT_OF(x)
HEDDLE_REGISTER("heddle_settings", HeddleSetting, unbounded,
                {"unbounded", HEDDLE_TEXT_OF_VALUE(HD_UNBOUNDED), 0, 0, __BASE_FILE__, 0})
#endif

/* Calls that each test makes before its threads start, and after they have ended; their results count like
 * others: HD_FIRST("put(1) put(2)"), HD_LAST("get() get()") */
#define HD_FIRST(text_) HEDDLE_SETTING(first, "first", text_, 0, 0)
#define HD_LAST(text_) HEDDLE_SETTING(last, "last", text_, 0, 0)
/* Calls that a thread makes one after the other and that count as one when tests are made:
 * HD_SEQUENCE(put_and_get, "put(1) get()") */
#define HD_SEQUENCE(name_, text_) HEDDLE_SETTING(sequence_##name_, "sequence", text_, 0, 0)

/* ---- marks: the calls of an ordinary program with a main() ---- */

/* A call on an object begins here, HD_BEGIN(&queue, "put", HD_INT(1)), and ends, in the same thread, with its
 * result: HD_END(HD_VOID). The object is any pointer, or a name in quotes. Up to four arguments. Calls may
 * be nested if they are on different objects. Nothing happens where the program does not run under
 * `heddle check'. */
#define HD_BEGIN(...) HEDDLE_BEGIN_(HEDDLE_COUNT(__VA_ARGS__), __VA_ARGS__)
#define HEDDLE_BEGIN_(n, ...) HEDDLE_BEGIN__(n, __VA_ARGS__)
#define HEDDLE_BEGIN__(n, object_, ...)                                                            \
    ((void)(heddle_begin && (heddle_begin((object_), #object_, __FILE__, __LINE__, (n) - 2, __VA_ARGS__), 0)))
#define HD_END(result_) ((void)(heddle_end && (heddle_end((result_), __FILE__, __LINE__), 0)))
#endif
