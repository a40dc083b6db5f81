#include "report/text.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/str.h"
#include "report/steps.h"

#define MOST_STEPS 200
#define WIDEST_PLACE 28 /* of 100 columns */

typedef struct Page {
    FILE *to;
    const TextStyle *style;
} Page;

TextStyle text_style_for(FILE *to, bool ascii)
{
    TextStyle style = {.width = 100, .ascii = ascii};
    bool terminal = isatty(fileno(to)) == 1;
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    style.colour = terminal && !(no_colour && *no_colour) && kind && strcmp(kind, "dumb") != 0;
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    int64_t number;
    if (terminal && ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col)
        style.width = MIN(style.width, (int)size.ws_col);
    else if (columns && str_to_int64(str_of(columns), &number) && number > 0 && number < 100)
        style.width = (int)number;
    style.width = MAX(style.width, 60);
    /* what the C library would take the character set from */
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < COUNT_OF(variables) && !(locale && *locale); i++)
        locale = getenv(variables[i]);
    if (!locale || (!strcasestr(locale, "utf-8") && !strcasestr(locale, "utf8")))
        style.ascii = true;
    return style;
}

enum { RED = 31, GREEN = 32, YELLOW = 33, BOLD = 1, DIM = 2 };

static void paint(const Page *page, int colour, const char *text)
{
    if (page->style->colour && colour)
        fprintf(page->to, "\033[%dm%s\033[0m", colour, text);
    else
        fputs(text, page->to);
}

/* Columns on the screen: continuation bytes of UTF-8 take none. */
static int columns_of(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void pad(const Page *page, const char *text, int width)
{
    for (int i = columns_of(text); i < width; i++)
        fputc(' ', page->to);
}

/* TEXT, broken at spaces so that each line fits; COLUMN is where it starts, and lines after the
 * first are indented. Characters that could steer a terminal are shown as question marks: text may
 * come from the program under test. */
static void write_wrapped(const Page *page, const char *text, int indent, int column)
{
    bool fresh = true; /* at the start of a line */
    while (*text) {
        size_t length = strcspn(text, " \n");
        char word[512];
        snprintf(word, sizeof word, "%.*s", (int)MIN(length, sizeof word - 1), text);
        for (char *at = word; *at; at++)
            if ((unsigned char)*at < 32 || *at == 127)
                *at = '?';
        int width = columns_of(word);
        if (!fresh && column + 1 + width > page->style->width) {
            fprintf(page->to, "\n%*s", indent, "");
            column = indent;
        } else if (!fresh) {
            fputc(' ', page->to);
            column++;
        }
        fresh = false;
        fputs(word, page->to);
        column += width;
        text += length;
        while (*text == ' ' || *text == '\n')
            text++;
    }
    fputc('\n', page->to);
}

void text_write_wrapped(FILE *to, const TextStyle *style, const char *text, int indent, int column)
{
    write_wrapped(&(Page){to, style}, text, indent, column);
}

static const char *count_text(char *text, size_t bytes, uint64_t count, const char *one,
                              const char *many)
{
    snprintf(text, bytes, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
    return text;
}

static void write_counts(const Page *page, const Answer *answer)
{
    char text[64];
    Buffer line = {0};
    if (answer->verdict == VERDICT_HOLDS && answer->exhaustive && answer->executions == 1)
        buffer_printf(&line, "its only execution");
    else
        buffer_printf(&line, "%s%s",
                      answer->verdict == VERDICT_HOLDS && answer->exhaustive ? "all " : "",
                      count_text(text, sizeof text, answer->executions, "execution", "executions"));
    if (answer->blocked)
        buffer_printf(&line, ", %llu blocked", (unsigned long long)answer->blocked);
    if (answer->cut)
        buffer_printf(&line, ", %llu given up", (unsigned long long)answer->cut);
    if (answer->promoted)
        buffer_printf(
            &line, ", %s explored as if atomic",
            count_text(text, sizeof text, answer->promoted, "racing location", "racing locations"));
    buffer_printf(&line, ", %.2f s", answer->seconds);
    if (answer->bounds && answer->verdict != VERDICT_HOLDS)
        buffer_printf(&line, "; bounds: %s", answer->bounds);
    fputs("  ", page->to);
    write_wrapped(page, line.at, 2, 2);
    vec_free(&line);
}

static void write_verdict(const Page *page, const Answer *answer)
{
    static const int colours[] = {GREEN, RED, YELLOW};
    const char *word = verdict_word(answer->verdict);
    char rest[2048] = "";
    switch (answer->verdict) {
    case VERDICT_HOLDS:
        snprintf(rest, sizeof rest, "no execution of %s goes wrong under %s%s%s", answer->subject,
                 answer->model, answer->bounds ? " among " : "",
                 answer->bounds ? answer->bounds : "");
        break;
    case VERDICT_VIOLATED:
        snprintf(rest, sizeof rest, "%s in %s under %s%s%s", violation_word(answer->violation),
                 answer->subject, answer->model, answer->message ? "" : ": ",
                 answer->message ? "" : violation_text(answer->violation));
        break;
    case VERDICT_INCONCLUSIVE:
        snprintf(rest, sizeof rest, "%s under %s: %s", answer->subject, answer->model,
                 answer->reason ? answer->reason : "no reason is known");
        break;
    }
    paint(page, colours[answer->verdict], word);
    fputs(": ", page->to);
    write_wrapped(page, rest, 2, columns_of(word) + 2);
    if (answer->internal) {
        fputs("  ", page->to);
        write_wrapped(
            page, "This is a fault of heddle itself, not of your program; please report it.", 2, 2);
    }
}

/* The line of source, if it can be read. */
static bool source_line(const Place *place, char *text, size_t bytes)
{
    FILE *file = place->file && place->line > 0 ? fopen(place->file, "re") : NULL;
    bool found = false;
    for (int line = 1; file && fgets(text, (int)bytes, file); line++)
        if (line == place->line) {
            found = true;
            break;
        }
    if (file)
        fclose(file);
    if (!found)
        return false;
    Str trimmed = str_trim(str_of(text));
    memmove(text, trimmed.at, trimmed.length);
    text[trimmed.length] = 0;
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < 32 || *at == 127)
            *at = ' ';
    return *text != 0;
}

typedef struct Widths {
    int number, thread, place, action, order;
} Widths;

static int thread_colour(unsigned thread)
{
    static const int colours[] = {37, 36, 35, 34, 33, 32};
    return colours[thread % COUNT_OF(colours)];
}

/* Order and note behind the action, in columns of their own; on a line of its own what does not
 * fit. */
static void write_step_end(const Page *page, const Step *step, const Widths *widths, int column,
                           int at)
{
    int order_column = column + widths->action + 2;
    if (!at && !*step->order && !*step->note)
        return; /* the line is complete */
    if (*step->order) {
        if (at && at + 2 > order_column) {
            fputc('\n', page->to);
            at = 0;
        }
        fprintf(page->to, "%*s%s", order_column - at, "", step->order);
        at = order_column + columns_of(step->order);
    }
    if (*step->note) {
        int note_column = order_column + (widths->order ? widths->order + 2 : 0);
        bool fits = note_column + columns_of(step->note) <= page->style->width;
        if (at && (at + 2 > note_column || !fits)) {
            fputc('\n', page->to);
            at = 0;
        }
        if (!fits)
            note_column = MAX(column + 2, page->style->width - columns_of(step->note));
        fprintf(page->to, "%*s", note_column - at, "");
        paint(page, step->stale ? YELLOW : step->blocked ? RED : DIM, step->note);
    }
    fputc('\n', page->to);
}

static void write_step(const Page *page, const Step *step, Names *names, const Widths *widths)
{
    if (!step->number) {
        fprintf(page->to, "  %*s  %s\n", widths->number, "", step->action);
        return;
    }
    const char *thread = names_thread(names, step->thread);
    fputs(step->bad || step->partner ? (page->style->ascii ? "> " : "▶ ") : "  ", page->to);
    fprintf(page->to, "%*u  ", widths->number, step->number);
    paint(page, thread_colour(step->thread), thread);
    pad(page, thread, widths->thread);
    /* of a long name the end tells more */
    const char *place = step->place;
    int cut = columns_of(place) - widths->place;
    if (cut > 0)
        place += MIN((size_t)cut + 1, strlen(place));
    fprintf(page->to, "  %s%s", cut > 0 ? "~" : "", place);
    pad(page, step->place, widths->place);
    fputs("  ", page->to);
    int column = 2 + widths->number + 2 + widths->thread + 2 + widths->place + 2;
    int at = column + columns_of(step->action);
    if (at > page->style->width) {
        write_wrapped(page, step->action, column + 2, column);
        at = 0; /* at the start of a line */
    } else {
        paint(page, step->bad || step->partner ? BOLD : 0, step->action);
    }
    write_step_end(page, step, widths, column, at);
    char source[256];
    if ((step->bad || step->partner) && source_line(&step->source, source, sizeof source)) {
        int room = page->style->width - column - 2;
        fprintf(page->to, "%*s%s %.*s\n", column, "", page->style->ascii ? "|" : "│", MAX(room, 10),
                source);
    }
}

/* Columns as wide as their contents, the actions as wide as the rest of the line allows. */
static void measure(const Page *page, const Steps *steps, Names *names, Widths *widths)
{
    *widths = (Widths){.number = 2, .thread = 2};
    int note = 0, longest = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = &steps->at[i];
        if (!step->number)
            continue;
        widths->thread = MAX(widths->thread, columns_of(names_thread(names, step->thread)));
        widths->place = MAX(widths->place, columns_of(step->place));
        widths->order = MAX(widths->order, columns_of(step->order));
        longest = MAX(longest, columns_of(step->action));
        note = MAX(note, columns_of(step->note));
        if (step->number > 99)
            widths->number = step->number > 999 ? step->number > 9999 ? 6 : 4 : 3;
    }
    widths->place = MIN(widths->place, page->style->width * WIDEST_PLACE / 100);
    note = MIN(note, 28);
    int used = 2 + widths->number + 2 + widths->thread + 2 + widths->place + 2 + 2 + widths->order +
               2 + note;
    widths->action = MAX(20, MIN(longest, page->style->width - used));
}

static void write_execution(const Page *page, const Answer *answer, Names *names)
{
    Steps steps = {0};
    StepsOptions options = {
        .all = page->style->all, .ascii = page->style->ascii, .most = MOST_STEPS};
    steps_make(names, answer->record, &options, &steps);
    const char **lines = steps_explain(names, answer->record, &steps);
    for (size_t i = 0; lines[i]; i++) {
        fputs("  ", page->to);
        write_wrapped(page, lines[i], 4, 2);
    }
    Widths widths;
    measure(page, &steps, names, &widths);
    fputs("\nThe execution:\n", page->to);
    for (size_t i = 0; i < steps.count; i++)
        write_step(page, &steps.at[i], names, &widths);
    vec_free(&steps);
}

/* The minimised test as columns, and the serial orders that were tried. */
static void write_test(Page *page, const Answer *answer)
{
    if (answer->coverage) {
        fputs("  ", page->to);
        Buffer line = {0};
        buffer_printf(&line, "%s; %llu tests in all, %llu serial runs", answer->coverage,
                      (unsigned long long)answer->tests, (unsigned long long)answer->serial_runs);
        write_wrapped(page, line.at, 4, 2);
        vec_free(&line);
    }
    if (!answer->scenario)
        return;
    fprintf(page->to, "\nThe smallest test that fails (%s):\n", answer->shape);
    Str rest = str_of(answer->scenario), column;
    for (int t = 1; str_next(&rest, '|', &column); t++)
        fprintf(page->to, "  T%d:  %.*s\n", t, STR_ARG(str_trim(column)));
    if (!answer->explanation || !answer->explanation[0])
        return;
    fputs("\nSerial orders tried, and where each disagrees:\n", page->to);
    rest = str_of(answer->explanation);
    while (str_next(&rest, '\n', &column))
        if (column.length) {
            char *text = strndup(column.at, column.length);
            fputs("  ", page->to);
            write_wrapped(page, text, 4, 2);
            free(text);
        }
}

void text_write_answer(FILE *to, const Answer *answer, Names *names, const TextStyle *style)
{
    Page page = {to, style};
    write_verdict(&page, answer);
    if (answer->message) {
        fputs("  ", to);
        write_wrapped(&page, answer->message, 4, 2);
    }
    if (strcmp(answer->command, "replay") != 0)
        write_counts(&page, answer);
    for (size_t i = 0; i < answer->remarks.count; i++) {
        fputs("  note: ", to);
        write_wrapped(&page, answer->remarks.at[i], 8, 8);
    }
    write_test(&page, answer);
    if (answer->record && names && answer->verdict == VERDICT_VIOLATED)
        write_execution(&page, answer, names);
    if (answer->record_path)
        fprintf(to, "\nTo see it again: heddle replay %s\n", answer->record_path);
}
