/* Strings are hashed by a polynomial modulo 2^61-1, because the hash of a concatenation then
 * follows from the hashes of its parts in constant time: a key-value store that appends to a long
 * string makes one small entry a step instead of a copy of the string. Hashes only find candidates;
 * the bytes are always compared. */
#include "judge/history/value.h"
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

#define TAG_BITS 2
#define TAG_MASK 3u
#define TAG_INT 0u
#define TAG_ENTRY 1u
#define SMALL_MAX ((int64_t)1 << 60)

typedef enum EntryKind { ENTRY_FLAT, ENTRY_ROPE, ENTRY_ARRAY, ENTRY_BIG } EntryKind;
typedef struct Entry {
    uint64_t hash, power; /* power: base^length of strings, for concatenation */
    EntryKind kind;
    uint32_t length;
    union {
        const char *bytes;
        const Value *items;
        int64_t number;
        uint32_t part[2]; /* of a rope: left and right entry */
    } u;
} Entry;

struct Values {
    Arena *arena;
    Vec(Entry) entries;
    uint32_t *index; /* open addressing; entry + 1, 0 is free */
    size_t index_size;
    HashMap pairs; /* (left, right) of a concatenation seen before */
    Buffer scratch;
};

/* Entries 0.. of every table, in this order: the words of logs that have a meaning. */
enum {
    WORD_NOTHING,
    WORD_EMPTY,
    WORD_FAIL,
    WORD_LINEUP_FAIL, /* as Line-Up's observation files spell it */
    WORD_NIL,
    WORD_TRUE,
    WORD_FALSE,
    WORD_OK,
    WORD_COUNT
};
static const char *const reserved_words[WORD_COUNT] = {"",    "empty", "fail",  "Fail",
                                                       "nil", "true",  "false", "ok"};

#define PRIME (((uint64_t)1 << 61) - 1)
#define BASE UINT64_C(1099511628211003)

static uint64_t multiply(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 Wide;
    Wide product = (Wide)a * b;
    uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum >= PRIME ? sum - PRIME : sum;
}

static void hash_text(Str text, uint64_t *hash, uint64_t *power)
{
    *hash = 0;
    *power = 1;
    for (size_t i = 0; i < text.length; i++) {
        *hash = add(multiply(*hash, BASE), (uint64_t)(unsigned char)text.at[i] + 1);
        *power = multiply(*power, BASE);
    }
}

static uint32_t entry_of(Value value)
{
    return (uint32_t)(value.word >> TAG_BITS);
}

static bool is_entry(Value value)
{
    return (value.word & TAG_MASK) == TAG_ENTRY;
}

static Value value_of_entry(uint32_t entry)
{
    return (Value){((uint64_t)entry << TAG_BITS) | TAG_ENTRY};
}

Values *values_new(void)
{
    Values *values = calloc(1, sizeof *values);
    if (!values)
        die("out of memory");
    values->arena = arena_new();
    for (int i = 0; i < WORD_COUNT; i++) {
        Value word = value_string(values, str_of(reserved_words[i]));
        ASSERT(entry_of(word) == (uint32_t)i);
    }
    return values;
}

void values_free(Values *values)
{
    if (!values)
        return;
    arena_free(values->arena);
    vec_free(&values->entries);
    vec_free(&values->scratch);
    free(values->index);
    hashmap_free(&values->pairs);
    free(values);
}

size_t values_memory(const Values *values)
{
    return arena_used(values->arena) + values->entries.capacity * sizeof(Entry) +
           values->index_size * sizeof(uint32_t) + values->pairs.capacity * 17;
}

static uint64_t bucket_hash(const Entry *entry)
{
    uint64_t kind = entry->kind == ENTRY_ROPE ? ENTRY_FLAT : entry->kind;
    return hash_combine(entry->hash, kind << 32 | entry->length);
}

static void index_grow(Values *values)
{
    size_t size = values->index_size ? values->index_size * 2 : 64;
    free(values->index);
    values->index = calloc(size, sizeof *values->index);
    if (!values->index)
        die("out of memory");
    values->index_size = size;
    for (size_t i = 0; i < values->entries.count; i++) {
        size_t slot = (size_t)bucket_hash(&values->entries.at[i]) & (size - 1);
        while (values->index[slot])
            slot = (slot + 1) & (size - 1);
        values->index[slot] = (uint32_t)i + 1;
    }
}

/* Writes the text of a string entry; left-deep ropes, the common ones, need no recursion. */
static void write_text(const Values *values, uint32_t entry, char *to)
{
    const Entry *at = &values->entries.at[entry];
    while (at->kind == ENTRY_ROPE) {
        const Entry *right = &values->entries.at[at->u.part[1]];
        write_text(values, at->u.part[1], to + at->length - right->length);
        at = &values->entries.at[at->u.part[0]];
    }
    if (at->length)
        memcpy(to, at->u.bytes, at->length);
}

/* Is the text of a string entry equal to BYTES? Compared from the right, in place. */
static bool text_is(const Values *values, uint32_t entry, const char *bytes)
{
    const Entry *at = &values->entries.at[entry];
    while (at->kind == ENTRY_ROPE) {
        const Entry *right = &values->entries.at[at->u.part[1]];
        if (!text_is(values, at->u.part[1], bytes + at->length - right->length))
            return false;
        at = &values->entries.at[at->u.part[0]];
    }
    return !at->length || memcmp(at->u.bytes, bytes, at->length) == 0;
}

static bool same_content(Values *values, const Entry *old, const Entry *new)
{
    if (old->hash != new->hash || old->length != new->length)
        return false;
    if (new->kind == ENTRY_BIG)
        return old->kind == ENTRY_BIG && old->u.number == new->u.number;
    if (new->kind == ENTRY_ARRAY)
        return old->kind == ENTRY_ARRAY &&
               (!new->length ||
                memcmp(old->u.items, new->u.items, new->length * sizeof(Value)) == 0);
    if (old->kind != ENTRY_FLAT && old->kind != ENTRY_ROPE)
        return false;
    uint32_t old_entry = (uint32_t)(old - values->entries.at);
    if (new->kind == ENTRY_FLAT)
        return text_is(values, old_entry, new->u.bytes);
    uint32_t left_length = values->entries.at[new->u.part[0]].length;
    const char *bytes;
    if (old->kind == ENTRY_FLAT) {
        bytes = old->u.bytes;
    } else {
        vec_reserve(&values->scratch, (size_t)old->length + 1);
        write_text(values, old_entry, values->scratch.at);
        bytes = values->scratch.at;
    }
    return text_is(values, new->u.part[0], bytes) &&
           text_is(values, new->u.part[1], bytes + left_length);
}

/* Finds an entry of the same content, or adds NEW (its bytes and items must then be ours). */
static uint32_t intern(Values *values, const Entry *new, bool *added)
{
    if ((values->entries.count + 1) * 4 > values->index_size * 3)
        index_grow(values);
    size_t slot = (size_t)bucket_hash(new) & (values->index_size - 1);
    *added = false;
    for (; values->index[slot]; slot = (slot + 1) & (values->index_size - 1))
        if (same_content(values, &values->entries.at[values->index[slot] - 1], new))
            return values->index[slot] - 1;
    *added = true;
    ASSERT(values->entries.count < UINT32_MAX - 1);
    vec_push(&values->entries, *new);
    values->index[slot] = (uint32_t)values->entries.count;
    return (uint32_t)values->entries.count - 1;
}

Value value_int(Values *values, int64_t number)
{
    if (number < SMALL_MAX && number >= -SMALL_MAX)
        return (Value){(uint64_t)number << TAG_BITS};
    Entry entry = {.hash = hash_mix((uint64_t)number), .kind = ENTRY_BIG, .u.number = number};
    bool added;
    return value_of_entry(intern(values, &entry, &added));
}

Value value_string(Values *values, Str text)
{
    ASSERT(text.length < UINT32_MAX);
    Entry entry = {.kind = ENTRY_FLAT, .length = (uint32_t)text.length, .u.bytes = text.at};
    hash_text(text, &entry.hash, &entry.power);
    bool added;
    uint32_t at = intern(values, &entry, &added);
    if (added)
        values->entries.at[at].u.bytes = arena_copy(values->arena, text.at, text.length);
    return value_of_entry(at);
}

Value value_array(Values *values, const Value *items, size_t count)
{
    Entry entry = {.hash = hash_bytes(items, count * sizeof *items, 7),
                   .kind = ENTRY_ARRAY,
                   .length = (uint32_t)count,
                   .u.items = items};
    bool added;
    uint32_t at = intern(values, &entry, &added);
    if (added) {
        Value *copy = arena_array_of(values->arena, Value, count);
        if (count)
            memcpy(copy, items, count * sizeof *items);
        values->entries.at[at].u.items = copy;
    }
    return value_of_entry(at);
}

/* Words, maps, sets and echoes are arrays whose first item is one of these marks. */
#define MARK_WORD ((Value){22})
#define MARK_MAP ((Value){26})
#define MARK_SET ((Value){30})
#define MARK_ECHO ((Value){34})

/* The mark of an array, or VALUE_NONE. */
static Value mark_of(const Values *values, Value value)
{
    if (!is_entry(value))
        return VALUE_NONE;
    const Entry *entry = &values->entries.at[entry_of(value)];
    if (entry->kind != ENTRY_ARRAY || !entry->length)
        return VALUE_NONE;
    uint64_t first = entry->u.items[0].word;
    return first >= MARK_WORD.word && first <= MARK_ECHO.word && (first & TAG_MASK) == 2
               ? entry->u.items[0]
               : VALUE_NONE;
}

static Value marked(Values *values, Value mark, const Value *items, size_t count)
{
    Value few[8], *copy = few;
    if (count >= COUNT_OF(few) && !(copy = malloc((count + 1) * sizeof *copy)))
        die("out of memory");
    copy[0] = mark;
    if (count)
        memcpy(copy + 1, items, count * sizeof *items);
    Value value = value_array(values, copy, count + 1);
    if (copy != few)
        free(copy);
    return value;
}

Value value_word(Values *values, Str text)
{
    Value string = value_string(values, text);
    return marked(values, MARK_WORD, &string, 1);
}

static int by_value(const void *a, const void *b, void *values)
{
    return value_compare(values, *(const Value *)a, *(const Value *)b);
}

static bool sorted(Values *values, Value mark, Value *items, size_t count, size_t stride,
                   Value *value)
{
    if (count)
        qsort_r(items, count / stride, stride * sizeof *items, by_value, values);
    for (size_t i = stride; i < count; i += stride)
        if (value_equal(items[i], items[i - stride]))
            return false;
    *value = marked(values, mark, items, count);
    return true;
}

bool value_map(Values *values, Value *items, size_t count, Value *map)
{
    return sorted(values, MARK_MAP, items, count, 2, map);
}

bool value_set(Values *values, Value *items, size_t count, Value *set)
{
    return sorted(values, MARK_SET, items, count, 1, set);
}

Value value_echo(Values *values, Value inner)
{
    return marked(values, MARK_ECHO, &inner, 1);
}

Value value_echoed(const Values *values, Value value)
{
    bool echo = mark_of(values, value).word == MARK_ECHO.word;
    return echo ? values->entries.at[entry_of(value)].u.items[1] : value;
}

static bool is_string(const Values *values, Value value)
{
    return is_entry(value) && values->entries.at[entry_of(value)].kind <= ENTRY_ROPE;
}

Value value_concat(Values *values, Value left, Value right)
{
    if (!is_string(values, right) || !is_string(values, left)) {
        size_t count;
        const Value *items = value_items(values, left, &count);
        if (value_kind(values, left) != VALUE_IS_ARRAY && left.word != VALUE_NONE.word) {
            items = &left; /* no list: one with itself in it */
            count = 1;
        }
        Value *more = malloc((count + 1) * sizeof *more);
        if (!more)
            die("out of memory");
        if (count)
            memcpy(more, items, count * sizeof *more);
        more[count] = right;
        Value result = value_array(values, more, count + 1);
        free(more);
        return result;
    }
    uint32_t a = entry_of(left), b = entry_of(right);
    if (!values->entries.at[a].length)
        return right;
    if (!values->entries.at[b].length)
        return left;
    bool absent;
    uint64_t *known = hashmap_put(&values->pairs, (uint64_t)a << 32 | b, &absent);
    if (absent) {
        const Entry *l = &values->entries.at[a], *r = &values->entries.at[b];
        Entry entry = {.hash = add(multiply(l->hash, r->power), r->hash),
                       .power = multiply(l->power, r->power),
                       .kind = ENTRY_ROPE,
                       .length = l->length + r->length,
                       .u.part = {a, b}};
        bool added;
        *known = intern(values, &entry, &added);
    }
    return value_of_entry((uint32_t)*known);
}

ValueKind value_kind(const Values *values, Value value)
{
    if ((value.word & TAG_MASK) == TAG_INT)
        return VALUE_IS_INT;
    if (value.word == VALUE_NONE.word)
        return VALUE_IS_NONE;
    if (value.word == VALUE_UNKNOWN.word)
        return VALUE_IS_UNKNOWN;
    if (!is_entry(value))
        return VALUE_IS_BOOL;
    switch (values->entries.at[entry_of(value)].kind) {
    case ENTRY_ARRAY: {
        Value mark = mark_of(values, value);
        return mark.word == MARK_WORD.word   ? VALUE_IS_WORD
               : mark.word == MARK_MAP.word  ? VALUE_IS_MAP
               : mark.word == MARK_SET.word  ? VALUE_IS_SET
               : mark.word == MARK_ECHO.word ? VALUE_IS_ECHO
                                             : VALUE_IS_ARRAY;
    }
    case ENTRY_BIG:
        return VALUE_IS_INT;
    default:
        return VALUE_IS_STRING;
    }
}

bool value_to_int(const Values *values, Value value, int64_t *number)
{
    if ((value.word & TAG_MASK) == TAG_INT) {
        *number = (int64_t)value.word >> TAG_BITS;
        return true;
    }
    if (value.word == VALUE_TRUE.word || value.word == VALUE_FALSE.word) {
        *number = value.word == VALUE_TRUE.word;
        return true;
    }
    if (is_entry(value) && values->entries.at[entry_of(value)].kind == ENTRY_BIG) {
        *number = values->entries.at[entry_of(value)].u.number;
        return true;
    }
    return false;
}

Str value_text(Values *values, Value value)
{
    if (mark_of(values, value).word == MARK_WORD.word)
        value = values->entries.at[entry_of(value)].u.items[1];
    if (!is_string(values, value))
        return (Str){"", 0};
    uint32_t at = entry_of(value);
    if (values->entries.at[at].kind == ENTRY_ROPE) { /* only printing asks: make it flat for good */
        uint32_t length = values->entries.at[at].length;
        char *bytes = arena_alloc(values->arena, (size_t)length + 1);
        write_text(values, at, bytes);
        values->entries.at[at].kind = ENTRY_FLAT;
        values->entries.at[at].u.bytes = bytes;
    }
    return (Str){values->entries.at[at].u.bytes, values->entries.at[at].length};
}

const Value *value_items(const Values *values, Value value, size_t *count)
{
    *count = 0;
    if (!is_entry(value) || values->entries.at[entry_of(value)].kind != ENTRY_ARRAY)
        return NULL;
    Value mark = mark_of(values, value);
    if (mark.word == MARK_WORD.word || mark.word == MARK_ECHO.word)
        return NULL;
    size_t skip = mark.word == VALUE_NONE.word ? 0 : 1;
    *count = values->entries.at[entry_of(value)].length - skip;
    return values->entries.at[entry_of(value)].u.items + skip;
}

static bool is_word(Value value, uint32_t word)
{
    return value.word == value_of_entry(word).word;
}

/* The string that a keyword of EDN is without its colon; other values as they are. */
static Value plain_word(const Values *values, Value value)
{
    if (mark_of(values, value).word != MARK_WORD.word)
        return value;
    const Entry *text =
        &values->entries.at[entry_of(values->entries.at[entry_of(value)].u.items[1])];
    for (uint32_t i = 1; i < WORD_COUNT && text->kind == ENTRY_FLAT; i++)
        if (text->length == strlen(reserved_words[i]) + 1 && text->u.bytes[0] == ':' &&
            memcmp(text->u.bytes + 1, reserved_words[i], text->length - 1) == 0)
            return value_of_entry(i);
    return value;
}

bool value_means_true(const Values *values, Value value)
{
    value = plain_word(values, value);
    return value.word == VALUE_TRUE.word || value.word == (uint64_t)1 << TAG_BITS ||
           is_word(value, WORD_TRUE) || is_word(value, WORD_OK);
}

bool value_means_false(const Values *values, Value value)
{
    value = plain_word(values, value);
    return value.word == VALUE_FALSE.word || value.word == 0 || is_word(value, WORD_FALSE) ||
           is_word(value, WORD_FAIL) || is_word(value, WORD_LINEUP_FAIL);
}

bool value_means_empty(const Values *values, Value value)
{
    value = plain_word(values, value);
    return value.word == VALUE_NONE.word || is_word(value, WORD_EMPTY) ||
           is_word(value, WORD_FAIL) || is_word(value, WORD_LINEUP_FAIL) ||
           is_word(value, WORD_NIL);
}

uint32_t value_symbol(const Values *values, Value string)
{
    DEBUG_ASSERT(is_string(values, string));
    (void)values;
    return entry_of(string);
}

Value value_of_symbol(uint32_t symbol)
{
    return value_of_entry(symbol);
}
