#include "tests/fuzz/read_history.h"
#include "base/hash.h"
#include "judge/history/log.h"
#include "judge/history/run_text.h"
#include "judge/linear/checker.h"

bool read_run(Arena *arena, Str input, Error *error)
{
    RunCall *calls = arena_array_of(arena, RunCall, RUN_TEXT_CALLS);
    size_t count = 0;
    Values *values = values_new();
    bool fine = run_text_parse(values, input, calls, &count, error);
    values_free(values);
    return fine;
}

static void check_histories(const Histories *histories, Values *values, uint64_t seed)
{
    static const char *const specs[] = {"cas-register", "kv", "fifo", "bank:3x5"};
    Arena *arena = arena_new();
    Error error = {0};
    Spec *spec = spec_builtin(arena, values, str_of(specs[seed % COUNT_OF(specs)]), &error);
    LinearizeLimits limits = {.configurations = 200};
    for (size_t i = 0; i < histories->count; i++) {
        Plan plan;
        if (!plan_make(&plan, histories->at[i], spec, true, &error))
            continue;
        Checker *checker = checker_new(spec, true);
        for (size_t g = 0; g < plan.groups.count; g++)
            checker_group(checker, &plan, &plan.groups.at[g], &limits);
        checker_free(checker);
        plan_free(&plan);
    }
    arena_free(arena);
}

/* One in eight is read in a format that it need not have. */
bool read_log(Arena *arena, Str input, Error *error)
{
    (void)arena;
    uint64_t seed = hash_bytes(input.at, input.length, 1);
    LogFormat format =
        seed % 8 ? LOG_FORMAT_AUTO : (LogFormat)(1 + seed / 8 % (uint64_t)LOG_FORMAT_JEPSEN);
    LogOptions options = {.format = format, .memory_limit = (size_t)16 << 20};
    Values *values = values_new();
    Histories histories = {0};
    bool fine = log_read_bytes("fuzz", input, &options, values, &histories, &format, error);
    if (fine)
        check_histories(&histories, values, seed / 256);
    histories_free(&histories);
    values_free(values);
    return fine;
}
