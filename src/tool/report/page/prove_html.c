#include "tool/report/page/prove_html.h"
#include <string.h>
#include "tool/report/prove_report.h"

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1a1a1a;background:#fff}"
    "h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin-top:2rem}"
    "code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow-x:auto;background:#f4f4f2;"
    "padding:.7rem}"
    ".verdict{padding:.6rem 1rem;border-left:.5rem solid}"
    ".holds{border-color:#1b7f3b;background:#eaf6ee}.violated{border-color:#b3261e;"
    "background:#fbeceb}.inconclusive{border-color:#8a6100;background:#fbf4e2}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse}"
    "th,td{border:1px solid #bbb;padding:.15rem .45rem;text-align:center}"
    "td.swap{background:#dcefe2}td.fixed{background:#f6d9d7}td.never{color:#767676}"
    "td.boundary{background:#eee}dt{font-weight:600}dd{margin:0 0 .4rem 1.2rem}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}pre{background:#232323}"
    ".holds{background:#12301d}.violated{background:#3a1513}.inconclusive{background:#352803}"
    "td.swap{background:#1d4a2d}td.fixed{background:#5c2320}td.boundary{background:#333}"
    "td.never{color:#9a9a9a}}";

/* TEXT with what HTML would take for its own replaced. */
static void html_text(Buffer *out, Str text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        const char *name = c == '<'   ? "&lt;"
                           : c == '>' ? "&gt;"
                           : c == '&' ? "&amp;"
                           : c == '"' ? "&quot;"
                                      : NULL;
        if (name)
            buffer_printf(out, "%s", name);
        else if ((unsigned char)c >= 0x20 || c == '\n' || c == '\t')
            buffer_append(out, &c, 1);
    }
}

static void html_words(Buffer *out, const char *text)
{
    html_text(out, str_of(text));
}

static void html_operations(const Prove *prove, Buffer *out)
{
    const IrProgram *program = prove->program;
    Buffer line = {0};
    buffer_printf(out, "<h2>Operations</h2>\n<dl>\n");
    for (size_t i = 0; i < program->operations.count; i++) {
        const IrOperation *op = &program->operations.at[i];
        buffer_printf(out, "<dt>%s", op->internal ? "internal " : "");
        html_words(out, op->name);
        buffer_printf(out, "</dt>\n");
        for (size_t k = 0; k < op->subops.count; k++) {
            vec_clear(&line);
            ir_subop_print(&line, program, op, &op->subops.at[k]);
            buffer_printf(out, "<dd><code>");
            html_words(out, op->subops.at[k].label);
            buffer_printf(out, ": ");
            html_text(out, buffer_str(&line));
            buffer_printf(out, "</code></dd>\n");
        }
    }
    buffer_printf(out, "</dl>\n");
    vec_free(&line);
}

static void html_cell(Buffer *out, const char *a, const char *b, const TableEntry *entry)
{
    const char *kind = !entry->orderable   ? "never"
                       : entry->boundary   ? "boundary"
                       : entry->reversible ? "swap"
                                           : "fixed";
    const char *sign = !entry->orderable    ? "&ndash;"
                       : entry->boundary    ? "b"
                       : entry->conditional ? (entry->reversible ? "c &harr;" : "c")
                                            : (entry->reversible ? "&harr;" : "&rarr;");
    buffer_printf(out, "<td class=\"%s\" title=\"", kind);
    html_words(out, a);
    buffer_printf(out, ", then ");
    html_words(out, b);
    buffer_printf(out, !entry->orderable   ? ": impossible"
                       : entry->boundary   ? ": one operation after the other"
                       : entry->reversible ? ": can be exchanged"
                                           : ": can't be exchanged");
    if (entry->conditional && entry->condition) {
        buffer_printf(out, ", possible if ");
        html_words(out, entry->condition);
    }
    if (entry->reason) {
        buffer_printf(out, "; ");
        html_words(out, entry->reason);
    }
    buffer_printf(out, "\">%s</td>", sign);
}

/* The paper's Figure 5 as one square; the reasons, which tooltips hide from print, below it. */
static void html_tables(const Prove *prove, Buffer *out)
{
    const Prover *prover = prove->ordered ? &prove->tables_prover : &prove->prover;
    const IrProgram *program = prover->program;
    int count = prove->tables.relations.count;
    const char **labels = arena_array_of(prover->arena, const char *, (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        int operation, point;
        tables_locate(program, i, &operation, &point);
        labels[i] = program->operations.at[operation].subops.at[point].label;
    }
    buffer_printf(
        out, "<h2>Which step can follow which, and be exchanged with it</h2>\n"
             "<p>Row first, column second, of two instances. &ndash; impossible; b the one "
             "operation has ended; c on a condition; &harr; can be exchanged; &rarr; can't.</p>\n"
             "<div class=\"scroll\"><table>\n<tr><th></th>");
    for (int i = 0; i < count; i++) {
        buffer_printf(out, "<th>");
        html_words(out, labels[i]);
        buffer_printf(out, "</th>");
    }
    buffer_printf(out, "</tr>\n");
    for (int a = 0; a < count; a++) {
        buffer_printf(out, "<tr><th>");
        html_words(out, labels[a]);
        buffer_printf(out, "</th>");
        for (int b = 0; b < count; b++)
            html_cell(out, labels[a], labels[b], &prove->tables.entries[a * count + b]);
        buffer_printf(out, "</tr>\n");
    }
    buffer_printf(out, "</table></div>\n");
}

void prove_html(const Prove *prove, Buffer *out)
{
    Buffer text = {0};
    const char *word = verdict_word(prove->verdict);
    buffer_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'\">\n<title>");
    html_words(out, prove->program->path);
    buffer_printf(out, ": %s</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", word, style);
    html_words(out, prove->program->path);
    buffer_printf(out, "</h1>\n<div class=\"verdict %s\"><strong>%s</strong></div>\n<pre>", word,
                  word);
    prove_report_text(prove, &text);
    html_text(out, buffer_str(&text));
    buffer_printf(out, "</pre>\n");
    html_operations(prove, out);
    if (prove->has_tables)
        html_tables(prove, out);
    vec_clear(&text);
    prove_report_page(prove, &text);
    buffer_printf(out, "<h2>The proof in full, with reasons</h2>\n<pre>");
    html_text(out, buffer_str(&text));
    buffer_printf(out, "</pre>\n</body>\n</html>\n");
    vec_free(&text);
}
