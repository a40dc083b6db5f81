#include "tool/report/page/prove_html.h"
#include <string.h>
#include "tool/report/prove_report.h"

/* The colours and shapes of page.css, without what needs a script. */
static const char style[] =
    ":root{color-scheme:light dark;--bg:#fbfbfa;--panel:#fff;--sunk:#f3f4f6;--ink:#1b1d22;"
    "--dim:#5f636d;--line:#dfe1e6;--bad:#b8360b;--bad-soft:#fdece4;--good:#00694f;"
    "--good-soft:#e2f4ee;--unsure:#7d5900;--unsure-soft:#fbf2d9}"
    "@media(prefers-color-scheme:dark){:root{--bg:#14161a;--panel:#1b1e24;--sunk:#22262d;"
    "--ink:#e6e8ec;--dim:#a0a6b1;--line:#343942;--bad:#ff9a6e;--bad-soft:#3a2019;--good:#57d0a8;"
    "--good-soft:#14322a;--unsure:#e7c25d;--unsure-soft:#352c14}}"
    "*{box-sizing:border-box}"
    "body{font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif;max-width:75rem;"
    "margin:0 auto;padding:20px 24px;color:var(--ink);background:var(--bg);overflow-wrap:anywhere}"
    "h1{font-size:24px;line-height:1.28;font-weight:650;margin:12px 0}"
    "h2,summary{font-size:12px;font-weight:650;letter-spacing:.05em;text-transform:uppercase;"
    "color:var(--dim);margin:0 0 8px}summary{cursor:pointer;margin:0}"
    "section,details{background:var(--panel);border:1px solid var(--line);border-radius:10px;"
    "padding:12px 14px;margin:0 0 14px}"
    "code,pre,.subject{font:13px/1.5 ui-monospace,\"DejaVu Sans Mono\",monospace}"
    "pre{white-space:pre-wrap;margin:0}details pre{margin-top:8px}"
    ".top{display:flex;flex-wrap:wrap;align-items:center;gap:6px 12px}.subject{color:var(--dim)}"
    ".verdict{font-weight:700;border-radius:999px;padding:2px 12px 2px 9px}"
    ".holds{color:var(--good);background:var(--good-soft)}"
    ".violated{color:var(--bad);background:var(--bad-soft)}"
    ".inconclusive{color:var(--unsure);background:var(--unsure-soft)}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse}p{margin:0 0 8px;max-width:60em}"
    "th,td{border:1px solid var(--line);padding:2px 8px;text-align:center;white-space:nowrap}"
    "td.swap{background:var(--good-soft)}td.fixed{background:var(--bad-soft)}"
    "td.never{color:var(--dim)}td.boundary{background:var(--sunk)}"
    "dl{margin:0}dt{font-weight:600}dd{margin:0 0 4px 1.2rem}"
    "@media(max-width:900px){body{padding:14px}h1{font-size:19px}pre{font-size:11.5px}}"
    "@media print{section,details{border:0;padding:0}}";

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
    buffer_printf(out, "<section><h2>Operations</h2>\n<dl>\n");
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
    buffer_printf(out, "</dl></section>\n");
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
        out, "<section><h2>Which step can follow which, and be exchanged with it</h2>\n"
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
    buffer_printf(out, "</table></div></section>\n");
}

/* Cuts the sentence off the first line of the text, "FILE: VERDICT: sentence". */
static Str cut_sentence(Str *text, const char *verdict)
{
    Str line;
    str_next(text, '\n', &line);
    const char *at = memmem(line.at, line.length, verdict, strlen(verdict));
    size_t skip = at ? (size_t)(at - line.at) + strlen(verdict) : 0;
    while (skip < line.length && (line.at[skip] == ':' || line.at[skip] == ' '))
        skip++;
    return (Str){line.at + skip, line.length - skip};
}

void prove_html(const Prove *prove, Buffer *out)
{
    static const char *const signs[] = {[VERDICT_HOLDS] = "&#10003;",
                                        [VERDICT_VIOLATED] = "&#10007;",
                                        [VERDICT_INCONCLUSIVE] = "?"};
    Buffer text = {0};
    const char *word = verdict_word(prove->verdict);
    prove_report_text(prove, &text);
    Str rest = buffer_str(&text), sentence = cut_sentence(&rest, word);
    buffer_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'\">\n<title>");
    html_words(out, prove->program->path);
    buffer_printf(out,
                  ": %s</title>\n<style>%s</style>\n</head>\n<body>\n"
                  "<div class=\"top\"><span class=\"verdict %s\">%s %s</span> "
                  "<span class=\"subject\">",
                  word, style, word, signs[prove->verdict], word);
    html_words(out, prove->program->path);
    buffer_printf(out, "</span></div>\n<h1>");
    html_text(out, sentence);
    buffer_printf(out, "</h1>\n<section><h2>What this rests on</h2>\n<pre>");
    html_text(out, rest);
    buffer_printf(out, "</pre></section>\n");
    html_operations(prove, out);
    if (prove->has_tables)
        html_tables(prove, out);
    vec_clear(&text);
    prove_report_page(prove, &text);
    buffer_printf(out, "<details open><summary>The proof in full, with reasons</summary>\n<pre>");
    html_text(out, buffer_str(&text));
    buffer_printf(out, "</pre></details>\n<p class=\"subject\">Made by heddle prove.</p>\n"
                       "</body>\n</html>\n");
    vec_free(&text);
}
