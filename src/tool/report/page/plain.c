#include "tool/report/page/plain.h"
#include <ctype.h>

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
    "table.list{width:100%}.list td,.list th{text-align:left;vertical-align:top;white-space:normal;"
    "border-width:0 0 1px;padding:4px 12px 4px 0}.list th{font-size:12px;color:var(--dim)}"
    ".list td:nth-child(1),.list td:nth-child(2),.list td:nth-child(3){width:16%}"
    ".list ul{margin:0;padding:0;list-style:none}"
    "td.never{color:var(--dim)}td.boundary{background:var(--sunk)}"
    "dl{margin:0}dt{font-weight:600}dd{margin:0 0 4px 1.2rem}"
    "@media(max-width:900px){body{padding:14px}h1{font-size:19px}pre{font-size:11.5px}"
    ".list tr{display:block;border-bottom:1px solid var(--line);padding:4px 0}"
    ".list td{display:block;border:0;padding:0}.list th{display:none}}"
    "@media print{section,details{border:0;padding:0}}";

void plain_text(Buffer *out, Str text)
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

void plain_words(Buffer *out, const char *text)
{
    plain_text(out, str_of(text));
}

void plain_begin(Buffer *out, const char *subject, Verdict verdict, const char *word, Str sentence)
{
    static const char *const signs[] = {[VERDICT_HOLDS] = "&#10003;",
                                        [VERDICT_VIOLATED] = "&#10007;",
                                        [VERDICT_INCONCLUSIVE] = "?"};
    buffer_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'\">\n<title>");
    plain_words(out, subject);
    buffer_printf(out,
                  ": %s</title>\n<style>%s</style>\n</head>\n<body>\n"
                  "<div class=\"top\"><span class=\"verdict %s\">%s %s</span> "
                  "<span class=\"subject\">",
                  word, style, verdict_word(verdict), signs[verdict], word);
    plain_words(out, subject);
    buffer_printf(out, "</span></div>\n<h1>");
    if (sentence.length)
        buffer_printf(out, "%c", toupper((unsigned char)sentence.at[0]));
    plain_text(out, (Str){sentence.at + MIN(sentence.length, 1u),
                          sentence.length - MIN(sentence.length, 1u)});
    buffer_printf(out, "</h1>\n");
}

void plain_section(Buffer *out, const char *heading)
{
    buffer_printf(out, "<section><h2>");
    plain_words(out, heading);
    buffer_printf(out, "</h2>\n");
}

void plain_end(Buffer *out, const char *command)
{
    buffer_printf(out, "<p class=\"subject\">Made by heddle %s.</p>\n</body>\n</html>\n", command);
}
