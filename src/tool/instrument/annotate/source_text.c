#include "tool/instrument/annotate/source_text.h"
#include <ctype.h>
#include <string.h>

bool source_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool source_is_separator(Str text, size_t at)
{
    size_t start = at;
    while (start > 0 && (source_is_word(text.at[start - 1]) || text.at[start - 1] == '\''))
        start--;
    return start < at && isdigit((unsigned char)text.at[start]);
}

size_t source_skip_literal(Str text, size_t at)
{
    DEBUG_ASSERT(at < text.length);
    char quote = text.at[at];
    bool raw = quote == '"' && at > 0 && text.at[at - 1] == 'R' &&
               (at < 2 || !source_is_word(text.at[at - 2]) || strchr("uUL8", text.at[at - 2]));
    if (raw) {
        size_t open = at + 1;
        while (open < text.length && text.at[open] != '(' && open - at < 18)
            open++;
        Str mark = {text.at + at + 1, open - at - 1};
        for (size_t i = open; i + mark.length + 1 < text.length; i++)
            if (text.at[i] == ')' && !memcmp(text.at + i + 1, mark.at, mark.length) &&
                text.at[i + 1 + mark.length] == '"')
                return i + mark.length + 2;
        return text.length;
    }
    for (at++; at < text.length && text.at[at] != quote && text.at[at] != '\n'; at++)
        if (text.at[at] == '\\')
            at++;
    return MIN(at + 1, text.length);
}

size_t source_line_end(Str text, size_t at)
{
    DEBUG_ASSERT(at <= text.length);
    while (at < text.length && text.at[at] != '\n')
        at += text.at[at] == '\\' && at + 1 < text.length ? 2 : 1;
    return MIN(at, text.length);
}

bool source_next_comment(Str text, size_t *at, SourceComment *comment)
{
    size_t i = *at;
    while (i + 1 < text.length) {
        char c = text.at[i], d = text.at[i + 1];
        if (c == '"' || (c == '\'' && !source_is_separator(text, i))) {
            i = source_skip_literal(text, i);
        } else if (c == '/' && d == '*') {
            size_t end = i + 2;
            while (end + 1 < text.length && (text.at[end] != '*' || text.at[end + 1] != '/'))
                end++;
            bool closed = end + 1 < text.length;
            *comment = (SourceComment){i, closed ? end + 2 : text.length, i + 2,
                                       closed ? end : text.length, false};
            *at = comment->end;
            return true;
        } else if (c == '/' && d == '/') {
            size_t end = source_line_end(text, i), more = end;
            for (;;) {
                while (more < text.length && isspace((unsigned char)text.at[more]))
                    more++;
                size_t lines = 0;
                for (size_t k = end; k < more; k++)
                    lines += text.at[k] == '\n';
                if (lines != 1 || more + 1 >= text.length || text.at[more] != '/' ||
                    text.at[more + 1] != '/')
                    break;
                end = more = source_line_end(text, more);
            }
            *comment = (SourceComment){i, end, i, end, true};
            *at = end;
            return true;
        } else {
            i++;
        }
    }
    return false;
}
