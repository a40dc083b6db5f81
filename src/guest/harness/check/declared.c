#include "guest/harness/check/declared.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "judge/spec/spec.h"

extern const HeddleOperation *const __start_heddle_operations[] __attribute__((weak));
extern const HeddleOperation *const __stop_heddle_operations[] __attribute__((weak));
extern const HeddleOperation *const __start_heddle_golden[] __attribute__((weak));
extern const HeddleOperation *const __stop_heddle_golden[] __attribute__((weak));
extern const HeddleSetting *const __start_heddle_settings[] __attribute__((weak));
extern const HeddleSetting *const __stop_heddle_settings[] __attribute__((weak));

Value declared_value(Values *values, const HdValue *value)
{
    switch (value->kind) {
    case HEDDLE_INT:
        return value_int(values, value->integer);
    case HEDDLE_BOOL:
        return value_bool(value->integer != 0);
    case HEDDLE_TEXT:
        return value_string(values, str_of(value->text));
    case HEDDLE_ARRAY: {
        Value items[HEDDLE_ITEMS];
        for (int i = 0; i < value->count; i++)
            items[i] = value_int(values, value->items[i]);
        return value_array(values, items, (size_t)value->count);
    }
    case HEDDLE_VOID:
        return SPEC_DONE;
    default:
        return VALUE_NONE;
    }
}

static void print_call(Values *values, DeclaredCall *call)
{
    Buffer text = {0};
    if (call->operation->object)
        buffer_printf(&text, "%s.", call->operation->object);
    buffer_printf(&text, "%s(", call->operation->name);
    for (int i = 0; i < call->operation->parameter_count; i++) {
        if (i)
            buffer_printf(&text, ", ");
        value_print(values, call->values[i], &text);
    }
    buffer_printf(&text, ")");
    snprintf(call->text, sizeof call->text, "%.*s", STR_ARG(buffer_str(&text)));
    vec_free(&text);
}

static bool find_object(Declared *declared, const HeddleOperation *operation, uint8_t *object,
                        Error *error)
{
    const char *name = operation->object ? operation->object : "";
    for (*object = 0; *object < declared->object_count; ++*object)
        if (!strcmp(declared->objects[*object], name))
            return true;
    if (declared->object_count == DECLARED_OBJECTS)
        return error_at(error, operation->file, operation->line, 0, "more than %d objects",
                        DECLARED_OBJECTS);
    declared->objects[declared->object_count++] = name;
    return true;
}

static bool same_operation(const HeddleOperation *a, const HeddleOperation *b)
{
    return !strcmp(a->name, b->name) &&
           !strcmp(a->object ? a->object : "", b->object ? b->object : "");
}

bool declared_is_called(const DeclaredCall *call, Str word)
{
    return str_equal(word, (Str){call->text, strcspn(call->text, "(")});
}

static bool add_call(Declared *declared, Values *values, const HeddleOperation *operation, int i,
                     int j, Error *error)
{
    if (declared->count == DECLARED_CALLS)
        return error_at(error, operation->file, operation->line, 0,
                        "more than %d calls: use fewer argument values", DECLARED_CALLS);
    DeclaredCall *call = &declared->calls[declared->count++];
    uint8_t object;
    if (!find_object(declared, operation, &object, error))
        return false;
    *call = (DeclaredCall){.operation = operation, .object = object};
    int index[2] = {i, j};
    for (int p = 0; p < operation->parameter_count; p++) {
        call->arguments[p] = operation->values[p][index[p]];
        call->values[p] = declared_value(values, &call->arguments[p]);
    }
    print_call(values, call);
    return true;
}

static bool read_operations(Declared *declared, Values *values, Error *error)
{
    for (const HeddleOperation *const *at = __start_heddle_operations;
         at < __stop_heddle_operations; at++) {
        const HeddleOperation *operation = *at;
        for (uint32_t c = 0; c < declared->count; c++)
            if (same_operation(declared->calls[c].operation, operation))
                return error_at(error, operation->file, operation->line, 0,
                                "operation %s is declared twice; the other one stands at %s:%d: "
                                "give one of them another name",
                                operation->name, declared->calls[c].operation->file,
                                declared->calls[c].operation->line);
        int first = operation->parameter_count > 0 ? operation->value_count[0] : 1;
        int second = operation->parameter_count > 1 ? operation->value_count[1] : 1;
        for (int i = 0; i < first; i++)
            for (int j = 0; j < second; j++)
                if (!add_call(declared, values, operation, i, j, error))
                    return false;
    }
    if (!declared->count)
        return error_set(error,
                         "no operations are declared: write at least one "
                         "HD_OP(name) { ... } (see heddle.h), or mark the calls of a program "
                         "that has a main()");
    return true;
}

/* Golden code is all or nothing: a specification that lacks an operation says nothing about the
 * others' order with it. */
static bool read_golden(Declared *declared, Error *error)
{
    const HeddleOperation *any = NULL;
    for (const HeddleOperation *const *at = __start_heddle_golden; at < __stop_heddle_golden;
         at++) {
        const HeddleOperation *golden = any = *at;
        bool found = false;
        for (uint32_t c = 0; c < declared->count; c++) {
            DeclaredCall *call = &declared->calls[c];
            if (strcmp(call->operation->name, golden->name) != 0)
                continue;
            found = true;
            if (call->golden && call->golden != golden)
                return error_at(error, golden->file, golden->line, 0,
                                "a second HD_GOLDEN(%s); the other one stands at %s:%d",
                                golden->name, call->golden->file, call->golden->line);
            if (call->operation->parameter_count != golden->parameter_count)
                return error_at(
                    error, golden->file, golden->line, 0,
                    "HD_GOLDEN(%s) has %d parameters, but the operation at %s:%d has %d",
                    golden->name, golden->parameter_count, call->operation->file,
                    call->operation->line, call->operation->parameter_count);
            call->golden = golden;
        }
        if (!found)
            return error_at(error, golden->file, golden->line, 0,
                            "HD_GOLDEN(%s) is golden code of no operation: there is no HD_OP(%s)",
                            golden->name, golden->name);
    }
    for (uint32_t c = 0; c < declared->count && any; c++)
        if (!declared->calls[c].golden)
            return error_at(error, declared->calls[c].operation->file,
                            declared->calls[c].operation->line, 0,
                            "operation %s has no golden code, but others have: write "
                            "HD_GOLDEN(%s) { ... }",
                            declared->calls[c].operation->name, declared->calls[c].operation->name);
    return true;
}

/* The next word of a list of operations: spaces and commas separate, a bar is a word of its own. */
static bool next_word(const char **at, Str *word)
{
    while (isspace((unsigned char)**at) || **at == ',')
        ++*at;
    size_t length = **at == '|' ? 1 : strcspn(*at, " \t\n,|");
    *word = (Str){*at, length};
    *at += length;
    return length > 0;
}

static bool complain_unknown(const HeddleSetting *setting, const char *macro, Str word,
                             Error *error)
{
    return error_at(error, setting->file, setting->line, 0, "%s names %.*s, which is no operation",
                    macro, STR_ARG(word));
}

/* If one thread makes all calls, none overlap, and every structure would hold. */
static bool refuse_one_thread(const Declared *declared, const HeddleSetting *setting, Error *error)
{
    for (uint32_t c = 0; c < declared->count; c++)
        if (declared->role[c] != declared->role[0])
            return true;
    return !declared->role[0] ||
           error_at(error, setting->file, setting->line, 0,
                    "HD_SINGLE(\"%s\") gives all operations to one thread, so no calls overlap; a "
                    "bar gives each side a thread of its own: HD_SINGLE(\"put | get\")",
                    setting->text);
}

static bool mark_single(Declared *declared, const HeddleSetting *setting, Error *error)
{
    const char *at = setting->text;
    Str word;
    uint8_t role = 1;
    while (next_word(&at, &word)) {
        bool found = false;
        if (str_is(word, "|")) {
            if (++role > TESTCASE_THREADS)
                return error_at(error, setting->file, setting->line, 0,
                                "HD_SINGLE has more than %d roles", TESTCASE_THREADS);
            continue;
        }
        for (uint32_t c = 0; c < declared->count; c++)
            if (declared_is_called(&declared->calls[c], word)) {
                declared->role[c] = role;
                declared->any_role = found = true;
            }
        if (!found)
            return complain_unknown(setting, "HD_SINGLE", word, error);
    }
    return refuse_one_thread(declared, setting, error);
}

static bool mark_blocking(Declared *declared, const HeddleSetting *setting, Error *error)
{
    const char *at = setting->text;
    Str word;
    declared->blocking_is_limited = true;
    while (next_word(&at, &word)) {
        bool found = false;
        for (uint32_t c = 0; c < declared->count; c++)
            if (declared_is_called(&declared->calls[c], word))
                declared->may_block[c] = found = true;
        if (!found)
            return complain_unknown(setting, "HD_MAY_BLOCK", word, error);
    }
    return true;
}

bool declared_complain_twice(const HeddleSetting *setting, Error *error)
{
    char name[16];
    size_t length = 0;
    for (const char *c = setting->key; *c && length + 1 < sizeof name; c++)
        name[length++] = (char)toupper((unsigned char)*c);
    name[length] = 0;
    return error_at(error, setting->file, setting->line, 0,
                    "a second HD_%s: put what both do into one of them", name);
}

static bool read_settings(Declared *declared, Error *error)
{
    for (const HeddleSetting *const *at = __start_heddle_settings; at < __stop_heddle_settings;
         at++) {
        const HeddleSetting *setting = *at;
        Str key = str_of(setting->key);
        const void *twice = NULL;
        if (str_is(key, "init")) {
            twice = declared->init ? setting : NULL;
            declared->init = setting->run;
        } else if (str_is(key, "after")) {
            twice = declared->after ? setting : NULL;
            declared->after = setting->run;
        } else if (str_is(key, "invariant")) {
            twice = declared->invariant ? setting : NULL;
            declared->invariant = setting->holds;
        } else if (str_is(key, "reference")) {
            twice = declared->reference ? setting : NULL;
            declared->reference = setting->run;
        } else if (str_is(key, "golden_init")) {
            twice = declared->golden_init ? setting : NULL;
            declared->golden_init = setting->run;
        } else if (str_is(key, "spec")) {
            declared->spec = setting->text;
        } else if (str_is(key, "quasi")) {
            declared->quasi = setting->text;
        } else if (str_is(key, "scenario")) {
            declared->scenario = setting->text;
        } else if (str_is(key, "unbounded")) {
            if (!isdigit((unsigned char)setting->text[0]) || setting->text[1] ||
                setting->text[0] == '0' || setting->text[0] > '6')
                return error_at(error, setting->file, setting->line, 0,
                                "HD_UNBOUNDED is %s: a number of threads from 1 to 6 is wanted",
                                setting->text);
            declared->unbounded = (uint32_t)(setting->text[0] - '0');
        } else if (str_is(key, "single") && !mark_single(declared, setting, error)) {
            return false;
        } else if (str_is(key, "may_block") && !mark_blocking(declared, setting, error)) {
            return false;
        }
        if (twice)
            return declared_complain_twice(setting, error);
    }
    for (const HeddleSetting *const *at = __start_heddle_settings; at < __stop_heddle_settings;
         at++)
        if (!declared_read_lists(declared, *at, error)) /* now that all roles are known */
            return false;
    return true;
}

bool declared_read(Declared *declared, Values *values, Error *error)
{
    memset(declared, 0, sizeof *declared);
    return read_operations(declared, values, error) && read_golden(declared, error) &&
           read_settings(declared, error);
}

static void print_column(const Declared *declared, const TestCase *test, uint32_t column,
                         const char *before, Buffer *out)
{
    buffer_printf(out, "%s", before);
    for (uint32_t i = 0; i < test->length[column]; i++)
        buffer_printf(out, "%s%s", out->count ? " " : "",
                      declared->calls[test->call[column][i]].text);
}

bool declared_read_settings(Declared *declared, Error *error)
{
    memset(declared, 0, sizeof *declared);
    return read_settings(declared, error);
}

bool declared_any_operation(void)
{
    const HeddleOperation *const *first = __start_heddle_operations;
    return first < __stop_heddle_operations;
}

void declared_print(const Declared *declared, const TestCase *test, char *text, size_t bytes)
{
    Buffer out = {0};
    bool framed = test->length[TESTCASE_BEFORE] || test->length[TESTCASE_AFTER];
    if (framed)
        print_column(declared, test, TESTCASE_BEFORE, "", &out);
    for (uint32_t t = 0; t < test->threads; t++)
        print_column(declared, test, t, t ? " |" : !framed ? "" : out.count ? " /" : "/", &out);
    if (framed)
        print_column(declared, test, TESTCASE_AFTER, " /", &out);
    snprintf(text, bytes, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

/* The call that stands at the beginning of *at, without spaces compared. */
static bool match_call(const Declared *declared, const char **at, uint16_t *call)
{
    size_t longest = 0;
    for (uint32_t c = 0; c < declared->count; c++) {
        const char *p = *at, *q = declared->calls[c].text;
        while (*q) {
            while (*q == ' ')
                q++;
            while (*p == ' ' && *q)
                p++;
            if (*p != *q)
                break;
            p++, q++;
        }
        if (!*q && (size_t)(p - *at) > longest) {
            longest = (size_t)(p - *at);
            *call = (uint16_t)c;
        }
    }
    *at += longest;
    return longest > 0;
}

/* At a bar, or one of the two slashes of "before / threads / after": *column is where the next call
 * goes. */
static bool parse_bar(TestCase *test, const char **at, int *slashes, uint32_t *column, Error *error)
{
    if (**at == '/') {
        if (++*slashes > 2 || (*slashes == 1 && test->threads > 1))
            return error_set(error, "the scenario's slashes separate what main calls before and "
                                    "after from the threads: before / threads / after");
        if (*slashes == 1) { /* what looked like the first thread */
            test->length[TESTCASE_BEFORE] = test->length[0];
            memcpy(test->call[TESTCASE_BEFORE], test->call[0], sizeof test->call[0]);
            test->length[0] = 0;
        } else {
            *column = TESTCASE_AFTER;
        }
    } else if (*column == TESTCASE_AFTER) {
        return error_set(error, "what main calls after the threads is no thread: no | there");
    } else if (test->threads == TESTCASE_THREADS) {
        return error_set(error, "the scenario has more than %d threads", TESTCASE_THREADS);
    } else {
        *column = test->threads++;
    }
    ++*at;
    return true;
}

/* Complains that the text at AT is no call: of an operation with other arguments, or of none. */
static bool complain_call(const Declared *declared, const char *at, Error *error)
{
    int name = (int)strcspn(at, " (|/;"), length = (int)strcspn(at, ")|/;");
    length += at[length] == ')';
    while (length && isspace((unsigned char)at[length - 1]))
        length--;
    Buffer calls = {0};
    bool known = false;
    for (uint32_t c = 0; c < declared->count; c++)
        known |= declared_is_called(&declared->calls[c], (Str){at, (size_t)name});
    for (uint32_t c = 0; c < declared->count; c++)
        if (!known || declared_is_called(&declared->calls[c], (Str){at, (size_t)name}))
            buffer_printf(&calls, "%s%s", calls.count ? ", " : "", declared->calls[c].text);
    error_set(error, "\"%.*s\" is no declared call%s%.*s: %.*s", MIN(length, 60), at,
              known ? "; those of " : "; there are", known ? name : 0, at,
              (int)MIN(calls.count, (size_t)300), calls.at);
    vec_free(&calls);
    return false;
}

bool declared_parse(const Declared *declared, const char *text, TestCase *test, Error *error)
{
    memset(test, 0, sizeof *test);
    test->threads = 1;
    const char *at = text;
    int slashes = 0;
    uint32_t column = 0;
    for (;;) {
        while (isspace((unsigned char)*at) || *at == ';')
            at++;
        if (*at == '|' || *at == '/') {
            if (!parse_bar(test, &at, &slashes, &column, error))
                return false;
        } else if (!*at) {
            break;
        } else if (test->length[column] == TESTCASE_LENGTH) {
            return error_set(error, "a thread of the scenario has more than %d calls",
                             TESTCASE_LENGTH);
        } else if (match_call(declared, &at, &test->call[column][test->length[column]])) {
            test->length[column]++;
        } else {
            return complain_call(declared, at, error);
        }
    }
    if (at == text)
        return error_set(error, "the scenario is empty: write calls, threads separated by |");
    if (slashes == 1)
        return error_set(error, "the scenario has one slash: it takes two, before / threads / "
                                "after, where before and after may be empty");
    for (uint32_t t = 0; t < test->threads; t++)
        if (!test->length[t])
            return error_set(error, "thread %u of the scenario makes no call", t + 1);
    if (testcase_operations(test) > TESTCASE_OPERATIONS)
        return error_set(error, "the scenario has more than %d calls", TESTCASE_OPERATIONS);
    return true;
}
