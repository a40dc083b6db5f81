#include "check/child_frame.h"
#include <stdio.h>
#include "check/child_test.h"
#include "spec/spec.h"

static uint8_t role[DECLARED_CALLS];
static uint16_t operation[DECLARED_CALLS];
static uint16_t chosen[DECLARED_CALLS]; /* calls that tests are made of */
static uint8_t single[DECLARED_CALLS];  /* their roles of HD_SINGLE */
static uint32_t chosen_count;
static bool framed, drained;

BalanceRole child_frame_role(const DeclaredCall *call)
{
    static const char *const containers[] = {"fifo", "lifo", "priority-queue", "bag", "deque"};
    BalanceRole found = BALANCE_OTHER;
    Arena *arena = arena_new();
    for (size_t i = 0; i < COUNT_OF(containers) && found == BALANCE_OTHER; i++) {
        Error ignored;
        const Spec *spec = spec_builtin(arena, child_test.values, str_of(containers[i]), &ignored);
        SpecCall made = {.count = (uint16_t)call->operation->parameter_count,
                         .arguments = call->values,
                         .result = VALUE_UNKNOWN};
        Value value;
        if (!spec || !spec->role ||
            !spec->resolve(spec, str_of(call->operation->name), made.count, &made.method))
            continue;
        SpecRole is = spec->role(spec, &made, &value);
        found = is == SPEC_ROLE_PUT    ? BALANCE_PUT
                : is == SPEC_ROLE_TAKE ? BALANCE_TAKE
                                       : BALANCE_OTHER;
    }
    arena_free(arena);
    return found;
}

static Balance balance_of_test(void)
{
    return (Balance){role, operation, child_test.declared.count};
}

bool child_frame_setup(bool whole, Error *error)
{
    const Declared *declared = &child_test.declared;
    framed = options.check.framed;
    bool puts = false, takes = false;
    for (uint32_t c = 0; c < declared->count; c++) {
        bool first = !c || declared->calls[c].operation != declared->calls[c - 1].operation;
        operation[c] = (uint16_t)(c ? operation[c - 1] + first : 0);
        role[c] = (uint8_t)(first ? child_frame_role(&declared->calls[c]) : role[c - 1]);
        puts |= role[c] == BALANCE_PUT;
        takes |= role[c] == BALANCE_TAKE;
        if (framed && role[c] == BALANCE_PUT && !first)
            continue; /* one stands for all: values are given afterwards */
        chosen[chosen_count] = (uint16_t)c;
        single[chosen_count++] = declared->role[c];
    }
    drained = whole && puts && takes;
    if (framed && !(puts && takes))
        return error_set(error,
                         "--shape=%ux%u+%u: no operation is known by its name to put or to "
                         "take (enq, push, put, add ...; deq, pop, get, take ...); say what "
                         "main calls with --scenario='before / threads / after'",
                         options.check.threads, options.check.length, options.check.main_calls);
    return true;
}

TestShape child_frame_shape(uint32_t columns, uint32_t length)
{
    return (TestShape){columns, length, chosen_count, child_test.declared.any_role ? single : NULL};
}

bool child_frame_complete(TestCase *test)
{
    Balance balance = balance_of_test();
    for (uint32_t t = 0; t < test->threads; t++)
        for (uint32_t i = 0; i < test->length[t]; i++)
            test->call[t][i] = chosen[test->call[t][i]];
    if (framed) {
        if (!balance_frame(&balance, options.check.main_calls, test))
            return false;
        balance_spread(&balance, test);
        return true;
    }
    return !drained || balance_drain(&balance, test);
}

const char *child_frame_text(void)
{
    static char text[16];
    if (framed)
        snprintf(text, sizeof text, "+%u", options.check.main_calls);
    return text;
}
