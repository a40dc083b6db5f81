#include "tool/answer/weakening.h"
#include "record/operations.h"

const char *weaken_operation_word(OrderOperation operation)
{
    static const char *const words[] = {
#define X(name, word) word,
        ORDER_OPERATIONS(X)
#undef X
    };
    return words[operation];
}

const char *weaken_answer_word(WeakenAnswer answer)
{
    static const char *const words[] = {
#define X(name, word, heading) word,
        WEAKEN_ANSWERS(X)
#undef X
    };
    return words[answer];
}

const char *weaken_answer_heading(WeakenAnswer answer)
{
    static const char *const headings[] = {
#define X(name, word, heading) heading,
        WEAKEN_ANSWERS(X)
#undef X
    };
    return headings[answer];
}

unsigned weaken_count(const Weakening *weakening, WeakenAnswer answer)
{
    unsigned count = 0;
    for (unsigned i = 0; i < weakening->count; i++)
        count += weakening->at[i].answer == answer;
    return count;
}

static const WeakenTry *try_of(const WeakenOrder *order, unsigned to)
{
    for (unsigned i = 0; i < order->try_count; i++)
        if (order->tries[i].to == to)
            return &order->tries[i];
    return NULL;
}

static bool try_holds(const WeakenTry *attempt)
{
    return attempt && attempt->done && attempt->verdict == VERDICT_HOLDS;
}

static bool try_violated(const WeakenTry *attempt)
{
    return attempt && attempt->done && attempt->verdict == VERDICT_VIOLATED;
}

bool weaken_hangs(const WeakenOrder *order)
{
    for (unsigned i = 0; i < order->try_count; i++)
        if (try_violated(&order->tries[i])) {
            ViolationKind kind = order->tries[i].violation;
            return kind == VIOLATION_LIVELOCK || kind == VIOLATION_DEADLOCK ||
                   kind == VIOLATION_STUCK;
        }
    return false;
}

/* The orders just below ORDER's in strength; at most two. */
static unsigned orders_below(const WeakenOrder *order, uint8_t below[2])
{
    bool reads = order->operation != ORDER_OF_STORE;
    bool writes = order->operation != ORDER_OF_LOAD && !order->failure;
    below[0] = ORDER_RELAXED;
    switch (order->order) {
    case ORDER_RELAXED:
        return 0;
    case ORDER_SEQ_CST:
        below[0] = reads && writes ? ORDER_ACQ_REL : reads ? ORDER_ACQUIRE : ORDER_RELEASE;
        return 1;
    case ORDER_ACQ_REL:
        below[0] = ORDER_ACQUIRE;
        below[1] = ORDER_RELEASE;
        return 2;
    default:
        return 1;
    }
}

bool weaken_next(const WeakenOrder *order, unsigned *to)
{
    if (!order->is_known || order->note || order->order == ORDER_RELAXED)
        return false;
    const WeakenTry *relaxed = try_of(order, ORDER_RELAXED);
    *to = ORDER_RELAXED;
    if (!relaxed)
        return true;
    if (try_holds(relaxed))
        return false;
    uint8_t below[2];
    unsigned count = orders_below(order, below);
    for (unsigned i = 0; i < count; i++)
        if (!try_of(order, below[i])) {
            *to = below[i];
            return true;
        }
    if (below[0] == ORDER_ACQ_REL && try_holds(try_of(order, ORDER_ACQ_REL)))
        for (*to = ORDER_ACQUIRE; *to <= ORDER_RELEASE; ++*to)
            if (!try_of(order, *to))
                return true;
    return false;
}

WeakenAnswer weaken_judge(const WeakenOrder *order)
{
    if (!order->is_known || order->note)
        return WEAKEN_UNREACHED;
    if (try_holds(try_of(order, ORDER_RELAXED)))
        return WEAKEN_UNNEEDED;
    for (unsigned i = 0; i < order->try_count; i++)
        if (try_holds(&order->tries[i]))
            return WEAKEN_WEAKER;
    uint8_t below[2];
    unsigned count = orders_below(order, below);
    for (unsigned i = 0; i < count; i++)
        if (!try_violated(try_of(order, below[i])))
            return WEAKEN_UNKNOWN;
    return WEAKEN_NEEDED;
}

bool weaken_is_weakest(const WeakenOrder *order, const WeakenTry *candidate)
{
    if (!try_holds(candidate))
        return false;
    for (unsigned i = 0; i < order->try_count; i++) {
        const WeakenTry *other = &order->tries[i];
        if (other != candidate && try_holds(other) &&
            (other->to == ORDER_RELAXED || candidate->to == ORDER_ACQ_REL))
            return false;
    }
    return true;
}
