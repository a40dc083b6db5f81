/* The readers: what each format means, and a clear error with its line for what no run can produce.
 */
#include "judge/history/log.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

typedef struct Log {
    Values *values;
    Histories histories;
    LogFormat format;
    Error error;
    bool ok;
} Log;

static void log_open(Log *log, const char *text, LogFormat format)
{
    *log = (Log){.values = values_new()};
    log->ok = log_read_bytes("test.log", str_of(text), &(LogOptions){.format = format}, log->values,
                             &log->histories, &log->format, &log->error);
}

static void log_close(Log *log)
{
    histories_free(&log->histories);
    values_free(log->values);
}

/* All operations, one a line: "0: read() -> 3 [0,2]". */
static void expect_operations(const char *text, LogFormat format, const char *expected)
{
    Log log;
    log_open(&log, text, LOG_FORMAT_AUTO);
    if (!log.ok)
        print_error("%s:%d: %s\n", log.error.file, log.error.line, log.error.message);
    assert_true(log.ok);
    assert_int_equal(log.format, format);
    Buffer out = {0};
    buffer_append(&out, "", 0);
    for (size_t h = 0; h < log.histories.count; h++)
        for (size_t i = 0; i < log.histories.at[h]->operations.count; i++) {
            const History *history = log.histories.at[h];
            const Operation *op = &history->operations.at[i];
            value_print(log.values, history->processes.at[op->process], &out);
            buffer_printf(&out, ": ");
            history_print_operation(history, op, &out);
            if (op->returned == HISTORY_PENDING)
                buffer_printf(&out, " [%u,)\n", op->called);
            else
                buffer_printf(&out, " [%u,%u]\n", op->called, op->returned);
        }
    assert_string_equal(out.at, expected);
    vec_free(&out);
    log_close(&log);
}

static void expect_error(const char *text, int line, const char *message)
{
    Log log;
    log_open(&log, text, LOG_FORMAT_AUTO);
    assert_false(log.ok);
    if (!strstr(log.error.message, message) || log.error.line != line)
        print_error("got line %d: %s\n", log.error.line, log.error.message);
    assert_non_null(strstr(log.error.message, message));
    assert_int_equal(log.error.line, line);
    assert_string_equal(log.error.file, "test.log");
    assert_int_equal(log.histories.count, 0);
    log_close(&log);
}

static void test_jepsen(void **state)
{
    (void)state;
    expect_operations("INFO  jepsen.util - 0\t:invoke\t:write\t4\n"
                      "INFO  jepsen.core - nothing of ours\n"
                      "INFO  jepsen.util - :nemesis :info :start nil\n"
                      "INFO  jepsen.util - 1   :invoke   :read   nil\n"
                      "INFO  jepsen.util - 0\t:ok\t:write\t4\n"
                      "INFO  jepsen.util - 1\t:ok\t:read\t4\n"
                      "INFO  jepsen.util - 0\t:invoke\t:cas\t[4 1]\n"
                      "INFO  jepsen.util - 0\t:fail\t:cas\t[4 1]\n"
                      "INFO  jepsen.util - 0\t:invoke\t:read\tnil\n"
                      "INFO  jepsen.util - 0\t:fail\t:read\t:timed-out\n"
                      "INFO  jepsen.util - 1\t:invoke\t:write\t2\n"
                      "INFO  jepsen.util - 1\t:info\t:write\t:timed-out",
                      LOG_FORMAT_JEPSEN,
                      "0: write(4) [0,2]\n1: read() -> 4 [1,3]\n"
                      "1: write(2) -> ? [6,)\n");
}

/* A line from each of two files of Jepsen: what its notation means and what it does not. */
static void test_edn_values(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } pairs[] = {
        {"1", "1N", true},
        {"1", "1.0", false},
        {"1.0", "1.00", true},
        {"1.0", "10e-1", true},
        {"1.0M", "1.00M", false},
        {"true", "1", false},
        {":a", "\":a\"", false},
        {"a", ":a", false},
        {"{:a 1, :b 2}", "{:b 2 :a 1}", true},
        {"{:a 1}", "[:a 1]", false},
        {"#{1 2}", "#{2 1}", true},
        {"#{1 2}", "[1 2]", false},
        {"##NaN", "##NaN", true},
        {"##Inf", "##-Inf", false},
        {"#_ 3 4", "4", true},
        {"#_ #_ 1 2 3", "3", true},
        {"[1 #_ 2 3]", "[1 3]", true},
        {"(1 2)", "[1 2]", true},
        {"99999999999999999999", "99999999999999999999N", true},
        {"#inst \"x\"", "\"x\"", false},
        {"\\a", "\"a\"", false},
        {"\"\\u0041\"", "\"A\"", true},
        {"nil", "\"nil\"", false},
        {"+1", "1", true},
        {"-0", "0", true},
        {"1.5", "\"1.5\"", false},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        Buffer text = {0};
        const char *values[2] = {pairs[i].a, pairs[i].b};
        for (int j = 0; j < 2; j++)
            buffer_printf(&text,
                          "{:process \"p\" :type :invoke :f :write :value %s}"
                          "{:process \"p\" :type :ok :f :write :value %s}\n",
                          values[j], values[j]);
        Log log;
        log_open(&log, text.at, LOG_FORMAT_EDN);
        if (!log.ok)
            print_error("%s: %s\n", text.at, log.error.message);
        assert_true(log.ok);
        const History *history = log.histories.at[0];
        assert_int_equal(history->operations.count, 2);
        const Value *arguments = history->arguments.at;
        if (value_equal(arguments[0], arguments[history->arguments.count - 1]) != pairs[i].equal &&
            history->arguments.count == 2)
            fail_msg("%s and %s", pairs[i].a, pairs[i].b);
        vec_free(&text);
        log_close(&log);
    }
}

static void test_edn_processes(void **state)
{
    (void)state;
    expect_operations("{:process \"a\" :type :invoke :f :read}{:process :b :type :invoke :f :read}"
                      "{:process 1.5 :type :invoke :f :read}{:process [1] :type :invoke :f :read}"
                      "{:process nil :type :invoke :f :read}"
                      "#_{:process 9 :type :invoke :f :read}"
                      "{:process :nemesis :type :info :f :start}"
                      "{:process :b :type :ok :f :read :value 3}"
                      "{:process :nemesis :type :info :f :stop}"
                      "{:process \"a\" :type :fail :f :read}",
                      LOG_FORMAT_EDN,
                      ":b: read() -> 3 [1,5]\n1.5: read() -> ? [2,)\n[1]: read() -> ? [3,)\n"
                      "none: read() -> ? [4,)\n");
    expect_error("[]", 1, "none of the known formats");
    expect_error("{:process 0 :type :invoke :f :read :process 1}", 1, "twice");
    expect_error("{:process 0 :type :invoke :f :read :value {:a 1 :a 2}}", 1, "twice");
    expect_error("{:process 0 :type :invoke :f :read :value 007}", 1, "leading zeros");
    expect_error("{:process 0 :type :invoke :f :read :value \"\\x\"}", 1, "escape");
    expect_error("JEPSEN\x01", 1, "write-history!");
    expect_error("{:process 0 :type :begin :f :read}", 1, "none of :invoke");
}

static void test_tuples(void **state)
{
    (void)state;
    expect_operations(
        "{:type :invoke :f :write :value #jepsen.independent.Tuple{:key 1, :value 3} :process 0}\n"
        "{:type :ok :f :write :value #jepsen.independent.Tuple{:key 1, :value 3} :process 0}\n"
        "{:type :invoke :f :cas :value #jepsen.independent.Tuple{:key \"k\" :value [3 4]} :process "
        "0}"
        "{:type :ok :f :cas :value #jepsen.independent.Tuple{:key \"k\" :value [3 4]} :process "
        "0}\n",
        LOG_FORMAT_EDN, "0: 1.write(3) [0,1]\n0: k.cas([3, 4]) [2,3]\n");
    expect_error("{:type :invoke :f :write :value #jepsen.independent.Tuple{:key 1 :value 3} "
                 ":process 0}\n{:type :invoke :f :write :value 5 :process 1}",
                 2, "pairs of a key and a value");
}

static void test_jepsen_json(void **state)
{
    (void)state;
    expect_operations(
        "{\"type\":\"invoke\",\"process\":0,\"f\":\"write\",\"value\":1}\n"
        "{\"type\":\"info\",\"process\":\"nemesis\",\"f\":\"start\",\"value\":null}\n"
        "{\"type\":\"ok\",\"process\":0,\"f\":\"write\",\"value\":1}\n"
        "{\"type\":\"invoke\",\"process\":\"b\",\"f\":\"read\",\"value\":null}\n"
        "{\"type\":\"ok\",\"process\":\"b\",\"f\":\"read\",\"value\":{\"y\":1.0,\"x\":2}}\n",
        LOG_FORMAT_JSON, "0: write(1) [0,1]\n\"b\": read() -> {\"x\": 2, \"y\": 1} [2,3]\n");
    expect_operations(
        "\xef\xbb\xbf{\"type\":\"invoke\",\"process\":0,\"op\":\"w\",\"args\":[1.50]}\n"
        "{\"type\":\"ok\",\"process\":0,\"result\":true}\n",
        LOG_FORMAT_JSON, "0: w(1.5) -> true [0,1]\n");
    expect_error("{\"type\":\"call\",\"process\":0,\"op\":\"w\",\"op\":\"v\"}", 1, "twice");
    expect_error("{\"type\":\"call\",\"process\":0,\"op\":\"w\",\"args\":[NaN]}", 1, "not a JSON");
    expect_error("{\"type\":\"call\",\"process\":0,\"op\":\"w\",\"args\":[01]}", 1, "not a JSON");
    expect_error("{\"type\":\"call\",\"process\":0,\"op\":7}", 1, "must be a string");
    expect_error("{\"seq\":\"1\",\"type\":\"call\",\"process\":0,\"op\":\"w\"}", 1, "integer");
}

static void test_edn(void **state)
{
    (void)state;
    expect_operations("[{:process 0, :type :invoke, :f :read, :value nil, :index 0}\n"
                      " ;; a comment\n"
                      " #jepsen.history.Op{:index 1, :type :ok, :process 0, :f :read, :value 5}\n"
                      " {:process :nemesis, :type :info, :f :start, :value nil}\n"
                      " {:process 1, :type :invoke, :f :transfer, :index 2, "
                      ":value {:to 1, :from 0, :amount 7}}\n"
                      " {:process 1, :type :ok, :f :transfer, :index 3, :value {:from 0, :to 1, "
                      ":amount 7}}]",
                      LOG_FORMAT_EDN, "0: read() -> 5 [0,1]\n1: transfer(0, 1, 7) [2,3]\n");
    /* jepsen.independent: [key value] */
    expect_operations("{:process 0, :type :invoke, :f :write, :value [\"x\" 3]}\n"
                      "{:process 0, :type :ok, :f :write, :value [\"x\" 3]}\n"
                      "{:process 0, :type :invoke, :f :read, :value [\"x\" nil]}\n"
                      "{:process 0, :type :ok, :f :read, :value [\"x\" 3]}\n",
                      LOG_FORMAT_EDN, "0: x.write(3) [0,1]\n0: x.read() -> 3 [2,3]\n");
}

static void test_porcupine(void **state)
{
    (void)state;
    expect_operations("{:process 0, :type :invoke, :f :append, :key \"0\", :value \"x\"}\n"
                      "{:process 0, :type :ok, :f :append, :key \"0\", :value \"x\"}\n"
                      "{:process 0, :type :invoke, :f :get, :key \"0\", :value nil}\n"
                      "{:process 0, :type :ok, :f :get, :key \"0\", :value \"x\"}\n",
                      LOG_FORMAT_PORCUPINE,
                      "0: append(\"0\", \"x\") [0,1]\n0: get(\"0\") -> \"x\" [2,3]\n");
}

static void test_json(void **state)
{
    (void)state;
    expect_operations(
        "{\"seq\":1,\"process\":1,\"type\":\"call\",\"op\":\"put\",\"args\":[\"k\\u00e9\",-7],"
        "\"object\":\"m\"}\n"
        "\n"
        "{\"seq\":3,\"process\":1,\"type\":\"return\",\"result\":null}\n"
        "{ \"seq\" : 0 , \"process\":\"two\",\"type\":\"call\",\"op\":\"get\",\"args\":[]}\n"
        "{\"seq\":2,\"process\":\"two\",\"type\":\"return\",\"result\":[1,\"a\",true,1.5]}\n"
        "{\"seq\":9,\"process\":1,\"type\":\"call\",\"op\":\"get\"}\n",
        LOG_FORMAT_JSON,
        "\"two\": get() -> [1, \"a\", true, 1.5] [0,2]\n"
        "1: m.put(\"k\xc3\xa9\", -7) [1,3]\n1: get() -> ? [4,)\n");
}

/* The observation file of the paper's Figure 7. */
static void test_observation(void **state)
{
    (void)state;
    expect_operations(
        "<observationset>\n <observation>\n  <thread id=\"A\">1 2</thread>\n"
        "  <thread id=\"B\">3 4</thread>\n  <op id=\"1\" name=\"Add\">value=\"200\"</op>\n"
        "  <op id=\"2\" name=\"Add\">value=\"400\"</op>\n"
        "  <op id=\"3\" name=\"Take\">result=\"200\"</op>\n"
        "  <op id=\"4\" name=\"TryTake\">result=\"Fail\"</op>\n"
        "  <history>1[ ]1 3[ ]3 4[ ]4 2[ ]2</history>\n </observation>\n"
        " <observation>\n  <thread id=\"A\"></thread>\n  <thread id=\"B\">1B</thread>\n"
        "  <op id=\"1\" name=\"Take\" />\n  <history>1[ #</history>\n </observation>\n"
        "</observationset>\n",
        LOG_FORMAT_OBSERVATION,
        "\"A\": Add(200) [0,1]\n\"B\": Take() -> 200 [2,3]\n\"B\": TryTake() -> \"Fail\" [4,5]\n"
        "\"A\": Add(400) [6,7]\n\"B\": Take() -> ? [0,)\n");
}

static void test_errors(void **state)
{
    (void)state;
    expect_error("", 0, "empty");
    expect_error("hello\nworld\n", 1, "none of the known formats");
    expect_error("x - 0 :invoke :read nil\nx - 0 :invoke :read nil\n", 2, "second call is open");
    expect_error("x - 0 :invoke :read nil\nx - 1 :ok :read nil\n", 2, "return without a call");
    expect_error("x - 0 :invoke :read nil\nx - 0 :ok :write nil\n", 2, "a return of \"write\"");
    expect_error("x - 0 :invoke :read nil\nx - 0 :inv", 2, "is it truncated");
    expect_error("x - 0 :invoke :read nil\nx - 0 :ok :read", 2, "is it truncated");
    expect_error("x - 0 :invoke :cas [1", 1, "ends inside a value");
    expect_error("{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :o", 2,
                 "truncated");
    expect_error("[{:process 0, :type :invoke, :f :read, :value nil}", 1, "truncated");
    expect_error("{:process 0, :type :invoke, :f :read, :index 4}\n"
                 "{:process 0, :type :ok, :f :read, :index 3}\n",
                 2, "mixed clocks");
    expect_error("{:process 0, :type :invoke, :f :read, :index 4}\n"
                 "{:process 0, :type :ok, :f :read}\n",
                 2, "mixed clocks");
    expect_error("{\"process\":0,\"type\":\"call\",\"op\":\"a\"}\n"
                 "{\"seq\":1,\"process\":0,\"type\":\"return\"}\n",
                 2, "mixed clocks");
    expect_error("{\"seq\":0,\"process\":0,\"type\":\"call\",\"op\":\"a\"}\n"
                 "{\"seq\":0,\"process\":1,\"type\":\"call\",\"op\":\"a\"}\n",
                 2, "occurs twice");
    expect_error("{\"process\":0,\"type\":\"call\",\"op\":\"a\"}\n{\"process\":0,\"ty", 2,
                 "truncated");
    expect_error("{\"process\":0,\"type\":\"call\"}\n", 1, "without \"op\"");
    expect_error("{\"process\":0,\"type\":\"jump\"}\n", 1, "must be call");
    expect_error("{\"process\":0}\n", 1, "without \"type\"");
    expect_error("<observation><thread id=\"A\">1</thread>\n<op id=\"1\" name=\"f\"/>\n"
                 "<history>1[ ]2</history>",
                 3, "names operation 2");
    expect_error("<observation>\n<history>1[", 2, "truncated");
    expect_error("<a></a>", 0, "no <history>");
}

/* The same file plain, compressed, and compressed but cut off. */
static void test_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/heddle-log-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log.gz", folder);
    Buffer text = {0};
    for (int i = 0; i < 5000; i++)
        buffer_printf(&text,
                      "{\"process\":0,\"type\":\"call\",\"op\":\"w%d\",\"args\":[%d]}\n"
                      "{\"process\":0,\"type\":\"return\"}\n",
                      i % 7, i * 7919);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text.at, (unsigned)text.count), (int)text.count);
    gzclose(file);
    Log log = {.values = values_new()};
    assert_true(
        log_read(path, &(LogOptions){0}, log.values, &log.histories, &log.format, &log.error));
    assert_int_equal(log.histories.at[0]->operations.count, 5000);
    log_close(&log);
    assert_int_equal(truncate(path, 2000), 0);
    log = (Log){.values = values_new()};
    assert_false(
        log_read(path, &(LogOptions){0}, log.values, &log.histories, &log.format, &log.error));
    assert_non_null(strstr(log.error.message, "truncated"));
    log_close(&log);
    log = (Log){.values = values_new()};
    assert_false(
        log_read(folder, &(LogOptions){0}, log.values, &log.histories, &log.format, &log.error));
    assert_false(log_read("/no/such/file", &(LogOptions){0}, log.values, &log.histories,
                          &log.format, &log.error));
    log_close(&log);
    unlink(path);
    rmdir(folder);
    vec_free(&text);
}

/* An observation file that is written and read again gives the same histories. */
static void test_observation_written(void **state)
{
    (void)state;
    static const char text[] =
        "<observationset>\n  <observation>\n    <thread id=\"A\">1 2</thread>\n"
        "    <thread id=\"B\">3</thread>\n    <op id=\"1\" "
        "name=\"Add\">value=\"200,'a&#44;&lt;'\"</op>\n"
        "    <op id=\"2\" name=\"Add\">value=\"'7'\" result=\"true\"</op>\n"
        "    <op id=\"3\" name=\"Take\">result=\"200\"</op>\n"
        "    <history>1[ ]1 3[ ]3 2[ ]2</history>\n    <history>1[ ]1 2[ ]2 3[ ]3</history>\n"
        "  </observation>\n  <observation>\n    <thread id=\"B\">1B</thread>\n"
        "    <op id=\"1\" name=\"Take\"></op>\n    <history>1[ #</history>\n  </observation>\n"
        "</observationset>\n";
    char folder[] = "/tmp/heddle-log-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.xml", folder);
    Log log;
    log_open(&log, text, LOG_FORMAT_AUTO);
    assert_true(log.ok);
    assert_true(log_write_observation(path, &log.histories, &log.error));
    char written[4096] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(written, 1, sizeof written - 1, file) > 0);
    fclose(file);
    assert_string_equal(written, text);
    assert_false(log_write_observation("/no/such/folder/x", &log.histories, &log.error));
    log_close(&log);
    unlink(path);
    rmdir(folder);
}

/* A history that does not fit the memory limit is refused, with the line where it stopped fitting.
 */
static void test_memory_limit(void **state)
{
    (void)state;
    Buffer text = {0};
    for (int i = 0; i < 60000; i++)
        buffer_printf(&text,
                      "{\"process\":0,\"type\":\"call\",\"op\":\"w\",\"args\":[\"v%d\"]}\n"
                      "{\"process\":0,\"type\":\"return\"}\n",
                      i);
    Log log = {.values = values_new()};
    assert_false(log_read_bytes("test.log", buffer_str(&text),
                                &(LogOptions){.memory_limit = (size_t)1 << 20}, log.values,
                                &log.histories, &log.format, &log.error));
    assert_non_null(strstr(log.error.message, "memory limit"));
    assert_true(log.error.line > 0);
    assert_true(values_memory(log.values) < (size_t)4 << 20);
    log_close(&log);
    vec_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jepsen),      cmocka_unit_test(test_edn),
        cmocka_unit_test(test_edn_values),  cmocka_unit_test(test_edn_processes),
        cmocka_unit_test(test_tuples),      cmocka_unit_test(test_jepsen_json),
        cmocka_unit_test(test_porcupine),   cmocka_unit_test(test_json),
        cmocka_unit_test(test_observation), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_files),       cmocka_unit_test(test_observation_written),
        cmocka_unit_test(test_memory_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
