#include "guest/harness/check/objects.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/test.h"

static Judges judges;

bool child_objects_several(void)
{
    return child_test.declared.object_count > 1;
}

ObjectJudge *child_objects_judge(uint32_t object)
{
    return judges.count ? judges_find(&judges, child_test.declared.objects[object]) : NULL;
}

static uint32_t label_judged(void *judge, uint32_t k, Value result)
{
    (void)judge;
    return child_spec_label(NULL, k, result);
}

/* Has the specification of its object the operation of each call? */
static bool check_calls(Error *error)
{
    const Declared *declared = &child_test.declared;
    for (uint32_t c = 0; c < declared->count; c++) {
        const DeclaredCall *call = &declared->calls[c];
        const ObjectJudge *judge = child_objects_judge(call->object);
        JudgeCall tried = {str_of(call->operation->name), call->values,
                           (uint16_t)call->operation->parameter_count, VALUE_UNKNOWN};
        uint32_t label;
        Error why = {0};
        if (judge && !judge_label(judge, &tried, &label, &why))
            return error_at(error, call->operation->file, call->operation->line, 0, "%s",
                            why.message);
    }
    return true;
}

bool child_objects_setup(Arena *arena, const char *name, bool relaxed, Error *error)
{
    JudgesRequest wanted = {.spec = name};
    if (relaxed || options.check.observations[0])
        return error_set(error, "%s is not possible for several objects (HD_OP_OF)",
                         relaxed ? "--quasi" : "--observations");
    if (!judges_make(&judges, arena, child_test.values, &wanted, label_judged, error) ||
        !check_calls(error))
        return false;
    const char *unused = judges_unused(&judges, judges_used(&judges));
    return !unused || error_set(error,
                                "the specification names object %s, but no operation is of an "
                                "object of that name",
                                unused);
}
