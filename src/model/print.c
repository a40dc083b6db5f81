#include "model/flow.h"
#include <string.h>

const char *operator_text(Operator operator)
{
    static const char *const texts[] = {
#define X(name, text, precedence) text,
        MODEL_OPERATORS(X)
#undef X
    };
    ASSERT((size_t) operator<COUNT_OF(texts));
    return texts[operator];
}

static int precedence_of(Operator operator)
{
    static const int precedences[] = {
#define X(name, text, precedence) precedence,
        MODEL_OPERATORS(X)
#undef X
    };
    return precedences[operator];
}

void model_value_print(Buffer *out, const Type *type, int64_t value)
{
    switch (type->kind) {
    case TYPE_BOOL:
        buffer_printf(out, "%s", value ? "true" : "false");
        return;
    case TYPE_ENUM:
        if (value >= 0 && value < type->count)
            buffer_printf(out, "%s", type->words[value]);
        else
            buffer_printf(out, "%lld", (long long)value);
        return;
    case TYPE_NULL:
        buffer_printf(out, "NULL");
        return;
    case TYPE_NONE:
        buffer_printf(out, "none");
        return;
    case TYPE_REF:
        if (value == 0)
            buffer_printf(out, "NULL");
        else
            buffer_printf(out, "%s#%lld", type->structure->name, (long long)value);
        return;
    case TYPE_THREAD:
        if (value == 0)
            buffer_printf(out, "none");
        else
            buffer_printf(out, "t%lld", (long long)value);
        return;
    case TYPE_DATA: /* a, b, ..., z, a1, b1, ... */
        if (value == 0)
            buffer_printf(out, "none");
        else if (value <= 26)
            buffer_printf(out, "%c", (int)('a' + value - 1));
        else
            buffer_printf(out, "%c%lld", (int)('a' + (value - 1) % 26),
                          (long long)((value - 1) / 26));
        return;
    default:
        buffer_printf(out, "%lld", (long long)value);
    }
}

static void print_expr(Buffer *out, const Expr *expr, int outer)
{
    int own;
    switch (expr->kind) {
    case EXPR_CONST:
        model_value_print(out, expr->type, expr->value);
        break;
    case EXPR_VARIABLE:
        buffer_printf(out, "%s", expr->variable->name);
        break;
    case EXPR_ARROW:
    case EXPR_FIELD:
        print_expr(out, expr->a, 12);
        buffer_printf(out, "%s%s", expr->kind == EXPR_ARROW ? "->" : ".", expr->field->name);
        break;
    case EXPR_INDEX:
        print_expr(out, expr->a, 12);
        buffer_printf(out, "[");
        print_expr(out, expr->b, 0);
        buffer_printf(out, "]");
        break;
    case EXPR_UNARY: {
        /* a condition that became its negation reads better turned round */
        const Expr *a = expr->a;
        if (expr->operator== OP_NOT &&
            a->kind == EXPR_BINARY &&(a->operator== OP_EQ || a->operator== OP_NE)) {
            Expr turned = *a;
            turned.operator= a->operator== OP_EQ ? OP_NE : OP_EQ;
            print_expr(out, &turned, outer);
            break;
        }
        buffer_printf(out, "%s", operator_text(expr->operator));
        print_expr(out, expr->a, 11);
        break;
    }
    case EXPR_BINARY:
        own = precedence_of(expr->operator);
        if (own < outer)
            buffer_printf(out, "(");
        print_expr(out, expr->a, own);
        buffer_printf(out, " %s ", operator_text(expr->operator));
        print_expr(out, expr->b, own + 1);
        if (own < outer)
            buffer_printf(out, ")");
        break;
    case EXPR_CONDITIONAL:
        if (outer > 0)
            buffer_printf(out, "(");
        print_expr(out, expr->a, 1);
        buffer_printf(out, " ? ");
        print_expr(out, expr->b, 1);
        buffer_printf(out, " : ");
        print_expr(out, expr->c, 0);
        if (outer > 0)
            buffer_printf(out, ")");
        break;
    case EXPR_SELF:
        buffer_printf(out, "self");
        break;
    case EXPR_AVAILABLE:
        buffer_printf(out, "available(%s)", expr->structure->name);
        break;
    case EXPR_NEW:
        buffer_printf(out, "new %s", expr->structure->name);
        break;
    case EXPR_CHOOSE:
        buffer_printf(out, "choose(");
        print_expr(out, expr->a, 0);
        buffer_printf(out, "..");
        print_expr(out, expr->b, 0);
        buffer_printf(out, ")");
        break;
    }
}

void expr_print(Buffer *out, const Expr *expr)
{
    print_expr(out, expr, 0);
}

/* A simple statement, on one line. */
static void stmt_print(Buffer *out, const Stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_ASSIGN:
        expr_print(out, stmt->target);
        buffer_printf(out, " = ");
        expr_print(out, stmt->value);
        break;
    case STMT_FREE:
    case STMT_AWAIT:
    case STMT_ASSERT:
        buffer_printf(out, "%s(",
                      stmt->kind == STMT_FREE    ? "free"
                      : stmt->kind == STMT_AWAIT ? "await"
                                                 : "assert");
        expr_print(out, stmt->value);
        buffer_printf(out, ")");
        break;
    case STMT_RETURN:
        buffer_printf(out, "return");
        if (stmt->value) {
            buffer_printf(out, " ");
            expr_print(out, stmt->value);
        }
        break;
    case STMT_LEAVE:
        buffer_printf(out, "return");
        break;
    case STMT_BREAK:
        buffer_printf(out, "break");
        break;
    case STMT_CONTINUE:
        buffer_printf(out, "continue");
        break;
    case STMT_ATOMIC: {
        /* what the author says about it: a label, a comment on the line, else the statements */
        Str line = source_line(stmt->place.file, stmt->place.line);
        const char *comment = line.length ? memmem(line.at, line.length, "//", 2) : NULL;
        if (stmt->name) {
            buffer_printf(out, "%s", stmt->name);
        } else if (stmt->body[0]->kind == STMT_INLINE) {
            stmt_print(out, stmt->body[0]);
        } else if (comment) {
            Str text = {comment + 2, (size_t)(line.at + line.length - comment) - 2};
            text = str_trim(text);
            buffer_printf(out, "%.*s", STR_ARG(text));
        } else {
            buffer_printf(out, "atomic { ");
            stmt_print(out, stmt->body[0]);
            buffer_printf(out, " }");
        }
        break;
    }
    case STMT_INLINE: { /* the call as it is written, if it ends on its line */
        Str line = source_line(stmt->place.file, stmt->place.line);
        size_t start = (size_t)MAX(stmt->place.column - 1, 0), end = start;
        int depth = 0;
        while (end < line.length && (line.at[end] != ')' || depth != 1)) {
            depth += line.at[end] == '(' ? 1 : line.at[end] == ')' ? -1 : 0;
            end++;
        }
        if (end < line.length)
            buffer_printf(out, "%.*s", (int)(end + 1 - start), line.at + start);
        else
            buffer_printf(out, "%s(...)", stmt->name);
        break;
    }
    case STMT_IF:
    case STMT_WHILE:
        buffer_printf(out, "%s (", stmt->kind == STMT_IF ? "if" : "while");
        expr_print(out, stmt->value);
        buffer_printf(out, ") ");
        for (int i = 0; i < stmt->count; i++) {
            buffer_printf(out, "%s{ ", i == 0 ? "" : stmt->kind == STMT_IF ? " else " : " ");
            stmt_print(out, stmt->body[i]);
            buffer_printf(out, " }");
        }
        break;
    case STMT_CHOOSE:
        buffer_printf(out, "choose");
        for (int i = 0; i < stmt->count; i++) {
            buffer_printf(out, "%s{ ", i ? " or " : " ");
            stmt_print(out, stmt->body[i]);
            buffer_printf(out, " }");
        }
        break;
    case STMT_BLOCK:
        for (int i = 0; i < stmt->count; i++) {
            if (i)
                buffer_printf(out, "; ");
            stmt_print(out, stmt->body[i]);
        }
        break;
    }
}

void edge_print(Buffer *out, const Edge *edge)
{
    if (edge->guard) {
        buffer_printf(out, "<");
        expr_print(out, edge->guard);
        buffer_printf(out, ">");
    }
    if (edge->guard && edge->action)
        buffer_printf(out, " ");
    if (edge->action)
        stmt_print(out, edge->action);
    if (!edge->guard && !edge->action)
        buffer_printf(out, "skip");
}
