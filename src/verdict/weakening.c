#include "verdict/weakening.h"
#include "runtime/ops.h"

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

unsigned weaken_orders_below(OrderOperation operation, bool failure, unsigned order,
                             uint8_t below[WEAKEN_TRIES], unsigned *immediate)
{
    bool reads = operation != ORDER_OF_STORE;
    bool writes = operation != ORDER_OF_LOAD && !failure;
    unsigned count = 0;
    *immediate = 1;
    if (order == ORDER_RELAXED)
        return 0;
    below[count++] = ORDER_RELAXED;
    if (order == ORDER_SEQ_CST && !(reads && writes))
        below[count++] = reads ? ORDER_ACQUIRE : ORDER_RELEASE;
    if ((order == ORDER_SEQ_CST || order == ORDER_ACQ_REL) && reads && writes) {
        below[count++] = ORDER_ACQUIRE;
        below[count++] = ORDER_RELEASE;
        *immediate = 2;
    }
    if (order == ORDER_SEQ_CST && reads && writes) {
        below[count++] = ORDER_ACQ_REL;
        *immediate = 1;
    }
    return count;
}

static bool try_holds(const WeakenTry *attempt)
{
    return attempt->done && attempt->verdict == VERDICT_HOLDS;
}

WeakenAnswer weaken_judge(const WeakenOrder *order)
{
    if (!order->is_known || order->note)
        return WEAKEN_UNREACHED;
    uint8_t below[WEAKEN_TRIES];
    unsigned immediate, all = weaken_orders_below(order->operation, order->failure, order->order,
                                                  below, &immediate);
    bool any_holds = false, relaxed_holds = false;
    unsigned violated = 0; /* of the immediate ones */
    for (unsigned i = 0; i < order->try_count; i++) {
        const WeakenTry *attempt = &order->tries[i];
        any_holds |= try_holds(attempt);
        relaxed_holds |= try_holds(attempt) && attempt->to == ORDER_RELAXED;
        for (unsigned k = all - immediate; k < all; k++)
            violated +=
                below[k] == attempt->to && attempt->done && attempt->verdict == VERDICT_VIOLATED;
    }
    return relaxed_holds           ? WEAKEN_UNNEEDED
           : any_holds             ? WEAKEN_WEAKER
           : violated == immediate ? WEAKEN_NEEDED
                                   : WEAKEN_UNKNOWN;
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
