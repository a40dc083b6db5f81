#include "record/hooks.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define HOOKS_ABSENT_FLAG(field, key, values, meaning) .field = false,
#define HOOKS_ABSENT_NUMBER(field, key, values, meaning) .field = -1,
#define HOOKS_ABSENT_TEXT(field, key, values, meaning) .field = NULL,
#define HOOKS_ABSENT                                                                               \
    {                                                                                              \
        HOOKS(HOOKS_ABSENT_FLAG, HOOKS_ABSENT_NUMBER, HOOKS_ABSENT_TEXT)                           \
    }

Hooks hooks = HOOKS_ABSENT;

typedef enum HookKind { HOOK_FLAG, HOOK_NUMBER, HOOK_TEXT } HookKind;
typedef struct Hook {
    const char *key, *values;
    HookKind kind;
    size_t offset; /* of its field in Hooks */
} Hook;

#define HOOKS_ROW_FLAG(field, key, values, meaning)                                                \
    {key, values, HOOK_FLAG, offsetof(Hooks, field)},
#define HOOKS_ROW_NUMBER(field, key, values, meaning)                                              \
    {key, values, HOOK_NUMBER, offsetof(Hooks, field)},
#define HOOKS_ROW_TEXT(field, key, values, meaning)                                                \
    {key, values, HOOK_TEXT, offsetof(Hooks, field)},
static const Hook rows[] = {HOOKS(HOOKS_ROW_FLAG, HOOKS_ROW_NUMBER, HOOKS_ROW_TEXT)};

#define HOOKS_KEY_FLAG(field, key, values, meaning) " " key
#define HOOKS_KEY_NUMBER(field, key, values, meaning) " " key "=N"
#define HOOKS_KEY_TEXT(field, key, values, meaning) " " key "=..."
#define HOOKS_KEYS HOOKS(HOOKS_KEY_FLAG, HOOKS_KEY_NUMBER, HOOKS_KEY_TEXT)

/* Returns whether WORD is one of the words of LIST, which blanks separate. */
static bool is_listed(const char *word, const char *list)
{
    size_t length = strlen(word);
    for (const char *at = list; length && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* Stores VALUE (NULL: the item has none) in the field that ROW describes. */
static bool take_value(const Hook *row, const char *value, Hooks *out, Error *error)
{
    char *field = (char *)out + row->offset;
    if (row->kind == HOOK_FLAG) {
        if (value)
            return error_set(error, HOOKS_ENVIRONMENT ": %s has no value", row->key);
        memcpy(field, &(bool){true}, sizeof(bool));
        return true;
    }
    if (!value || !*value)
        return error_set(error, HOOKS_ENVIRONMENT ": %s needs a value", row->key);
    if (row->kind == HOOK_TEXT) {
        if (row->values && !is_listed(value, row->values))
            return error_set(error, HOOKS_ENVIRONMENT ": %s is one of `%s', not `%s'", row->key,
                             row->values + (row->values[0] == ' '), value);
        memcpy(field, &value, sizeof value);
        return true;
    }
    char *end;
    int64_t number = strtoll(value, &end, 10);
    if (*end || number < 0 || number == INT64_MAX)
        return error_set(error, HOOKS_ENVIRONMENT ": %s is a number from 0 on, not `%s'", row->key,
                         value);
    memcpy(field, &number, sizeof number);
    return true;
}

static bool take_item(char *item, Hooks *out, Error *error)
{
    char *value = strchr(item, '=');
    if (value)
        *value++ = '\0';
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!strcmp(item, rows[i].key))
            return take_value(&rows[i], value, out, error);
    return error_set(error, HOOKS_ENVIRONMENT ": there is no key `%s'; the keys are%s", item,
                     HOOKS_KEYS);
}

bool hooks_parse(char *text, Hooks *out, Error *error)
{
    *out = (Hooks)HOOKS_ABSENT;
    for (char *item = text; item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma++ = '\0';
        if (*item && !take_item(item, out, error))
            return false;
        item = comma;
    }
    return true;
}

bool hooks_read(Error *error)
{
    static char room[4096];
    const char *text = getenv(HOOKS_ENVIRONMENT);
    if (!text)
        return true;
    if (strlen(text) >= sizeof room)
        return error_set(error, HOOKS_ENVIRONMENT " is longer than %zu characters",
                         sizeof room - 1);
    memcpy(room, text, strlen(text) + 1);
    return hooks_parse(room, &hooks, error);
}
