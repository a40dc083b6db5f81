/* annotate_table.c: what annotations say, as the table that the runtime reads. */
#include <heddle_annotated.h>
#include <stdio.h>
#include "tool/instrument/annotate/annotate_internal.h"

void annotate_emit_string(Buffer *out, const char *text)
{
    buffer_printf(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            buffer_printf(out, "\\%c", c);
        else if (c < 32 || c == '?')
            buffer_printf(out, "\\%03o", c);
        else
            buffer_append(out, text, 1);
    }
    buffer_printf(out, "\"");
}

static void emit_table_methods(Buffer *out, const AnnotatedProgram *program)
{
    buffer_printf(out, "static const HeddleMethodText heddle_table_methods[] = {\n");
    for (size_t i = 0; i < program->methods.count; i++) {
        const ProgramMethod *m = &program->methods.at[i];
        const Annotation *a = m->annotation;
        buffer_printf(out, "{");
        annotate_emit_string(out, a->name.text);
        buffer_printf(out, ", ");
        annotate_emit_string(out, m->function.name ? m->function.name : "");
        buffer_printf(out, ", %zu, ", m->structure);
        annotate_emit_string(out, m->path);
        buffer_printf(out, ", %d, %d, %d, ", a->line, a->pre.line, a->post.line);
        annotate_emit_string(out, a->pre.text ? a->pre.text : "");
        buffer_printf(out, ", ");
        annotate_emit_string(out, a->post.text ? a->post.text : "");
        buffer_printf(out, ", \"");
        for (size_t c = 0; c < a->conditions.count; c++)
            buffer_printf(out, "%s%s", c ? " " : "", a->conditions.at[c].name.text);
        buffer_printf(out, "\", 0x%llxull, %d, %d, ", (unsigned long long)m->labels,
                      a->justify_pre.line, a->justify_post.line);
        annotate_emit_string(out, a->justify_pre.text ? a->justify_pre.text : "");
        buffer_printf(out, ", ");
        annotate_emit_string(out, a->justify_post.text ? a->justify_post.text : "");
        buffer_printf(out, "},\n");
    }
    buffer_printf(out, "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};\n");
}

/* Pairs of calls, each with its condition as a function: that is about results and arguments as
 * numbers, so that it may stand where their types are not known. */
static void emit_table_pairs(Buffer *out, const AnnotatedProgram *program, bool cxx)
{
    for (size_t i = 0; i < program->pairs.count; i++) {
        const AnnotationCode *condition = &program->pairs.at[i].pair->condition;
        buffer_printf(out, "static int heddle_pair_%zu(void) { return ", i);
        if (condition->text) {
            buffer_printf(out, "!!(\n#line %d ", condition->line);
            annotate_emit_string(out, program->structures.at[program->pairs.at[i].structure].path);
            buffer_printf(out, "\n");
            annotate_emit_words(out, condition, cxx ? DIALECT_CXX : DIALECT_C);
            buffer_printf(out, "\n); }\n");
        } else {
            buffer_printf(out, "1; }\n");
        }
    }
    buffer_printf(out, "static const HeddlePair heddle_table_pairs[] = {\n");
    for (size_t i = 0; i < program->pairs.count; i++) {
        const ProgramPair *p = &program->pairs.at[i];
        buffer_printf(out, "{%zu, %zu, %zu, %d, heddle_pair_%zu, \"%s <-> %s\", ", p->structure,
                      p->first, p->second, p->pair->commutes, i, p->pair->first.text,
                      p->pair->second.text);
        annotate_emit_string(out, program->structures.at[p->structure].path);
        buffer_printf(out, ", %d},\n", p->pair->first.line);
    }
    buffer_printf(out, "{0, 0, 0, 0, 0, 0, 0, 0}};\n");
}

static void emit_rule_text(Buffer *out, const AnnotationRule *rule)
{
    const AnnotationName *names[2][2] = {{&rule->from, &rule->from_condition},
                                         {&rule->to, &rule->to_condition}};
    for (int i = 0; i < 2; i++) {
        buffer_printf(out, "%s%s", i ? " -> " : "", names[i][0]->text);
        if (names[i][1]->text)
            buffer_printf(out, "(%s)", names[i][1]->text);
    }
}

const char *annotate_emit_table(const AnnotatedProgram *program, bool cxx)
{
    static const int kinds[] = {[ANNOTATION_POTENTIAL] = HEDDLE_POINT_POTENTIAL,
                                [ANNOTATION_CHECK] = HEDDLE_POINT_CHECK,
                                [ANNOTATION_LABEL_CHECK] = HEDDLE_POINT_LABEL_CHECK,
                                [ANNOTATION_CLEAR] = HEDDLE_POINT_CLEAR};
    Buffer out = {0};
    buffer_printf(&out, "\n");
    emit_table_methods(&out, program);
    emit_table_pairs(&out, program, cxx);
    buffer_printf(&out, "static const HeddlePoint heddle_table_points[] = {\n");
    for (size_t i = 0; i < program->points.count; i++) {
        const AnnotatedProgramPoint *p = &program->points.at[i];
        buffer_printf(&out, "{");
        annotate_emit_string(&out, p->path);
        buffer_printf(&out, ", %d, %d, %zu, %zu},\n", p->annotation->line,
                      kinds[p->annotation->kind], p->label, p->potential);
    }
    buffer_printf(&out, "{0, 0, 0, 0, 0}};\nstatic const HeddleRule heddle_table_rules[] = {\n");
    for (size_t i = 0; i < program->rules.count; i++) {
        const ProgramRule *r = &program->rules.at[i];
        buffer_printf(&out, "{%zu, %zu, %d, %zu, %d, \"", r->structure, r->from, r->from_condition,
                      r->to, r->to_condition);
        emit_rule_text(&out, r->rule);
        buffer_printf(&out, "\", ");
        annotate_emit_string(&out, program->structures.at[r->structure].path);
        buffer_printf(&out, ", %d},\n", r->rule->from.line);
    }
    buffer_printf(&out, "{0, 0, 0, 0, 0, 0, 0, 0}};\nstatic const char *const "
                        "heddle_table_labels[] = {");
    for (size_t i = 0; i < program->labels.count; i++)
        buffer_printf(&out, "\"%s\", ", program->labels.at[i]);
    buffer_printf(&out, "0};\nstatic const char *const heddle_table_structures[] = {");
    for (size_t i = 0; i < program->structures.count; i++) {
        char place[4200];
        snprintf(place, sizeof place, "%s:%d", program->structures.at[i].path,
                 program->structures.at[i].annotation->line);
        annotate_emit_string(&out, place);
        buffer_printf(&out, ", ");
    }
    buffer_printf(&out,
                  "0};\n%sconst HeddleAnnotations heddle__annotations = {%zu, %zu, %zu, %zu, %zu, "
                  "heddle_table_methods, heddle_table_points, heddle_table_rules, "
                  "heddle_table_labels, heddle_table_structures, %zu, heddle_table_pairs};\n",
                  cxx ? "extern \"C\" " : "", program->methods.count, program->points.count,
                  program->rules.count, program->labels.count, program->structures.count,
                  program->pairs.count);
    const char *text = str_copy(program->arena, buffer_str(&out));
    vec_free(&out);
    return text;
}
