#include "guest/harness/check/composition.h"
#include <stdio.h>
#include <string.h>
#include "guest/harness/check/test.h"
#include "judge/spec/spec.h"

static uint8_t role[DECLARED_CALLS];
static uint16_t operation[DECLARED_CALLS];
static uint16_t chosen[DECLARED_CALLS]; /* calls that tests are made of */
static uint8_t single[DECLARED_CALLS +
                      DECLARED_SEQUENCES]; /* their roles of HD_SINGLE, and those of sequences */
static uint32_t chosen_count;
static uint64_t left_out;
static bool framed, drained;

BalanceRole child_composition_role(const DeclaredCall *call)
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

bool child_composition_setup(bool whole, Error *error)
{
    const Declared *declared = &child_test.declared;
    framed = options.check.framed;
    bool puts = false, takes = false;
    for (uint32_t c = 0; c < declared->count; c++) {
        bool first = !c || declared->calls[c].operation != declared->calls[c - 1].operation;
        operation[c] = (uint16_t)(c ? operation[c - 1] + first : 0);
        role[c] = (uint8_t)(first ? child_composition_role(&declared->calls[c]) : role[c - 1]);
        puts |= role[c] == BALANCE_PUT;
        takes |= role[c] == BALANCE_TAKE;
        if (framed && role[c] == BALANCE_PUT && !first)
            continue; /* one stands for all: values are given afterwards */
        chosen[chosen_count] = (uint16_t)c;
        single[chosen_count++] = declared->role[c];
    }
    for (uint32_t q = 0; q < declared->sequence_count; q++)
        single[chosen_count + q] = declared->role[declared->count + q];
    drained = whole && puts && takes;
    if (framed && !(puts && takes))
        return error_set(error,
                         "--shape=%ux%u+%u: no operation is known by its name to put or to "
                         "take (enq, push, put, add ...; deq, pop, get, take ...); say what "
                         "main calls with --scenario='before / threads / after'",
                         options.check.threads, options.check.length, options.check.main_calls);
    return true;
}

TestShape child_composition_shape(uint32_t columns, uint32_t length)
{
    return (TestShape){columns, length, chosen_count + child_test.declared.sequence_count,
                       child_test.declared.any_role ? single : NULL};
}

static bool is_too_long(const TestCase *test)
{
    return testcase_operations(test) > TESTCASE_OPERATIONS;
}

/* A matrix of entries becomes one of calls: the chosen ones, and sequences of them. */
static bool expand(TestCase *test)
{
    const TestCase entries = *test;
    for (uint32_t t = 0; t < entries.threads; t++) {
        test->length[t] = 0;
        for (uint32_t i = 0; i < entries.length[t]; i++) {
            uint16_t entry = entries.call[t][i];
            bool alone = entry < chosen_count;
            DeclaredList one = {{alone ? chosen[entry] : 0}, 1};
            const DeclaredList *list =
                alone ? &one : &child_test.declared.sequences[entry - chosen_count];
            if (test->length[t] + list->count > TESTCASE_LENGTH)
                return false;
            memcpy(&test->call[t][test->length[t]], list->call, sizeof(uint16_t) * list->count);
            test->length[t] += list->count;
        }
    }
    return !is_too_long(test);
}

bool child_composition_add_lists(TestCase *test)
{
    const DeclaredList *lists[] = {&child_test.declared.first, &child_test.declared.last};
    if (test->length[TESTCASE_BEFORE] || test->length[TESTCASE_AFTER])
        return true;
    for (uint32_t l = 0; l < COUNT_OF(lists); l++) {
        test->length[TESTCASE_BEFORE + l] = lists[l]->count;
        memcpy(test->call[TESTCASE_BEFORE + l], lists[l]->call, sizeof lists[l]->call);
    }
    return !is_too_long(test);
}

uint64_t child_composition_left_out(void)
{
    return left_out;
}

bool child_composition_complete(TestCase *test)
{
    Balance balance = balance_of_test();
    if (!expand(test) || (!framed && !drained && !child_composition_add_lists(test))) {
        left_out++;
        return false;
    }
    if (framed) {
        if (!balance_frame(&balance, options.check.main_calls, test))
            return false;
        balance_spread(&balance, test);
        return true;
    }
    return !drained || balance_drain(&balance, test);
}

bool child_composition_allows(const TestCase *test)
{
    Balance balance = balance_of_test();
    return !drained || balance_holds(&balance, test);
}

const char *child_composition_text(void)
{
    static char text[16];
    if (framed)
        snprintf(text, sizeof text, "+%u", options.check.main_calls);
    return text;
}
