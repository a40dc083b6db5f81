/* Feeds the readers of logs with broken input: `readers COUNT [SEED]`. Inputs are small logs of
 * each format, mutated by a generator that a seed determines; what still parses is also checked,
 * with small limits. A crash or a hang (an alarm) prints the seed of the input; the same seed with
 * COUNT 1 repeats it. */
#include "judge/linear/checker.h"
#include "judge/history/log.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const seeds[] = {
    "State 1: <Initial predicate>\n/\\ h = <<>>\n\nState 2: <Next>\n/\\ h = << [process |-> p1, "
    "type "
    "|-> \"invoke\", f |-> \"write\", value |-> {1, -2}],\n  [process |-> p1, type |-> \"ok\", f "
    "|-> "
    "\"write\", value |-> <<1, TRUE, NULL>>] >>\n/\\ x = [a |-> 1]\n",
    "<< [process |-> 1, type |-> \"call\", op |-> \"enq\", args |-> <<1>>], [process |-> 1, type "
    "|-> \"return\", result |-> NULL] >>",
    "process,call,return,op,key,value,result,status\n1,100,250.5,put,k,\"\"\"v\"\"\",,ok\n"
    "2,120,,get,k,,,unknown\n2,130,140,get,k,,\"[1,{\"\"a\"\":2}]\",fail\n",
    "[{\"ClientId\":1,\"Call\":1,\"Return\":2.5,\"Input\":{\"op\":\"put\",\"key\":\"k\",\"value\":"
    "7},"
    "\"Output\":{\"Value\":null}},\n "
    "{\"ClientId\":1,\"Call\":\"9\",\"Return\":null,\"Input\":[\"get\",\"k\"]}]",
    "{\"process\":\"a\",\"type\":\"invoke\",\"f\":\"write\",\"value\":{\"b\":1.5e3,\"a\":[]}}\n"
    "{\"process\":\"a\",\"type\":\"ok\",\"f\":\"write\",\"value\":1}\n",
    "{:process \"p\", :type :invoke, :f :write, :value #jepsen.independent.Tuple{:key 1, :value "
    "#{##NaN 1N}}}\n"
    "#_ x {:process \"p\" :type :ok :f :write :value #inst \"y\"}\n",
    "INFO  jepsen.util - 0\t:invoke\t:write\t4\nINFO  jepsen.util - 1\t:invoke\t:cas\t[4 1]\n"
    "INFO  jepsen.util - 0\t:ok\t:write\t4\nINFO  jepsen.util - 1\t:fail\t:cas\t[4 1]\n"
    "INFO  jepsen.util - 0\t:invoke\t:read\tnil\nINFO  jepsen.util - 0\t:info\t:read\t:timed-out\n",
    "[{:process 0, :type :invoke, :f :read, :value nil, :index 0}\n"
    "#op{:index 1, :type :ok, :process 0, :f :read, :value #{5 6}} ; x\n"
    "{:process 1 :type :invoke :f :transfer :value {:to 1, :from 0, :amount 7}, :index 2}\n"
    "#_ {:a \\b} {:process 1 :type :fail :f :transfer :value nil :index 3}]",
    "{:process 0, :type :invoke, :f :append, :key \"0\", :value \"x\\n\"}\n"
    "{:process 0, :type :ok, :f :append, :key \"0\", :value \"x\\n\"}\n"
    "{:process 2, :type :invoke, :f :get, :key \"0\", :value nil}\n"
    "{:process 2, :type :ok, :f :get, :key \"0\", :value \"x\"}\n",
    "{\"seq\":1,\"process\":1,\"type\":\"call\",\"op\":\"enq\",\"args\":[\"k\\u00e9\",-7.5e3]}\n"
    "{\"seq\":0,\"process\":0,\"type\":\"call\",\"op\":\"deq\",\"args\":[],\"object\":\"q\"}\n"
    "{\"seq\":3,\"process\":1,\"type\":\"return\",\"result\":[true,null,{\"a\":1}]}\n"
    "{\"seq\":2,\"process\":0,\"type\":\"unknown\"}\n",
    "<observationset><observation><thread id=\"A\">1 2</thread><thread id=\"B\">3B</thread>\n"
    "<op id=\"1\" name=\"Add\">value=\"200\"</op><op id=\"2\" name=\"Add\">value=\"4&amp;0\"</op>\n"
    "<op id=\"3\" name=\"Take\"/><history>1[ ]1 3[ 2[ ]2 "
    "#</history></observation></observationset>",
    "{\"process\":0,\"type\":\"call\",\"op\":\"enq\",\"args\":[1]}\n"
    "{\"process\":1,\"type\":\"call\",\"op\":\"deq\"}\n"
    "{\"process\":1,\"type\":\"return\",\"result\":1}\n{\"process\":0,\"type\":\"return\"}\n"};
static const char *const pieces[] = {":invoke",
                                     "<<",
                                     ">>",
                                     "|->",
                                     "/\\ ",
                                     ":ok",
                                     ":fail",
                                     ":info",
                                     "[",
                                     "]",
                                     "{",
                                     "}",
                                     "(",
                                     ")",
                                     "\"",
                                     "\\",
                                     "\\u",
                                     "\n",
                                     "#",
                                     "#_",
                                     "#{",
                                     "nil",
                                     "null",
                                     "99999999999999999999",
                                     "-9223372036854775808",
                                     ":process",
                                     ":value",
                                     "\"seq\":",
                                     "\"process\":",
                                     "\"type\":\"call\"",
                                     "\"args\":[",
                                     "<history>",
                                     "</history>",
                                     "1[",
                                     "]1",
                                     "<op id=\"1\"",
                                     "&quot;",
                                     "\t",
                                     "\0x",
                                     "\xff\xfe",
                                     ",",
                                     ":",
                                     " - 0 ",
                                     "[[[[[[[[[[[[[[[["};
static const char *const specs[] = {"cas-register", "kv", "fifo", "bank:3x5"};

static uint64_t current;
static void late(int number)
{
    (void)number;
    fprintf(stderr, "hang: readers 1 %llu\n", (unsigned long long)current);
    _exit(1);
}
static void crash(int number)
{
    fprintf(stderr, "signal %d: readers 1 %llu\n", number, (unsigned long long)current);
    _exit(1);
}

static size_t mutate(Random *random, char *text, size_t length, size_t most)
{
    for (uint64_t n = 1 + random_below(random, 6); n-- > 0;) {
        size_t at = length ? random_below(random, length) : 0;
        size_t span = length ? 1 + random_below(random, MIN(length - at, 40u)) : 0;
        switch (random_below(random, 6)) {
        case 0: /* another byte */
            if (length)
                text[at] = (char)random_next(random);
            break;
        case 1: /* leave something out */
            memmove(text + at, text + at + span, length - at - span);
            length -= span;
            break;
        case 2: /* say it twice */
            if (length + span < most) {
                memmove(text + at + span, text + at, length - at);
                length += span;
            }
            break;
        case 3: /* cut off */
            if (random_below(random, 4) == 0)
                length = at;
            break;
        default: { /* something that means something somewhere */
            const char *piece = pieces[random_below(random, COUNT_OF(pieces))];
            size_t size = strlen(piece);
            if (length + size < most) {
                memmove(text + at + size, text + at, length - at);
                memcpy(text + at, piece, size);
                length += size;
            }
        }
        }
    }
    return length;
}

static bool one(uint64_t seed)
{
    char text[8192];
    Random random = {seed};
    size_t which = random_below(&random, COUNT_OF(seeds)), length = strlen(seeds[which]);
    memcpy(text, seeds[which], length);
    length = mutate(&random, text, length, sizeof text);
    LogFormat format = random_below(&random, 8)
                           ? LOG_FORMAT_AUTO
                           : (LogFormat)(1 + random_below(&random, LOG_FORMAT_JEPSEN));
    Values *values = values_new();
    Histories histories = {0};
    Error error = {0};
    bool ok = log_read_bytes("fuzz", (Str){text, length},
                             &(LogOptions){.format = format, .memory_limit = (size_t)16 << 20},
                             values, &histories, &format, &error);
    if (ok) {
        Arena *arena = arena_new();
        Spec *spec = spec_builtin(arena, values,
                                  str_of(specs[random_below(&random, COUNT_OF(specs))]), &error);
        LinearizeLimits limits = {.configurations = 200};
        for (size_t i = 0; i < histories.count; i++) {
            Plan plan;
            if (!plan_make(&plan, histories.at[i], spec, true, &error))
                continue;
            Checker *checker = checker_new(spec, true);
            for (size_t g = 0; g < plan.groups.count; g++)
                checker_group(checker, &plan, &plan.groups.at[g], &limits);
            checker_free(checker);
            plan_free(&plan);
        }
        arena_free(arena);
    } else if (!error.message[0]) {
        fprintf(stderr, "an error without a message: readers 1 %llu\n", (unsigned long long)seed);
        exit(1);
    }
    histories_free(&histories);
    values_free(values);
    return ok;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, parsed = 0;
    signal(SIGALRM, late);
    signal(SIGSEGV, crash);
    signal(SIGABRT, crash);
    signal(SIGBUS, crash);
    signal(SIGFPE, crash);
    for (uint64_t i = 0; i < count; i++) {
        current = seed + i;
        if (i % 1024 == 0)
            alarm(20);
        parsed += one(current);
    }
    printf("%llu inputs, %llu of them well-formed\n", (unsigned long long)count,
           (unsigned long long)parsed);
    return 0;
}
