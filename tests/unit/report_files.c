/* Files for continuous integration: well formed, whatever the program's names are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool/report/json.h"
#include "tool/report/junit.h"
#include "tool/report/sarif.h"

static const char hostile[] =
    "<script>alert(\"x\")</script> & 'y' \x01\x1b[31m \xff\xfe \xc3\xa4 ]]>";

static Answer sample(void)
{
    Answer answer = {.command = "run",
                     .subject = hostile,
                     .verdict = VERDICT_VIOLATED,
                     .violation = VIOLATION_RACE,
                     .model = "rc11",
                     .message = hostile,
                     .executions = 3,
                     .seconds = 0.5};
    vec_push(&answer.remarks, hostile);
    return answer;
}

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 65536);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

/* A small reader of XML: elements nest, attributes are quoted, every & begins a known entity. */
static bool is_well_formed(const char *at)
{
    char stack[16][64];
    int depth = 0;
    while (*at) {
        if (*at == '&') {
            static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
            bool known = false;
            for (size_t i = 0; i < COUNT_OF(entities); i++)
                known |= !strncmp(at, entities[i], strlen(entities[i]));
            if (!known)
                return false;
        }
        if (((unsigned char)*at < 32 && *at != '\n' && *at != '\t') || *at == '>')
            return false;
        if (*at++ != '<')
            continue;
        if (*at == '?') {
            at = strstr(at, "?>");
            if (!at)
                return false;
            at += 2;
            continue;
        }
        bool closes = *at == '/';
        at += closes;
        size_t length = strcspn(at, " >/");
        if (closes && (depth-- == 0 || strncmp(stack[depth], at, length) != 0))
            return false;
        if (!closes) {
            snprintf(stack[depth], sizeof stack[depth], "%.*s", (int)length, at);
            depth++;
        }
        bool quoted = false;
        for (; *at && (quoted || *at != '>'); at++) {
            if (*at == '"')
                quoted = !quoted;
            if (quoted && *at == '<')
                return false;
        }
        if (!*at++)
            return false;
    }
    return depth == 0;
}

static void test_junit(void **state)
{
    (void)state;
    char path[] = "/tmp/heddle-junit-XXXXXX";
    close(mkstemp(path));
    Answer answer = sample();
    Error error = {0};
    assert_true(junit_write(path, &answer, hostile, &error));
    char *text = read_whole(path);
    assert_true(is_well_formed(text));
    assert_non_null(strstr(text, "failures=\"1\""));
    assert_non_null(strstr(text, "&lt;script&gt;"));
    assert_non_null(strstr(text, "\xc3\xa4")); /* what is UTF-8 stays */
    assert_null(strstr(text, "\xff"));
    json_t *no_utf8 = json_string(text); /* jansson refuses what is no UTF-8 */
    assert_non_null(no_utf8);
    json_decref(no_utf8);
    free(text);
    unlink(path);
    assert_false(junit_write("/nonexistent/x.xml", &answer, NULL, &error));
    vec_free(&answer.remarks);
}

static void test_sarif(void **state)
{
    (void)state;
    char path[] = "/tmp/heddle-sarif-XXXXXX";
    close(mkstemp(path));
    Answer answer = sample();
    Error error = {0};
    assert_true(sarif_write(path, &answer, NULL, "1.2", &error));
    json_error_t why;
    json_t *log = json_load_file(path, 0, &why);
    assert_non_null(log);
    assert_string_equal(json_string_value(json_object_get(log, "version")), "2.1.0");
    json_t *run = json_array_get(json_object_get(log, "runs"), 0);
    json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
    assert_string_equal(json_string_value(json_object_get(driver, "name")), "heddle");
    json_t *results = json_object_get(run, "results");
    assert_int_equal(json_array_size(results), 1);
    json_t *result = json_array_get(results, 0);
    assert_string_equal(json_string_value(json_object_get(result, "ruleId")), "race");
    assert_string_equal(json_string_value(json_object_get(result, "level")), "error");
    assert_non_null(json_object_get(json_object_get(result, "message"), "text"));
    assert_int_equal(json_array_size(json_object_get(result, "locations")), 1);
    json_decref(log);
    answer.verdict = VERDICT_HOLDS;
    assert_true(sarif_write(path, &answer, NULL, "1.2", &error));
    log = json_load_file(path, 0, &why);
    run = json_array_get(json_object_get(log, "runs"), 0);
    assert_int_equal(json_array_size(json_object_get(run, "results")), 0);
    json_decref(log);
    unlink(path);
    vec_free(&answer.remarks);
}

/* The only result of what is written for ANSWER; the caller owns *log. */
static json_t *sarif_result(const Answer *answer, json_t **log)
{
    char path[] = "/tmp/heddle-sarif-XXXXXX";
    close(mkstemp(path));
    Error error = {0};
    json_error_t why;
    assert_true(sarif_write(path, answer, NULL, "1.2", &error));
    *log = json_load_file(path, 0, &why);
    unlink(path);
    json_t *run = json_array_get(json_object_get(*log, "runs"), 0);
    assert_non_null(json_object_get(json_object_get(run, "originalUriBaseIds"), "SRCROOT"));
    return json_array_get(json_object_get(run, "results"), 0);
}

static void assert_artifact(json_t *result, const char *uri, const char *base)
{
    json_t *place = json_object_get(json_array_get(json_object_get(result, "locations"), 0),
                                    "physicalLocation");
    json_t *artifact = json_object_get(place, "artifactLocation");
    assert_string_equal(json_string_value(json_object_get(artifact, "uri")), uri);
    const char *id = json_string_value(json_object_get(artifact, "uriBaseId"));
    assert_string_equal(id ? id : "", base);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(place, "region"), "startLine")), 1);
}

static const char *fingerprint(json_t *result)
{
    return json_string_value(
        json_object_get(json_object_get(result, "partialFingerprints"), "heddle/v1"));
}

/* Files are named from the current folder where that is possible; a finding keeps its fingerprint
 * when lines move, and only then. */
static void test_sarif_places(void **state)
{
    (void)state;
    Answer answer = sample();
    char folder[4096], below[4200];
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(below, sizeof below, "%s/a b.c", folder);
    answer.subject = below;
    answer.message = "data race on x at a.c:5";
    json_t *first, *second;
    json_t *result = sarif_result(&answer, &first), *other;
    assert_artifact(result, "a%20b.c", "SRCROOT");
    answer.message = "data race on x at a.c:17";
    other = sarif_result(&answer, &second);
    assert_string_equal(fingerprint(result), fingerprint(other));
    json_decref(second);
    answer.message = "data race on y at a.c:5";
    other = sarif_result(&answer, &second);
    assert_string_not_equal(fingerprint(result), fingerprint(other));
    json_decref(second);
    json_decref(first);
    answer.subject = "/nonexistent/x.c";
    assert_artifact(sarif_result(&answer, &first), "file:///nonexistent/x.c", "");
    json_decref(first);
    vec_free(&answer.remarks);
}

static void test_json(void **state)
{
    (void)state;
    Answer answer = sample();
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    assert_true(json_write_answer(to, &answer));
    fclose(to);
    json_error_t why;
    json_t *object = json_loads(text, 0, &why);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "verdict")), "violated");
    assert_string_equal(json_string_value(json_object_get(object, "violation")), "race");
    assert_int_equal(json_integer_value(json_object_get(object, "executions")), 3);
    assert_true(json_is_false(json_object_get(object, "exhaustive")));
    assert_true(json_is_null(json_object_get(object, "record")));
    assert_int_equal(strcspn(text, "\n"), bytes - 1); /* one line */
    json_decref(object);
    free(text);
    vec_free(&answer.remarks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_junit), cmocka_unit_test(test_sarif),
                                       cmocka_unit_test(test_sarif_places),
                                       cmocka_unit_test(test_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
