#include "report/json.h"
#include <jansson.h>
#include <math.h>

static void set(json_t *object, const char *key, json_t *value)
{
    if (!value || json_object_set_new(object, key, value) != 0)
        die("out of memory");
}

/* Text from outside may be no UTF-8: the bytes that are not become question marks. */
static json_t *text_value(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value)
        return value;
    char copy[4096];
    size_t length = 0;
    for (; text[length] && length < sizeof copy - 1; length++)
        copy[length] = (unsigned char)text[length] < 0x80 ? text[length] : '?';
    copy[length] = 0;
    return json_string(copy);
}

static json_t *count_value(uint64_t count)
{
    return json_integer((json_int_t)MIN(count, (uint64_t)INT64_MAX));
}

/* Microseconds are enough, and keep the line short. */
static json_t *seconds_value(double seconds)
{
    return json_real(round(seconds * 1e6) / 1e6);
}

static json_t *answer_value(const Answer *answer)
{
    json_t *object = json_object();
    if (!object)
        die("out of memory");
    set(object, "command", text_value(answer->command));
    set(object, "subject", text_value(answer->subject));
    set(object, "verdict", text_value(verdict_word(answer->verdict)));
    set(object, "violation",
        text_value(answer->verdict == VERDICT_VIOLATED ? violation_word(answer->violation) : NULL));
    set(object, "message", text_value(answer->message));
    set(object, "reason",
        text_value(answer->verdict == VERDICT_INCONCLUSIVE ? answer->reason : NULL));
    set(object, "exhaustive", json_boolean(answer->exhaustive));
    set(object, "bounds", text_value(answer->bounds));
    set(object, "model", text_value(answer->model));
    set(object, "executions", count_value(answer->executions));
    set(object, "blocked", count_value(answer->blocked));
    set(object, "stuck", count_value(answer->stuck));
    set(object, "cut", count_value(answer->cut));
    set(object, "histories", count_value(answer->histories));
    set(object, "events", count_value(answer->events));
    set(object, "revisits", count_value(answer->revisits));
    set(object, "restarts", count_value(answer->restarts));
    set(object, "promoted", count_value(answer->promoted));
    set(object, "seconds", seconds_value(answer->seconds));
    set(object, "cpu_seconds", seconds_value(answer->cpu_seconds));
    set(object, "build_seconds", seconds_value(answer->build_seconds));
    set(object, "peak_rss_kb", count_value((uint64_t)MAX(answer->peak_rss_kb, 0)));
    if (answer->tests) {
        set(object, "tests", count_value(answer->tests));
        set(object, "serial_runs", count_value(answer->serial_runs));
        set(object, "serial_seconds", json_real(answer->serial_seconds));
        set(object, "coverage", text_value(answer->coverage));
        set(object, "test", text_value(answer->scenario));
        set(object, "smallest", text_value(answer->shape));
        set(object, "overtaking", text_value(answer->overtaking));
    }
    set(object, "record", text_value(answer->record_path));
    json_t *remarks = json_array();
    for (size_t i = 0; remarks && i < answer->remarks.count; i++)
        json_array_append_new(remarks, text_value(answer->remarks.at[i]));
    set(object, "remarks", remarks);
    if (answer->quasi)
        set(object, "quasi", text_value(answer->quasi));
    if (answer->rejected) {
        json_t *rejected = json_array();
        for (uint32_t i = 0; rejected && i < answer->rejected_count; i++)
            json_array_append_new(rejected, answer_value(&answer->rejected[i]));
        set(object, "rejected", rejected);
    }
    return object;
}

bool json_write_answer(FILE *to, const Answer *answer)
{
    json_t *object = answer_value(answer);
    bool written = json_dumpf(object, to, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)) == 0;
    json_decref(object);
    return written && fputc('\n', to) != EOF && fflush(to) == 0;
}
