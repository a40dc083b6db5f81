#include "guest/states/answer/tell.h"
#include <stdarg.h>
#include <stdio.h>

FindingKind tell_give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.message, sizeof finding.message, format, arguments);
    va_end(arguments);
    return finding.kind = FINDING_UNSUPPORTED;
}

void tell_growth(OutcomeMessage *outcome, const StatesResult *result)
{
    outcome->grows_address = result->grows;
    outcome->grows_objects = result->heap_objects;
    outcome->grows_pc = result->heap_pc;
    outcome->grows_variable = result->heap_variable;
}

FindingKind tell_incomplete(OutcomeMessage *outcome, const StatesResult *result, const char *what)
{
    tell_growth(outcome, result);
    if (result->grows)
        return tell_give_up("%s: after %llu states there is no end. A word that reaches values "
                            "which it never had before (now %llu) makes every state a new one",
                            what, (unsigned long long)result->states,
                            (unsigned long long)result->grown);
    return tell_give_up("%s: %s after %llu states, before all were explored", what,
                        result->full ? "the memory limit was reached" : "stopped",
                        (unsigned long long)result->states);
}
