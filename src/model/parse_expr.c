#include "model/parser.h"
#include <string.h>

/* ---- tokens and nodes ---- */
bool parser_token_is(const Token *token, const char *text)
{
    return token->kind != TOKEN_END && token->kind != TOKEN_NUMBER && !strcmp(token->text, text);
}

bool parser_is(const Parser *parser, const char *text)
{
    return parser_token_is(parser->at, text);
}

bool parser_accept(Parser *parser, const char *text)
{
    if (!parser_is(parser, text))
        return false;
    parser->at++;
    return true;
}

const char *parser_token_text(Parser *parser, const Token *token)
{
    if (token->kind == TOKEN_END)
        return "the end of the file";
    if (token->kind == TOKEN_NUMBER)
        return arena_printf(parser->arena, "'%lld'", (long long)token->value);
    return arena_printf(parser->arena, "'%s'", token->text);
}

bool parser_expect(Parser *parser, const char *text)
{
    if (parser_accept(parser, text))
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
                        parser_token_text(parser, parser->at));
}

Syntax *parser_node_at(Parser *parser, SyntaxKind kind, Place place)
{
    Syntax *node = arena_new_of(parser->arena, Syntax);
    node->kind = kind;
    node->place = place;
    return node;
}

Syntax *parser_node(Parser *parser, SyntaxKind kind)
{
    return parser_node_at(parser, kind, parser->at->place);
}

void parser_set_list(Parser *parser, Syntax *node, SyntaxList *list)
{
    node->count = (int)list->count;
    node->list = arena_array_of(parser->arena, Syntax *, list->count + 1);
    if (list->count)
        memcpy(node->list, list->at, list->count * sizeof *list->at);
    vec_free(list);
}

static const char *const reserved[] = {
    "param", "typedef",   "data",   "enum",      "struct", "threads",       "thread",
    "init",  "invariant", "final",  "observe",   "quasi",  "specification", "operation",
    "int",   "bool",      "auto",   "void",      "if",     "else",          "while",
    "do",    "for",       "choose", "or",        "atomic", "await",         "assert",
    "free",  "return",    "break",  "continue",  "new",    "true",          "false",
    "NULL",  "none",      "self",   "available", "pool",   "manual",
};

bool parser_expect_name(Parser *parser, const char *what, const char **name)
{
    if (parser->at->kind != TOKEN_NAME)
        return source_error(parser->error, parser->at->place, "expected %s before %s", what,
                            parser_token_text(parser, parser->at));
    for (size_t i = 0; i < COUNT_OF(reserved); i++)
        if (!strcmp(parser->at->text, reserved[i]))
            return source_error(parser->error, parser->at->place,
                                "'%s' is a word of the language: expected %s", reserved[i], what);
    *name = parser->at++->text;
    return true;
}

bool parser_enter(Parser *parser)
{
    if (++parser->nesting > MAX_NESTING)
        return source_error(parser->error, parser->at->place, "nested more than %d deep",
                            MAX_NESTING);
    return true;
}

/* ---- expressions ---- */
static bool parse_arguments(Parser *parser, Syntax *call)
{
    SyntaxList list = {0};
    bool ok = true;
    if (!parser_is(parser, ")"))
        do {
            Syntax *argument = parse_expr(parser);
            if (!argument) {
                ok = false;
                break;
            }
            vec_push(&list, argument);
        } while (parser_accept(parser, ","));
    parser_set_list(parser, call, &list);
    return ok && parser_expect(parser, ")");
}

static Syntax *parse_primary(Parser *parser)
{
    Syntax *node;
    const Token *token = parser->at;
    if (token->kind == TOKEN_NUMBER) {
        node = parser_node(parser, SYN_NUMBER);
        node->value = token->value;
        parser->at++;
        return node;
    }
    if (parser_accept(parser, "(")) {
        node = parse_expr(parser);
        return node && parser_expect(parser, ")") ? node : NULL;
    }
    if (parser_is(parser, "new")) {
        node = parser_node(parser, SYN_NEW);
        parser->at++;
        return parser_expect_name(parser, "the name of a struct", &node->name) ? node : NULL;
    }
    if (parser_is(parser, "choose")) {
        node = parser_node(parser, SYN_CHOICE);
        parser->at++;
        if (!parser_expect(parser, "(") || !(node->a = parse_expr(parser)) ||
            !parser_expect(parser, "..") || !(node->b = parse_expr(parser)) ||
            !parser_expect(parser, ")"))
            return NULL;
        return node;
    }
    if (parser_is(parser, "available")) {
        node = parser_node(parser, SYN_CALL);
        node->name = "available";
        parser->at++;
        return parser_expect(parser, "(") && parse_arguments(parser, node) ? node : NULL;
    }
    static const char *const constants[] = {"true", "false", "NULL", "none", "self"};
    for (size_t i = 0; i < COUNT_OF(constants); i++)
        if (parser_is(parser, constants[i])) {
            node = parser_node(parser, SYN_NAME);
            node->name = constants[i];
            parser->at++;
            return node;
        }
    if (token->kind != TOKEN_NAME) {
        source_error(parser->error, token->place, "expected an expression before %s",
                     parser_token_text(parser, token));
        return NULL;
    }
    node = parser_node(parser, SYN_NAME);
    if (!parser_expect_name(parser, "an expression", &node->name))
        return NULL;
    if (parser_accept(parser, "(")) {
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
        if (parser_is(parser, "->") || parser_is(parser, ".")) {
            node = parser_node(parser, parser_is(parser, "->") ? SYN_ARROW : SYN_DOT);
            parser->at++;
            node->a = left;
            Place name = parser->at->place;
            if (!parser_expect_name(parser, "the name of a field", &node->name))
                return NULL;
            node->place = name;
        } else if (parser_is(parser, "[")) {
            node = parser_node(parser, SYN_INDEX);
            parser->at++;
            node->a = left;
            if (!(node->b = parse_expr(parser)) || !parser_expect(parser, "]"))
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
        if (parser_is(parser, unary[i].text)) {
            Syntax *node = parser_node(parser, SYN_UNARY);
            node->operator= unary[i].operator;
            parser->at++;
            if (!parser_enter(parser) || !(node->a = parse_unary(parser)))
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
            if (binary[i].precedence < 11 && parser_is(parser, binary[i].text))
                break;
        if (i == COUNT_OF(binary) || binary[i].precedence < lowest)
            return left;
        Syntax *node = parser_node(parser, SYN_BINARY);
        node->operator= binary[i].operator;
        node->a = left;
        parser->at++;
        if (!(node->b = parse_binary(parser, binary[i].precedence + 1)))
            return NULL;
        left = node;
    }
    return NULL;
}

Syntax *parse_expr(Parser *parser)
{
    if (!parser_enter(parser))
        return NULL;
    Syntax *left = parse_binary(parser, 1);
    if (left && parser_is(parser, "?")) {
        Syntax *node = parser_node(parser, SYN_CONDITIONAL);
        parser->at++;
        node->a = left;
        if (!(node->b = parse_expr(parser)) || !parser_expect(parser, ":") ||
            !(node->c = parse_expr(parser)))
            return NULL;
        left = node;
    }
    parser->nesting--;
    return left;
}
