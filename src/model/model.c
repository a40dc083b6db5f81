/* Reading a model: defines, tokens, syntax, types. */
#include "model/check.h"
#include <string.h>
#include "base/hash.h"

static bool read_defines(Arena *arena, const ModelOptions *options, Defines *defines, Error *error)
{
    for (int i = 0; i < options->define_count; i++) {
        Str text = str_of(options->defines[i]), name;
        Str rest = text;
        Define define = {.value = 1};
        if (!str_next(&rest, '=', &name) || name.length == 0)
            return error_set(error, "-D needs NAME or NAME=NUMBER");
        if (rest.at && !str_to_int64(rest, &define.value))
            return error_set(error, "-D%s: the value must be a number", options->defines[i]);
        if (define.value < INT32_MIN || define.value > INT32_MAX)
            return error_set(error, "-D%s: the value is too large", options->defines[i]);
        define.name = str_copy(arena, name);
        vec_push(defines, define);
    }
    return true;
}

static uint64_t hash_tokens(const Tokens *tokens, const Defines *defines)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < tokens->count; i++) {
        const Token *token = &tokens->at[i];
        hash = hash_combine(hash, (uint64_t)token->kind);
        hash = hash_combine(hash, (uint64_t)token->value);
        hash = hash_bytes(token->text, token->text ? strlen(token->text) : 0, hash);
    }
    for (size_t i = 0; i < defines->count; i++) {
        hash = hash_bytes(defines->at[i].name, strlen(defines->at[i].name), hash);
        hash = hash_combine(hash, (uint64_t)defines->at[i].value);
    }
    return hash;
}

static bool read_source(Arena *arena, const SourceFile *file, const ModelOptions *options,
                        const Model **out, Error *error)
{
    Defines defines = {0};
    Tokens tokens = {0};
    ModelChecker checker = {.arena = arena, .error = error, .defines = &defines};
    Token end = {TOKEN_END, "", 0, {file, 1, 1, 1}};
    vec_push(&tokens, end); /* the parser may look one token back */
    bool ok = read_defines(arena, options, &defines, error) &&
              lexer_read(arena, file, options, &defines, &tokens, error);
    if (ok && options->specification) {
        const char *name = arena_printf(arena, "%s.hm", options->specification);
        const SourceFile *library = source_library(arena, name);
        ok = library ? lexer_read(arena, library, options, &defines, &tokens, error)
                     : error_set(error, "there is no specification '%s'", options->specification);
    }
    if (tokens.count > 1)
        end.place = vec_last(&tokens).place;
    for (int i = 0; i < 4; i++) /* and three ahead */
        vec_push(&tokens, end);
    Syntax **items = NULL;
    int count = 0;
    ok = ok && syntax_parse(arena, tokens.at + 1, &items, &count, error);
    checker.model = arena_new_of(arena, Model);
    checker.model->hash = hash_tokens(&tokens, &defines);
    ok = ok && check_model(&checker, file, items, count);
    for (size_t i = 0; i < checker.scopes.count; i++)
        vec_free(&checker.scopes.at[i]->symbols);
    vec_free(&checker.scopes);
    vec_free(&tokens);
    vec_free(&defines);
    *out = checker.model;
    return ok;
}

bool model_read(Arena *arena, const char *path, const ModelOptions *options, const Model **out,
                Error *error)
{
    const SourceFile *file;
    return source_read(arena, path, &file, error) && read_source(arena, file, options, out, error);
}

bool model_read_text(Arena *arena, const char *name, Str text, const ModelOptions *options,
                     const Model **out, Error *error)
{
    SourceFile *file = arena_new_of(arena, SourceFile);
    file->name = arena_printf(arena, "%s", name);
    file->text = arena_copy(arena, text.at, text.length);
    file->length = text.length;
    return read_source(arena, file, options, out, error);
}

const Module *model_find_specification(const Model *model, const char *name)
{
    for (int i = 0; i < model->specification_count; i++)
        if (!name || !strcmp(model->specifications[i]->name, name))
            return model->specifications[i];
    return NULL;
}

const ModelOperation *module_find_operation(const Module *module, const char *name)
{
    for (int i = 0; i < module->operation_count; i++)
        if (!strcmp(module->operations[i]->name, name))
            return module->operations[i];
    return NULL;
}
