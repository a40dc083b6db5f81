#include "tool/cli/recorded.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "tool/instrument/trust.h"

bool recorded_folder_allowed(const RecordFile *file, const char *path, const RecordedRules *rules,
                             Error *error)
{
    char own[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(own, sizeof own, "%.*s", slash ? (int)MAX(slash - path, 1) : 1, slash ? path : ".");
    TrustRules beside = {.folder = own}, here = {.folder = "."};
    if (rules->outside || rules->trusted || trust_path(&beside, file->folder) ||
        trust_path(&here, file->folder))
        return true;
    return error_set(error,
                     "the sources are not here, and the record names a folder that is not its own, "
                     "%.300s: say -C FOLDER, or --allow-outside to use that one",
                     file->folder);
}

uint32_t recorded_project(const RecordFile *file, const char **folder, bool *all)
{
    if (file->compile.count < 3 || strcmp(file->compile.at[0], RECORDED_PROJECT) != 0)
        return 0;
    *folder = file->compile.at[1];
    *all = !strcmp(file->compile.at[2], RECORDED_ALL);
    return 3;
}

static bool words_allowed(const TrustRules *rules, const RecordStrings *strings, uint32_t first,
                          Buffer *refused)
{
    Words words = {0};
    for (uint32_t i = first; i < strings->count; i++)
        vec_push(&words, strings->at[i]);
    bool allowed = trust_words(rules, &words, refused);
    vec_free(&words);
    return allowed;
}

static bool files_allowed(const TrustRules *rules, const RecordFile *file, Buffer *refused)
{
    const char *kept = file->options.check.observations;
    for (uint32_t i = 0; i < file->files.count; i++)
        if (!trust_path(rules, file->files.at[i]))
            buffer_printf(refused, "%s%s", refused->count ? ", " : "", file->files.at[i]);
    if (kept[0] && !trust_path(rules, kept))
        buffer_printf(refused, "%s%s", refused->count ? ", " : "", kept);
    return !refused->count;
}

bool recorded_allowed(const RecordFile *file, const RecordedRules *rules, Error *error)
{
    if (strcmp(file->command, "run") && strcmp(file->command, "check") &&
        strcmp(file->command, "weaken"))
        return error_set(error, "the record names a command that makes no records: `%.60s'",
                         file->command);
    if (rules->trusted)
        return true;
    TrustRules trust = {.folder = ".", .outside = rules->outside};
    if (*file->compiler && !trust_compiler(file->compiler))
        return error_set(
            error,
            "the record wants `%.300s' to be run as the compiler: look at it, then say "
            "--trust-record",
            file->compiler);
    const char *project = ".";
    bool all;
    uint32_t own = recorded_project(file, &project, &all);
    Buffer refused = {0};
    if (!trust_path(&trust, project))
        buffer_printf(&refused, "%s", project);
    if (!files_allowed(&trust, file, &refused))
        error_set(error,
                  "the record wants files from outside this folder: %.600s; look at them, then say "
                  "--allow-outside, or -C FOLDER",
                  refused.at);
    else if (!(words_allowed(&trust, &file->compile, own, &refused) &
               words_allowed(&trust, &file->link, 0, &refused)))
        error_set(error,
                  "the record wants words for the compiler that could run commands, write files "
                  "or read them from elsewhere: %.600s; look at them, then say --trust-record",
                  refused.at);
    bool allowed = !refused.count;
    vec_free(&refused);
    return allowed;
}

const char *recorded_option(const RecordFile *file)
{
    Error ignored;
    if (recorded_allowed(file, &(RecordedRules){0}, &ignored))
        return "";
    bool outside = recorded_allowed(file, &(RecordedRules){.outside = true}, &ignored);
    return outside ? "--allow-outside " : "--trust-record ";
}
