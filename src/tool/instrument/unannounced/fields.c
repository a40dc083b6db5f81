#include "tool/instrument/unannounced/fields.h"
#include <string.h>
#include "base/file.h"
#include "base/hash.h"

typedef struct Local { /* a local variable of the function at hand */
    Str name;          /* with its % */
    Str type;
    bool escapes;
} Local;

typedef struct Function {
    Vec(Str) lines;
    Vec(Local) locals;
    HashMap owner; /* of a name, by its hash: the number of the variable it is an address of, + 1 */
    bool changed;
} Function;

/* ---- words of a line ---- */

static bool is_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '$' || c == '.' || c == '_';
}

/* Cuts the next name of a value (%x, %"x y") off *REST. Texts in quotation marks are passed over.
 */
static bool next_name(Str *rest, Str *name)
{
    for (const char *at = rest->at, *end = at + rest->length; at < end; at++) {
        const char *from = at;
        bool value = *at == '%' && at + 1 < end;
        at += value;
        if (*at == '"') {
            const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
            at = close ? close + 1 : end;
        } else if (value) {
            while (at < end && is_name(*at))
                at++;
        } else {
            continue;
        }
        *rest = (Str){at, (size_t)(end - at)};
        if (value) {
            *name = (Str){from, (size_t)(at - from)};
            return true;
        }
        at--;
    }
    rest->length = 0;
    return false;
}

/* The length of TEXT up to its first comma that stands in no bracket. */
static size_t first_part(Str text)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        quoted ^= c == '"';
        if (quoted)
            continue;
        depth += (c == '(') + (c == '[') + (c == '{') + (c == '<');
        depth -= (c == ')') + (c == ']') + (c == '}') + (c == '>');
        if (c == ',' && depth == 0)
            return i;
    }
    return text.length;
}

static bool contains(Str text, const char *part)
{
    return memmem(text.at, text.length, part, strlen(part)) != NULL;
}

/* Cuts "%x = " off the beginning of an instruction: %x, or the empty name. */
static Str take_result(Str *line)
{
    Str rest = str_trim(*line), name = {rest.at, 0};
    if (rest.length && rest.at[0] == '%') {
        Str after = rest;
        if (next_name(&after, &name) && str_starts(after, STR(" = "))) {
            *line = (Str){after.at + 3, after.length - 3};
            return name;
        }
        name.length = 0;
    }
    *line = rest;
    return name;
}

static uint64_t key_of(Str name)
{
    return hash_bytes(name.at, name.length, 1);
}

/* ---- who has an address ---- */

/* Is TEXT for debuggers only: a call ("call void @llvm.dbg.declare(..)") or, from version 19 on, a
 * record ("#dbg_declare(..)")? */
static bool is_debug(Str text)
{
    return contains(text, "@llvm.dbg.") || str_starts(text, STR("#dbg_"));
}

/* Does the instruction TEXT only use, for an access or for debugging, the address NAME? */
static bool keeps_address(Str text, Str name)
{
    static const char *const calls[] = {"@llvm.lifetime.", "@llvm.memcpy.", "@llvm.memmove.",
                                        "@llvm.memset."};
    if (str_starts(text, STR("load ")) || is_debug(text))
        return true;
    if (str_starts(text, STR("store "))) { /* the value, then where it goes to */
        Str value = {text.at, first_part(text)}, found;
        while (next_name(&value, &found))
            if (str_equal(found, name))
                return false;
        return true;
    }
    bool known = false;
    if (str_starts(text, STR("call ")) || str_starts(text, STR("tail call ")))
        for (size_t i = 0; i < COUNT_OF(calls); i++)
            known |= contains(text, calls[i]);
    return known;
}

static void note_local(Function *function, Str result, Str text)
{
    const Str word = STR("alloca ");
    if (!result.length || !str_starts(text, word) || str_starts(text, STR("alloca inalloca ")) ||
        str_starts(text, STR("alloca swifterror ")) || contains(text, " addrspace("))
        return;
    Str type = {text.at + word.length, text.length - word.length};
    type.length = first_part(type);
    vec_push(&function->locals, ((Local){.name = result, .type = type}));
    bool fresh;
    *hashmap_put(&function->owner, key_of(result), &fresh) = function->locals.count;
}

/* The names that LINE uses: what becomes of the addresses they are? */
static void follow(Function *function, Str line)
{
    Str text = line, result = take_result(&text), rest = text, name;
    while (next_name(&rest, &name)) {
        const uint64_t *owner = hashmap_find(&function->owner, key_of(name));
        if (!owner)
            continue;
        uint64_t number = *owner;
        if (str_starts(text, STR("getelementptr ")) || str_starts(text, STR("bitcast ")) ||
            str_starts(text, STR("addrspacecast "))) {
            bool fresh;
            *hashmap_put(&function->owner, key_of(result), &fresh) = number;
            function->changed |= fresh;
        } else if (!keeps_address(text, name)) {
            function->locals.at[number - 1].escapes = true;
        }
    }
}

/* ---- the text ---- */

static void print_hidden_name(Buffer *out, Str name)
{
    bool quoted = name.length > 1 && name.at[1] == '"';
    buffer_printf(out, quoted ? "%%\"heddle.%.*s" : "%%heddle.%.*s", (int)name.length - 1 - quoted,
                  name.at + 1 + quoted);
}

/* LINE with hidden names in the place of names of variables. */
static void print_renamed(const Function *function, Str line, Buffer *out)
{
    Str rest = line, name;
    const char *done = line.at;
    while (next_name(&rest, &name)) {
        const uint64_t *owner = hashmap_find(&function->owner, key_of(name));
        const Local *local = owner ? &function->locals.at[*owner - 1] : NULL;
        if (!local || !local->escapes || !str_equal(local->name, name))
            continue;
        buffer_append(out, done, (size_t)(name.at - done));
        print_hidden_name(out, name);
        done = rest.at;
    }
    buffer_append(out, done, (size_t)(line.at + line.length - done));
}

static bool mentions_escaped(const Function *function, Str line)
{
    Str name;
    while (next_name(&line, &name)) {
        const uint64_t *owner = hashmap_find(&function->owner, key_of(name));
        if (owner && function->locals.at[*owner - 1].escapes)
            return true;
    }
    return false;
}

static void print_line(const Function *function, Str line, bool opaque, Buffer *out)
{
    Str text = line, result = take_result(&text);
    const uint64_t *owner = result.length ? hashmap_find(&function->owner, key_of(result)) : NULL;
    const Local *local = owner ? &function->locals.at[*owner - 1] : NULL;
    if (contains(text, "@llvm.lifetime.") && mentions_escaped(function, text))
        return;
    if (is_debug(text)) {
        print_renamed(function, line, out);
    } else if (local && local->escapes && str_equal(local->name, result)) {
        Str pointer = opaque ? STR("ptr") : local->type;
        const char *star = opaque ? "" : "*";
        buffer_append(out, "  ", 2);
        print_hidden_name(out, result);
        buffer_printf(out, " = %.*s\n  %.*s = call %.*s%s asm \"\", \"=r,0\"(%.*s%s ",
                      STR_ARG(text), STR_ARG(result), STR_ARG(pointer), star, STR_ARG(pointer),
                      star);
        print_hidden_name(out, result);
        buffer_append(out, ")", 1);
    } else {
        buffer_append(out, line.at, line.length);
    }
    buffer_append(out, "\n", 1);
}

static void end_function(Function *function, bool opaque, Buffer *out)
{
    for (size_t i = 0; i < function->lines.count; i++) {
        Str text = function->lines.at[i], result = take_result(&text);
        note_local(function, result, text);
    }
    do { /* a name may stand before the line that computes it */
        function->changed = false;
        for (size_t i = 0; i < function->lines.count && function->locals.count; i++)
            follow(function, function->lines.at[i]);
    } while (function->changed);
    for (size_t i = 0; i < function->lines.count; i++)
        print_line(function, function->lines.at[i], opaque, out);
    function->lines.count = function->locals.count = 0;
    hashmap_clear(&function->owner);
}

/* Are pointers written "ptr", as since version 15? */
static bool is_opaque(Str text)
{
    Str line;
    while (str_next(&text, '\n', &line))
        if ((str_starts(line, STR("  ")) || str_starts(line, STR("define ")) ||
             str_starts(line, STR("declare "))) &&
            (contains(line, ", ptr ") || contains(line, "(ptr ") || contains(line, "(ptr,") ||
             contains(line, "(ptr)")))
            return true;
    return false;
}

void fields_reveal(Str text, Buffer *out)
{
    Function function = {0};
    bool inside = false, opaque = is_opaque(text);
    Str line;
    while (str_next(&text, '\n', &line)) {
        if (inside && str_is(line, "}")) {
            end_function(&function, opaque, out);
            inside = false;
        }
        if (inside) {
            vec_push(&function.lines, line);
            continue;
        }
        inside = str_starts(line, STR("define ")) && str_ends(line, STR("{"));
        buffer_append(out, line.at, line.length);
        buffer_append(out, "\n", 1);
    }
    vec_free(&function.lines);
    vec_free(&function.locals);
    hashmap_free(&function.owner);
}

bool fields_reveal_file(const char *path, Error *error)
{
    Buffer text = {0}, changed = {0};
    bool read = file_read(path, &text, error);
    if (read) {
        fields_reveal(buffer_str(&text), &changed);
        FileWriter writer;
        file_begin(&writer, path);
        fwrite(changed.at, 1, changed.count, writer.stream);
        read = file_commit(&writer, error);
    }
    vec_free(&text);
    vec_free(&changed);
    return read;
}
