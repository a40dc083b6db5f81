#include "tool/cli/init/emit.h"
#include <string.h>

typedef struct Emit {
    Arena *arena;
    const Outline *outline;
    Buffer *out;
    EmitCount *count;
} Emit;

/* Structures that are handed in and come back: each is the beginning of one that knows its
 * number. */
static bool is_element(const Emit *emit, const ApiType *type)
{
    return type->kind == API_RECORD_POINTER && type->record &&
           !outline_is_object(emit->outline, type) && !outline_is_companion(emit->outline, type) &&
           type->complete;
}

static const char *element_name(const Emit *emit, const ApiType *type)
{
    const char *space = strrchr(type->record, ' ');
    char *name = arena_printf(emit->arena, "%s_element", space ? space + 1 : type->record);
    for (char *at = name; *at; at++)
        if (*at == ':')
            *at = '_';
    return name;
}

static bool is_used(const OutlineFunction *entry)
{
    return entry->role != ROLE_LEFT;
}

static void emit_element(Emit *emit, const ApiType *type, Words *known)
{
    const char *name = element_name(emit, type);
    for (size_t i = 0; i < known->count; i++)
        if (!strcmp(known->at[i], name))
            return;
    vec_push(known, name);
    buffer_printf(emit->out,
                  "\n/* What is handed in is made here, and has a number, which is what results "
                  "tell. */\n"
                  "struct %s {\n    %s it;\n    int number;\n};\n"
                  "static %s *make_%s(int number)\n{\n"
                  "    struct %s *made = (struct %s *)calloc(1, sizeof *made);\n"
                  "    made->number = number;\n    return &made->it;\n}\n"
                  "static HdValue tell_%s(const void *pointer)\n{\n"
                  "    if ((intptr_t)pointer > -4096 && (intptr_t)pointer < 4096)\n"
                  "        return pointer ? HD_INT((intptr_t)pointer) : HD_NONE; /* no element */\n"
                  "    return HD_INT(((const struct %s *)pointer)->number);\n}\n",
                  name, type->record, type->record, name, name, name, name, name);
}

static void emit_elements(Emit *emit)
{
    Words known = {0};
    for (size_t i = 0; i < emit->outline->functions.count; i++) {
        const OutlineFunction *entry = &emit->outline->functions.at[i];
        if (!is_used(entry))
            continue;
        for (size_t k = 0; k < entry->function->parameters.count; k++) {
            ApiType type = entry->function->parameters.at[k].type;
            if (type.kind == API_OUT_POINTER && type.record)
                type.kind = API_RECORD_POINTER;
            if (is_element(emit, &type))
                emit_element(emit, &type, &known);
        }
        if (is_element(emit, &entry->function->result))
            emit_element(emit, &entry->function->result, &known);
    }
    vec_free(&known);
}

/* Returns what is passed where nothing varies: in HD_INIT, and for the third argument on. */
static const char *fixed_argument(Emit *emit, const ApiType *type)
{
    switch (type->kind) {
    case API_BOOL:
        return "false";
    case API_INTEGER:
        return "16";
    case API_ENUM:
        return type->constant ? type->constant : arena_printf(emit->arena, "(%s)0", type->spelling);
    case API_TEXT:
        return "\"heddle\"";
    case API_ELEMENT:
        return "1";
    case API_RECORD_POINTER:
        return is_element(emit, type)
                   ? arena_printf(emit->arena, "make_%s(0)", element_name(emit, type))
                   : "NULL";
    case API_OUT_INTEGER:
    case API_OUT_POINTER:
        return arena_printf(emit->arena, "(%s *)calloc(16, sizeof(%s))", type->pointee,
                            type->pointee);
    default:
        return "NULL";
    }
}

/* Returns the same for a parameter, whose name may say that 0 is the ordinary value. */
static const char *fixed_value(Emit *emit, const ApiParameter *parameter)
{
    bool optional = strcasestr(parameter->name, "flag") || strcasestr(parameter->name, "option");
    return optional && parameter->type.kind == API_INTEGER ? "0"
                                                           : fixed_argument(emit, &parameter->type);
}

static const char *object_word(const Outline *outline)
{
    return outline->pointer || outline->api->class ? "object" : "&object";
}

/* "struct ck_ring_buffer": ck_ring_buffer_shared */
static const char *companion_name(Emit *emit, const char *record)
{
    const char *space = strrchr(record, ' ');
    return arena_printf(emit->arena, "%s_shared", space ? space + 1 : record);
}

/* The word for the object, or for what belongs to it; NULL for other parameters. */
static const char *shared_word(Emit *emit, const ApiType *type)
{
    if (outline_is_new_object(emit->outline, type))
        return "&object";
    if (outline_is_companion(emit->outline, type))
        return companion_name(emit, type->record);
    if (!outline_is_object(emit->outline, type))
        return NULL;
    return object_word(emit->outline);
}

/* A call in HD_INIT or HD_AFTER. Everything but the object is a guess. */
static void emit_plain_call(Emit *emit, const OutlineFunction *entry, bool *guessed)
{
    buffer_printf(emit->out, "%s(", entry->function->name);
    for (size_t i = 0; i < entry->function->parameters.count; i++) {
        const ApiType *type = &entry->function->parameters.at[i].type;
        const char *shared = shared_word(emit, type);
        *guessed |= !shared;
        buffer_printf(emit->out, "%s%s", i ? ", " : "",
                      shared ? shared : fixed_value(emit, &entry->function->parameters.at[i]));
    }
    buffer_printf(emit->out, ")");
}

static const OutlineFunction *of_role(const Outline *outline, OutlineRole role)
{
    for (size_t i = 0; i < outline->functions.count; i++)
        if (outline->functions.at[i].role == role)
            return &outline->functions.at[i];
    return NULL;
}

static void emit_todo(Emit *emit, const char *text)
{
    emit->count->guesses++;
    buffer_printf(emit->out, " /* TODO %s */", text);
}

static void emit_setup(Emit *emit)
{
    const Outline *outline = emit->outline;
    const OutlineFunction *make = of_role(outline, ROLE_MAKE),
                          *setup = of_role(outline, ROLE_SETUP);
    const OutlineFunction *end = of_role(outline, ROLE_TEARDOWN);
    bool guessed = false;
    if (outline->api->class) {
        buffer_printf(emit->out,
                      "\nstatic %s *object;\nHD_INIT { object = new %s%s; }\n"
                      "HD_AFTER { delete object; }\n",
                      outline->api->class, outline->api->class,
                      outline->api->needs_size ? "(16)" : "");
        return;
    }
    if (!outline->subject)
        return;
    buffer_printf(emit->out, "\nstatic %s %sobject;\n", outline->subject,
                  outline->pointer ? "*" : "");
    for (size_t i = 0; i < outline->companions.count; i++)
        buffer_printf(emit->out, "static %s %s[16];\n", outline->companions.at[i],
                      companion_name(emit, outline->companions.at[i]));
    buffer_printf(emit->out, "HD_INIT\n{\n    ");
    if (make)
        buffer_printf(emit->out, "object = ");
    else if (!outline->pointer)
        buffer_printf(emit->out, "memset(&object, 0, sizeof object);");
    else if (!setup)
        buffer_printf(emit->out, "object = NULL;");
    if (make || setup) {
        if (!make && !outline->pointer)
            buffer_printf(emit->out, "\n    ");
        emit_plain_call(emit, make ? make : setup, &guessed);
        buffer_printf(emit->out, ";");
        if (guessed)
            emit_todo(emit, "guessed: are these the right arguments?");
    } else {
        emit_todo(emit, "nothing that sets it up was found");
    }
    buffer_printf(emit->out, "\n}\n");
    if (!end)
        return;
    guessed = false;
    buffer_printf(emit->out, "HD_AFTER\n{\n    ");
    emit_plain_call(emit, end, &guessed);
    buffer_printf(emit->out, ";");
    if (guessed)
        emit_todo(emit, "guessed: are these the right arguments?");
    buffer_printf(emit->out, "\n}\n");
}

typedef struct Varied { /* the arguments of an operation that have several values */
    const char *type[2], *values[2], *passed[2];
    size_t at[2]; /* which parameters they are */
    unsigned count;
} Varied;

/* A node that a function is given beside a value is only memory for it. */
static bool is_mere_node(const Emit *emit, const OutlineFunction *entry, const ApiType *type)
{
    if (!is_element(emit, type))
        return false;
    for (size_t i = 0; i < entry->function->parameters.count; i++) {
        const ApiType *other = &entry->function->parameters.at[i].type;
        if (other->kind == API_POINTER && !outline_is_out(entry, other))
            return true;
    }
    return false;
}

/* Finds out what HD_OP says of the parameter, and how it is passed on. */
static bool vary(Emit *emit, const OutlineFunction *entry, size_t parameter, Varied *varied)
{
    const ApiType *type = &entry->function->parameters.at[parameter].type;
    const char *name = varied->count ? "w" : "v";
    unsigned i = varied->count;
    if (i == 2 || shared_word(emit, type) || outline_is_out(entry, type))
        return false;
    varied->type[i] = "int";
    varied->values[i] = "1, 2";
    varied->passed[i] = name;
    switch (type->kind) {
    case API_BOOL:
        varied->values[i] = "0, 1";
        break;
    case API_INTEGER:
    case API_ELEMENT:
        break;
    case API_TEXT:
        varied->type[i] = "const char *";
        varied->values[i] = "\"a\", \"b\"";
        break;
    case API_POINTER:
        varied->passed[i] = arena_printf(emit->arena, "(void *)(intptr_t)%s", name);
        break;
    case API_RECORD_POINTER:
        if (!is_element(emit, type) || is_mere_node(emit, entry, type))
            return false;
        varied->passed[i] =
            arena_printf(emit->arena, "make_%s(%s)", element_name(emit, type), name);
        break;
    default:
        return false;
    }
    varied->at[i] = parameter;
    varied->count++;
    return true;
}

/* The local variable that an out parameter fills in, as a value. */
static const char *out_value(Emit *emit, const ApiType *type)
{
    if (type->kind == API_OUT_INTEGER || type->kind == API_OUT_ELEMENT)
        return "HD_INT(out)";
    if (type->kind == API_OUT_POINTER && type->record) {
        ApiType element = *type;
        element.kind = API_RECORD_POINTER;
        if (is_element(emit, &element))
            return arena_printf(emit->arena, "tell_%s(out)", element_name(emit, &element));
    }
    return "(out ? HD_INT((intptr_t)out) : HD_NONE)";
}

static void emit_result(Emit *emit, const OutlineFunction *entry, const char *call,
                        const char *value)
{
    const ApiType *result = &entry->function->result;
    Buffer *out = emit->out;
    switch (result->kind) {
    case API_VOID:
        buffer_printf(out, "%s; return %s;", call, value ? value : "HD_VOID");
        break;
    case API_BOOL:
        if (value)
            buffer_printf(out, "return %s ? %s : HD_NONE;", call, value);
        else
            buffer_printf(out, "return HD_BOOL(%s);", call);
        if (!value && entry->verb == VERB_PUT && emit->outline->spec)
            emit_todo(emit, "does false mean that it was full? else return HD_VOID");
        break;
    case API_INTEGER:
    case API_ENUM:
    case API_ELEMENT:
        if (value && strstr(value, "HD_INT(out)")) {
            buffer_printf(out,
                          "long long both[2] = {(long long)%s}; both[1] = (long long)out; return "
                          "HD_ARRAY(both, 2);",
                          call);
            emit_todo(emit, "which status means that there is a value?");
        } else if (value) {
            buffer_printf(out, "%s; return %s;", call, value);
            emit_todo(emit, "what it returns is ignored");
        } else {
            buffer_printf(out, "return HD_INT(%s);", call);
        }
        break;
    case API_TEXT:
        buffer_printf(out, "const char *it = %s; return it ? HD_STR(it) : HD_NONE;", call);
        break;
    case API_POINTER:
        buffer_printf(out, "const void *it = %s; return it ? HD_INT((intptr_t)it) : HD_NONE;",
                      call);
        break;
    default:
        if (is_element(emit, result)) {
            buffer_printf(out, "return tell_%s(%s);", element_name(emit, result), call);
            break;
        }
        if (result->told && !value) {
            buffer_printf(out, "return tell(%s);", call);
            break;
        }
        buffer_printf(out, "%s; return %s;", call, value ? value : "HD_VOID");
        emit_todo(emit, value ? "what it returns is ignored"
                              : "what it returns is ignored: vacuous, as long as nothing is told");
        emit->count->vacuous += !value;
    }
}

/* Results of the C++ library: a test has a function that tells what is in them. */
static void emit_telling(Emit *emit)
{
    bool any = false;
    for (size_t i = 0; i < emit->outline->functions.count; i++) {
        const OutlineFunction *entry = &emit->outline->functions.at[i];
        any |= entry->role == ROLE_OPERATION && entry->function->result.told;
    }
    if (!any)
        return;
    // clang-format off
    buffer_printf(emit->out, "%s", "\n"
"/* What results say: their numbers, in turn; of std::variant also which one it is, and inside others whether there\n"
" * is anything. A text says itself, and what is empty HD_NONE. */\n"
"#include <optional>\n#include <string>\n#include <string_view>\n#include <tuple>\n#include <type_traits>\n#include <variant>\n"
"struct Told {\n    long long numbers[HEDDLE_ITEMS] = {};\n    int count = 0;\n    const char *text = nullptr;\n"
"    void add(long long number) { if (count < HEDDLE_ITEMS) numbers[count] = number; count++; }\n};\n"
"template <class T, class = void> struct TellsParts : std::false_type {};\n"
"template <class T> struct TellsParts<T, std::void_t<decltype(std::tuple_size<T>::value)>> : std::true_type {};\n"
"template <class T, class = void> struct TellsKind : std::false_type {};\n"
"template <class T> struct TellsKind<T, std::void_t<decltype(std::variant_size<T>::value)>> : std::true_type {};\n"
"template <class T> void tell(Told &told, const T &it, bool inside)\n{\n"
"    if constexpr (std::is_same_v<T, std::monostate>) {\n"
"    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {\n        told.add((long long)it);\n"
"    } else if constexpr (std::is_convertible_v<const T &, std::string_view>) {\n"
"        told.text = strdup(std::string(std::string_view(it)).c_str());\n"
"    } else if constexpr (TellsParts<T>::value) {\n"
"        std::apply([&](const auto &...part) { (tell(told, part, true), ...); }, it);\n"
"    } else if constexpr (TellsKind<T>::value) {\n        told.add((long long)it.index());\n"
"        std::visit([&](const auto &part) { tell(told, part, true); }, it);\n"
"    } else { /* std::optional and pointers */\n        if (inside)\n            told.add(bool(it));\n"
"        if (it)\n            tell(told, *it, true);\n    }\n}\n"
"template <class T> HdValue tell(const T &it)\n{\n    Told told;\n    tell(told, it, false);\n"
"    return told.text ? HD_STR(told.text)\n           : told.count == 0 ? HD_NONE\n"
"           : told.count == 1 ? HD_INT(told.numbers[0]) : HD_ARRAY(told.numbers, told.count);\n}\n");
    // clang-format on
}

/* Declares what an out parameter needs, and returns its word in the call. */
static const char *out_word(Emit *emit, const ApiType *type, bool first)
{
    if (!first)
        return fixed_argument(emit, type);
    if (type->kind == API_OUT_ELEMENT)
        buffer_printf(emit->out, "int out = 0; ");
    else if (type->kind == API_POINTER)
        buffer_printf(emit->out, "void *out = NULL; ");
    else if (type->kind == API_OUT_POINTER)
        buffer_printf(emit->out, "%s out = NULL; ", type->pointee);
    else
        buffer_printf(emit->out, "%s out = 0; ", type->pointee);
    return type->kind == API_OUT_ELEMENT ? "out" : "&out";
}

static void emit_operation(Emit *emit, const OutlineFunction *entry)
{
    const ApiFunction *function = entry->function;
    Varied varied = {0};
    bool more = false;
    for (size_t i = 0; i < function->parameters.count; i++)
        if (!vary(emit, entry, i, &varied))
            more |= !shared_word(emit, &function->parameters.at[i].type) &&
                    !outline_is_out(entry, &function->parameters.at[i].type) &&
                    !is_mere_node(emit, entry, &function->parameters.at[i].type);
    if (!varied.count)
        buffer_printf(emit->out, "HD_OP(%s)", entry->name);
    else if (varied.count == 1)
        buffer_printf(emit->out, "HD_OP(%s, %s, v, %s)", entry->name, varied.type[0],
                      varied.values[0]);
    else
        buffer_printf(emit->out, "HD_OP2(%s, %s, v, (%s), %s, w, (%s))", entry->name,
                      varied.type[0], varied.values[0], varied.type[1], varied.values[1]);
    buffer_printf(emit->out, " { ");
    Buffer call = {0};
    const char *value = NULL;
    if (function->member)
        buffer_printf(&call, "object->");
    buffer_printf(&call, "%s(", function->name);
    for (size_t i = 0, next = 0; i < function->parameters.count; i++) {
        const ApiType *type = &function->parameters.at[i].type;
        const char *word;
        if (next < varied.count && varied.at[next] == i) {
            word = varied.passed[next++];
        } else if (shared_word(emit, type)) {
            word = shared_word(emit, type);
        } else if (outline_is_out(entry, type)) {
            word = out_word(emit, type, !value);
            value = value ? value : out_value(emit, type);
        } else {
            word = fixed_value(emit, &function->parameters.at[i]);
        }
        buffer_printf(&call, "%s%s", i ? ", " : "", word);
    }
    buffer_printf(&call, ")");
    emit_result(emit, entry, call.at, value);
    if (more)
        emit_todo(emit, "guessed: the arguments that do not vary");
    buffer_printf(emit->out, " }\n");
    vec_free(&call);
    emit->count->operations++;
}

/* A lock is right if what it protects is: a plain counter, which would race. */
static void emit_lock(Emit *emit)
{
    const OutlineFunction *lock = of_role(emit->outline, ROLE_LOCK);
    const OutlineFunction *unlock = of_role(emit->outline, ROLE_UNLOCK);
    bool guessed = false;
    if (!lock || !unlock)
        return;
    buffer_printf(emit->out, "\n/* What the lock protects is plain memory: if two were inside at "
                             "once, that would be a race. */\n"
                             "static int inside;\nHD_OP(enter)\n{\n    ");
    emit_plain_call(emit, lock, &guessed);
    buffer_printf(emit->out, ";\n    int before = inside++;\n    ");
    emit_plain_call(emit, unlock, &guessed);
    buffer_printf(emit->out, ";\n    return HD_INT(before);\n}\n");
    emit->count->operations++;
}

static void emit_left(Emit *emit)
{
    for (size_t i = 0; i < emit->outline->functions.count; i++) {
        const OutlineFunction *entry = &emit->outline->functions.at[i];
        if (entry->role != ROLE_LEFT)
            continue;
        if (!emit->count->left++)
            buffer_printf(emit->out, "\n/* Left out:\n");
        buffer_printf(emit->out, " *   %s: %s\n", entry->function->name, entry->why);
    }
    if (emit->count->left)
        buffer_printf(emit->out, " */\n");
}

static void emit_names(const Emit *emit, OutlineVerb verb)
{
    const char *between = "";
    for (size_t i = 0; i < emit->outline->functions.count; i++) {
        const OutlineFunction *function = &emit->outline->functions.at[i];
        if (function->role != ROLE_OPERATION || function->verb != verb)
            continue;
        buffer_printf(emit->out, "%s%s", between, function->name);
        between = " ";
    }
}

/* Tells what a queue for one producer and one consumer has to say, if there are operations that put
 * and operations that take. */
static void emit_roles(const Emit *emit)
{
    bool puts = false, takes = false;
    for (size_t i = 0; i < emit->outline->functions.count; i++) {
        const OutlineFunction *function = &emit->outline->functions.at[i];
        puts |= function->role == ROLE_OPERATION && function->verb == VERB_PUT;
        takes |= function->role == ROLE_OPERATION && function->verb == VERB_TAKE;
    }
    if (!puts || !takes)
        return;
    buffer_printf(emit->out, "\n/* If it is for one producer and one consumer: HD_SINGLE(\"");
    emit_names(emit, VERB_PUT);
    buffer_printf(emit->out, " | ");
    emit_names(emit, VERB_TAKE);
    buffer_printf(emit->out, "\") */\n");
}

void emit_test(Arena *arena, const Outline *outline, const Words *includes, const char *file,
               const char *command, Buffer *out, EmitCount *count)
{
    Emit emit = {arena, outline, out, count};
    *count = (EmitCount){0};
    buffer_printf(out,
                  "/* %s: the operations of %s, for `heddle check %s'. Made by `%s'; what was "
                  "guessed says TODO.\n"
                  " * An operation may be called by any thread, any number of times. What it "
                  "returns is compared with serial\n"
                  " * runs of the same calls: it must say what a caller can see, and no address. "
                  "heddle(7) tells the rest. */\n",
                  file, outline->api->class ? outline->api->class : outline->api->path, file,
                  command);
    if (!outline->api->cxx)
        buffer_printf(out, "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n");
    buffer_printf(out, "#include <heddle.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include "
                       "<string.h>\n");
    for (size_t i = 0; i < includes->count; i++)
        buffer_printf(out, "#include %s\n", includes->at[i]);
    emit_elements(&emit);
    emit_telling(&emit);
    emit_setup(&emit);
    buffer_printf(out, "\n");
    for (size_t i = 0; i < outline->functions.count; i++)
        if (outline->functions.at[i].role == ROLE_OPERATION)
            emit_operation(&emit, &outline->functions.at[i]);
    emit_lock(&emit);
    emit_roles(&emit);
    if (outline->spec)
        buffer_printf(out,
                      "\n/* Without this line, serial runs of the same code are the specification "
                      "(heddle check --help lists others). */\nHD_SPEC(\"%s\")\n",
                      outline->spec);
    emit_left(&emit);
}
