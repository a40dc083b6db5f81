/* annotate_resolve.c: what belongs together in the annotations of a program: rules and pairs with
 * their methods, a structure with the object of its calls. */
#include <string.h>
#include "tool/instrument/annotate/annotate_internal.h"

static bool find_condition(const AnnotatedProgram *program, size_t method,
                           const AnnotationName *name, int *number)
{
    const Annotation *a = program->methods.at[method].annotation;
    *number = -1;
    for (size_t i = 0; name->text && i < a->conditions.count; i++)
        if (!strcmp(a->conditions.at[i].name.text, name->text))
            *number = (int)i;
    return !name->text || *number >= 0;
}

static bool resolve_rule(AnnotatedProgram *program, size_t structure, const AnnotationRule *rule,
                         Error *error)
{
    const char *path = program->structures.at[structure].path;
    const AnnotationName *names[2] = {&rule->from, &rule->to},
                         *conditions[2] = {&rule->from_condition, &rule->to_condition};
    for (int side = 0; side < 2; side++) {
        bool known = false;
        for (size_t i = 0; i < program->methods.count; i++) {
            const ProgramMethod *m = &program->methods.at[i];
            int unused;
            if (m->structure != structure || strcmp(m->annotation->name.text, names[side]->text))
                continue;
            known = true;
            if (!find_condition(program, i, conditions[side], &unused))
                return error_at(error, path, conditions[side]->line, conditions[side]->column,
                                "method %s has no @HB_Condition %s", names[side]->text,
                                conditions[side]->text);
        }
        if (!known)
            return error_at(error, path, names[side]->line, names[side]->column,
                            "@Happens_Before: the structure has no method %s", names[side]->text);
    }
    for (size_t i = 0; i < program->methods.count; i++)
        for (size_t j = 0; j < program->methods.count; j++) {
            const ProgramMethod *from = &program->methods.at[i], *to = &program->methods.at[j];
            if (from->structure != structure || to->structure != structure ||
                strcmp(from->annotation->name.text, rule->from.text) ||
                strcmp(to->annotation->name.text, rule->to.text))
                continue;
            ProgramRule fresh = {.structure = structure, .from = i, .to = j, .rule = rule};
            bool both = find_condition(program, i, &rule->from_condition, &fresh.from_condition) &&
                        find_condition(program, j, &rule->to_condition, &fresh.to_condition);
            ASSERT(both);
            arena_push(program->arena, &program->rules, fresh);
        }
    return true;
}

/* The object of a structure's calls: `this`, or the first parameter of the first method that points
 * to a type to which every method has a pointer. With none there is one object for all. */
static void find_objects(AnnotatedProgram *program, size_t structure)
{
    DEBUG_ASSERT(structure < program->structures.count);
    const ProgramMethod *first = NULL;
    bool all_this = true;
    for (size_t i = 0; i < program->methods.count; i++) {
        ProgramMethod *m = &program->methods.at[i];
        if (m->structure != structure)
            continue;
        first = first ? first : m;
        m->object = -1;
        all_this &= m->function.has_this;
    }
    const char *type = NULL;
    for (size_t p = 0; first && !all_this && !type && p < first->function.parameters.count; p++) {
        type = first->function.parameters.at[p].object;
        for (size_t i = 0; type && i < program->methods.count; i++) {
            const ProgramMethod *m = &program->methods.at[i];
            bool has = m->structure != structure;
            for (size_t q = 0; q < m->function.parameters.count; q++)
                has |= m->function.parameters.at[q].object &&
                       !strcmp(m->function.parameters.at[q].object, type);
            if (!has)
                type = NULL;
        }
    }
    for (size_t i = 0; i < program->methods.count; i++) {
        ProgramMethod *m = &program->methods.at[i];
        if (m->structure != structure)
            continue;
        if (all_this)
            m->object = 0;
        for (size_t q = m->function.parameters.count; type && q-- > 0;)
            if (m->function.parameters.at[q].object &&
                !strcmp(m->function.parameters.at[q].object, type))
                m->object = (int)(q + m->function.has_this);
    }
}

static bool is_method(const AnnotatedProgram *program, size_t m, size_t structure,
                      const AnnotationName *name)
{
    return program->methods.at[m].structure == structure &&
           !strcmp(program->methods.at[m].annotation->name.text, name->text);
}

/* A pair of names may stand for several pairs of methods: overloaded ones have one name. */
static bool resolve_pair(AnnotatedProgram *program, size_t structure, const AnnotationPair *pair,
                         Error *error)
{
    const AnnotationName *names[2] = {&pair->first, &pair->second};
    for (int side = 0; side < 2; side++) {
        bool known = false;
        for (size_t i = 0; i < program->methods.count && !known; i++)
            known = is_method(program, i, structure, names[side]);
        if (!known)
            return error_at(error, program->structures.at[structure].path, names[side]->line,
                            names[side]->column, "@%s: the structure has no method %s",
                            pair->commutes ? "Commutativity" : "Admissibility", names[side]->text);
    }
    for (size_t i = 0; i < program->methods.count; i++)
        for (size_t j = 0; j < program->methods.count; j++)
            if (is_method(program, i, structure, &pair->first) &&
                is_method(program, j, structure, &pair->second)) {
                ProgramPair fresh = {structure, i, j, pair};
                arena_push(program->arena, &program->pairs, fresh);
            }
    return true;
}

bool annotate_resolve_rules(AnnotatedProgram *program, Error *error)
{
    for (size_t s = 0; s < program->structures.count; s++) {
        const Annotation *a = program->structures.at[s].annotation;
        for (size_t i = 0; i < a->rules.count; i++)
            if (!resolve_rule(program, s, &a->rules.at[i], error))
                return false;
        for (size_t i = 0; i < a->pairs.count; i++)
            if (!resolve_pair(program, s, &a->pairs.at[i], error))
                return false;
        find_objects(program, s);
    }
    return true;
}
