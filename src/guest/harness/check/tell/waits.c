#include "guest/harness/check/tell/waits.h"
#include <string.h>
#include "guest/explore/search/ops.h"
#include "guest/harness/check/test.h"

static uint64_t *waiting; /* a set of calls, in the memory that processes share */

void child_waits_setup(Link *link)
{
    _Static_assert(DECLARED_CALLS <= 64 * COUNT_OF(link->waiting_calls), "a bit for each call");
    waiting = link->waiting_calls;
}

void child_waits_note(const DeclaredCall *call)
{
    const Declared *declared = &child_test.declared;
    if (declared->blocking_is_limited)
        return; /* the test file says itself who may */
    size_t c = (size_t)(call - declared->calls);
    ASSERT(waiting && c < declared->count);
    __atomic_or_fetch(&waiting[c / 64], 1ull << c % 64, __ATOMIC_RELAXED);
}

static bool is_waiting(uint32_t call)
{
    return __atomic_load_n(&waiting[call / 64], __ATOMIC_RELAXED) >> call % 64 & 1;
}

/* Is CALL the first one of its operation that waits? */
static bool names_operation(uint32_t call)
{
    const DeclaredCall *calls = child_test.declared.calls;
    if (!is_waiting(call))
        return false;
    for (uint32_t c = 0; c < call; c++)
        if (is_waiting(c) && calls[c].operation == calls[call].operation)
            return false;
    return true;
}

void child_waits_tell(void)
{
    const Declared *declared = &child_test.declared;
    Buffer names = {0}, quoted = {0};
    uint32_t count = 0, told = 0;
    for (uint32_t c = 0; c < declared->count; c++)
        count += names_operation(c);
    for (uint32_t c = 0; c < declared->count; c++)
        if (names_operation(c)) {
            const DeclaredCall *call = &declared->calls[c];
            int bytes = (int)strcspn(call->text, "(");
            buffer_printf(&names, "%s%.*s()",
                          !told               ? ""
                          : told + 1 == count ? " and "
                                              : ", ",
                          bytes, call->text);
            buffer_printf(&quoted, "%s%.*s", told ? " " : "", bytes, call->text);
            told++;
        }
    if (count)
        op_warning("%.*s wait%s for ever in some serial runs, and may therefore in tests: "
                   "HD_MAY_BLOCK(\"%.*s\") if that is meant; HD_MAY_BLOCK(\"\") shows where",
                   STR_ARG(buffer_str(&names)), count == 1 ? "s" : "",
                   STR_ARG(buffer_str(&quoted)));
    vec_free(&names);
    vec_free(&quoted);
}
