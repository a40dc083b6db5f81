#include "tool/report/text.h"
#include "base/print.h"
#include "tool/report/causes.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/str.h"
#include "tool/report/advice.h"
#include "tool/report/outcome.h"
#include "tool/report/repair.h"
#include "tool/report/scenario.h"
#include "tool/report/sheet.h"
#include "tool/report/text_steps.h"

#define MOST_STEPS 200

TextStyle text_style_for(FILE *to, bool ascii)
{
    TextStyle style = {.width = 100, .ascii = ascii};
    bool terminal = isatty(fileno(to)) == 1;
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    style.colour = terminal && !(no_colour && *no_colour) && kind && strcmp(kind, "dumb") != 0;
    if (getenv("CLICOLOR_FORCE") && !(no_colour && *no_colour)) /* --color=always */
        style.colour = true;
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

void text_write_wrapped(FILE *to, const TextStyle *style, const char *text, int indent, int column)
{
    sheet_wrap(&(Sheet){.to = to, .style = style}, 0, text, indent, column);
    fputc('\n', to);
}

static const char *count_text(char *text, size_t bytes, uint64_t count, const char *one,
                              const char *many)
{
    snprintf(text, bytes, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
    return text;
}

/* Writes the figures of an exploration by states. */
static void write_states(const Sheet *sheet, const Answer *answer)
{
    char text[64];
    Buffer line = {0};
    bool all = answer->verdict == VERDICT_HOLDS;
    buffer_printf(&line, "%s%s",
                  answer->verdict == VERDICT_VIOLATED ? "found after "
                  : all                               ? "all "
                                                      : "",
                  count_text(text, sizeof text, answer->outcome.states, "state", "states"));
    buffer_printf(&line, ", %s",
                  count_text(text, sizeof text, answer->outcome.transitions, "step", "steps"));
    buffer_printf(&line, ", %.2f s", answer->seconds);
    sheet_paragraph(sheet, line.at, 4, 2);
    if (answer->outcome.progress)
        sheet_paragraph(sheet, answer->outcome.progress, 4, 2);
    vec_free(&line);
}

/* Appends how many executions there are, unless that is known to be too small by now. */
static void put_estimate(Buffer *line, const Answer *answer)
{
    const Estimate *estimate = &answer->estimate;
    double done = (double)answer->executions;
    const char *of = answer->outcome.tests > 1 ? "of which one test has" : "of";
    if (estimate->is_sure && estimate->executions > done)
        buffer_printf(line, ", %s about %.2g by estimate, give or take %.0f %%", of,
                      estimate->executions, 100 * estimate->error / estimate->executions);
    else if (!estimate->is_sure && estimate->least > done)
        buffer_printf(line, ", %s more than %.2g by estimate", of, estimate->least);
}

static void write_counts(const Sheet *sheet, const Answer *answer)
{
    char text[64];
    if (answer->outcome.states) {
        write_states(sheet, answer);
        return;
    }
    Buffer line = {0};
    bool violated = answer->verdict == VERDICT_VIOLATED;
    const char *executions =
        count_text(text, sizeof text, answer->executions, "execution", "executions");
    if (violated && !answer->executions && answer->blocked <= 1)
        buffer_printf(&line, "found in the first execution");
    else if (answer->verdict == VERDICT_HOLDS && answer->exhaustive && answer->executions == 1)
        buffer_printf(&line, "its only execution");
    else
        buffer_printf(&line, "%s%s",
                      violated                                                 ? "found after "
                      : answer->verdict == VERDICT_HOLDS && answer->exhaustive ? "all "
                                                                               : "",
                      executions);
    if (answer->blocked && answer->executions + answer->blocked > 1)
        buffer_printf(&line, answer->outcome.tests ? " (%llu more blocked)" : ", %llu blocked",
                      (unsigned long long)answer->blocked);
    if (answer->outcome.tests) {
        buffer_printf(&line, " of %s",
                      count_text(text, sizeof text, answer->outcome.tests, "test", "tests"));
        if (answer->outcome.tests_by_states)
            buffer_printf(&line, ", %llu of them by %llu states instead",
                          (unsigned long long)answer->outcome.tests_by_states,
                          (unsigned long long)answer->outcome.test_states);
        if (answer->outcome.serial_runs)
            buffer_printf(&line, ", %s",
                          count_text(text, sizeof text, answer->outcome.serial_runs, "serial run",
                                     "serial runs"));
    }
    if (answer->verdict == VERDICT_INCONCLUSIVE)
        put_estimate(&line, answer);
    if (answer->cut)
        buffer_printf(&line, ", %llu given up", (unsigned long long)answer->cut);
    if (answer->outcome.promoted)
        buffer_printf(&line, ", %s explored as if atomic",
                      count_text(text, sizeof text, answer->outcome.promoted, "racing location",
                                 "racing locations"));
    if (answer->outcome.alike && answer->verdict != VERDICT_VIOLATED)
        buffer_printf(&line, ", %llu equal threads taken as interchangeable",
                      (unsigned long long)answer->outcome.alike);
    buffer_printf(&line, ", %.2f s", answer->seconds);
    if (answer->bounds && answer->verdict != VERDICT_HOLDS)
        buffer_printf(&line, "; bounds: %s", answer->bounds);
    sheet_paragraph(sheet, line.at, 4, 2);
    vec_free(&line);
}

static void write_verdict(const Sheet *sheet, const Answer *answer)
{
    static const int colours[] = {SHEET_GREEN, SHEET_RED, SHEET_YELLOW};
    const char *word = verdict_word(answer->verdict);
    char rest[2048] = "";
    switch (answer->verdict) {
    case VERDICT_HOLDS:
        if (answer->outcome.states && answer->outcome.coverage)
            snprintf(rest, sizeof rest, "%s: %s", answer->subject, answer->outcome.coverage);
        else
            snprintf(rest, sizeof rest, "no execution of %s goes wrong under %s%s%s",
                     answer->subject, answer->model, answer->bounds ? " among " : "",
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
    sheet_paint(sheet, colours[answer->verdict], word);
    fputs(": ", sheet->to);
    sheet_wrap(sheet, 0, rest, 2, sheet_columns(word) + 2);
    fputc('\n', sheet->to);
    if (answer->internal && !answer->outcome.disagrees) /* it may be both */
        sheet_paragraph(sheet,
                        "This is a fault of heddle itself, not of your program; please report it.",
                        2, 2);
}

/* Lines of a text that the program under test sent, one paragraph each. */
static void write_lines(const Sheet *sheet, const char *text)
{
    Str rest = str_of(text), line;
    for (int number = 1; str_next(&rest, '\n', &line);)
        if (line.length) {
            Buffer paragraph = {0};
            if (str_starts(line, STR("...")))
                buffer_printf(&paragraph, "   %.*s", STR_ARG(line));
            else
                buffer_printf(&paragraph, "%d. %.*s", number++, STR_ARG(line));
            sheet_paragraph(sheet, paragraph.at, 5, 2);
            vec_free(&paragraph);
        }
}

/* "T1:  get() = none" a thread, with four spaces before it. */
static void write_calls(const Sheet *sheet, const OutcomeCalls *calls, Names *names)
{
    for (size_t i = 0; i < calls->count;) {
        unsigned thread = calls->at[i].thread;
        Buffer line = {0};
        buffer_printf(&line, thread ? "T%u: " : "main: ", thread);
        for (; i < calls->count && calls->at[i].thread == thread; i++)
            buffer_printf(&line, " %s%s",
                          names ? names_in_text(names, calls->at[i].text) : calls->at[i].text,
                          i + 1 < calls->count && calls->at[i + 1].thread == thread ? "," : "");
        sheet_paragraph(sheet, line.at, 9, 4);
        vec_free(&line);
    }
}

/* The test as it was written, where there is no execution to show what it gave. */
static void write_scenario(const Sheet *sheet, const char *scenario)
{
    Scenario columns;
    scenario_begin(&columns, scenario);
    while (scenario_next(&columns)) {
        Buffer line = {0};
        buffer_printf(&line, columns.framed ? "%-7s %.*s" : "%s:  %.*s", columns.title,
                      STR_ARG(columns.calls));
        sheet_paragraph(sheet, line.at, 9, 4);
        vec_free(&line);
    }
}

/* Writes what is wrong: a sentence, and for a test the calls with what they gave. */
static void write_message(const Sheet *sheet, const Answer *answer, Names *names)
{
    OutcomeCalls calls = {0};
    Arena *arena = arena_new();
    if (answer->record && answer_shows_violation(answer))
        outcome_of_record(arena, answer->record, &calls);
    if (answer->message) {
        Buffer text = {0};
        buffer_printf(&text, "%s%s", answer->message, calls.count ? ":" : "");
        sheet_paragraph(sheet, text.at, 4, 2);
        vec_free(&text);
    }
    if (calls.count)
        write_calls(sheet, &calls, names);
    else if (answer->outcome.scenario)
        write_scenario(sheet, answer->outcome.scenario);
    vec_free(&calls);
    arena_free(arena);
    if (answer->outcome.overtaking)
        sheet_paragraph(sheet, answer->outcome.overtaking, 4, 2);
    if (answer_hint(answer))
        sheet_paragraph(sheet, answer_hint(answer), 4, 2);
}

static void write_bounds(const Sheet *sheet, const Answer *answer)
{
    if (strcmp(answer->command, "replay") != 0)
        write_counts(sheet, answer);
    if (answer->outcome.shape && answer_shows_violation(answer) && !answer->outcome.states &&
        !answer->causes) {
        Buffer line = {0};
        /* results that differ from one serial run to another say nothing about what held before */
        bool held = answer->violation != VIOLATION_NONDETERMINISM && answer->outcome.coverage &&
                    *answer->outcome.coverage;
        buffer_printf(&line, "%s is the smallest test that fails%s%s", answer->outcome.shape,
                      held ? "; these hold: " : "", held ? answer->outcome.coverage : "");
        sheet_paragraph(sheet, line.at, 4, 2);
        vec_free(&line);
    } else if (answer->outcome.coverage && !answer->outcome.states) {
        sheet_paragraph(sheet, answer->outcome.coverage, 4, 2);
    }
    for (size_t i = 0; i < answer->remarks.count; i++) {
        fputs("  note: ", sheet->to);
        sheet_wrap(sheet, 0, answer->remarks.at[i], 8, 8);
        fputc('\n', sheet->to);
    }
    Arena *arena = arena_new();
    const char *advice = advice_for(arena, answer);
    if (advice) {
        fputs("  what to do: ", sheet->to);
        sheet_wrap(sheet, 0, advice, 4, 14);
        fputc('\n', sheet->to);
    }
    arena_free(arena);
}

static void write_explanation(const Sheet *sheet, const Answer *answer)
{
    if (answer->outcome.explanation && answer->outcome.explanation[0]) {
        fputc('\n', sheet->to);
        sheet_paragraph(sheet, "Serial orders tried, and the first calls in each that disagree:", 2,
                        0);
        write_lines(sheet, answer->outcome.explanation);
    }
    if (answer->outcome.closest && answer->outcome.closest[0]) {
        fputs("\nThe closest outcome that would be right:\n", sheet->to);
        write_scenario(sheet, answer->outcome.closest);
    }
}

static void write_execution(const Sheet *sheet, const Answer *answer, Names *names)
{
    Steps steps = {0};
    StepsOptions options = {.all = sheet->style->all,
                            .ascii = sheet->style->ascii,
                            .fold = true,
                            .brief = true,
                            .most = sheet->style->most ? (size_t)sheet->style->most : MOST_STEPS};
    steps_make(names, answer->record, &options, &steps);
    const char **lines = steps_explain(names, answer->record, &steps);
    if (lines[0])
        fputs("\nWhy:\n", sheet->to);
    for (size_t i = 0; lines[i]; i++)
        sheet_paragraph(sheet, lines[i], 4, 2);
    fputs("\nThe execution:\n", sheet->to);
    text_write_steps(sheet, answer->record, &steps, names);
    vec_free(&steps);
}

/* A word for a shell: quoted if need be. */
static void append_word(Buffer *out, const char *word)
{
    if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "_-+./=:,@%")]) {
        buffer_printf(out, "%s", word);
        return;
    }
    buffer_printf(out, "'");
    for (; *word; word++)
        buffer_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
    buffer_printf(out, "'");
}

/* Commands must not be broken: they are copied. */
static void write_next(const Sheet *sheet, const Answer *answer)
{
    Buffer text = {0};
    if (answer->record_path) {
        const char *words = answer->replay_words ? answer->replay_words : "";
        buffer_printf(&text, "\nTo see it again:   heddle replay %s", words);
        append_word(&text, answer->record_path);
        buffer_printf(&text, "\nIn a debugger:     heddle replay --gdb %s", words);
        append_word(&text, answer->record_path);
        buffer_printf(&text, "\n");
    }
    if (answer->outcome.scenario && answer_shows_violation(answer)) {
        buffer_printf(&text, "%sTo keep this test: HD_SCENARIO(\"",
                      answer->record_path ? "" : "\n");
        for (const char *at = answer->outcome.scenario; *at; at++)
            buffer_printf(&text, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
        buffer_printf(&text, "\")\n");
    }
    Str rest = buffer_str(&text), line;
    while (rest.length && str_next(&rest, '\n', &line)) {
        char *copy = strndup(line.at, line.length);
        sheet_write(sheet, copy);
        fputc('\n', sheet->to);
        free(copy);
    }
    vec_free(&text);
}

/* The tests of a framework, a line each. */
static void write_cases(Sheet *sheet, const Answer *answer)
{
    int width = 0;
    for (uint32_t i = 0; i < answer->case_count; i++)
        width = MAX(width, sheet_columns(answer->cases[i].name));
    if (answer->cases)
        fprintf(sheet->to, "\nThe tests:\n");
    for (uint32_t i = 0; i < answer->case_count; i++) {
        const Answer *one = &answer->cases[i];
        fputs("  ", sheet->to);
        sheet_write(sheet, one->name);
        sheet_pad(sheet, one->name, width);
        fputs("  ", sheet->to);
        sheet_paint(sheet, one->verdict == VERDICT_HOLDS ? SHEET_GREEN : SHEET_RED,
                    verdict_word(one->verdict));
        if (answer_shows_violation(one))
            print_plain(sheet->to, ": %s", violation_word(one->violation));
        print_plain(sheet->to, ", %llu execution%s, %.2f s%s%s\n",
                    (unsigned long long)one->executions, one->executions == 1 ? "" : "s",
                    one->seconds, one->record_path ? ", " : "",
                    one->record_path ? one->record_path : "");
    }
}

void text_write_answer(FILE *to, const Answer *answer, Names *names, const TextStyle *style)
{
    Sheet sheet = {.to = to, .style = style};
    write_verdict(&sheet, answer);
    if (style->brief)
        return;
    write_message(&sheet, answer, names);
    write_bounds(&sheet, answer);
    if (answer->repair)
        repair_write_beside(to, answer->repair, style);
    write_explanation(&sheet, answer);
    if (answer->record && names && answer_shows_violation(answer))
        write_execution(&sheet, answer, names);
    write_next(&sheet, answer);
    write_cases(&sheet, answer);
    causes_write(&sheet, answer);
}
