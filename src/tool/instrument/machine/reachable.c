#include "tool/instrument/machine/reachable.h"
#include <string.h>
#include "base/vec.h"

typedef struct Mention { /* CALLER (0: data, or something visible outside) names CALLEE */
    uint64_t caller, callee;
} Mention;
typedef Vec(Mention) Mentions;

static uint64_t name_key(Str name)
{
    uint64_t key = hash_bytes(name.at, name.length, 0);
    return key ? key : 1;
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$';
}

/* The next name in REST; what stands in quotes is text. */
static bool next_name(Str *rest, Str *name)
{
    size_t i = 0;
    bool quoted = false;
    for (; i < rest->length && (quoted || !is_name_character(rest->at[i])); i++)
        if (rest->at[i] == '"' && !(i && rest->at[i - 1] == '\\'))
            quoted = !quoted;
    size_t begin = i;
    while (i < rest->length && is_name_character(rest->at[i]))
        i++;
    *name = (Str){rest->at + begin, i - begin};
    *rest = (Str){rest->at + i, rest->length - i};
    return name->length > 0;
}

/* The name that a directive like `.type name, @function` is about. */
static Str directive_name(Str line, const char *directive)
{
    Str name = {0}, word;
    if (next_name(&line, &word) && str_is(word, directive))
        next_name(&line, &name);
    return name;
}

static void collect_functions(Str text, HashMap *functions)
{
    Str line;
    while (str_next(&text, '\n', &line)) {
        line = str_trim(line);
        Str name = directive_name(line, ".type");
        if (name.length && (memmem(line.at, line.length, "@function",
                                   9) || /* where @ is not what comments begin with */
                            memmem(line.at, line.length, "%function", 9)))
            hashmap_put(functions, name_key(name), NULL);
    }
}

static void collect_mentions(Str text, const HashMap *functions, Mentions *mentions)
{
    uint64_t inside = 0; /* the function whose code follows */
    Str line;
    while (str_next(&text, '\n', &line)) {
        if (line.length && is_name_character(line.at[0]) && line.at[0] != '.') { /* a label */
            const char *colon = memchr(line.at, ':', line.length);
            uint64_t key = colon ? name_key((Str){line.at, (size_t)(colon - line.at)}) : 0;
            inside = key && hashmap_find(functions, key) ? key : 0;
            continue;
        }
        Str word, rest = str_trim(line);
        bool describes = str_starts(rest, STR(".type")) || str_starts(rest, STR(".size")) ||
                         str_starts(rest, STR(".local")) || str_starts(rest, STR(".hidden"));
        bool shows = str_starts(rest, STR(".glob")) || str_starts(rest, STR(".weak"));
        while (!describes && next_name(&rest, &word)) {
            uint64_t key = name_key(word);
            if (hashmap_find(functions, key) && key != inside)
                vec_push(mentions, (Mention){shows ? 0 : inside, key});
        }
    }
}

void reachable_find(Str assembly, Reachable *out)
{
    *out = (Reachable){0};
    Mentions mentions = {0};
    collect_functions(assembly, &out->functions);
    collect_mentions(assembly, &out->functions, &mentions);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < mentions.count; i++) {
            const Mention *m = &mentions.at[i];
            uint64_t *runs = hashmap_find(&out->functions, m->callee);
            if (!*runs && (!m->caller || *hashmap_find(&out->functions, m->caller))) {
                *runs = 1;
                changed = true;
            }
        }
    }
    vec_free(&mentions);
}

bool reachable_may_run(const Reachable *reachable, Str name)
{
    const uint64_t *runs = hashmap_find(&reachable->functions, name_key(name));
    return !runs || *runs;
}

void reachable_free(Reachable *reachable)
{
    hashmap_free(&reachable->functions);
}
