#include "tool/instrument/machine/sections.h"
#include <string.h>

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || (unsigned char)c >= 128;
}

/* Takes a name, or a text in quotes without these, off REST; empty if there is none. */
static Str take_name(Str *rest)
{
    *rest = str_trim(*rest);
    bool quoted = rest->length && rest->at[0] == '"';
    size_t begin = quoted, end = begin;
    while (
        end < rest->length &&
        (quoted ? rest->at[end] != '"' : is_name_character(rest->at[end]) || rest->at[end] == '-'))
        end++;
    Str name = {rest->at + begin, end - begin};
    end += quoted && end < rest->length;
    *rest = (Str){rest->at + end, rest->length - end};
    return name;
}

static bool is_code_by_name(Str name)
{
    return str_starts(name, STR(".text")) || str_starts(name, STR(".init.")) ||
           str_starts(name, STR(".fini.")) || str_is(name, ".init") || str_is(name, ".fini") ||
           str_starts(name, STR(".gnu.linkonce.t"));
}

static void enter(Sections *sections, Str name, Str rest)
{
    uint32_t i = 0;
    while (i < sections->all.count && !str_equal(sections->all.at[i].name, name))
        i++;
    if (i == sections->all.count)
        vec_push(&sections->all, ((Section){.name = name, .code = is_code_by_name(name)}));
    rest = str_trim(rest);
    if (rest.length && rest.at[0] == ',') { /* flags */
        rest = str_trim((Str){rest.at + 1, rest.length - 1});
        if (rest.length && rest.at[0] == '"') {
            Str flags = take_name(&rest);
            sections->all.at[i].code |= memchr(flags.at, 'x', flags.length) != NULL;
        }
    }
    sections->before = sections->now;
    sections->now = i;
}

void sections_begin(Sections *sections)
{
    *sections = (Sections){0};
    enter(sections, STR(".text"), (Str){0});
}

void sections_free(Sections *sections)
{
    vec_free(&sections->all);
    vec_free(&sections->pushed);
}

Section *sections_now(const Sections *sections)
{
    return &sections->all.at[sections->now];
}

bool sections_labels(Sections *sections, Str *statement)
{
    bool any = false;
    for (;;) {
        *statement = str_trim(*statement);
        Str rest = *statement, name = take_name(&rest);
        if (!name.length || !rest.length || rest.at[0] != ':')
            return any;
        *statement = (Str){rest.at + 1, rest.length - 1};
        if (name.at[0] == '.' || (name.at[0] >= '0' && name.at[0] <= '9'))
            continue;
        Section *now = sections_now(sections);
        now->function = name;
        now->object = str_equal(name, sections->object);
        any = true;
    }
}

void sections_directive(Sections *sections, Str rest)
{
    Str word = take_name(&rest);
    if (str_is(word, ".text") || str_is(word, ".data") || str_is(word, ".bss")) {
        enter(sections, word, (Str){0});
    } else if (str_is(word, ".section") || str_is(word, ".pushsection")) {
        if (str_is(word, ".pushsection"))
            vec_push(&sections->pushed, sections->now);
        Str name = take_name(&rest);
        enter(sections, name, rest);
    } else if (str_is(word, ".popsection") && sections->pushed.count) {
        sections->before = sections->now;
        sections->now = sections->pushed.at[--sections->pushed.count];
    } else if (str_is(word, ".previous")) {
        uint32_t now = sections->now;
        sections->now = sections->before;
        sections->before = now;
    } else if (str_is(word, ".type")) {
        Str name = take_name(&rest);
        if (memmem(rest.at, rest.length, "object", 6))
            sections->object = name;
    } else if (str_is(word, ".size")) {
        Section *now = sections_now(sections);
        if (str_equal(take_name(&rest), now->function))
            now->function = (Str){0};
    }
}

bool sections_is_data(Str statement)
{
    static const char *const words[] = {
        ".byte",   ".short", ".value",   ".hword",    ".word",   ".int",     ".long",
        ".quad",   ".octa",  ".2byte",   ".4byte",    ".8byte",  ".dc",      ".dcb",
        ".ascii",  ".asciz", ".string",  ".float",    ".single", ".double",  ".tfloat",
        ".incbin", ".inst",  ".include", ".uleb128",  ".base64", ".sleb128", ".fill",
        ".xword",  ".dword", ".float16", ".bfloat16", ".skip",   ".space"};
    Str word = take_name(&statement);
    if (str_starts(word, STR(".dc.")) || str_starts(word, STR(".dcb.")))
        return true;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(word, words[i]))
            return true;
    return false;
}

bool sections_next_statement(Str *line, const char *comment, Str *statement)
{
    bool quoted = false;
    size_t end = 0, mark = strlen(comment);
    if (!line->length)
        return false;
    for (; end < line->length; end++) {
        char c = line->at[end];
        if (c == '"')
            quoted = !quoted;
        else if (c == '\\' && quoted)
            end++;
        else if (!quoted && (c == ';' || (line->length - end >= mark &&
                                          !memcmp(line->at + end, comment, mark))))
            break;
    }
    end = end < line->length ? end : line->length;
    *statement = str_trim((Str){line->at, end});
    bool more = end < line->length && line->at[end] == ';';
    *line = more ? (Str){line->at + end + 1, line->length - end - 1} : (Str){0};
    return true;
}
