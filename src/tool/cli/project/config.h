/* config.h: heddle.toml: the tests of a project. Each becomes the command line that a person would
 * have typed, so that file and command line can never mean different things. heddle.toml(5) has the
 * keys. */
#ifndef HEDDLE_CLI_PROJECT_CONFIG_H
#define HEDDLE_CLI_PROJECT_CONFIG_H
#include "base/error.h"
#include "base/str.h"
#include "tool/instrument/compiler.h"
#include "record/kinds.h"

#define CONFIG_FILE "heddle.toml"

typedef struct ConfigTest {
    const char *name;
    const char *command; /* "check" or "run" */
    const char *model;   /* as in the words; "" if none is given */
    Words words;         /* what follows `heddle COMMAND' */
    Verdict expected;
    ViolationKind violation; /* of an expected violation; VIOLATION_NONE: any */
    int line;                /* where it stands */
} ConfigTest;
typedef struct Config {
    ConfigTest *tests; /* a test with several models is several here */
    size_t count;
} Config;

/* Everything lives in ARENA but the words. */
MUST_USE bool config_read(Arena *arena, const char *path, Config *out, Error *error);
MUST_USE bool config_parse(Arena *arena, const char *path, Str text, Config *out, Error *error);
void config_free(Config *config);
#endif
