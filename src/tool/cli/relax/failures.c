#include "tool/cli/relax/failures.h"

bool failures_read(const char *text, Values *values, Failures *rules, Error *error)
{
    Str rest = str_of(text), piece;
    while (str_next(&rest, ',', &piece)) {
        Str name, result = str_trim(piece);
        int64_t number = 0;
        str_next(&result, ':', &name);
        name = str_trim(name);
        HistoryFailure rule = {.result = VALUE_NONE};
        if (!str_is(name, "auto"))
            rule.name = value_symbol(values, value_string(values, name));
        if (!name.length || (result.at && !str_is(result, "none") && !str_is(result, "false") &&
                             !str_is(result, "true") && !str_to_int64(result, &number)))
            return error_set(
                error,
                "--may-fail wants OP:RESULT with RESULT none, false, true or a number; "
                "not \"%.*s\"",
                STR_ARG(piece));
        if (result.at && !str_is(result, "none"))
            rule.result = str_is(result, "false")  ? VALUE_FALSE
                          : str_is(result, "true") ? VALUE_TRUE
                                                   : value_int(values, number);
        vec_push(rules, rule);
        if (!result.at) {
            rule.result = VALUE_FALSE;
            vec_push(rules, rule);
        }
    }
    return true;
}
