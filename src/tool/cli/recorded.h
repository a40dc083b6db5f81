/* recorded.h: what a record may ask for. A record is data from anybody: replaying it builds and
 * runs the sources that are here, and a record must not be able to make that anything else: no
 * compiler but the usual ones, no word for it that runs or loads a program or writes a file, no
 * file from elsewhere. */
#ifndef HEDDLE_CLI_RECORDED_H
#define HEDDLE_CLI_RECORDED_H
#include "base/error.h"
#include "record/disk.h"

/* The words of the compiler may begin with these three: RECORDED_PROJECT, the folder of
 * compile_commands.json, and whether all of its sources may be linked. */
#define RECORDED_PROJECT "-p"
#define RECORDED_ALL "all"
#define RECORDED_NAMED "named"
/* Returns how many words that are: 3 or 0. *FOLDER and *ALL are set if 3. */
uint32_t recorded_project(const RecordFile *file, const char **folder, bool *all);

typedef struct RecordedRules {
    bool outside; /* --allow-outside: files may lie anywhere */
    bool trusted; /* --trust-record: the user has looked at all of it */
} RecordedRules;

/* May the sources be taken from the folder that the record names? It lies in the record's own
 * folder (PATH is the record's) or in the current one, or is allowed. */
MUST_USE bool recorded_folder_allowed(const RecordFile *file, const char *path,
                                      const RecordedRules *rules, Error *error);
/* Is everything else that the record asks for harmless, seen from the current folder, where the
 * sources are? *error shows what is not. */
MUST_USE bool recorded_allowed(const RecordFile *file, const RecordedRules *rules, Error *error);
/* The option that `heddle replay' wants for FILE when it is run from here, followed by a space:
 * "--allow-outside "; "" if it wants none. */
const char *recorded_option(const RecordFile *file);
#endif
