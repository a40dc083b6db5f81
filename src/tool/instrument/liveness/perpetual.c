#include "tool/instrument/liveness/perpetual.h"
#include <string.h>

/* A call of it is the end of the program because something is wrong: no way out of a loop. */
static bool is_failure(const char *name)
{
    static const char *const names[] = {"abort",
                                        "__assert",
                                        "__assert_fail",
                                        "__assert_perror_fail",
                                        "__stack_chk_fail",
                                        "__cxa_pure_virtual",
                                        "__clang_call_terminate",
                                        "_ZSt9terminatev",
                                        "_ZSt21__glibcxx_assert_failPKciS0_S0_"};
    for (size_t i = 0; name && i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Does instruction I lead out by itself? */
static bool leads_out(const CodeFunction *f, size_t i)
{
    DEBUG_ASSERT(i < f->code.count);
    const Code *c = &f->code.at[i];
    switch ((CodeFlow)c->flow) {
    case FLOW_RETURN:
    case FLOW_BRANCH_TAIL:
        return true;
    case FLOW_TAIL:
        return !is_failure(c->callee_name);
    case FLOW_TABLE:
        return !f->labels.count;
    case FLOW_END:
        return c->kind == CODE_CALL && !is_failure(c->callee_name);
    default:
        return false;
    }
}

static bool goes_on_to_end(const CodeFunction *f, size_t i, const bool *ends)
{
    const Code *c = &f->code.at[i];
    bool next = (c->flow == FLOW_NEXT || c->flow == FLOW_BRANCH || c->flow == FLOW_BRANCH_TAIL) &&
                i + 1 < f->code.count && ends[i + 1];
    bool jump = (c->flow == FLOW_JUMP || c->flow == FLOW_BRANCH) && ends[c->target];
    bool lands = c->kind == CODE_CALL && c->landing != CODE_NOWHERE && ends[c->landing];
    bool label = false;
    for (size_t k = 0; c->flow == FLOW_TABLE && k < f->labels.count; k++)
        label |= ends[f->labels.at[k]];
    return next || jump || lands || label;
}

/* Was it compiled for us? The runtime's own functions that do not return end a thread. */
static bool is_of_program(const CodeFunction *f)
{
    for (size_t i = 0; i < f->code.count; i++)
        if (f->code.at[i].callee_name && !strcmp(f->code.at[i].callee_name, "__tsan_func_entry"))
            return true;
    return false;
}

const bool *perpetual_find(Arena *arena, const CodeFunction *f)
{
    size_t count = f->code.count;
    bool unknown = f->is_odd || f->has_handlers || !is_of_program(f);
    bool *ends = arena_array_of(arena, bool, count + 1);
    for (size_t i = 0; i < count; i++)
        ends[i] = unknown || leads_out(f, i);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = count; i-- > 0;)
            if (!ends[i] && goes_on_to_end(f, i, ends))
                ends[i] = changed = true;
    }
    for (size_t i = 0; i < count; i++)
        ends[i] = !ends[i];
    return ends;
}
