/* annotate_emit.c: annotations as code. In C, the state of a structure is a struct behind a
 * pointer, and its variables are macros while annotated code is read; in C++, annotated code is
 * made of member functions of the state, so that its variables have their names by themselves, in
 * templates, too. Code of a class stands at its end, everything else before the function that it
 * belongs to. */
#include <heddle_annotated.h>
#include <stdio.h>
#include <string.h>
#include "tool/instrument/annotate/annotate_internal.h"

#define QUIET "__attribute__((unused, no_sanitize(\"thread\")))"

/* ---- pieces of text ---- */

static void emit_line(Buffer *out, const char *path, int line)
{
    buffer_printf(out, "\n#line %d ", line);
    annotate_emit_string(out, path);
    buffer_printf(out, "\n");
}

/* Code of the user's, at its own place. */
static void emit_code(Buffer *out, const char *path, const AnnotationCode *code, Dialect dialect)
{
    emit_line(out, path, code->line);
    buffer_printf(out, "%*s", code->column - 1, "");
    annotate_emit_words(out, code, dialect);
    buffer_printf(out, "\n");
}

static void emit_codes(Buffer *out, const char *path, const AnnotationCodes *codes, Dialect dialect)
{
    for (size_t i = 0; i < codes->count; i++)
        emit_code(out, path, &codes->at[i], dialect);
}

/* Back to what stands at offset AT of the original. */
static void emit_resume(Buffer *out, const UnitFile *file, size_t at)
{
    DEBUG_ASSERT(at <= file->text.length);
    size_t start = at;
    while (start > 0 && file->text.at[start - 1] != '\n')
        start--;
    emit_line(out, file->path, unit_line(file, at));
    buffer_printf(out, "%*s", (int)(at - start), "");
}

/* Whatever warnings the user wants are about the user's code, not about ours around it. */
static void emit_quietly(Buffer *out, bool on)
{
    static const char *const names[] = {"pedantic",
                                        "misleading-indentation",
                                        "shadow",
                                        "conversion",
                                        "sign-conversion",
                                        "cast-qual",
                                        "unused-variable",
                                        "unused-function",
                                        "unused-parameter",
                                        "sign-compare",
                                        "missing-field-initializers",
                                        "parentheses"};
    buffer_printf(out, "\n#pragma GCC diagnostic %s\n", on ? "push" : "pop");
    for (size_t i = 0; on && i < COUNT_OF(names); i++)
        buffer_printf(out, "#pragma GCC diagnostic ignored \"-W%s\"\n", names[i]);
}

static void add_edit(const AnnotatedProgram *program, Edits *edits, size_t begin, size_t end,
                     Buffer *text)
{
    Edit edit = {begin, end, str_copy(program->arena, buffer_str(text)), edits->count};
    arena_push(program->arena, edits, edit);
    vec_free(text);
}

/* ---- structures ---- */

static void emit_macros(Buffer *out, const AnnotatedProgram *program, size_t structure, bool on,
                        const UnitMethod *but)
{
    const AnnotationWords *names = &program->structures.at[structure].names;
    for (size_t i = 0; i < names->count; i++) {
        bool hidden = false; /* a parameter of that name */
        for (size_t p = 0; but && p < but->parameters.count; p++)
            hidden |= !strcmp(but->parameters.at[p].name, names->at[i]);
        if (hidden)
            continue;
        if (on)
            buffer_printf(out, "#define %s (heddle_s_%zu->%s)\n", names->at[i], structure,
                          names->at[i]);
        else
            buffer_printf(out, "#undef %s\n", names->at[i]);
    }
}

static void emit_functions(Buffer *out, const ProgramStructure *structure)
{
    const AnnotationCodes *functions = &structure->annotation->functions;
    for (size_t i = 0; i < functions->count; i++) {
        bool has_static = str_starts(str_of(functions->at[i].text), STR("static")) ||
                          str_starts(str_of(functions->at[i].text), STR("typedef")) ||
                          str_starts(str_of(functions->at[i].text), STR("extern"));
        if (!has_static)
            buffer_printf(out, "static " QUIET);
        emit_code(out, structure->path, &functions->at[i], DIALECT_C);
    }
}

static void emit_inits(Buffer *out, const ProgramStructure *structure, Dialect dialect)
{
    const AnnotationCodes *inits = &structure->annotation->inits;
    for (size_t i = 0; i < inits->count; i++) {
        emit_code(out, structure->path, &inits->at[i], dialect);
        buffer_printf(out, ";");
    }
}

static void emit_structure_c(Buffer *out, const AnnotatedProgram *program, size_t n)
{
    DEBUG_ASSERT(n < program->structures.count);
    const ProgramStructure *structure = &program->structures.at[n];
    const Annotation *a = structure->annotation;
    buffer_printf(out, "\n");
    emit_codes(out, structure->path, &a->structs, DIALECT_C);
    buffer_printf(out, "struct heddle_state_%zu {", n);
    emit_codes(out, structure->path, &a->variables, DIALECT_C);
    buffer_printf(out,
                  "; char heddle_none; };\n"
                  "static struct heddle_state_%zu *heddle_s_%zu __attribute__((unused));\n",
                  n, n);
    emit_macros(out, program, n, true, NULL);
    emit_functions(out, structure);
    buffer_printf(out,
                  "static " QUIET " void heddle_make_%zu(void *heddle_m) { heddle_s_%zu = "
                  "(struct heddle_state_%zu *)heddle_m; ",
                  n, n, n);
    emit_inits(out, structure, DIALECT_C);
    buffer_printf(out, "}\n");
    emit_macros(out, program, n, false, NULL);
    buffer_printf(out,
                  "static const HeddleStructure heddle_structure_%zu __attribute__((unused)) = "
                  "{%zu, sizeof(struct heddle_state_%zu), heddle_make_%zu};\n",
                  n, n, n, n);
}

/* The head of the state, as far as methods follow inside it. */
static void emit_structure_cxx_begin(Buffer *out, const AnnotatedProgram *program, size_t n)
{
    const ProgramStructure *structure = &program->structures.at[n];
    const Annotation *a = structure->annotation;
    buffer_printf(out, "\nstruct heddle_state_%zu {", n);
    emit_codes(out, structure->path, &a->structs, DIALECT_CXX);
    emit_codes(out, structure->path, &a->variables, DIALECT_CXX);
    buffer_printf(out, ";");
    emit_codes(out, structure->path, &a->functions, DIALECT_CXX);
    buffer_printf(out, QUIET " void heddle_init() {");
    emit_inits(out, structure, DIALECT_CXX);
    buffer_printf(out,
                  "}\n" QUIET " static void heddle_make(void *heddle_m) { HeddlePlace heddle_p = "
                  "{heddle_m}; (new (heddle_p) heddle_state_%zu())->heddle_init(); }\n",
                  n);
}

/* ---- methods ---- */

static void emit_field(Buffer *out, const UnitValue *value, const char *name)
{
    if (value->reference)
        buffer_printf(out, " __typeof__(%s) *%s;", value->type, name);
    else
        buffer_printf(out, " __typeof__(%s) %s;", value->type, name);
}

static void emit_arguments(Buffer *out, const ProgramMethod *method, size_t k)
{
    const UnitMethod *f = &method->function;
    buffer_printf(out, "struct heddle_arguments_%zu {", k);
    if (f->has_this)
        buffer_printf(out, " const volatile void *heddle_this;");
    for (size_t i = 0; i < f->parameters.count; i++)
        emit_field(out, &f->parameters.at[i], f->parameters.at[i].name);
    if (f->gives)
        emit_field(out, &f->result, "heddle_ret");
    buffer_printf(out, " char heddle_none; };\n");
}

static void emit_local(Buffer *out, const UnitValue *value, const char *name, const char *from)
{
    if (value->reference)
        buffer_printf(out, " __typeof__(%s) &%s = *heddle_args->%s; (void)%s;", value->type, name,
                      from, name);
    else
        buffer_printf(out, " __typeof__(%s) %s = heddle_args->%s; (void)%s;", value->type, name,
                      from, name);
}

/* Writes "if (the condition does not hold) failed = NUMBER", and leaves the function then. The
 * later papers write conditions as bodies of functions, with return. In C each return jumps behind
 * the body, in C++ the body is that of a lambda. */
static void emit_condition(Buffer *out, const char *path, const AnnotationCode *code,
                           Dialect dialect, int number)
{
    bool body = annotation_has_token(code->text, "return");
    if (!body) {
        buffer_printf(out, " if (!(");
        emit_code(out, path, code, dialect);
        buffer_printf(out, "))");
    } else if (dialect == DIALECT_C) {
        AnnotationCode jumping = *code;
        Buffer text = {0};
        annotate_replace_returns(&text, code->text, number);
        jumping.text = buffer_str(&text).at;
        buffer_printf(out, " int heddle_r%d = 1; {", number);
        emit_code(out, path, &jumping, dialect);
        buffer_printf(out, ";} goto heddle_e%d; heddle_e%d: if (!heddle_r%d)", number, number,
                      number);
        vec_free(&text);
    } else {
        buffer_printf(out, " if (!([&]() -> bool {");
        emit_code(out, path, code, dialect);
        buffer_printf(out, "; })())");
    }
    buffer_printf(out, " { heddle_j->failed = %d; return; }", number);
}

/* The conditions of one moment: the usual one, and the justifying one. */
static void emit_conditions(Buffer *out, const ProgramMethod *method, const AnnotationCode *usual,
                            const AnnotationCode *justifying, Dialect dialect, int number)
{
    const struct {
        const AnnotationCode *code;
        int mode, number;
    } both[] = {{usual, HEDDLE_JUDGE_ALL, number}, {justifying, HEDDLE_JUDGE_LAST, number + 2}};
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        if (!both[i].code->text)
            continue;
        buffer_printf(out, " if (heddle_j->mode == %d) {", both[i].mode);
        emit_condition(out, method->path, both[i].code, dialect, both[i].number);
        buffer_printf(out, " }");
    }
}

/* The body of the function that judges a call: HEDDLE_ARGS and HEDDLE_J are there. */
static void emit_judgement(Buffer *out, const ProgramMethod *method, Dialect dialect)
{
    const Annotation *a = method->annotation;
    const UnitMethod *f = &method->function;
    if (f->has_this)
        buffer_printf(out, " const volatile void *heddle_this = heddle_args->heddle_this; "
                           "(void)heddle_this;");
    for (size_t i = 0; i < f->parameters.count; i++)
        emit_local(out, &f->parameters.at[i], f->parameters.at[i].name, f->parameters.at[i].name);
    if (f->gives)
        emit_local(out, &f->result, "__RET__", "heddle_ret");
    if (f->gives && !f->result.reference && annotation_mentions(a, "S_RET"))
        buffer_printf(out, " __typeof__(%s) heddle_s_ret = %s; (void)heddle_s_ret;", f->result.type,
                      dialect == DIALECT_C ? "{0}" : "{}");
    emit_conditions(out, method, &a->pre, &a->justify_pre, dialect, 1);
    if (a->side.text) {
        emit_code(out, method->path, &a->side, dialect);
        buffer_printf(out, ";");
    }
    if (a->id.text) {
        buffer_printf(out, " heddle_j->id = (unsigned long long)(__UINTPTR_TYPE__)(");
        emit_code(out, method->path, &a->id, dialect);
        buffer_printf(out, ");");
    }
    for (size_t i = 0; i < a->conditions.count; i++) {
        buffer_printf(out, " if (");
        emit_code(out, method->path, &a->conditions.at[i].code, dialect);
        buffer_printf(out, ") heddle_j->conditions |= 1u << %zu;", i);
    }
    emit_conditions(out, method, &a->post, &a->justify_post, dialect, 2);
    buffer_printf(out, " heddle_j->failed = 0; }\n");
}

static size_t field_count(const UnitMethod *f)
{
    return f->parameters.count + f->has_this + f->gives;
}

static void emit_kind(Buffer *out, int kind, const char *expression, bool cxx)
{
    if (cxx && kind == HEDDLE_FIELD_OTHER)
        buffer_printf(out, "HeddleKindOf<__typeof__(%s)>::value", expression);
    else
        buffer_printf(out, "%d", kind);
}

static void emit_field_entry(Buffer *out, const UnitValue *value, const char *name,
                             const char *field, const char *type, bool cxx)
{
    char expression[512], target[520];
    snprintf(expression, sizeof expression, "((%s *)0)->%s", type, field);
    snprintf(target, sizeof target, "*%s", expression);
    buffer_printf(out, "{");
    if (name)
        annotate_emit_string(out, name);
    else
        buffer_printf(out, "0");
    buffer_printf(out, ", ");
    emit_kind(out, value->kind, expression, cxx);
    buffer_printf(out, ", __builtin_offsetof(%s, %s), sizeof(%s), ", type, field, expression);
    if (value->pointee) {
        buffer_printf(out, "sizeof(%s), ", target);
        emit_kind(out, value->pointee_kind, target, cxx);
        buffer_printf(out, "}, ");
    } else {
        buffer_printf(out, "0, 0}, ");
    }
}

static void emit_fields(Buffer *out, const ProgramMethod *method, const char *type, bool cxx)
{
    const UnitMethod *f = &method->function;
    buffer_printf(out, " {");
    if (f->has_this) {
        UnitValue this_value = {.kind = HEDDLE_FIELD_POINTER};
        emit_field_entry(out, &this_value, "this", "heddle_this", type, cxx);
    }
    for (size_t i = 0; i < f->parameters.count; i++) {
        UnitValue value = f->parameters.at[i];
        if ((int)(i + f->has_this) == method->object)
            value.pointee = false; /* the object itself is what changes */
        emit_field_entry(out, &value, value.name, value.name, type, cxx);
    }
    if (f->gives)
        emit_field_entry(out, &f->result, NULL, "heddle_ret", type, cxx);
    buffer_printf(out, "{0, 0, 0, 0, 0, 0}};\n");
}

static void emit_method_c(Buffer *out, const AnnotatedProgram *program, size_t k)
{
    DEBUG_ASSERT(k < program->methods.count);
    const ProgramMethod *method = &program->methods.at[k];
    size_t n = method->structure;
    char type[64];
    snprintf(type, sizeof type, "struct heddle_arguments_%zu", k);
    buffer_printf(out, "\n");
    emit_arguments(out, method, k);
    emit_macros(out, program, n, true, &method->function);
    buffer_printf(
        out,
        "static " QUIET
        " void heddle_judge_%zu(void *heddle_m, void *heddle_a, HeddleJudged *heddle_j) { "
        "%s *heddle_args = (%s *)heddle_a; (void)heddle_args; heddle_s_%zu = "
        "(struct heddle_state_%zu *)heddle_m;",
        k, type, type, n, n);
    emit_judgement(out, method, DIALECT_C);
    emit_macros(out, program, n, false, &method->function);
    buffer_printf(out, "static const HeddleField heddle_fields_%zu[] =", k);
    emit_fields(out, method, type, false);
    buffer_printf(out,
                  "static const HeddleMethod heddle_method_%zu = {%zu, &heddle_structure_%zu, "
                  "sizeof(%s), heddle_judge_%zu, %d, %zu, heddle_fields_%zu};\n",
                  k, k, n, type, k, method->object, field_count(&method->function), k);
}

/* Writes the judgement of method K for C++, inside a struct that is, or derives from, the state. */
static void emit_method_cxx_inside(Buffer *out, const AnnotatedProgram *program, size_t k,
                                   const char *owner)
{
    const ProgramMethod *method = &program->methods.at[k];
    buffer_printf(out,
                  QUIET " void heddle_judge_%zu(heddle_arguments_%zu *heddle_args, HeddleJudged "
                        "*heddle_j) { (void)heddle_args;",
                  k, k);
    emit_judgement(out, method, DIALECT_METHOD);
    buffer_printf(out,
                  QUIET " static void heddle_call_%zu(void *heddle_m, void *heddle_a, HeddleJudged "
                        "*heddle_j) { static_cast<%s *>(static_cast<heddle_state_%zu *>(heddle_m))"
                        "->heddle_judge_%zu(static_cast<heddle_arguments_%zu *>(heddle_a), "
                        "heddle_j); }\n",
                  k, owner, method->structure, k, k);
}

static void emit_method_cxx_table(Buffer *out, const AnnotatedProgram *program, size_t k,
                                  const char *owner)
{
    const ProgramMethod *method = &program->methods.at[k];
    buffer_printf(out,
                  "static " QUIET " const HeddleMethod *heddle_method_%zu() { typedef "
                  "heddle_arguments_%zu heddle_t; static const HeddleField heddle_fields[] =",
                  k, k);
    emit_fields(out, method, "heddle_t", true);
    /* constants, so that no guard is needed: its accesses would be events */
    size_t n = method->structure;
    buffer_printf(out,
                  "static const HeddleStructure heddle_y = {%zu, sizeof(heddle_state_%zu), "
                  "heddle_state_%zu::heddle_make};\nstatic const HeddleMethod heddle_x = {%zu, "
                  "&heddle_y, sizeof(heddle_t), %s::heddle_call_%zu, %d, %zu, heddle_fields}; "
                  "return &heddle_x; }\n",
                  n, n, n, k, owner, k, method->object, field_count(&method->function));
}

/* ---- inside the method ---- */

static void emit_entry(const AnnotatedProgram *program, const ProgramUnit *unit,
                       const UnitAnnotated *m, Edits *edits)
{
    const UnitMethod *f = &program->methods.at[m->number].function;
    bool cxx = unit->unit.cxx;
    Buffer text = {0};
    buffer_printf(&text, " struct heddle_arguments_%zu heddle__a = {", m->number);
    if (f->has_this)
        buffer_printf(&text, "this, ");
    for (size_t i = 0; i < f->parameters.count; i++) {
        const UnitValue *value = &f->parameters.at[i];
        if (!cxx)
            buffer_printf(&text, ".%s = ", value->name);
        buffer_printf(&text, "%s%s, ", value->reference ? "&" : "", value->name);
    }
    if (!cxx)
        buffer_printf(&text, ".heddle_none = 0");
    else if (f->gives)
        buffer_printf(&text, "{}, 0");
    else
        buffer_printf(&text, "0");
    /* the cleanup runs however the method is left, at the line where it is */
    buffer_printf(&text,
                  "}; HeddleFrame heddle__f __attribute__((cleanup(heddle__method_end))) = "
                  "{%sheddle_method_%zu%s, &heddle__a, 0}; heddle__method_begin(&heddle__f); ",
                  cxx ? "" : "&", m->number, cxx ? "()" : "");
    add_edit(program, &edits[m->function->file], m->function->body + 1, m->function->body + 1,
             &text);
}

static void emit_returns(const AnnotatedProgram *program, const ProgramUnit *unit,
                         const UnitAnnotated *m, Edits *edits)
{
    const UnitMethod *f = &program->methods.at[m->number].function;
    const UnitFile *file = &unit->unit.files.at[m->function->file];
    for (size_t i = 0; i < f->returns.count; i++) {
        const UnitReturn *r = &f->returns.at[i];
        Buffer before = {0}, after = {0};
        bool braces = file->text.at[r->begin] == '{';
        if (f->result.reference) {
            buffer_printf(&before, " *(heddle__a.heddle_ret = &(");
            buffer_printf(&after, "))");
        } else {
            buffer_printf(&before, " heddle__a.heddle_ret = %s", braces ? "" : "(");
            buffer_printf(&after, "%s", braces ? "" : ")");
        }
        add_edit(program, &edits[m->function->file], r->at, r->at, &before);
        add_edit(program, &edits[m->function->file], r->end, r->end, &after);
    }
}

static void emit_point(const AnnotatedProgram *program, const ProgramUnit *unit,
                       const UnitPoint *point, Edits *edits)
{
    const UnitFile *file = &unit->unit.files.at[point->file];
    const Annotation *a = program->points.at[point->number].annotation;
    Buffer text = {0};
    buffer_printf(&text, "{ if (");
    emit_code(&text, file->path, &a->condition, unit->unit.cxx ? DIALECT_CXX : DIALECT_C);
    buffer_printf(&text, ") heddle__ordering_point(%zu); }", point->number);
    emit_resume(&text, file, a->begin);
    add_edit(program, &edits[point->file], a->begin, a->begin, &text);
}

/* ---- a unit ---- */

static bool same_class(const UnitClass *a, const UnitClass *b)
{
    return a->present && b->present && a->file == b->file && a->begin == b->begin;
}

static const UnitStructure *structure_of(const ProgramUnit *unit, size_t number)
{
    for (size_t i = 0; i < unit->structures.count; i++)
        if (unit->structures.at[i].number == number)
            return &unit->structures.at[i];
    return NULL;
}

static bool method_in_state(const AnnotatedProgram *program, const ProgramUnit *unit,
                            const UnitAnnotated *m)
{
    const UnitStructure *s = structure_of(unit, program->methods.at[m->number].structure);
    return s && same_class(&s->scope.class, &m->function->class);
}

static void emit_structure(const AnnotatedProgram *program, const ProgramUnit *unit,
                           const UnitStructure *s, Edits *edits)
{
    const UnitFile *file = &unit->unit.files.at[s->file];
    Buffer text = {0};
    size_t at = s->scope.class.present ? s->scope.class.end - 1 : s->scope.after;
    emit_quietly(&text, true);
    if (!unit->unit.cxx) {
        emit_structure_c(&text, program, s->number);
    } else {
        char owner[64];
        snprintf(owner, sizeof owner, "heddle_state_%zu", s->number);
        for (size_t i = 0; i < unit->methods.count; i++)
            if (program->methods.at[unit->methods.at[i].number].structure == s->number &&
                method_in_state(program, unit, &unit->methods.at[i]))
                emit_arguments(&text, &program->methods.at[unit->methods.at[i].number],
                               unit->methods.at[i].number);
        emit_structure_cxx_begin(&text, program, s->number);
        for (size_t i = 0; i < unit->methods.count; i++)
            if (program->methods.at[unit->methods.at[i].number].structure == s->number &&
                method_in_state(program, unit, &unit->methods.at[i]))
                emit_method_cxx_inside(&text, program, unit->methods.at[i].number, owner);
        buffer_printf(&text, "};\n");
        for (size_t i = 0; i < unit->methods.count; i++)
            if (program->methods.at[unit->methods.at[i].number].structure == s->number &&
                method_in_state(program, unit, &unit->methods.at[i]))
                emit_method_cxx_table(&text, program, unit->methods.at[i].number, owner);
    }
    emit_quietly(&text, false);
    emit_resume(&text, file, at);
    add_edit(program, &edits[s->file], at, at, &text);
}

static void emit_method(const AnnotatedProgram *program, const ProgramUnit *unit,
                        const UnitAnnotated *m, Edits *edits)
{
    emit_entry(program, unit, m, edits);
    emit_returns(program, unit, m, edits);
    if (unit->unit.cxx && method_in_state(program, unit, m))
        return; /* with its class */
    Buffer text = {0};
    emit_quietly(&text, true);
    bool inside = unit->unit.cxx && m->function->inside_class;
    size_t at = inside ? m->function->class.end - 1 : m->function->outer;
    if (!unit->unit.cxx) {
        emit_method_c(&text, program, m->number);
    } else {
        char owner[64];
        snprintf(owner, sizeof owner, "heddle_code_%zu", m->number);
        buffer_printf(&text, "\n");
        emit_arguments(&text, &program->methods.at[m->number], m->number);
        buffer_printf(&text, "struct %s : heddle_state_%zu {\n", owner,
                      program->methods.at[m->number].structure);
        emit_method_cxx_inside(&text, program, m->number, owner);
        buffer_printf(&text, "};\n");
        emit_method_cxx_table(&text, program, m->number, owner);
    }
    emit_quietly(&text, false);
    emit_resume(&text, &unit->unit.files.at[m->function->file], at);
    add_edit(program, &edits[m->function->file], at, at, &text);
}

void annotate_emit(const AnnotatedProgram *program, const ProgramUnit *unit, Edits *edits)
{
    for (size_t i = 0; i < unit->structures.count; i++)
        emit_structure(program, unit, &unit->structures.at[i], edits);
    for (size_t i = 0; i < unit->methods.count; i++)
        emit_method(program, unit, &unit->methods.at[i], edits);
    for (size_t i = 0; i < unit->points.count; i++)
        emit_point(program, unit, &unit->points.at[i], edits);
}
