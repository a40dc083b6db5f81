/* Recursive descent, one token ahead (two or three to tell a declaration from an expression). The
 * first error ends it: a message about one place that is right beats five of which four follow. */
#include "model/syntax.h"
#include <string.h>

enum { MAX_NESTING = 200 };

typedef Vec(Syntax *) SyntaxList;

typedef struct Parser {
    Arena *arena;
    const Token *at;
    Error *error;
    int nesting;
} Parser;

static bool token_is(const Token *token, const char *text)
{
    return token->kind != TOKEN_END && token->kind != TOKEN_NUMBER && !strcmp(token->text, text);
}

static bool is(const Parser *parser, const char *text)
{
    return token_is(parser->at, text);
}

static bool accept(Parser *parser, const char *text)
{
    if (!is(parser, text))
        return false;
    parser->at++;
    return true;
}

static const char *token_text(Parser *parser, const Token *token)
{
    if (token->kind == TOKEN_END)
        return "the end of the file";
    if (token->kind == TOKEN_NUMBER)
        return arena_printf(parser->arena, "'%lld'", (long long)token->value);
    return arena_printf(parser->arena, "'%s'", token->text);
}

static bool expect(Parser *parser, const char *text)
{
    if (accept(parser, text))
        return true;
    Place place = parser->at->place;
    const Token *before = parser->at - 1;
    /* a forgotten ; belongs to the end of the line before, not to the line after */
    if (!strcmp(text, ";") && before->place.file == place.file && before->place.file &&
        before->place.line < place.line) {
        place = before->place;
        place.column += place.width;
        place.width = 1;
    }
    return source_error(parser->error, place, "expected '%s' before %s", text,
                        token_text(parser, parser->at));
}

static Syntax *node_at(Parser *parser, SyntaxKind kind, Place place)
{
    Syntax *node = arena_new_of(parser->arena, Syntax);
    node->kind = kind;
    node->place = place;
    return node;
}

static Syntax *node_new(Parser *parser, SyntaxKind kind)
{
    return node_at(parser, kind, parser->at->place);
}

static void set_list(Parser *parser, Syntax *node, SyntaxList *list)
{
    node->count = (int)list->count;
    node->list = arena_array_of(parser->arena, Syntax *, list->count + 1);
    if (list->count)
        memcpy(node->list, list->at, list->count * sizeof *list->at);
    vec_free(list);
}

static const char *const reserved[] = {
    "param",  "typedef",   "data",      "enum",   "struct",        "threads",   "thread",
    "init",   "invariant", "observe",   "quasi",  "specification", "operation", "int",
    "bool",   "auto",      "void",      "if",     "else",          "while",     "do",
    "for",    "choose",    "or",        "atomic", "await",         "assert",    "free",
    "return", "break",     "continue",  "new",    "true",          "false",     "NULL",
    "none",   "self",      "available", "pool",   "manual",
};

static bool expect_name(Parser *parser, const char *what, const char **name)
{
    if (parser->at->kind != TOKEN_NAME)
        return source_error(parser->error, parser->at->place, "expected %s before %s", what,
                            token_text(parser, parser->at));
    for (size_t i = 0; i < COUNT_OF(reserved); i++)
        if (!strcmp(parser->at->text, reserved[i]))
            return source_error(parser->error, parser->at->place,
                                "'%s' is a word of the language: expected %s", reserved[i], what);
    *name = parser->at++->text;
    return true;
}

static bool enter(Parser *parser)
{
    if (++parser->nesting > MAX_NESTING)
        return source_error(parser->error, parser->at->place, "nested more than %d deep",
                            MAX_NESTING);
    return true;
}

/* ---- expressions ---- */
static Syntax *parse_expr(Parser *parser);

static bool parse_arguments(Parser *parser, Syntax *call)
{
    SyntaxList list = {0};
    bool ok = true;
    if (!is(parser, ")"))
        do {
            Syntax *argument = parse_expr(parser);
            if (!argument) {
                ok = false;
                break;
            }
            vec_push(&list, argument);
        } while (accept(parser, ","));
    set_list(parser, call, &list);
    return ok && expect(parser, ")");
}

static Syntax *parse_primary(Parser *parser)
{
    Syntax *node;
    const Token *token = parser->at;
    if (token->kind == TOKEN_NUMBER) {
        node = node_new(parser, SYN_NUMBER);
        node->value = token->value;
        parser->at++;
        return node;
    }
    if (accept(parser, "(")) {
        node = parse_expr(parser);
        return node && expect(parser, ")") ? node : NULL;
    }
    if (is(parser, "new")) {
        node = node_new(parser, SYN_NEW);
        parser->at++;
        return expect_name(parser, "the name of a struct", &node->name) ? node : NULL;
    }
    if (is(parser, "choose")) {
        node = node_new(parser, SYN_CHOICE);
        parser->at++;
        if (!expect(parser, "(") || !(node->a = parse_expr(parser)) || !expect(parser, "..") ||
            !(node->b = parse_expr(parser)) || !expect(parser, ")"))
            return NULL;
        return node;
    }
    if (is(parser, "available")) {
        node = node_new(parser, SYN_CALL);
        node->name = "available";
        parser->at++;
        return expect(parser, "(") && parse_arguments(parser, node) ? node : NULL;
    }
    static const char *const constants[] = {"true", "false", "NULL", "none", "self"};
    for (size_t i = 0; i < COUNT_OF(constants); i++)
        if (is(parser, constants[i])) {
            node = node_new(parser, SYN_NAME);
            node->name = constants[i];
            parser->at++;
            return node;
        }
    if (token->kind != TOKEN_NAME) {
        source_error(parser->error, token->place, "expected an expression before %s",
                     token_text(parser, token));
        return NULL;
    }
    node = node_new(parser, SYN_NAME);
    if (!expect_name(parser, "an expression", &node->name))
        return NULL;
    if (accept(parser, "(")) {
        node->kind = SYN_CALL;
        return parse_arguments(parser, node) ? node : NULL;
    }
    return node;
}

static Syntax *parse_postfix(Parser *parser)
{
    Syntax *left = parse_primary(parser);
    while (left) {
        Syntax *node;
        if (is(parser, "->") || is(parser, ".")) {
            node = node_new(parser, is(parser, "->") ? SYN_ARROW : SYN_DOT);
            parser->at++;
            node->a = left;
            Place name = parser->at->place;
            if (!expect_name(parser, "the name of a field", &node->name))
                return NULL;
            node->place = name;
        } else if (is(parser, "[")) {
            node = node_new(parser, SYN_INDEX);
            parser->at++;
            node->a = left;
            if (!(node->b = parse_expr(parser)) || !expect(parser, "]"))
                return NULL;
            node->place = node->b->place;
        } else {
            break;
        }
        left = node;
    }
    return left;
}

static Syntax *parse_unary(Parser *parser)
{
    static const struct {
        const char *text;
        Operator operator;
    } unary[] = {{"!", OP_NOT}, {"-", OP_NEG}, {"~", OP_BIT_NOT}};
    for (size_t i = 0; i < COUNT_OF(unary); i++)
        if (is(parser, unary[i].text)) {
            Syntax *node = node_new(parser, SYN_UNARY);
            node->operator= unary[i].operator;
            parser->at++;
            if (!enter(parser) || !(node->a = parse_unary(parser)))
                return NULL;
            parser->nesting--;
            return node;
        }
    return parse_postfix(parser);
}

static Syntax *parse_binary(Parser *parser, int lowest)
{
    static const struct {
        const char *text;
        Operator operator;
        int precedence;
    } binary[] = {
#define X(name, text, precedence) {text, OP_##name, precedence},
        MODEL_OPERATORS(X)
#undef X
    };
    Syntax *left = parse_unary(parser);
    while (left) {
        size_t i = 0;
        for (; i < COUNT_OF(binary); i++)
            if (binary[i].precedence < 11 && is(parser, binary[i].text))
                break;
        if (i == COUNT_OF(binary) || binary[i].precedence < lowest)
            return left;
        Syntax *node = node_new(parser, SYN_BINARY);
        node->operator= binary[i].operator;
        node->a = left;
        parser->at++;
        if (!(node->b = parse_binary(parser, binary[i].precedence + 1)))
            return NULL;
        left = node;
    }
    return NULL;
}

static Syntax *parse_expr(Parser *parser)
{
    if (!enter(parser))
        return NULL;
    Syntax *left = parse_binary(parser, 1);
    if (left && is(parser, "?")) {
        Syntax *node = node_new(parser, SYN_CONDITIONAL);
        parser->at++;
        node->a = left;
        if (!(node->b = parse_expr(parser)) || !expect(parser, ":") ||
            !(node->c = parse_expr(parser)))
            return NULL;
        left = node;
    }
    parser->nesting--;
    return left;
}

/* ---- types and declarations ---- */
static bool starts_type(const Parser *parser)
{
    static const char *const words[] = {"int", "bool", "thread", "auto", "void"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (is(parser, words[i]))
            return true;
    if (parser->at->kind != TOKEN_NAME)
        return false;
    const Token *next = parser->at + 1;
    return next->kind == TOKEN_NAME || (token_is(next, "*") && next[1].kind == TOKEN_NAME) ||
           (token_is(next, "&") && next[1].kind == TOKEN_NAME);
}

static Syntax *parse_type(Parser *parser)
{
    Syntax *type = node_new(parser, SYN_TYPE);
    static const char *const words[] = {"bool", "thread", "auto", "void"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (accept(parser, words[i])) {
            type->name = words[i];
            return type;
        }
    if (accept(parser, "int")) {
        type->name = "int";
        if (accept(parser, "(")) {
            if (!(type->a = parse_expr(parser)) || !expect(parser, "..") ||
                !(type->b = parse_expr(parser)) || !expect(parser, ")"))
                return NULL;
        }
        return type;
    }
    accept(parser, "struct"); /* C habit: `struct Node *next` */
    return expect_name(parser, "a type", &type->name) ? type : NULL;
}

static Syntax *parse_initial(Parser *parser)
{
    if (!is(parser, "{"))
        return parse_expr(parser);
    Syntax *node = node_new(parser, SYN_LIST);
    parser->at++;
    SyntaxList list = {0};
    do {
        if (is(parser, "}"))
            break;
        Syntax *value = enter(parser) ? parse_initial(parser) : NULL;
        if (!value) {
            vec_free(&list);
            return NULL;
        }
        parser->nesting--;
        vec_push(&list, value);
    } while (accept(parser, ","));
    set_list(parser, node, &list);
    return expect(parser, "}") ? node : NULL;
}

/* One declarator after its type: *name[dimension]... = initial */
static Syntax *parse_declarator(Parser *parser, const Syntax *base)
{
    Syntax *type = node_at(parser, SYN_TYPE, base->place);
    *type = *base;
    if (accept(parser, "*"))
        type->flag = true;
    Syntax *node = node_new(parser, SYN_DECLARE);
    node->a = type;
    if (!expect_name(parser, "a name", &node->name))
        return NULL;
    SyntaxList dimensions = {0};
    while (accept(parser, "[")) {
        Syntax *dimension;
        if (is(parser, "thread")) {
            dimension = node_new(parser, SYN_TYPE);
            dimension->name = "thread";
            parser->at++;
        } else {
            dimension = parse_expr(parser);
        }
        if (!dimension || !expect(parser, "]")) {
            vec_free(&dimensions);
            return NULL;
        }
        vec_push(&dimensions, dimension);
    }
    set_list(parser, node, &dimensions);
    if (accept(parser, "=") && !(node->b = parse_initial(parser)))
        return NULL;
    return node;
}

/* type declarator, declarator; appended to list */
static bool parse_declaration(Parser *parser, SyntaxList *list)
{
    Syntax *type = parse_type(parser);
    if (!type)
        return false;
    do {
        Syntax *node = parse_declarator(parser, type);
        if (!node)
            return false;
        vec_push(list, node);
    } while (accept(parser, ","));
    return expect(parser, ";");
}

/* ---- statements ---- */
static Syntax *parse_stmt(Parser *parser);

static Syntax *parse_block(Parser *parser)
{
    Syntax *block = node_new(parser, SYN_BLOCK);
    Place open = parser->at->place;
    if (!expect(parser, "{") || !enter(parser))
        return NULL;
    SyntaxList list = {0};
    while (!is(parser, "}")) {
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
    set_list(parser, block, &list);
    return block;
}

/* An assignment or call, without the semicolon. */
static Syntax *parse_simple(Parser *parser)
{
    Syntax *left = parse_expr(parser);
    if (!left)
        return NULL;
    Syntax *node = node_at(parser, SYN_ASSIGN, left->place);
    node->a = left;
    if (accept(parser, "="))
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
        if (is(parser, assigning[i].text)) {
            bool by_one = assigning[i].text[1] == assigning[i].text[0] && assigning[i].text[2] == 0;
            Syntax *value = node_new(parser, SYN_BINARY);
            value->operator= assigning[i].operator;
            parser->at++;
            value->a = left;
            if (by_one) {
                value->b = node_at(parser, SYN_NUMBER, value->place);
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
    Syntax *block = node_new(parser, SYN_BLOCK), *loop = node_new(parser, SYN_WHILE);
    SyntaxList list = {0};
    parser->at++;
    if (!expect(parser, "("))
        return NULL;
    bool ok = true;
    if (accept(parser, ";")) {
    } else if (starts_type(parser)) {
        ok = parse_declaration(parser, &list);
    } else {
        Syntax *init = parse_simple(parser);
        ok = init && expect(parser, ";");
        if (ok)
            vec_push(&list, init);
    }
    if (ok && is(parser, ";")) {
        loop->a = node_new(parser, SYN_NAME);
        loop->a->name = "true";
    } else if (ok) {
        ok = (loop->a = parse_expr(parser)) != NULL;
    }
    ok = ok && expect(parser, ";");
    if (ok && !is(parser, ")"))
        ok = (loop->c = parse_simple(parser)) != NULL;
    ok = ok && expect(parser, ")") && (loop->b = parse_stmt(parser));
    vec_push(&list, loop);
    set_list(parser, block, &list);
    return ok ? block : NULL;
}

static Syntax *parse_choose(Parser *parser)
{
    Syntax *node = node_new(parser, SYN_CHOOSE);
    parser->at++;
    SyntaxList list = {0};
    do {
        Syntax *branch = parse_block(parser);
        if (!branch) {
            vec_free(&list);
            return NULL;
        }
        vec_push(&list, branch);
    } while (accept(parser, "or"));
    set_list(parser, node, &list);
    return node;
}

/* (a); */
static Syntax *parse_parenthesised(Parser *parser, SyntaxKind kind)
{
    Syntax *node = node_new(parser, kind);
    parser->at++;
    if (!expect(parser, "(") || !(node->a = parse_expr(parser)) || !expect(parser, ")") ||
        !expect(parser, ";"))
        return NULL;
    return node;
}

static Syntax *parse_stmt_inner(Parser *parser)
{
    Syntax *node = node_new(parser, SYN_BLOCK);
    if (is(parser, "{"))
        return parse_block(parser);
    if (accept(parser, ";")) /* an empty statement */
        return node;
    if (is(parser, "if")) {
        node->kind = SYN_IF;
        parser->at++;
        if (!expect(parser, "(") || !(node->a = parse_expr(parser)) || !expect(parser, ")") ||
            !(node->b = parse_stmt(parser)))
            return NULL;
        if (accept(parser, "else") && !(node->c = parse_stmt(parser)))
            return NULL;
        return node;
    }
    if (is(parser, "while")) {
        node->kind = SYN_WHILE;
        parser->at++;
        if (!expect(parser, "(") || !(node->a = parse_expr(parser)) || !expect(parser, ")") ||
            !(node->b = parse_stmt(parser)))
            return NULL;
        return node;
    }
    if (is(parser, "do")) {
        node->kind = SYN_WHILE;
        node->flag = true;
        parser->at++;
        if (!(node->b = parse_stmt(parser)) || !expect(parser, "while") || !expect(parser, "(") ||
            !(node->a = parse_expr(parser)) || !expect(parser, ")") || !expect(parser, ";"))
            return NULL;
        return node;
    }
    if (is(parser, "for"))
        return parse_for(parser);
    if (is(parser, "choose") && token_is(parser->at + 1, "{"))
        return parse_choose(parser);
    if (is(parser, "atomic")) {
        node->kind = SYN_ATOMIC;
        parser->at++;
        return (node->a = parse_block(parser)) ? node : NULL;
    }
    if (is(parser, "await"))
        return parse_parenthesised(parser, SYN_AWAIT);
    if (is(parser, "assert"))
        return parse_parenthesised(parser, SYN_ASSERT);
    if (is(parser, "free"))
        return parse_parenthesised(parser, SYN_FREE);
    if (accept(parser, "return")) {
        node->kind = SYN_RETURN;
        if (!is(parser, ";") && !(node->a = parse_expr(parser)))
            return NULL;
        return expect(parser, ";") ? node : NULL;
    }
    if (is(parser, "break") || is(parser, "continue")) {
        node->kind = is(parser, "break") ? SYN_BREAK : SYN_CONTINUE;
        parser->at++;
        return expect(parser, ";") ? node : NULL;
    }
    if (starts_type(parser)) {
        SyntaxList list = {0};
        bool ok = parse_declaration(parser, &list);
        set_list(parser, node, &list);
        node->flag = true;
        return ok ? node : NULL;
    }
    if (parser->at->kind == TOKEN_NAME && token_is(parser->at + 1, ":")) { /* label: statement */
        const char *label;
        if (!expect_name(parser, "a label", &label))
            return NULL;
        parser->at++;
        node = parse_stmt(parser);
        if (node)
            node->label = label;
        return node;
    }
    node = parse_simple(parser);
    return node && expect(parser, ";") ? node : NULL;
}

static Syntax *parse_stmt(Parser *parser)
{
    if (!enter(parser))
        return NULL;
    Syntax *node = parse_stmt_inner(parser);
    parser->nesting--;
    return node;
}

/* ---- items ---- */
static bool parse_parameters(Parser *parser, Syntax *function)
{
    SyntaxList list = {0};
    bool ok = expect(parser, "(");
    if (ok && is(parser, "void") && token_is(parser->at + 1, ")"))
        parser->at++;
    if (ok && !is(parser, ")"))
        do {
            Syntax *node = node_new(parser, SYN_PARAMETER);
            ok = (node->a = parse_type(parser)) != NULL;
            if (ok && accept(parser, "*"))
                node->a->flag = true;
            if (ok && accept(parser, "&"))
                node->flag = true;
            node->place = parser->at->place;
            ok = ok && expect_name(parser, "the name of a parameter", &node->name);
            vec_push(&list, node);
        } while (ok && accept(parser, ","));
    set_list(parser, function, &list);
    return ok && expect(parser, ")");
}

static Syntax *parse_function(Parser *parser, SyntaxKind kind)
{
    Syntax *node = node_new(parser, kind);
    if (!(node->a = parse_type(parser)))
        return NULL;
    if (accept(parser, "*"))
        node->a->flag = true;
    node->place = parser->at->place;
    if (!expect_name(parser, "a name", &node->name) || !parse_parameters(parser, node) ||
        !(node->b = parse_block(parser)))
        return NULL;
    return node;
}

static Syntax *parse_struct(Parser *parser)
{
    parser->at++;
    Syntax *node = node_new(parser, SYN_STRUCT);
    SyntaxList fields = {0};
    bool ok = expect_name(parser, "the name of the struct", &node->name) && expect(parser, "{");
    while (ok && !is(parser, "}")) {
        if (!starts_type(parser) && !is(parser, "struct"))
            ok = source_error(parser->error, parser->at->place, "expected a field before %s",
                              token_text(parser, parser->at));
        else
            ok = parse_declaration(parser, &fields);
    }
    set_list(parser, node, &fields);
    ok = ok && expect(parser, "}");
    if (ok && accept(parser, "pool")) {
        ok = (node->a = parse_expr(parser)) != NULL;
        if (ok && accept(parser, "manual"))
            node->flag = true;
    }
    return ok && expect(parser, ";") ? node : NULL;
}

static bool parse_names(Parser *parser, Syntax *node, const char *what)
{
    SyntaxList list = {0};
    bool ok = true;
    do {
        Syntax *name = node_new(parser, SYN_NAME);
        ok = expect_name(parser, what, &name->name);
        vec_push(&list, name);
    } while (ok && accept(parser, ","));
    set_list(parser, node, &list);
    return ok;
}

static bool parse_items(Parser *parser, bool in_specification, SyntaxList *items);

static Syntax *parse_specification(Parser *parser)
{
    Syntax *node = node_new(parser, SYN_SPECIFICATION);
    parser->at++;
    node->name = "specification";
    if (!is(parser, "{") && !expect_name(parser, "a name or {", &node->name))
        return NULL;
    SyntaxList list = {0};
    bool ok = expect(parser, "{") && parse_items(parser, true, &list);
    set_list(parser, node, &list);
    return ok && expect(parser, "}") ? node : NULL;
}

/* One item that yields one node. */
static Syntax *parse_item(Parser *parser)
{
    Syntax *node = node_new(parser, SYN_PARAM);
    if (accept(parser, "param")) {
        node->place = parser->at->place;
        return expect_name(parser, "the name of a parameter", &node->name) && expect(parser, "=") &&
                       (node->a = parse_expr(parser)) && expect(parser, ";")
                   ? node
                   : NULL;
    }
    if (accept(parser, "typedef")) {
        node->kind = SYN_TYPEDEF;
        if (!(node->a = parse_type(parser)))
            return NULL;
        if (accept(parser, "*"))
            node->a->flag = true;
        node->place = parser->at->place;
        return expect_name(parser, "the name of the type", &node->name) && expect(parser, ";")
                   ? node
                   : NULL;
    }
    if (accept(parser, "data")) {
        node->kind = SYN_DATA;
        node->place = parser->at->place;
        return expect_name(parser, "the name of the type", &node->name) && expect(parser, ";")
                   ? node
                   : NULL;
    }
    if (accept(parser, "enum")) {
        node->kind = SYN_ENUM;
        node->place = parser->at->place;
        return expect_name(parser, "the name of the type", &node->name) && expect(parser, "{") &&
                       parse_names(parser, node, "a word of the enum") && expect(parser, "}") &&
                       expect(parser, ";")
                   ? node
                   : NULL;
    }
    if (is(parser, "struct") && token_is(parser->at + 2, "{"))
        return parse_struct(parser);
    if (accept(parser, "operation"))
        return parse_function(parser, SYN_OPERATION);
    if (accept(parser, "atomic")) {
        node = parse_function(parser, SYN_FUNCTION);
        if (node)
            node->flag = true;
        return node;
    }
    if (accept(parser, "threads")) {
        node->kind = SYN_THREADS;
        if (!(node->a = parse_expr(parser)))
            return NULL;
        if (accept(parser, ":") && !parse_names(parser, node, "the name of an operation"))
            return NULL;
        return expect(parser, ";") ? node : NULL;
    }
    if (is(parser, "thread") && (token_is(parser->at + 1, "{") || token_is(parser->at + 2, "{"))) {
        node->kind = SYN_THREAD;
        parser->at++;
        if (!is(parser, "{") && !expect_name(parser, "a name", &node->name))
            return NULL;
        return (node->b = parse_block(parser)) ? node : NULL;
    }
    if (is(parser, "init") && token_is(parser->at + 1, "{")) {
        node->kind = SYN_INIT;
        parser->at++;
        return (node->b = parse_block(parser)) ? node : NULL;
    }
    if (accept(parser, "invariant")) {
        node->kind = SYN_INVARIANT;
        return (node->a = parse_expr(parser)) && expect(parser, ";") ? node : NULL;
    }
    if (accept(parser, "observe")) {
        node->kind = SYN_OBSERVE;
        SyntaxList list = {0};
        bool ok = true;
        do {
            Syntax *expr = parse_expr(parser);
            if (!(ok = expr != NULL))
                break;
            vec_push(&list, expr);
        } while (accept(parser, ","));
        set_list(parser, node, &list);
        return ok && expect(parser, ";") ? node : NULL;
    }
    if (accept(parser, "quasi")) {
        node->kind = SYN_QUASI;
        node->place = parser->at->place;
        return expect_name(parser, "the name of an operation", &node->name) &&
                       expect(parser, ":") && (node->a = parse_expr(parser)) && expect(parser, ";")
                   ? node
                   : NULL;
    }
    source_error(parser->error, parser->at->place, "expected a declaration before %s",
                 token_text(parser, parser->at));
    return NULL;
}

static bool parse_items(Parser *parser, bool in_specification, SyntaxList *items)
{
    while (parser->at->kind != TOKEN_END && !(in_specification && is(parser, "}"))) {
        Syntax *node;
        bool is_thread = is(parser, "thread") &&
                         (token_is(parser->at + 1, "{") || token_is(parser->at + 2, "{"));
        if (accept(parser, ";"))
            continue;
        if (is(parser, "specification") && !in_specification) {
            node = parse_specification(parser);
        } else if (!is_thread && starts_type(parser) && !is(parser, "operation") &&
                   !is(parser, "param") && !is(parser, "data") && !is(parser, "enum") &&
                   !is(parser, "typedef") && !is(parser, "threads") && !is(parser, "atomic") &&
                   !is(parser, "quasi") && !is(parser, "observe") && !is(parser, "invariant") &&
                   !is(parser, "specification") && !is(parser, "init") && !is(parser, "struct")) {
            const Token *after = parser->at; /* type [*] name ( : a function */
            Syntax *type = parse_type(parser);
            if (!type)
                return false;
            accept(parser, "*");
            bool is_function = parser->at->kind == TOKEN_NAME && token_is(parser->at + 1, "(");
            parser->at = after;
            if (!is_function) {
                if (!parse_declaration(parser, items))
                    return false;
                continue;
            }
            node = parse_function(parser, SYN_FUNCTION);
        } else {
            node = parse_item(parser);
        }
        if (!node)
            return false;
        vec_push(items, node);
    }
    return true;
}

bool syntax_parse(Arena *arena, const Token *tokens, Syntax ***items, int *item_count, Error *error)
{
    Parser parser = {arena, tokens, error, 0};
    SyntaxList list = {0};
    bool ok = parse_items(&parser, false, &list);
    Syntax *file = node_new(&parser, SYN_BLOCK);
    set_list(&parser, file, &list);
    *items = file->list;
    *item_count = file->count;
    return ok;
}
