#include "tool/cli/session/annotated.h"

bool annotated_take_options(const RunOptions *options, Error *error)
{
    const CheckOptions *check = &options->explore.check;
    const struct {
        const char *name;
        bool given;
    } others[] = {{"--unbounded", check->unbounded != 0},
                  {"--relax", options->relax},
                  {"--shape", check->threads || check->length},
                  {"--samples", check->samples != 0},
                  {"--exhaustive", check->exhaustive != 0},
                  {"--scenario", check->scenario[0] != 0},
                  {"--spec", check->spec[0] != 0},
                  {"--quasi", check->quasi[0] != 0},
                  {"--may-fail", check->may_fail[0] != 0},
                  {"--consistency", check->consistency != 0},
                  {"--observations", check->observations[0] != 0}};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (others[i].given)
            return error_set(error,
                             "%s is for operations that are declared or marked (HD_OP, HD_BEGIN): "
                             "this program is judged by the annotations in its comments",
                             others[i].name);
    return true;
}
