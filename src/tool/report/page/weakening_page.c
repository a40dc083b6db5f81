#include "tool/report/page/weakening_page.h"
#include "base/file.h"
#include "tool/report/page/plain.h"
#include "tool/report/weakening.h"

static void paragraph(Buffer *out, const char *text)
{
    buffer_printf(out, "<p>");
    plain_words(out, text);
    buffer_printf(out, "</p>\n");
}

static void add_order(Buffer *out, const Weakening *weakening, const WeakenOrder *order)
{
    char place[256], what[96];
    weakening_place(order, place, sizeof place);
    weakening_describe(order, what, sizeof what);
    buffer_printf(out, "<tr><td><code>");
    plain_words(out, place);
    buffer_printf(out, "</code></td><td><code>");
    plain_words(out, what);
    buffer_printf(out, "</code></td><td><code>");
    plain_words(out, order->function);
    buffer_printf(out, "</code></td><td><ul>");
    Buffer line = {0};
    if (order->answer == WEAKEN_WEAKER) {
        weakening_tell_enough(&line, order);
        buffer_printf(out, "<li><b>enough: ");
        plain_text(out, buffer_str(&line));
        buffer_printf(out, "</b></li>");
    }
    for (unsigned i = 0; i < order->try_count; i++) {
        vec_clear(&line);
        weakening_tell_try(&line, weakening, &order->tries[i]);
        buffer_printf(out, "<li>");
        plain_text(out, buffer_str(&line));
        buffer_printf(out, "</li>");
    }
    if (order->note) {
        buffer_printf(out, "<li>");
        plain_words(out, order->note);
        buffer_printf(out, "</li>");
    }
    buffer_printf(out, "</ul></td></tr>\n");
    vec_free(&line);
}

static void add_answer(Buffer *out, const Weakening *weakening, WeakenAnswer answer)
{
    if (!weaken_count(weakening, answer))
        return;
    plain_section(out, weaken_answer_heading(answer));
    buffer_printf(out,
                  "<table class=\"list\"><tr><th>place</th><th>order</th><th>function</th>"
                  "<th>%s</th></tr>\n",
                  answer == WEAKEN_UNREACHED ? "" : "a weaker one in its place");
    for (unsigned i = 0; i < weakening->count; i++)
        if (weakening->at[i].answer == answer)
            add_order(out, weakening, &weakening->at[i]);
    buffer_printf(out, "</table></section>\n");
}

bool weakening_page_write(const char *path, const Weakening *weakening, Error *error)
{
    Buffer out = {0}, line = {0};
    weakening_tell_counts(&line, weakening, NULL);
    plain_begin(&out, weakening->subject, weakening->verdict, weakening_word(weakening),
                buffer_str(&line));
    vec_clear(&line);
    weakening_tell_figures(&line, weakening);
    plain_section(&out, "What was tried");
    if (weakening->reason)
        paragraph(&out, weakening->reason);
    paragraph(&out, line.at);
    if (weakening->library_orders) {
        vec_clear(&line);
        buffer_printf(&line, "%u atomic operations of the C++ library's own were left alone",
                      weakening->library_orders);
        paragraph(&out, line.at);
    }
    paragraph(&out, "An order that is not seen to be needed may still be: other tests, other "
                    "inputs and more threads were not looked at.");
    buffer_printf(&out, "</section>\n");
    for (int answer = 0; answer < WEAKEN_ANSWER_COUNT; answer++)
        add_answer(&out, weakening, (WeakenAnswer)answer);
    plain_end(&out, "weaken");
    FileWriter file;
    file_begin(&file, path);
    fwrite(out.at, 1, out.count, file.stream);
    vec_free(&out);
    vec_free(&line);
    return file_commit(&file, error);
}
