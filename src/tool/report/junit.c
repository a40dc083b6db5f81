#include "tool/report/junit.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/file.h"

/* How many bytes at AT are one character that XML 1.0 can have: not half of a pair, not longer than
 * need be, none of the characters that are none; 0: it can't have this byte. */
static size_t xml_character(const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80             ? 1
                    : (at[0] & 0xE0) == 0xC0 ? 2
                    : (at[0] & 0xF0) == 0xE0 ? 3
                    : (at[0] & 0xF8) == 0xF0 ? 4
                                             : 0;
    uint32_t code = length == 1 ? at[0] : at[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3Fu);
    }
    bool control = code < 32 && code != '\n' && code != '\t';
    bool none = code == 127 || (code >= 0xD800 && code < 0xE000) || code == 0xFFFE ||
                code == 0xFFFF || code > 0x10FFFF;
    return !length || code < least[length] || control || none ? 0 : length;
}

/* A character that XML can't have becomes a question mark. In an ATTRIBUTE, line ends and tabs
 * would become spaces if they were not spelt out. */
static void write_characters(FILE *to, const char *text, bool attribute)
{
    static const char *const names[] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t length = xml_character(at);
        if (length > 1)
            fwrite(at, 1, length, to);
        else if (length == 0)
            fputc('?', to);
        else if (*at < COUNT_OF(names) && names[*at])
            fputs(names[*at], to);
        else if (attribute && *at < 32)
            fprintf(to, "&#%d;", *at);
        else
            fputc(*at, to);
        at += length ? length : 1;
    }
}

static void write_escaped(FILE *to, const char *text)
{
    write_characters(to, text, false);
}

static void write_problem(FILE *to, const char *element, const char *type, const char *message,
                          const char *details)
{
    fprintf(to, "      <%s type=\"%s\" message=\"", element, type);
    write_characters(to, message, true);
    fputs("\">", to);
    write_escaped(to, details ? details : message);
    fprintf(to, "</%s>\n", element);
}

static void write_output(FILE *to, const Answer *answer)
{
    fprintf(to, "    <system-out>%llu executions, %llu blocked",
            (unsigned long long)answer->executions, (unsigned long long)answer->blocked);
    for (size_t i = 0; i < answer->remarks.count; i++) {
        fputs("\nnote: ", to);
        write_escaped(to, answer->remarks.at[i]);
    }
    fputs("</system-out>\n    <system-err></system-err>\n", to);
}

/* The elements and attributes that both common schemas of this format know, the one of Apache Ant
 * (which wants host, time, number and properties of a suite) and the one of Jenkins. */
static void write_suite(FILE *to, size_t number, const JunitCase *test)
{
    const Answer *answer = test->answer;
    const char *command = answer->command ? answer->command : "check",
               *model = answer->model ? answer->model : "";
    bool violated = answer->verdict == VERDICT_VIOLATED,
         unsure = test->error || answer->verdict == VERDICT_INCONCLUSIVE;
    double seconds = answer->seconds + answer->build_seconds;
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &utc));
    fprintf(to,
            "  <testsuite id=\"%zu\" package=\"heddle\" name=\"heddle %s\" "
            "hostname=\"localhost\" timestamp=\"%s\" tests=\"1\" failures=\"%d\" "
            "errors=\"%d\" time=\"%.3f\">\n"
            "    <properties>\n      <property name=\"model\" value=\"%s\"></property>\n    "
            "</properties>\n",
            number, command, when, !test->passed && !unsure, !test->passed && unsure, seconds,
            model);
    fprintf(to, "    <testcase classname=\"heddle.%s.%s\" time=\"%.3f\" name=\"", command, model,
            seconds);
    write_characters(to, test->name, true);
    fputs("\">\n", to);
    if (test->passed)
        ;
    else if (test->error)
        write_problem(to, "error", "input", test->error, NULL);
    else if (violated)
        write_problem(to, "failure", violation_word(answer->violation),
                      answer->message ? answer->message : violation_text(answer->violation),
                      test->details);
    else if (unsure)
        write_problem(to, "error", "inconclusive", answer->reason ? answer->reason : "inconclusive",
                      test->details);
    else
        write_problem(to, "failure", "holds", "it holds, which was not expected", test->details);
    fputs("    </testcase>\n", to);
    write_output(to, answer);
    fputs("  </testsuite>\n", to);
}

bool junit_write_all(const char *path, const JunitCase *cases, size_t count, Error *error)
{
    FileWriter file;
    file_begin(&file, path);
    FILE *to = file.stream;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", to);
    for (size_t i = 0; i < count; i++)
        write_suite(to, i, &cases[i]);
    fputs("</testsuites>\n", to);
    return file_commit(&file, error);
}

bool junit_write(const char *path, const Answer *answer, const char *details, Error *error)
{
    size_t count = answer->case_count;
    Vec(JunitCase) tests = {0};
    for (size_t i = 0; i < count; i++) { /* the details are those of the answer that is shown */
        const Answer *one = &answer->cases[i];
        bool shown = !strcmp(one->subject, answer->subject);
        vec_push(&tests, ((JunitCase){.name = one->name,
                                      .answer = one,
                                      .details = shown ? details : NULL,
                                      .passed = one->verdict == VERDICT_HOLDS}));
    }
    if (!count)
        vec_push(&tests, ((JunitCase){.name = answer->subject,
                                      .answer = answer,
                                      .details = details,
                                      .passed = answer->verdict == VERDICT_HOLDS}));
    bool written = junit_write_all(path, tests.at, tests.count, error);
    vec_free(&tests);
    return written;
}
