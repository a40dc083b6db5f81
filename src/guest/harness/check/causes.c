#include "guest/harness/check/causes.h"
#include <stdio.h>
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/scale/workers.h"
#include "guest/harness/check/tell/orders.h"
#include "guest/harness/check/test.h"

static uint32_t blamed;        /* calls of the present test */
static GraphHistory blamed_in; /* their results */

void causes_begin_test(void)
{
    blamed = 0;
}

void causes_blame(const GraphHistory *history, const VerifyFailure *failure)
{
    blamed = child_blame(history, failure);
    blamed_in = *history;
}

/* The result as far as it tells causes apart: which number it is does not. */
static void print_result(uint32_t k, Buffer *out)
{
    Value result = {blamed_in.word[k]};
    if (!(blamed_in.returned >> k & 1)) {
        buffer_printf(out, " waits");
        return;
    }
    switch (value_kind(child_test.values, result)) {
    case VALUE_IS_INT:
        buffer_printf(out, " = a number");
        break;
    case VALUE_IS_ARRAY:
        buffer_printf(out, " = an array");
        break;
    default:
        child_test_print_result(result.word, out);
    }
}

/* The last access that call K made, else where it begins. */
static uint64_t last_access(uint32_t k)
{
    uint64_t pc = 0;
    bool inside = false;
    const Event *call = &pool[blamed_in.call[k]];
    for (int i = call->index; i < threads[call->thread].count; i++) {
        const Event *e = thread_event(call->thread, i);
        if (e->kind == EVENT_MARK && e->other == k)
            inside = !e->test;
        if (!inside)
            break;
        if (IS_ACCESS(e->kind) || !pc)
            pc = e->pc;
    }
    return pc;
}

/* Prints the names of the blamed calls, sorted, so that it does not matter which thread made
 * them. */
static void print_blamed(Buffer *out)
{
    Buffer words[REALTIME_MOST] = {0};
    uint32_t count = 0;
    for (uint32_t left = blamed; left; left &= left - 1, count++) {
        uint32_t k = (uint32_t)__builtin_ctz(left);
        const DeclaredCall *call = child_test_call(k);
        buffer_printf(&words[count], "%.*s", (int)strcspn(call->text, "("), call->text);
        print_result(k, &words[count]);
        for (uint32_t i = count; i && strcmp(words[i - 1].at, words[i].at) > 0; i--) {
            Buffer other = words[i];
            words[i] = words[i - 1];
            words[i - 1] = other;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(out, "%s%s", i ? ", " : "", words[i].at);
        vec_free(&words[i]);
    }
}

/* The call that the thread with the violation is in. */
static void print_present(Buffer *out)
{
    uint32_t k;
    if (finding.thread < 0 || !graph_history_in_call((unsigned)finding.thread, &k))
        return;
    const DeclaredCall *call = child_test.serially ? child_test_serial_call(k) : child_test_call(k);
    buffer_printf(out, "%.*s", (int)strcspn(call->text, "("), call->text);
}

void causes_describe(Cause *cause)
{
    Buffer out = {0};
    *cause = (Cause){.violation = finding.violation, .pc = finding.pc};
    if (blamed) {
        print_blamed(&out);
        cause->pc = last_access((uint32_t)__builtin_ctz(blamed));
    } else {
        print_present(&out);
    }
    snprintf(cause->operations, sizeof cause->operations, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

/* ---- those that are known ----
 * What tests showed before they were made smaller, by process, and which of the shared causes it
 * was found to be. */

#define MOST_SHOWN 256
static Cause shown[MOST_SHOWN];
static uint32_t shown_as[MOST_SHOWN], shown_count;

static bool is_same(const Cause *a, uint32_t violation, uint64_t pc, const char *operations)
{
    return a->violation == violation && a->pc == pc && !strcmp(a->operations, operations);
}

bool causes_count(Link *link, const Cause *cause)
{
    uint32_t i = 0;
    while (i < shown_count && !is_same(&shown[i], cause->violation, cause->pc, cause->operations))
        i++;
    if (i == shown_count)
        return false;
    __atomic_add_fetch(&link->causes.at[shown_as[i]].tests, 1, __ATOMIC_RELAXED);
    return true;
}

void causes_print_shape(const TestCase *test, char *text, size_t bytes)
{
    uint32_t longest = 0, framing = test->length[TESTCASE_BEFORE] + test->length[TESTCASE_AFTER];
    for (uint32_t t = 0; t < test->threads; t++)
        longest = MAX(longest, test->length[t]);
    if (framing)
        snprintf(text, bytes, "%ux%u+%u", test->threads, longest, framing);
    else
        snprintf(text, bytes, "%ux%u", test->threads, longest);
}

void causes_add(Link *link, const Cause *cause, const Cause *small, const TestCase *smallest)
{
    CausesShared *all = &link->causes;
    uint32_t i = 0;
    workers_lock();
    while (i < all->count &&
           !is_same(small, all->at[i].violation, all->at[i].pc, all->at[i].operations))
        i++;
    if (i == CAUSES_MOST) {
        all->more++;
        workers_unlock();
        return;
    }
    SharedCause *to = &all->at[i];
    if (i == all->count) {
        to->violation = small->violation;
        to->pc = small->pc;
        memcpy(to->operations, small->operations, sizeof to->operations);
        declared_print(&child_test.declared, smallest, to->test, sizeof to->test);
        causes_print_shape(smallest, to->shape, sizeof to->shape);
        all->count++;
    }
    __atomic_add_fetch(&to->tests, 1, __ATOMIC_RELAXED);
    workers_unlock();
    if (shown_count < MOST_SHOWN) {
        shown[shown_count] = *cause;
        shown_as[shown_count++] = i;
    }
}
