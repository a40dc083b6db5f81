/* toml.h: a strict reader for the part of TOML 1.0 that a list of tests needs: comments, bare and
 * quoted keys, tables, arrays of tables; strings on one line, integers, booleans, arrays. What is
 * TOML but not in that part (dotted keys, inline tables, dates, floats, multi-line strings) is
 * refused by name. Every value knows its place, so that whoever uses it can complain there. (Debian
 * has no small TOML library for C.) */
#ifndef HEDDLE_CLI_PROJECT_TOML_H
#define HEDDLE_CLI_PROJECT_TOML_H
#include "base/error.h"
#include "base/str.h"

typedef enum TomlKind { TOML_STRING, TOML_INTEGER, TOML_BOOLEAN, TOML_ARRAY } TomlKind;
typedef struct TomlValue {
    TomlKind kind;
    int line, column;
    const char *string; /* ends with 0, has none inside */
    int64_t integer;    /* also 0 or 1 of a boolean */
    struct TomlValue *items;
    size_t count;
} TomlValue;
typedef struct TomlEntry {
    const char *key;
    int line, column;
    TomlValue value;
} TomlEntry;
typedef Vec(TomlEntry) TomlEntries;
typedef struct TomlTable {
    const char *name; /* "" for what stands before the first header */
    bool one_of_many; /* [[name]] */
    int line, column;
    TomlEntry *entries; /* in the order of the file */
    size_t count;
} TomlTable;
typedef struct TomlDocument {
    TomlTable *tables; /* the first is the one without a name */
    size_t count;
} TomlDocument;

/* Everything lives in ARENA. PATH is for messages. */
MUST_USE bool toml_parse(Arena *arena, const char *path, Str text, TomlDocument *out, Error *error);
const char *toml_kind_word(TomlKind kind); /* "a string" */
#endif
