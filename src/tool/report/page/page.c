#include "tool/report/page/page.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"
#include "tool/report/jsontext.h"

/* The parts travel inside the tool. They are real files, so that they can be read, checked and
 * tested as what they are; page.html says where the others go. */
#define PAGE_FILES(X)                                                                              \
    X(html, "page.html")                                                                           \
    X(css, "page.css")                                                                             \
    X(dom, "dom.js")                                                                               \
    X(panels, "panels.js")                                                                         \
    X(lanes, "lanes.js")                                                                           \
    X(execution, "execution.js")                                                                   \
    X(states, "states.js")                                                                         \
    X(overview, "overview.js")                                                                     \
    X(history, "history.js")                                                                       \
    X(page, "page.js")
#define X(name, file)                                                                              \
    extern const char page_##name[], page_##name##_end[];                                          \
    __asm__(".section .rodata\n.global page_" #name "\npage_" #name ":\n"                          \
            ".incbin \"src/tool/report/page/" file "\"\n"                                          \
            ".global page_" #name "_end\npage_" #name "_end:\n.byte 0\n.previous\n");
PAGE_FILES(X)
#undef X

#define DOCUMENT_VERSION 1

json_t *page_document(const char *kind, const char *command, const char *subject,
                      const char *verdict, const char *violation, const char *message)
{
    json_t *document = json_object();
    json_put(document, "version", json_integer(DOCUMENT_VERSION));
    json_put(document, "kind", json_text(kind));
    json_put(document, "command", json_text(command));
    json_put(document, "subject", json_text(subject));
    json_put(document, "verdict", json_text(verdict));
    json_put(document, "violation", json_text(violation));
    json_put(document, "message", json_text(message));
    json_put(document, "facts", json_array());
    return document;
}

void page_add_fact(json_t *document, const char *name, const char *value)
{
    json_t *fact = json_array();
    json_push(fact, json_text(name));
    json_push(fact, json_text(value));
    json_push(json_object_get(document, "facts"), fact);
}

/* Inside <script> only "<" could end the data; ">" and "&" are escaped too, so that no reader of
 * HTML, however old, sees anything but text. They occur in JSON within strings only, where \u003c
 * means the same. Other than ASCII is escaped by the encoder: U+2028 is no line end anywhere. */
static int write_data(const char *bytes, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++) {
        char c = bytes[i];
        if (c == '<' || c == '>' || c == '&')
            fprintf(to, "\\u%04x", (unsigned)c);
        else
            fputc(c, to);
    }
    return ferror(to) ? -1 : 0;
}

static bool write_part(FILE *to, Str part, const json_t *document)
{
    static const struct {
        const char *mark, *text, *end;
    } files[] = {
#define X(name, file) {#name, page_##name, page_##name##_end},
        PAGE_FILES(X)
#undef X
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (str_is(part, files[i].mark))
            return fwrite(files[i].text, (size_t)(files[i].end - files[i].text), 1, to) == 1;
    ASSERT(str_is(part, "document"));
    return json_dump_callback(document, write_data, to,
                              JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9)) == 0;
}

/* page.html with each {{part}} replaced. */
static bool write_all(FILE *to, const json_t *document)
{
    const char *at = page_html, *mark;
    while ((mark = strstr(at, "{{"))) {
        const char *end = strstr(mark, "}}");
        ASSERT(end);
        if (fwrite(at, 1, (size_t)(mark - at), to) != (size_t)(mark - at) ||
            !write_part(to, (Str){mark + 2, (size_t)(end - mark) - 2}, document))
            return false;
        at = end + 2;
    }
    return fputs(at, to) >= 0;
}

bool page_write(const char *path, const json_t *document, Error *error)
{
    FileWriter file;
    file_begin(&file, path);
    if (write_all(file.stream, document))
        return file_commit(&file, error);
    file_abandon(&file);
    return error_set(error, "%s: the page can't be made", path);
}
