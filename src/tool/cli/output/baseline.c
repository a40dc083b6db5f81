#include "tool/cli/output/baseline.h"
#include <jansson.h>
#include <string.h>
#include "base/file.h"
#include "base/str.h"
#include "tool/report/sarif.h"

static bool run_knows(json_t *run, const char *fingerprint)
{
    json_t *result;
    size_t index;
    json_array_foreach(json_object_get(run, "results"), index, result)
    {
        json_t *prints = json_object_get(result, "partialFingerprints");
        const char *known = json_string_value(json_object_get(prints, SARIF_FINGERPRINT_NAME));
        if (known && !strcmp(known, fingerprint))
            return true;
    }
    return false;
}

bool baseline_knows(const char *path, const Answer *answer, bool *known, Error *error)
{
    Buffer text = {0};
    json_error_t why;
    *known = false;
    if (!file_read(path, &text, error))
        return false;
    json_t *log = json_loadb(text.at ? text.at : "", text.count, 0, &why), *run;
    json_t *runs = json_object_get(log, "runs");
    size_t index;
    char fingerprint[SARIF_FINGERPRINT];
    vec_free(&text);
    if (!json_is_array(runs)) {
        error_at(error, path, log ? 0 : why.line, 0, "is no SARIF log, such as --sarif writes");
        json_decref(log);
        return false;
    }
    sarif_fingerprint(answer, fingerprint);
    json_array_foreach(runs, index, run) *known |= run_knows(run, fingerprint);
    *known &= answer->verdict == VERDICT_VIOLATED;
    json_decref(log);
    return true;
}
