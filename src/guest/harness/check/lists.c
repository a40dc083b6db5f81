/* Settings of a test file that name calls: HD_SEQUENCE, HD_FIRST, HD_LAST, HD_MAY_FAIL,
 * HD_ASYNC. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "guest/harness/check/declared.h"

static bool read_list(const Declared *declared, const HeddleSetting *setting, DeclaredList *list,
                      Error *error)
{
    TestCase test;
    Error why = {0};
    if (list->count)
        return declared_complain_twice(setting, error);
    if (!declared_parse(declared, setting->text, &test, &why))
        return error_at(error, setting->file, setting->line, 0, "\"%s\": %s", setting->text,
                        why.message);
    if (test.threads != 1 || test.length[TESTCASE_BEFORE] || test.length[TESTCASE_AFTER])
        return error_at(error, setting->file, setting->line, 0,
                        "\"%s\": these calls are made by one thread", setting->text);
    list->count = test.length[0];
    memcpy(list->call, test.call[0], sizeof list->call);
    return true;
}

/* A sequence is for the thread that its calls are for. */
static bool find_role(Declared *declared, const HeddleSetting *setting, uint32_t number,
                      Error *error)
{
    const DeclaredList *list = &declared->sequences[number];
    uint8_t role = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint8_t wanted = declared->role[list->call[i]];
        if (wanted && role && wanted != role)
            return error_at(error, setting->file, setting->line, 0,
                            "\"%s\": no thread may make all of these calls (HD_SINGLE)",
                            setting->text);
        role = MAX(role, wanted);
    }
    declared->role[declared->count + number] = role;
    return true;
}

/* Reads a result as the test file writes it: HD_NONE, HD_BOOL(0), HD_INT(-1). */
static bool read_result(const char *text, HdValue *result)
{
    char word[64];
    size_t length = 0;
    for (; *text && length + 1 < sizeof word; text++)
        if (!isspace((unsigned char)*text))
            word[length++] = *text;
    word[length] = 0;
    *result = (HdValue){.kind = HEDDLE_NONE};
    if (*text || !strcmp(word, "HD_NONE"))
        return !*text;
    char *number = strchr(word, '('), *end = NULL;
    bool truth = !strncmp(word, "HD_BOOL(", 8);
    if (!number || (!truth && strncmp(word, "HD_INT(", 7) != 0))
        return false;
    if (truth && (!strcmp(number, "(false)") || !strcmp(number, "(true)"))) {
        *result = (HdValue){.kind = HEDDLE_BOOL, .integer = number[1] == 't'};
        return true;
    }
    errno = 0;
    result->integer = strtoll(number + 1, &end, 0);
    result->kind = truth ? HEDDLE_BOOL : HEDDLE_INT;
    if (truth)
        result->integer = result->integer != 0;
    return !errno && end > number + 1 && !strcmp(end, ")");
}

static bool mark_failing(Declared *declared, const HeddleSetting *setting, Error *error)
{
    Str name = {setting->text, strcspn(setting->text, " ")};
    const char *text = setting->text + name.length + 1;
    HdValue result;
    bool found = false;
    if (!read_result(text, &result))
        return error_at(error, setting->file, setting->line, 0,
                        "HD_MAY_FAIL(%.*s, %s): the result is HD_NONE, HD_BOOL(0), HD_BOOL(1) or "
                        "HD_INT(number)",
                        STR_ARG(name), text);
    for (uint32_t c = 0; c < declared->count; c++) {
        if (!declared_is_called(&declared->calls[c], name))
            continue;
        found = declared->may_fail[c] = declared->any_may_fail = true;
        declared->failure[c] = result;
    }
    return found || error_at(error, setting->file, setting->line, 0,
                             "HD_MAY_FAIL names %.*s, which is no operation", STR_ARG(name));
}

static bool mark_async(Declared *declared, const HeddleSetting *setting, Error *error)
{
    bool found = false;
    for (uint32_t c = 0; c < declared->count; c++)
        if (declared_is_called(&declared->calls[c], str_of(setting->text)))
            found = declared->async[c] = declared->any_async = true;
    return found || error_at(error, setting->file, setting->line, 0,
                             "HD_ASYNC names %s, which is no operation", setting->text);
}

bool declared_let_fail(Declared *declared, const char *text, Error *error)
{
    Str rest = str_of(text), piece;
    while (*text && str_next(&rest, ',', &piece)) {
        Str name, result = str_trim(piece);
        int64_t number = 0;
        str_next(&result, ':', &name);
        bool any = str_is(name, "auto"), found = any;
        HdValue failure = {.kind = HEDDLE_NONE};
        if (result.at && !str_is(result, "none")) {
            bool truth = str_is(result, "false") || str_is(result, "true");
            failure.kind = truth ? HEDDLE_BOOL : HEDDLE_INT;
            failure.integer = str_is(result, "true");
            if (!truth && !str_to_int64(result, &number))
                return error_set(error,
                                 "--may-fail=%.*s: the result is none, false, true or a number",
                                 STR_ARG(piece));
            failure.integer += number;
        }
        for (uint32_t c = 0; c < declared->count; c++) {
            if (!any && !declared_is_called(&declared->calls[c], name))
                continue;
            found = declared->any_may_fail = true;
            if (!result.at) {
                declared->may_be_refused[c] = true;
            } else {
                declared->may_fail[c] = true;
                declared->failure[c] = failure;
            }
        }
        if (!found)
            return error_set(error, "--may-fail names %.*s, which is no operation", STR_ARG(name));
    }
    return true;
}

bool declared_has_failed(const Declared *declared, Values *values, uint32_t call, Value result)
{
    bool refused = value_equal(result, VALUE_NONE) || value_equal(result, VALUE_FALSE);
    return (declared->may_be_refused[call] && refused) ||
           (declared->may_fail[call] &&
            value_equal(result, declared_value(values, &declared->failure[call])));
}

bool declared_read_lists(Declared *declared, const HeddleSetting *setting, Error *error)
{
    Str key = str_of(setting->key);
    if (str_is(key, "first"))
        return read_list(declared, setting, &declared->first, error);
    if (str_is(key, "last"))
        return read_list(declared, setting, &declared->last, error);
    if (str_is(key, "may_fail"))
        return mark_failing(declared, setting, error);
    if (str_is(key, "async"))
        return mark_async(declared, setting, error);
    if (!str_is(key, "sequence"))
        return true;
    if (declared->sequence_count == DECLARED_SEQUENCES)
        return error_at(error, setting->file, setting->line, 0, "more than %d sequences",
                        DECLARED_SEQUENCES);
    uint32_t number = declared->sequence_count;
    if (!read_list(declared, setting, &declared->sequences[number], error) ||
        !find_role(declared, setting, number, error))
        return false;
    declared->sequence_count++;
    return true;
}
