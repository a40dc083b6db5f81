/* Recursive descent, one token ahead (two or three to tell a declaration from an expression). The
 * first error ends it: a message about one place that is right beats five of which four follow. */
#include "model/parser.h"

/* ---- items ---- */
static bool parse_parameters(Parser *parser, Syntax *function)
{
    SyntaxList list = {0};
    bool ok = parser_expect(parser, "(");
    if (ok && parser_is(parser, "void") && parser_token_is(parser->at + 1, ")"))
        parser->at++;
    if (ok && !parser_is(parser, ")"))
        do {
            Syntax *node = parser_node(parser, SYN_PARAMETER);
            ok = (node->a = parse_type(parser)) != NULL;
            if (ok && parser_accept(parser, "*"))
                node->a->flag = true;
            if (ok && parser_accept(parser, "&"))
                node->flag = true;
            node->place = parser->at->place;
            ok = ok && parser_expect_name(parser, "the name of a parameter", &node->name);
            vec_push(&list, node);
        } while (ok && parser_accept(parser, ","));
    parser_set_list(parser, function, &list);
    return ok && parser_expect(parser, ")");
}

static Syntax *parse_function(Parser *parser, SyntaxKind kind)
{
    Syntax *node = parser_node(parser, kind);
    if (!(node->a = parse_type(parser)))
        return NULL;
    if (parser_accept(parser, "*"))
        node->a->flag = true;
    node->place = parser->at->place;
    if (!parser_expect_name(parser, "a name", &node->name) || !parse_parameters(parser, node) ||
        !(node->b = parse_block(parser)))
        return NULL;
    return node;
}

static Syntax *parse_struct(Parser *parser)
{
    parser->at++;
    Syntax *node = parser_node(parser, SYN_STRUCT);
    SyntaxList fields = {0};
    bool ok = parser_expect_name(parser, "the name of the struct", &node->name) &&
              parser_expect(parser, "{");
    while (ok && !parser_is(parser, "}")) {
        if (!parser_starts_type(parser) && !parser_is(parser, "struct"))
            ok = source_error(parser->error, parser->at->place, "expected a field before %s",
                              parser_token_text(parser, parser->at));
        else
            ok = parse_declaration(parser, &fields);
    }
    parser_set_list(parser, node, &fields);
    ok = ok && parser_expect(parser, "}");
    if (ok && parser_accept(parser, "pool")) {
        ok = (node->a = parse_expr(parser)) != NULL;
        if (ok && parser_accept(parser, "manual"))
            node->flag = true;
    }
    return ok && parser_expect(parser, ";") ? node : NULL;
}

static bool parse_names(Parser *parser, Syntax *node, const char *what)
{
    SyntaxList list = {0};
    bool ok = true;
    do {
        Syntax *name = parser_node(parser, SYN_NAME);
        ok = parser_expect_name(parser, what, &name->name);
        vec_push(&list, name);
    } while (ok && parser_accept(parser, ","));
    parser_set_list(parser, node, &list);
    return ok;
}

static bool parse_items(Parser *parser, bool in_specification, SyntaxList *items);

static Syntax *parse_specification(Parser *parser)
{
    Syntax *node = parser_node(parser, SYN_SPECIFICATION);
    parser->at++;
    node->name = "specification";
    if (!parser_is(parser, "{") && !parser_expect_name(parser, "a name or {", &node->name))
        return NULL;
    SyntaxList list = {0};
    bool ok = parser_expect(parser, "{") && parse_items(parser, true, &list);
    parser_set_list(parser, node, &list);
    return ok && parser_expect(parser, "}") ? node : NULL;
}

/* The words between the braces are the prover's: their text is kept as it is. */
static Syntax *parse_refinement(Parser *parser, Syntax *node)
{
    const Token *first = parser->at += 2;
    int depth = 1;
    node->kind = SYN_REFINEMENT;
    node->place = first->place;
    for (;; parser->at++) {
        depth += parser_is(parser, "{");
        depth -= parser_is(parser, "}");
        if (depth == 0 || parser->at->kind == TOKEN_END)
            break;
    }
    const Token *last = parser->at;
    if (!parser_expect(parser, "}"))
        return NULL;
    if (last->place.file != first->place.file) {
        source_error(parser->error, first->place, "`refinement' ends in another file");
        return NULL;
    }
    node->name = source_at(first->place);
    node->value = source_at(last->place) - node->name;
    return node;
}

/* One item that yields one node. */
static Syntax *parse_item(Parser *parser)
{
    Syntax *node = parser_node(parser, SYN_PARAM);
    if (parser_accept(parser, "param")) {
        node->place = parser->at->place;
        return parser_expect_name(parser, "the name of a parameter", &node->name) &&
                       parser_expect(parser, "=") && (node->a = parse_expr(parser)) &&
                       parser_expect(parser, ";")
                   ? node
                   : NULL;
    }
    if (parser_accept(parser, "typedef")) {
        node->kind = SYN_TYPEDEF;
        if (!(node->a = parse_type(parser)))
            return NULL;
        if (parser_accept(parser, "*"))
            node->a->flag = true;
        node->place = parser->at->place;
        return parser_expect_name(parser, "the name of the type", &node->name) &&
                       parser_expect(parser, ";")
                   ? node
                   : NULL;
    }
    if (parser_accept(parser, "data")) {
        node->kind = SYN_DATA;
        node->place = parser->at->place;
        return parser_expect_name(parser, "the name of the type", &node->name) &&
                       parser_expect(parser, ";")
                   ? node
                   : NULL;
    }
    if (parser_accept(parser, "enum")) {
        node->kind = SYN_ENUM;
        node->place = parser->at->place;
        return parser_expect_name(parser, "the name of the type", &node->name) &&
                       parser_expect(parser, "{") &&
                       parse_names(parser, node, "a word of the enum") &&
                       parser_expect(parser, "}") && parser_expect(parser, ";")
                   ? node
                   : NULL;
    }
    if (parser_is(parser, "struct") && parser_token_is(parser->at + 2, "{"))
        return parse_struct(parser);
    if (parser_accept(parser, "operation"))
        return parse_function(parser, SYN_OPERATION);
    if (parser_accept(parser, "atomic")) {
        node = parse_function(parser, SYN_FUNCTION);
        if (node)
            node->flag = true;
        return node;
    }
    if (parser_accept(parser, "threads")) {
        node->kind = SYN_THREADS;
        if (!(node->a = parse_expr(parser)))
            return NULL;
        if (parser_accept(parser, ":") && !parse_names(parser, node, "the name of an operation"))
            return NULL;
        return parser_expect(parser, ";") ? node : NULL;
    }
    if (parser_is(parser, "thread") &&
        (parser_token_is(parser->at + 1, "{") || parser_token_is(parser->at + 2, "{"))) {
        node->kind = SYN_THREAD;
        parser->at++;
        if (!parser_is(parser, "{") && !parser_expect_name(parser, "a name", &node->name))
            return NULL;
        return (node->b = parse_block(parser)) ? node : NULL;
    }
    if (parser_is(parser, "init") && parser_token_is(parser->at + 1, "{")) {
        node->kind = SYN_INIT;
        parser->at++;
        return (node->b = parse_block(parser)) ? node : NULL;
    }
    bool final = parser_is(parser, "final");
    if (final || parser_is(parser, "invariant")) {
        parser->at++;
        node->kind = final ? SYN_FINAL : SYN_INVARIANT;
        return (node->a = parse_expr(parser)) && parser_expect(parser, ";") ? node : NULL;
    }
    if (parser_accept(parser, "observe")) {
        node->kind = SYN_OBSERVE;
        SyntaxList list = {0};
        bool ok = true;
        do {
            Syntax *expr = parse_expr(parser);
            if (!(ok = expr != NULL))
                break;
            vec_push(&list, expr);
        } while (parser_accept(parser, ","));
        parser_set_list(parser, node, &list);
        return ok && parser_expect(parser, ";") ? node : NULL;
    }
    if (parser_is(parser, "refinement") && parser_token_is(parser->at + 1, "{"))
        return parse_refinement(parser, node);
    if (parser_accept(parser, "quasi")) {
        node->kind = SYN_QUASI;
        node->place = parser->at->place;
        return parser_expect_name(parser, "the name of an operation", &node->name) &&
                       parser_expect(parser, ":") && (node->a = parse_expr(parser)) &&
                       parser_expect(parser, ";")
                   ? node
                   : NULL;
    }
    source_error(parser->error, parser->at->place, "expected a declaration before %s",
                 parser_token_text(parser, parser->at));
    return NULL;
}

static bool parse_items(Parser *parser, bool in_specification, SyntaxList *items)
{
    while (parser->at->kind != TOKEN_END && !(in_specification && parser_is(parser, "}"))) {
        Syntax *node;
        bool is_thread = parser_is(parser, "thread") && (parser_token_is(parser->at + 1, "{") ||
                                                         parser_token_is(parser->at + 2, "{"));
        if (parser_accept(parser, ";"))
            continue;
        if (parser_is(parser, "specification") && !in_specification) {
            node = parse_specification(parser);
        } else if (!is_thread && parser_starts_type(parser) && !parser_is(parser, "operation") &&
                   !parser_is(parser, "param") && !parser_is(parser, "data") &&
                   !parser_is(parser, "enum") && !parser_is(parser, "typedef") &&
                   !parser_is(parser, "threads") && !parser_is(parser, "atomic") &&
                   !parser_is(parser, "quasi") && !parser_is(parser, "observe") &&
                   !parser_is(parser, "invariant") && !parser_is(parser, "final") &&
                   !parser_is(parser, "specification") && !parser_is(parser, "init") &&
                   !parser_is(parser, "struct")) {
            const Token *after = parser->at; /* type [*] name ( : a function */
            Syntax *type = parse_type(parser);
            if (!type)
                return false;
            parser_accept(parser, "*");
            bool is_function =
                parser->at->kind == TOKEN_NAME && parser_token_is(parser->at + 1, "(");
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
    Syntax *file = parser_node(&parser, SYN_BLOCK);
    parser_set_list(&parser, file, &list);
    *items = file->list;
    *item_count = file->count;
    return ok;
}
