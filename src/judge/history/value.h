/* value.h: what operations take and give: integers, booleans, strings, small arrays, or nothing.
 * A Value is one 64-bit word. Small integers live in the word; everything else is interned in a
 * Values table, so that two values of one table are equal exactly if their words are equal, and a
 * state of a specification can be an array of words. Depends on libc only: it also runs inside the
 * program under test. */
#ifndef HEDDLE_HISTORY_VALUE_H
#define HEDDLE_HISTORY_VALUE_H
#include "base/str.h"

typedef struct Value {
    uint64_t word;
} Value;
typedef struct Values Values; /* opaque: the table of interned strings, arrays, big integers */

typedef enum ValueKind {
    VALUE_IS_NONE,    /* nothing: void, nil, null, the result of taking from something empty */
    VALUE_IS_UNKNOWN, /* the result of an operation that has not returned */
    VALUE_IS_BOOL,
    VALUE_IS_INT,
    VALUE_IS_STRING,
    VALUE_IS_WORD, /* what a notation tells from strings: keywords, symbols, numbers that are no
                      64-bit integers; equal if their texts are */
    VALUE_IS_ARRAY,
    VALUE_IS_MAP, /* its items are keys and values, sorted by key */
    VALUE_IS_SET, /* its items are sorted */
    VALUE_IS_ECHO /* a log repeats the arguments where results stand: see value_echo */
} ValueKind;

#define VALUE_NONE ((Value){2})
#define VALUE_TRUE ((Value){6})
#define VALUE_FALSE ((Value){10})
#define VALUE_UNKNOWN ((Value){14})

Values *values_new(void);
void values_free(Values *values); /* NULL is allowed */
size_t values_memory(const Values *values);

Value value_int(Values *values, int64_t number);
static inline Value value_bool(bool truth)
{
    return truth ? VALUE_TRUE : VALUE_FALSE;
}
Value value_string(Values *values, Str text);
Value value_array(Values *values, const Value *items, size_t count);
Value value_word(Values *values, Str text);
/* Collections whose order does not count. A map is COUNT words of keys and values by turns. Both
 * return false if a key or element occurs twice; ITEMS is sorted in place. */
bool value_map(Values *values, Value *items, size_t count, Value *map);
bool value_set(Values *values, Value *items, size_t count, Value *set);
/* The result of an operation in a log that completes the arguments instead of giving a result, if
 * the two are equal: it means "done" for an operation that gives nothing, and INNER for one that
 * gives a value. The specification decides (spec_result_fits). */
Value value_echo(Values *values, Value inner);
Value value_echoed(const Values *values, Value value); /* INNER, or VALUE itself if it is none */
/* String + string gives a string; array + anything gives the array with one more item, where
 * nothing counts as the empty array and any other value as an array of itself. Constant time on a
 * pair seen before; long results share their parts. */
Value value_concat(Values *values, Value left, Value right);

static inline bool value_equal(Value a, Value b)
{
    return a.word == b.word;
}
ValueKind value_kind(const Values *values, Value value);
/* Gives the number of an integer, or of a boolean as 0 and 1; false for anything else. */
bool value_to_int(const Values *values, Value value, int64_t *number);
/* The text of a string or word; lives as long as the table. */
Str value_text(Values *values, Value value);
/* The items of an array, map or set; *count is 0 for anything else. They live as long as the table.
 */
const Value *value_items(const Values *values, Value value, size_t *count);
/* Ways in which logs say yes, no, nothing there. */
bool value_means_true(const Values *values, Value value);  /* true, 1, "true", "ok" */
bool value_means_false(const Values *values, Value value); /* false, 0, "false", "fail" */
bool value_means_empty(const Values *values, Value value); /* nothing, "empty", "fail", "nil" */
/* Prints it as a person would write it: 7, true, "text", [1, 2], none. */
void value_print(Values *values, Value value, Buffer *out);
/* A total order: by kind, then by number, text or items; for canonical states and stable output. */
int value_compare(Values *values, Value a, Value b);

/* Strings as symbols: names of operations and objects. Symbol 0 is the empty string. */
uint32_t value_symbol(const Values *values, Value string);
Value value_of_symbol(uint32_t symbol);
#endif
