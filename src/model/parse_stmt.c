#include "model/parser.h"

/* ---- types and declarations ---- */
bool parser_starts_type(const Parser *parser)
{
    static const char *const words[] = {"int", "bool", "thread", "auto", "void"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (parser_is(parser, words[i]))
            return true;
    if (parser->at->kind != TOKEN_NAME)
        return false;
    const Token *next = parser->at + 1;
    return next->kind == TOKEN_NAME || (parser_token_is(next, "*") && next[1].kind == TOKEN_NAME) ||
           (parser_token_is(next, "&") && next[1].kind == TOKEN_NAME);
}

Syntax *parse_type(Parser *parser)
{
    Syntax *type = parser_node(parser, SYN_TYPE);
    static const char *const words[] = {"bool", "thread", "auto", "void"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (parser_accept(parser, words[i])) {
            type->name = words[i];
            return type;
        }
    if (parser_accept(parser, "int")) {
        type->name = "int";
        if (parser_accept(parser, "(")) {
            if (!(type->a = parse_expr(parser)) || !parser_expect(parser, "..") ||
                !(type->b = parse_expr(parser)) || !parser_expect(parser, ")"))
                return NULL;
        }
        return type;
    }
    parser_accept(parser, "struct"); /* C habit: `struct Node *next` */
    return parser_expect_name(parser, "a type", &type->name) ? type : NULL;
}

static Syntax *parse_initial(Parser *parser)
{
    if (!parser_is(parser, "{"))
        return parse_expr(parser);
    Syntax *node = parser_node(parser, SYN_LIST);
    parser->at++;
    SyntaxList list = {0};
    do {
        if (parser_is(parser, "}"))
            break;
        Syntax *value = parser_enter(parser) ? parse_initial(parser) : NULL;
        if (!value) {
            vec_free(&list);
            return NULL;
        }
        parser->nesting--;
        vec_push(&list, value);
    } while (parser_accept(parser, ","));
    parser_set_list(parser, node, &list);
    return parser_expect(parser, "}") ? node : NULL;
}

/* One declarator after its type: *name[dimension]... = initial */
static Syntax *parse_declarator(Parser *parser, const Syntax *base)
{
    Syntax *type = parser_node_at(parser, SYN_TYPE, base->place);
    *type = *base;
    if (parser_accept(parser, "*"))
        type->flag = true;
    Syntax *node = parser_node(parser, SYN_DECLARE);
    node->a = type;
    if (!parser_expect_name(parser, "a name", &node->name))
        return NULL;
    SyntaxList dimensions = {0};
    while (parser_accept(parser, "[")) {
        Syntax *dimension;
        if (parser_is(parser, "thread")) {
            dimension = parser_node(parser, SYN_TYPE);
            dimension->name = "thread";
            parser->at++;
        } else {
            dimension = parse_expr(parser);
        }
        if (!dimension || !parser_expect(parser, "]")) {
            vec_free(&dimensions);
            return NULL;
        }
        vec_push(&dimensions, dimension);
    }
    parser_set_list(parser, node, &dimensions);
    if (parser_accept(parser, "=") && !(node->b = parse_initial(parser)))
        return NULL;
    return node;
}

/* type declarator, declarator; appended to list */
bool parse_declaration(Parser *parser, SyntaxList *list)
{
    Syntax *type = parse_type(parser);
    if (!type)
        return false;
    do {
        Syntax *node = parse_declarator(parser, type);
        if (!node)
            return false;
        vec_push(list, node);
    } while (parser_accept(parser, ","));
    return parser_expect(parser, ";");
}

/* ---- statements ---- */
static Syntax *parse_stmt(Parser *parser);

Syntax *parse_block(Parser *parser)
{
    Syntax *block = parser_node(parser, SYN_BLOCK);
    Place open = parser->at->place;
    if (!parser_expect(parser, "{") || !parser_enter(parser))
        return NULL;
    SyntaxList list = {0};
    while (!parser_is(parser, "}")) {
        if (parser->at->kind == TOKEN_END) {
            vec_free(&list);
            source_error(parser->error, open, "this { is never closed");
            return NULL;
        }
        Syntax *stmt = parse_stmt(parser);
        if (!stmt) {
            vec_free(&list);
            return NULL;
        }
        vec_push(&list, stmt);
    }
    parser->at++;
    parser->nesting--;
    parser_set_list(parser, block, &list);
    return block;
}

/* An assignment or call, without the semicolon. */
static Syntax *parse_simple(Parser *parser)
{
    Syntax *left = parse_expr(parser);
    if (!left)
        return NULL;
    Syntax *node = parser_node_at(parser, SYN_ASSIGN, left->place);
    node->a = left;
    if (parser_accept(parser, "="))
        return (node->b = parse_expr(parser)) ? node : NULL;
    static const struct {
        const char *text;
        Operator operator;
    } assigning[] = {
        {"+=", OP_ADD},         {"-=", OP_SUB},          {"*=", OP_MUL},    {"/=", OP_DIV},
        {"%=", OP_MOD},         {"&=", OP_BIT_AND},      {"|=", OP_BIT_OR}, {"^=", OP_BIT_XOR},
        {"<<=", OP_SHIFT_LEFT}, {">>=", OP_SHIFT_RIGHT}, {"++", OP_ADD},    {"--", OP_SUB},
    };
    for (size_t i = 0; i < COUNT_OF(assigning); i++)
        if (parser_is(parser, assigning[i].text)) {
            bool by_one = assigning[i].text[1] == assigning[i].text[0] && assigning[i].text[2] == 0;
            Syntax *value = parser_node(parser, SYN_BINARY);
            value->operator= assigning[i].operator;
            parser->at++;
            value->a = left;
            if (by_one) {
                value->b = parser_node_at(parser, SYN_NUMBER, value->place);
                value->b->value = 1;
            } else if (!(value->b = parse_expr(parser))) {
                return NULL;
            }
            node->b = value;
            return node;
        }
    if (left->kind != SYN_CALL) {
        source_error(parser->error, left->place,
                     "this statement does nothing: expected an assignment or a call");
        return NULL;
    }
    node->kind = SYN_EXPRESSION;
    return node;
}

/* for (init; condition; step) body  =>  { init; while (condition) body, step } */
static Syntax *parse_for(Parser *parser)
{
    Syntax *block = parser_node(parser, SYN_BLOCK), *loop = parser_node(parser, SYN_WHILE);
    SyntaxList list = {0};
    parser->at++;
    if (!parser_expect(parser, "("))
        return NULL;
    bool ok = true;
    if (parser_accept(parser, ";")) {
    } else if (parser_starts_type(parser)) {
        ok = parse_declaration(parser, &list);
    } else {
        Syntax *init = parse_simple(parser);
        ok = init && parser_expect(parser, ";");
        if (ok)
            vec_push(&list, init);
    }
    if (ok && parser_is(parser, ";")) {
        loop->a = parser_node(parser, SYN_NAME);
        loop->a->name = "true";
    } else if (ok) {
        ok = (loop->a = parse_expr(parser)) != NULL;
    }
    ok = ok && parser_expect(parser, ";");
    if (ok && !parser_is(parser, ")"))
        ok = (loop->c = parse_simple(parser)) != NULL;
    ok = ok && parser_expect(parser, ")") && (loop->b = parse_stmt(parser));
    vec_push(&list, loop);
    parser_set_list(parser, block, &list);
    return ok ? block : NULL;
}

static Syntax *parse_choose(Parser *parser)
{
    Syntax *node = parser_node(parser, SYN_CHOOSE);
    parser->at++;
    SyntaxList list = {0};
    do {
        Syntax *branch = parse_block(parser);
        if (!branch) {
            vec_free(&list);
            return NULL;
        }
        vec_push(&list, branch);
    } while (parser_accept(parser, "or"));
    parser_set_list(parser, node, &list);
    return node;
}

/* (a); */
static Syntax *parse_parenthesised(Parser *parser, SyntaxKind kind)
{
    Syntax *node = parser_node(parser, kind);
    parser->at++;
    if (!parser_expect(parser, "(") || !(node->a = parse_expr(parser)) ||
        !parser_expect(parser, ")") || !parser_expect(parser, ";"))
        return NULL;
    return node;
}

static Syntax *parse_stmt_inner(Parser *parser)
{
    Syntax *node = parser_node(parser, SYN_BLOCK);
    if (parser_is(parser, "{"))
        return parse_block(parser);
    if (parser_accept(parser, ";")) /* an empty statement */
        return node;
    if (parser_is(parser, "if")) {
        node->kind = SYN_IF;
        parser->at++;
        if (!parser_expect(parser, "(") || !(node->a = parse_expr(parser)) ||
            !parser_expect(parser, ")") || !(node->b = parse_stmt(parser)))
            return NULL;
        if (parser_accept(parser, "else") && !(node->c = parse_stmt(parser)))
            return NULL;
        return node;
    }
    if (parser_is(parser, "while")) {
        node->kind = SYN_WHILE;
        parser->at++;
        if (!parser_expect(parser, "(") || !(node->a = parse_expr(parser)) ||
            !parser_expect(parser, ")") || !(node->b = parse_stmt(parser)))
            return NULL;
        return node;
    }
    if (parser_is(parser, "do")) {
        node->kind = SYN_WHILE;
        node->flag = true;
        parser->at++;
        if (!(node->b = parse_stmt(parser)) || !parser_expect(parser, "while") ||
            !parser_expect(parser, "(") || !(node->a = parse_expr(parser)) ||
            !parser_expect(parser, ")") || !parser_expect(parser, ";"))
            return NULL;
        return node;
    }
    if (parser_is(parser, "for"))
        return parse_for(parser);
    if (parser_is(parser, "choose") && parser_token_is(parser->at + 1, "{"))
        return parse_choose(parser);
    if (parser_is(parser, "atomic")) {
        node->kind = SYN_ATOMIC;
        parser->at++;
        return (node->a = parse_block(parser)) ? node : NULL;
    }
    if (parser_is(parser, "await"))
        return parse_parenthesised(parser, SYN_AWAIT);
    if (parser_is(parser, "assert"))
        return parse_parenthesised(parser, SYN_ASSERT);
    if (parser_is(parser, "free"))
        return parse_parenthesised(parser, SYN_FREE);
    if (parser_accept(parser, "return")) {
        node->kind = SYN_RETURN;
        if (!parser_is(parser, ";") && !(node->a = parse_expr(parser)))
            return NULL;
        return parser_expect(parser, ";") ? node : NULL;
    }
    if (parser_is(parser, "break") || parser_is(parser, "continue")) {
        node->kind = parser_is(parser, "break") ? SYN_BREAK : SYN_CONTINUE;
        parser->at++;
        return parser_expect(parser, ";") ? node : NULL;
    }
    if (parser_starts_type(parser)) {
        SyntaxList list = {0};
        bool ok = parse_declaration(parser, &list);
        parser_set_list(parser, node, &list);
        node->flag = true;
        return ok ? node : NULL;
    }
    if (parser->at->kind == TOKEN_NAME &&
        parser_token_is(parser->at + 1, ":")) { /* label: statement */
        const char *label;
        if (!parser_expect_name(parser, "a label", &label))
            return NULL;
        parser->at++;
        node = parse_stmt(parser);
        if (node)
            node->label = label;
        return node;
    }
    node = parse_simple(parser);
    return node && parser_expect(parser, ";") ? node : NULL;
}

static Syntax *parse_stmt(Parser *parser)
{
    if (!parser_enter(parser))
        return NULL;
    Syntax *node = parse_stmt_inner(parser);
    parser->nesting--;
    return node;
}
