#include "tool/cli/init/outline.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/str.h"

#define MOST_OPERATIONS 12

/* Words in names, with what they say. */
static const struct {
    OutlineVerb verb;
    const char *words;
} verbs[] = {
    {VERB_SETUP, "init|initialize|initialise|setup|new|create|alloc|make|open"},
    {VERB_TEARDOWN, "destroy|deinit|free|unref|fini|finalize|delete|cleanup|term|terminate|close"},
    {VERB_UNLOCK, "unlock|release|leave"},
    {VERB_LOCK, "lock|acquire|enter"},
    {VERB_PUT, "enqueue|enq|push|put|add|insert|send|offer|write|post|append|produce|store|set"},
    {VERB_TAKE,
     "dequeue|deq|pop|get|take|remove|erase|evict|receive|recv|poll|read|consume|fetch|steal"},
    {VERB_LOOK,
     "size|length|count|len|isempty|empty|is|peek|front|top|test|contains|capacity|has|find|"
     "lookup|oldest|newest|name"},
};
/* Parts of names of functions that are a special case of another one, and of the general one. */
static const char special[] =
    "unlocked|nolock|locked|spsc|npsc|npnc|spnc|mpnc|upmc|spmc|mpsc|sp|sc|"
    "mp|mc|single|bulk|burst|batch|sorted|full|front|back|first|next|range|timed|"
    "timeout|multiple|all|splice|reserve|commit|shadow|internal|with|"
    "start|finish|elem|zc|hts|rts|st|mt|dump|nonblocking|state|eb|pb|"
    "multi|approx|size|was|data|emplace|bit|lock|unlock|trylock";
static const char general[] = "mpmc|blocking";

/* Is WORD one of the alternatives in LIST? Returns it as the list has it. */
static bool is_one_of(Str word, const char *list)
{
    Str rest = str_of(list), item;
    while (str_next(&rest, '|', &item))
        if (item.length == word.length && !strncasecmp(item.at, word.at, word.length))
            return true;
    return false;
}

/* Cuts the next part off a name: at an underscore, or before a capital letter. */
static bool next_part(Str *rest, Str *part)
{
    while (rest->length && rest->at[0] == '_') {
        rest->at++;
        rest->length--;
    }
    size_t end = 0;
    while (end < rest->length && rest->at[end] != '_' &&
           !(end && isupper((unsigned char)rest->at[end]) &&
             islower((unsigned char)rest->at[end - 1])))
        end++;
    *part = (Str){rest->at, end};
    rest->at += end;
    rest->length -= end;
    return end > 0;
}

/* The first verb of a name counts; but get_size looks. */
static void set_verb(Arena *arena, OutlineFunction *entry, OutlineVerb verb, Str word)
{
    if (entry->verb && !(verb == VERB_LOOK && entry->word && !strcmp(entry->word, "get")))
        return;
    char *copy = arena_copy(arena, word.at, word.length);
    for (size_t i = 0; i < word.length; i++)
        copy[i] = (char)tolower((unsigned char)copy[i]);
    entry->verb = verb;
    entry->word = copy;
}

/* Is something handed in by a function that puts, or out by one that takes? */
static bool moves_value(const Outline *outline, const OutlineFunction *entry)
{
    const ApiFunction *function = entry->function;
    bool in = false, out = false;
    for (size_t i = 0; i < function->parameters.count; i++) {
        const ApiType *type = &function->parameters.at[i].type;
        bool filled = outline_is_out(entry, type);
        out |= filled;
        in |= !filled && !outline_is_object(outline, type);
    }
    out |= function->result.kind != API_VOID && function->result.kind != API_BOOL;
    return entry->verb == VERB_PUT ? in : entry->verb == VERB_TAKE ? out : true;
}

/* Reads the verb and the rank off the name without the prefix. */
static void read_name(Arena *arena, const Outline *outline, OutlineFunction *entry)
{
    const char *name = entry->function->name;
    size_t skip = strlen(outline->prefix);
    if (name[0] == '_')
        entry->rank += 20;
    Str rest = str_of(name + skip), part;
    bool attempt = false;
    while (next_part(&rest, &part)) {
        Str word = part;
        bool tries = part.length > 3 && !strncasecmp(part.at, "try", 3);
        if (tries)
            word = (Str){part.at + 3, part.length - 3};
        for (size_t i = 0; i < COUNT_OF(verbs); i++)
            if (is_one_of(word, verbs[i].words))
                set_verb(arena, entry, verbs[i].verb, word);
        attempt |= tries || is_one_of(part, "try");
        if (is_one_of(part, special))
            entry->rank += 2;
        if (is_one_of(part, general))
            entry->rank -= 1;
    }
    if (attempt) /* a get that does not wait is easier to check; a put should put */
        entry->rank += entry->verb == VERB_TAKE ? -1 : 1;
    entry->rank += (int)entry->function->parameters.count;
    if (!moves_value(outline, entry))
        entry->rank += 5;
    if (outline->record && entry->function->parameters.count &&
        !outline_is_object(outline, &entry->function->parameters.at[0].type) &&
        !outline_is_new_object(outline, &entry->function->parameters.at[0].type))
        entry->rank += 10; /* it is about something else first */
}

bool outline_is_object(const Outline *outline, const ApiType *type)
{
    return outline->record && type->kind == API_RECORD_POINTER &&
           !strcmp(type->record, outline->record);
}

bool outline_is_new_object(const Outline *outline, const ApiType *type)
{
    return outline->record && type->kind == API_OUT_POINTER && type->record &&
           !strcmp(type->record, outline->record);
}

bool outline_is_companion(const Outline *outline, const ApiType *type)
{
    if (type->kind != API_RECORD_POINTER)
        return false;
    for (size_t i = 0; i < outline->companions.count; i++)
        if (!strcmp(outline->companions.at[i], type->record))
            return true;
    return false;
}

bool outline_is_out(const OutlineFunction *entry, const ApiType *type)
{
    switch (type->kind) {
    case API_OUT_INTEGER:
    case API_OUT_POINTER:
    case API_OUT_ELEMENT:
        return true;
    case API_POINTER: /* dequeue(queue, void *value) writes a pointer there */
        return entry->verb == VERB_TAKE && !type->is_const;
    default:
        return false;
    }
}

bool outline_can_pass(const Outline *outline, const ApiFunction *function, size_t parameter)
{
    const ApiType *type = &function->parameters.at[parameter].type;
    if (outline_is_object(outline, type) || outline_is_new_object(outline, type))
        return true;
    if (type->kind == API_RECORD_POINTER || type->kind == API_OUT_POINTER)
        return !type->record || type->complete;
    return type->kind != API_OTHER;
}

static bool is_wanted(const char *name, const char *only)
{
    Str rest = str_of(only), word;
    if (!only)
        return true;
    while (str_next(&rest, ',', &word))
        if (word.length && memmem(name, strlen(name), word.at, word.length))
            return true;
    return false;
}

/* The structure that most functions take first. */
static void find_subject(const Api *api, const char *only, Outline *outline)
{
    size_t most = 0;
    for (size_t i = 0; i < api->functions.count; i++) {
        const ApiFunction *function = &api->functions.at[i];
        const ApiType *type = function->parameters.count ? &function->parameters.at[0].type : NULL;
        size_t count = 0;
        if (!type || type->kind != API_RECORD_POINTER || !is_wanted(function->name, only))
            continue;
        for (size_t k = 0; k < api->functions.count; k++) {
            const ApiFunction *other = &api->functions.at[k];
            count += other->parameters.count &&
                     other->parameters.at[0].type.kind == API_RECORD_POINTER &&
                     !strcmp(other->parameters.at[0].type.record, type->record) &&
                     is_wanted(other->name, only);
        }
        if (count > most) {
            most = count;
            outline->subject = type->pointee;
            outline->pointer = !type->complete;
            outline->record = type->record;
        }
    }
}

static bool concerns(const Outline *outline, const ApiFunction *function)
{
    if (!outline->record || function->member)
        return true;
    if (outline_is_object(outline, &function->result))
        return true;
    for (size_t i = 0; i < function->parameters.count; i++)
        if (outline_is_object(outline, &function->parameters.at[i].type) ||
            outline_is_new_object(outline, &function->parameters.at[i].type))
            return true;
    return false;
}

/* The parts that all names of functions about the object begin with. */
static void find_prefix(Arena *arena, const Api *api, Outline *outline)
{
    const char *first = NULL;
    size_t length = 0;
    for (size_t i = 0; i < api->functions.count; i++) {
        const char *name = api->functions.at[i].name;
        if (!concerns(outline, &api->functions.at[i]) || name[0] == '_')
            continue;
        if (!first) {
            first = name;
            length = strlen(name);
        }
        size_t same = 0;
        while (same < length && name[same] == first[same])
            same++;
        length = same;
    }
    while (length && first[length - 1] != '_')
        length--;
    outline->prefix = first ? arena_printf(arena, "%.*s", (int)length, first) : "";
}

static const char *why_impossible(Arena *arena, const Outline *outline, const ApiFunction *function)
{
    if (function->variadic)
        return "it takes any number of arguments";
    for (size_t i = 0; i < function->parameters.count; i++)
        if (!outline_can_pass(outline, function, i))
            return arena_printf(arena, "what to pass as %s (%s)?",
                                *function->parameters.at[i].name ? function->parameters.at[i].name
                                                                 : "its argument",
                                function->parameters.at[i].type.spelling);
    if (function->parameters.count > 6)
        return "it takes more than six arguments";
    return NULL;
}

static void decide_role(Arena *arena, const Outline *outline, const char *only,
                        OutlineFunction *entry)
{
    const ApiFunction *function = entry->function;
    entry->role = ROLE_OPERATION;
    bool makes = outline_is_object(outline, &function->result);
    bool alone = function->parameters.count == 1 && concerns(outline, function);
    if (!concerns(outline, function))
        entry->why = "it is about something else";
    else if (makes && entry->verb == VERB_SETUP)
        entry->role = ROLE_MAKE;
    else if (entry->verb == VERB_SETUP && !function->member)
        entry->role = ROLE_SETUP;
    else if (entry->verb == VERB_TEARDOWN)
        entry->role = ROLE_TEARDOWN;
    else if (makes)
        entry->why = "it returns the object";
    else if (!is_wanted(function->name, only))
        entry->why = "--only does not name it";
    else if (function->name[0] == '_')
        entry->why = "its name says that it is internal";
    else if (entry->verb == VERB_LOCK && alone)
        entry->role = ROLE_LOCK;
    else if (entry->verb == VERB_UNLOCK && alone)
        entry->role = ROLE_UNLOCK;
    else if (outline->record && entry->verb == VERB_SETUP)
        entry->why = "it sets up";
    if (!entry->why && entry->role != ROLE_SETUP)
        entry->why = why_impossible(arena, outline, function);
}

/* Is ENTRY a special case of OTHER, which has the same role? */
static bool is_variant(const OutlineFunction *entry, const OutlineFunction *other)
{
    if (entry->role != ROLE_OPERATION)
        return true;
    if (!entry->word || !other->word || strcmp(entry->word, other->word))
        return false;
    if (entry->verb != VERB_LOOK)
        return true;
    /* functions that look are different ones, but for length and length_unlocked */
    size_t shared = strlen(other->function->name);
    const char *name = entry->function->name;
    return !strncmp(name, other->function->name, shared) && name[shared] == '_' &&
           is_one_of(str_of(name + shared + 1), "unlocked|nolock|locked");
}

/* Takes the most general one of functions with the same verb, and of those that set up. */
static void choose(Arena *arena, Outline *outline)
{
    for (size_t i = 0; i < outline->functions.count; i++) {
        OutlineFunction *entry = &outline->functions.at[i];
        for (size_t k = 0; k < outline->functions.count && !entry->why; k++) {
            const OutlineFunction *other = &outline->functions.at[k];
            if (k != i && other->role == entry->role && is_variant(entry, other) && !other->why &&
                (other->rank < entry->rank || (other->rank == entry->rank && k < i)))
                entry->why = arena_printf(arena, "a variant of %s", other->function->name);
        }
    }
    size_t operations = 0;
    bool made = false;
    for (size_t i = 0; i < outline->functions.count; i++) {
        OutlineFunction *entry = &outline->functions.at[i];
        if (entry->why)
            entry->role = ROLE_LEFT;
        else if (entry->role == ROLE_OPERATION && ++operations > MOST_OPERATIONS) {
            entry->role = ROLE_LEFT;
            entry->why = "these are enough for the beginning";
        }
        made |= entry->role == ROLE_MAKE;
        outline->pointer |= entry->role == ROLE_MAKE;
    }
    for (size_t i = 0; i < outline->functions.count; i++)
        if (made && outline->functions.at[i].role == ROLE_SETUP) {
            outline->functions.at[i].role = ROLE_LEFT;
            outline->functions.at[i].why = "the object is made by another function";
        }
}

static const OutlineFunction *find_role(const Outline *outline, OutlineRole role)
{
    for (size_t i = 0; i < outline->functions.count; i++)
        if (outline->functions.at[i].role == role)
            return &outline->functions.at[i];
    return NULL;
}

/* An operation is called by its verb, which specifications know, unless two would have one name. */
static void name_operations(Outline *outline)
{
    for (size_t i = 0; i < outline->functions.count; i++) {
        OutlineFunction *entry = &outline->functions.at[i];
        const char *own = entry->function->name +
                          (!strncmp(entry->function->name, outline->prefix, strlen(outline->prefix))
                               ? strlen(outline->prefix)
                               : 0);
        bool container = entry->verb == VERB_PUT || entry->verb == VERB_TAKE;
        entry->name = container ? entry->word : *own ? own : entry->function->name;
    }
    bool paired = find_role(outline, ROLE_LOCK) && find_role(outline, ROLE_UNLOCK);
    bool container = false;
    for (size_t i = 0; i < outline->functions.count; i++)
        container |= outline->functions.at[i].role == ROLE_OPERATION &&
                     (outline->functions.at[i].verb == VERB_PUT ||
                      outline->functions.at[i].verb == VERB_TAKE);
    for (size_t i = 0; i < outline->functions.count; i++) {
        OutlineFunction *entry = &outline->functions.at[i];
        bool locks = entry->role == ROLE_LOCK || entry->role == ROLE_UNLOCK;
        if (!container && paired && entry->role == ROLE_OPERATION) {
            entry->role = ROLE_LEFT;
            entry->why = "the lock is tested by what it protects";
        } else if (container && (locks || (entry->role == ROLE_OPERATION && !entry->verb))) {
            entry->role = ROLE_LEFT;
            entry->why =
                locks ? "it is a part of other calls" : "its name does not tell what it does";
        } else if (locks && !paired) {
            entry->role = ROLE_OPERATION;
        }
    }
}

/* A built-in specification, if the operations are those of one and the name tells which. */
static void find_spec(Outline *outline)
{
    static const struct {
        const char *spec, *words;
    } kinds[] = {{"lifo", "stack|lifo"}, {"fifo", "queue|fifo|ring|channel|mailbox|buffer"}};
    const char *about = outline->api->class ? outline->api->class
                        : outline->record   ? outline->record
                                            : outline->prefix;
    bool puts = false, takes = false;
    for (size_t i = 0; i < outline->functions.count; i++) {
        const OutlineFunction *entry = &outline->functions.at[i];
        if (entry->role != ROLE_OPERATION)
            continue;
        bool put = entry->verb == VERB_PUT &&
                   is_one_of(str_of(entry->word), "enqueue|enq|push|put|add|offer|insert|send");
        bool take = entry->verb == VERB_TAKE &&
                    is_one_of(str_of(entry->word), "dequeue|deq|pop|get|remove|poll|recv|receive");
        bool look =
            entry->verb == VERB_LOOK &&
            is_one_of(str_of(entry->name), "size|length|count|len|isempty|is_empty|empty") &&
            entry->function->parameters.count <= 1;
        bool status = (put || take) && entry->function->result.kind == API_INTEGER;
        /* what is taken must be told: nothing else is known of results that are ignored */
        if (take && entry->function->result.kind == API_OTHER &&
            !(entry->function->result.told && strstr(entry->function->result.spelling, "optional")))
            return;
        if ((!put && !take && !look) || status || !moves_value(outline, entry))
            return;
        puts |= put;
        takes |= take;
    }
    for (size_t i = 0; puts && takes && !outline->spec && i < COUNT_OF(kinds); i++) {
        Str rest = str_of(kinds[i].words), word;
        while (str_next(&rest, '|', &word)) {
            char needle[32];
            snprintf(needle, sizeof needle, "%.*s", STR_ARG(word));
            if (strcasestr(about, needle))
                outline->spec = kinds[i].spec;
        }
    }
}

/* A structure that functions which put and functions which take are both given is no element. */
static void find_companions(Arena *arena, const Api *api, Outline *outline)
{
    bool put_has[64] = {false};
    Words put = {0};
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < api->functions.count; i++) {
            OutlineFunction entry = {.function = &api->functions.at[i]};
            if (!strncmp(entry.function->name, outline->prefix, strlen(outline->prefix)))
                read_name(arena, outline, &entry);
            if (entry.verb != (pass ? VERB_TAKE : VERB_PUT) || entry.function->name[0] == '_')
                continue;
            for (size_t k = 0; k < entry.function->parameters.count; k++) {
                const ApiType *type = &entry.function->parameters.at[k].type;
                if (type->kind != API_RECORD_POINTER || !type->complete ||
                    outline_is_object(outline, type))
                    continue;
                if (!pass)
                    vec_push(&put, type->record);
                for (size_t p = 0; pass && p < put.count && p < COUNT_OF(put_has); p++)
                    if (!put_has[p] && !strcmp(put.at[p], type->record) &&
                        !outline_is_companion(outline, type)) {
                        put_has[p] = true;
                        vec_push(&outline->companions, type->record);
                    }
            }
        }
    vec_free(&put);
}

bool outline_make(Arena *arena, const Api *api, const char *only, Outline *outline, Error *error)
{
    *outline = (Outline){.api = api};
    if (!api->class)
        find_subject(api, only, outline);
    find_prefix(arena, api, outline);
    find_companions(arena, api, outline);
    for (size_t i = 0; i < api->functions.count; i++) {
        OutlineFunction entry = {.function = &api->functions.at[i]};
        bool prefixed = !strncmp(entry.function->name, outline->prefix, strlen(outline->prefix));
        if (prefixed)
            read_name(arena, outline, &entry);
        decide_role(arena, outline, only, &entry);
        vec_push(&outline->functions, entry);
    }
    choose(arena, outline);
    name_operations(outline);
    find_spec(outline);
    if (!find_role(outline, ROLE_OPERATION) && !find_role(outline, ROLE_LOCK))
        return error_set(error, "%s declares nothing that could be an operation%s", api->path,
                         only ? " of a name that --only has" : "");
    return true;
}

void outline_free(Outline *outline)
{
    vec_free(&outline->functions);
    vec_free(&outline->companions);
}
