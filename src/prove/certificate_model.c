/* The operations of a model as the tool reads them, as data: nested lists in the words of
 * tools/certificate/text.py, since no checker reads models yet. */
#include "prove/certificate_private.h"

typedef struct Writer {
    const Certificate *c;
    Buffer *out;
    const IrProgram *program;
} Writer;

static void model_expr(const Writer *w, const IrExpr *e)
{
    static const char *const words[] = {
        [IR_NUMBER] = "num", [IR_ID] = "id",       [IR_LOCAL] = "local", [IR_GLOBAL] = "global",
        [IR_BOUND] = "any",  [IR_FIELD] = "field", [IR_CELL] = "cell",   [IR_ADD] = "+",
        [IR_SUB] = "-",      [IR_WRAP] = "wrap",   [IR_TIMES] = "*",     [IR_QUOTIENT] = "/",
        [IR_REST] = "%"};
    buffer_printf(w->out, "(%s", words[e->kind]);
    if (e->kind == IR_NUMBER)
        buffer_printf(w->out, " %lld", (long long)e->number);
    else if (e->kind != IR_ID && e->kind < IR_ADD)
        buffer_printf(w->out, " %d", e->index);
    const IrExpr *parts[] = {e->a, e->kind == IR_WRAP ? NULL : e->b};
    for (int i = 0; i < 2; i++)
        if (parts[i]) {
            buffer_printf(w->out, " ");
            model_expr(w, parts[i]);
        }
    buffer_printf(w->out, ")");
}

static void model_kind_word(const Writer *w, IrType type)
{
    static const char *const words[] = {[KIND_INT] = "int",
                                        [KIND_BOOL] = "bool",
                                        [KIND_KEY] = "key",
                                        [KIND_TID] = "tid",
                                        [KIND_RANK] = "rank"};
    if (ir_type_is_node(type))
        buffer_printf(w->out, "|%s|", w->program->structures.at[type.structure]);
    else
        buffer_printf(w->out, "%s", words[type.kind]);
}

static void model_formula(const Writer *w, const IrFormula *f)
{
    static const char *const words[] = {
        [FORMULA_TRUE] = "true", [FORMULA_EQ] = "=",      [FORMULA_NE] = "!=",
        [FORMULA_LT] = "<",      [FORMULA_LE] = "<=",     [FORMULA_LIVE] = "live",
        [FORMULA_MINE] = "mine", [FORMULA_NONE] = "none", [FORMULA_NOT] = "not",
        [FORMULA_AND] = "and",   [FORMULA_OR] = "or",     [FORMULA_IMPLIES] = "=>"};
    buffer_printf(w->out, "(%s", words[f->kind]);
    if (f->kind == FORMULA_NONE) {
        buffer_printf(w->out, " ");
        model_kind_word(w, f->bound);
    }
    const IrExpr *sides[] = {f->left, f->right};
    const IrFormula *parts[] = {f->a, f->b};
    for (int i = 0; i < 2; i++) {
        buffer_printf(w->out, sides[i] || parts[i] ? " " : "");
        if (sides[i])
            model_expr(w, sides[i]);
        if (parts[i])
            model_formula(w, parts[i]);
    }
    buffer_printf(w->out, ")");
}

static void model_statement(const Writer *w, const IrStatement *s)
{
    if (s->kind == IR_NEW || s->kind == IR_FREE) {
        buffer_printf(w->out, "(%s %d)", s->kind == IR_NEW ? "new" : "free", s->local);
        return;
    }
    buffer_printf(w->out, s->kind == IR_ASSUME ? "(assume " : "(set ");
    if (s->kind == IR_ASSUME) {
        model_formula(w, s->condition);
        buffer_printf(w->out, s->claimed ? " claimed" : "");
    } else {
        model_expr(w, s->target);
        buffer_printf(w->out, " ");
        model_expr(w, s->value);
    }
    buffer_printf(w->out, ")");
}

static void model_variables(const Writer *w, const IrVariable *list, size_t count)
{
    buffer_printf(w->out, " (");
    for (size_t i = 0; i < count; i++) {
        buffer_printf(w->out, "(|%s| ", list[i].name);
        model_kind_word(w, list[i].type);
        buffer_printf(w->out, ")");
    }
    buffer_printf(w->out, ")");
}

static void model_operation(const Writer *w, const IrOperation *op)
{
    buffer_printf(w->out, "\n (|%s| |%s| %d (", op->name, op->method, op->internal);
    for (size_t i = 0; i < op->ports.count; i++)
        buffer_printf(w->out, " %d", op->ports.at[i]);
    buffer_printf(w->out, ")");
    model_variables(w, op->locals.at, op->locals.count);
    for (size_t i = 0; i < op->subops.count; i++) {
        const SubOp *step = &op->subops.at[i];
        buffer_printf(w->out, "\n  (|%s| (", step->label ? step->label : "");
        for (size_t k = 0; k < step->guards.count; k++)
            model_formula(w, step->guards.at[k]);
        buffer_printf(w->out, ") (");
        for (size_t k = 0; k < step->statements.count; k++)
            model_statement(w, &step->statements.at[k]);
        buffer_printf(w->out, "))");
    }
    buffer_printf(w->out, ")");
}

static void model_state(const Writer *w, const IrProgram *program)
{
    buffer_printf(w->out, "(");
    for (size_t i = 0; i < program->structures.count; i++)
        buffer_printf(w->out, "|%s| ", program->structures.at[i]);
    buffer_printf(w->out, ") (");
    for (size_t i = 0; i < program->fields.count; i++) {
        const IrField *field = &program->fields.at[i];
        buffer_printf(w->out, "(|%s| |%s| ", program->structures.at[field->structure], field->name);
        model_kind_word(w, field->type);
        buffer_printf(w->out, ")");
    }
    buffer_printf(w->out, ")");
    model_variables(w, program->globals.at, program->globals.count);
    model_variables(w, program->arrays.at, program->arrays.count);
    model_operation(w, &program->initial);
}

void cert_model(Certificate *c, const IrProgram *program)
{
    const IrProgram *specification = program->specification;
    Writer own = {c, &c->out, program}, his = {c, &c->out, specification};
    buffer_printf(&c->out, "(set-info :model (%d ", program->manual);
    model_state(&own, program);
    buffer_printf(&c->out, "\n(");
    for (size_t i = 0; i < program->operations.count; i++)
        model_operation(&own, &program->operations.at[i]);
    buffer_printf(&c->out, ")\n("); /* rounds that only look */
    for (size_t i = program->operations.count;
         program->looks && i < program->looks->operations.count; i++)
        model_operation(&own, &program->looks->operations.at[i]);
    buffer_printf(&c->out, ")\n");
    model_state(&his, specification);
    buffer_printf(&c->out, "\n(");
    for (size_t i = 0; i < specification->operations.count; i++)
        model_operation(&his, &specification->operations.at[i]);
    buffer_printf(&c->out, ")))\n");
}
