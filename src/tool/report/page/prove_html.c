#include "tool/report/page/prove_html.h"
#include <string.h>
#include "tool/report/advice.h"
#include "tool/report/page/plain.h"
#include "tool/report/prove_report.h"

static void html_operations(const Prove *prove, Buffer *out)
{
    const IrProgram *program = prove->program;
    Buffer line = {0};
    buffer_printf(out, "<section><h2>Operations</h2>\n<dl>\n");
    for (size_t i = 0; i < program->operations.count; i++) {
        const IrOperation *op = &program->operations.at[i];
        buffer_printf(out, "<dt>%s", op->internal ? "internal " : "");
        plain_words(out, op->name);
        buffer_printf(out, "</dt>\n");
        for (size_t k = 0; k < op->subops.count; k++) {
            vec_clear(&line);
            ir_subop_print(&line, program, op, &op->subops.at[k]);
            buffer_printf(out, "<dd><code>");
            plain_words(out, op->subops.at[k].label);
            buffer_printf(out, ": ");
            plain_text(out, buffer_str(&line));
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
    plain_words(out, a);
    buffer_printf(out, ", then ");
    plain_words(out, b);
    buffer_printf(out, !entry->orderable   ? ": impossible"
                       : entry->boundary   ? ": one operation after the other"
                       : entry->reversible ? ": can be exchanged"
                                           : ": can't be exchanged");
    if (entry->conditional && entry->condition) {
        buffer_printf(out, ", possible if ");
        plain_words(out, entry->condition);
    }
    if (entry->reason) {
        buffer_printf(out, "; ");
        plain_words(out, entry->reason);
    }
    buffer_printf(out, "\">%s</td>", sign);
}

/* The paper's Figure 5 as one square; the reasons, which tooltips hide from print, below it. */
static void html_tables(const Prove *prove, Buffer *out)
{
    const Prover *prover = prove->ordered ? &prove->tables_prover : &prove->prover;
    int count = prove->tables.relations.count;
    const char **labels = arena_array_of(prover->arena, const char *, (size_t)count + 1);
    for (int i = 0; i < count; i++)
        labels[i] = tables_name(prover, i);
    buffer_printf(
        out, "<section><h2>Which step can follow which, and be exchanged with it</h2>\n"
             "<p>Row first, column second, of two instances. &ndash; impossible; b the one "
             "operation has ended; c on a condition; &harr; can be exchanged; &rarr; can't.</p>\n"
             "<div class=\"scroll\"><table>\n<tr><th></th>");
    for (int i = 0; i < count; i++) {
        buffer_printf(out, "<th>");
        plain_words(out, labels[i]);
        buffer_printf(out, "</th>");
    }
    buffer_printf(out, "</tr>\n");
    for (int a = 0; a < count; a++) {
        buffer_printf(out, "<tr><th>");
        plain_words(out, labels[a]);
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
    Buffer text = {0};
    prove_report_text(prove, &text);
    const char *word = verdict_word(prove->verdict);
    Str rest = buffer_str(&text), sentence = cut_sentence(&rest, word);
    plain_begin(out, prove->program->path, prove->verdict, word, sentence);
    plain_section(out, prove->verdict == VERDICT_HOLDS ? "What this rests on" : "Why");
    buffer_printf(out, "<pre>");
    plain_text(out, rest);
    buffer_printf(out, "</pre></section>\n");
    Arena *arena = arena_new();
    const char *advice = prove->verdict == VERDICT_INCONCLUSIVE && prove->reasons.count
                             ? advice_for_model(arena, "prove", prove->reasons.at[0])
                             : NULL;
    if (advice) {
        plain_section(out, "What to do");
        buffer_printf(out, "<p>");
        plain_words(out, advice);
        buffer_printf(out, "</p></section>\n");
    }
    arena_free(arena);
    html_operations(prove, out);
    if (prove->has_tables)
        html_tables(prove, out);
    vec_clear(&text);
    prove_report_page(prove, &text);
    buffer_printf(out, "<details open><summary>The proof in full, with reasons</summary>\n<pre>");
    plain_text(out, buffer_str(&text));
    buffer_printf(out, "</pre></details>\n");
    plain_end(out, "prove");
    vec_free(&text);
}
