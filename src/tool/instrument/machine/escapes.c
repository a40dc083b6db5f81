/* Own files are searched as assembly text, where the compiler marks what came from inline assembly
 * (#APP to #NO_APP) and says its line; instructions that the compiler itself makes are searched
 * too, since intrinsics (_mm_mfence, __rdtsc) leave no mark. Foreign objects are disassembled. */
#include "tool/instrument/machine/escapes.h"
#include "base/file.h"
#include "tool/instrument/machine/archives.h"
#include "tool/instrument/machine/assembly.h"
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "tool/instrument/machine/demangle.h"
#include "tool/instrument/machine/lanes.h"
#include "tool/instrument/machine/reachable.h"
#include "tool/instrument/machine/sections.h"
#include "tool/instrument/nested.h"
#include "tool/instrument/unannounced/unannounced.h"
#include "tool/instrument/isa/isa.h"

#define MOST_ESCAPES 4096 /* a program with more has one that stands for the rest */

#define MOST_FILES 512

typedef struct TextScan {
    Arena *arena;
    const Isa *isa;
    Escapes *out;
    bool clang;
    const Reachable *reachable;
    bool inside; /* between #APP and #NO_APP */
    Sections sections;
    Str outside; /* the function around what is inside */
    Str file;    /* of the place that follows */
    int64_t line;
    Str files[MOST_FILES]; /* by the numbers of .file */
    HashMap *names;        /* hashes of the names of functions that may run */
    Str locked;            /* clang prints "lock" on a line of its own */
    unsigned left;         /* bytes of the atomic load whose hook was called last, or 0 */
} TextScan;

/* The last one has no function: it counts as code that every execution runs. */
static bool is_full(Escapes *out)
{
    if (out->count == MOST_ESCAPES - 1)
        vec_push(out, ((Escape){.place = "the program", .why = "full of code that nobody sees"}));
    return out->count >= MOST_ESCAPES;
}

static void scan_report(TextScan *scan, Str instruction, const char *why)
{
    Str function = sections_now(&scan->sections)->function;
    if (!reachable_may_run(scan->reachable, function) || is_full(scan->out))
        return;
    char *copy = arena_copy(scan->arena, instruction.at, instruction.length);
    for (char *at = copy; (at = strchr(at, '\t'));)
        *at = ' ';
    Escape escape = {
        .why = why, .instruction = copy, .by_lanes = scan->isa->is_by_lanes(instruction)};
    if (function.length)
        escape.function = str_copy(scan->arena, function);
    escape.place =
        arena_printf(scan->arena, "%.*s:%lld", STR_ARG(scan->file), (long long)scan->line);
    vec_push(scan->out, escape);
}

/* `# 12 "file.c" 1`, or with another mark of comments (gcc, before an inline assembly) */
static void scan_line_mark(TextScan *scan, Str line, size_t mark)
{
    Str rest = str_trim((Str){line.at + mark, line.length - mark});
    size_t digits = 0;
    while (digits < rest.length && rest.at[digits] >= '0' && rest.at[digits] <= '9')
        digits++;
    int64_t number;
    if (!digits || !str_to_int64((Str){rest.at, digits}, &number) || number <= 0)
        return;
    rest = str_trim((Str){rest.at + digits, rest.length - digits});
    const char *end =
        rest.length > 1 && rest.at[0] == '"' ? memchr(rest.at + 1, '"', rest.length - 1) : NULL;
    if (!end)
        return;
    scan->file = (Str){rest.at + 1, (size_t)(end - rest.at - 1)};
    scan->line = number;
}

/* The next word of a directive, or the text of the next "string"; empty at the end. */
static Str scan_word(Str *rest)
{
    *rest = str_trim(*rest);
    size_t length = 0;
    bool quoted = rest->length && rest->at[0] == '"';
    if (quoted) {
        const char *end = memchr(rest->at + 1, '"', rest->length - 1);
        length = end ? (size_t)(end - rest->at) + 1 : rest->length;
    } else {
        while (length < rest->length && rest->at[length] != ' ' && rest->at[length] != '\t')
            length++;
    }
    Str word = {rest->at, length};
    rest->at += length;
    rest->length -= length;
    if (quoted && length >= 2)
        word = (Str){word.at + 1, word.length - 2};
    return word;
}

/* `.loc 1 12 3 ...` */
static void scan_location(TextScan *scan, Str line)
{
    int64_t file, number;
    scan_word(&line);
    if (!str_to_int64(scan_word(&line), &file) || !str_to_int64(scan_word(&line), &number))
        return;
    scan->line = number;
    if (file >= 0 && file < MOST_FILES && scan->files[file].length)
        scan->file = scan->files[file];
}

/* `.file 2 "folder" "name.h"`, the folder perhaps left out */
static void scan_file(TextScan *scan, Str line)
{
    int64_t number;
    scan_word(&line);
    Str first = scan_word(&line), name = scan_word(&line);
    if (!str_to_int64(first, &number) || number < 0 || number >= MOST_FILES || !name.length)
        return;
    bool folder = str_trim(line).length && str_trim(line).at[0] == '"';
    scan->files[number] = folder ? scan_word(&line) : name;
}

/* Is one of libgcc's functions named that are atomic accesses? It is called there, or its address
 * is kept for a call. In quotes it is a name in debug information. */
static bool names_outlined(const TextScan *scan, Str piece)
{
    const char *name = scan->isa->outlined;
    return name && memmem(piece.at, piece.length, name, strlen(name)) &&
           !memchr(piece.at, '"', piece.length);
}

/* The bytes of the atomic load whose hook an instruction calls, or 0. */
static unsigned hook_of_load(Str piece)
{
    static const char hook[] = "__tsan_atomic";
    const char *called = memmem(piece.at, piece.length, hook, sizeof hook - 1);
    if (!called)
        return 0;
    called += sizeof hook - 1;
    Str rest = {called, piece.length - (size_t)(called - piece.at)}, bits;
    int64_t number;
    return str_next(&rest, '_', &bits) && str_starts(rest, STR("load")) &&
                   str_to_int64(bits, &number)
               ? (unsigned)number / 8
               : 0;
}

/* clang calls the hook of an atomic load, and leaves the load behind where it is, unused. Hooks and
 * atomic accesses keep their order, and every other access has a hook of its own. */
static bool is_left_behind(TextScan *scan, Str piece)
{
    if (!scan->clang || scan->inside)
        return false;
    if (scan->left && scan->isa->left_behind(piece, scan->left)) {
        scan->left = scan->left < 16 ? 0 : scan->left; /* a loop of some instructions */
        return true;
    }
    if (str_starts(piece, STR("call")) || str_starts(piece, STR("bl")))
        scan->left = hook_of_load(piece);
    return false;
}

static void scan_instruction(TextScan *scan, Str piece)
{
    if (str_is(piece, "lock")) {
        scan->locked = piece;
        return;
    }
    bool locked = scan->locked.length > 0;
    scan->locked = (Str){0};
    if (is_left_behind(scan, piece))
        return;
    const char *why = names_outlined(scan, piece) ? "an atomic access"
                                                  : scan->isa->escape_in_text(piece, scan->inside);
    if (locked)
        scan_report(scan,
                    (Str){arena_printf(scan->arena, "lock %.*s", STR_ARG(piece)), piece.length + 5},
                    "an atomic access");
    else if (why)
        scan_report(scan, piece, why);
}

/* Bytes among code may be run. Compilers put some before an instruction (as padding of what the
 * linker changes), none of them in a section of code by themselves. */
static void scan_directive(TextScan *scan, Str piece)
{
    const Section *section = sections_now(&scan->sections);
    if (section->code && (scan->inside || section->object) && sections_is_data(piece))
        scan_report(scan, piece, "machine code given as data");
    else if (names_outlined(scan, piece))
        scan_report(scan, piece, "an atomic access");
    sections_directive(&scan->sections, piece);
}

static void scan_statement(TextScan *scan, Str piece)
{
    if (sections_labels(&scan->sections, &piece)) {
        Str function = sections_now(&scan->sections)->function;
        if (reachable_may_run(scan->reachable, function))
            hashmap_put(scan->names, hash_bytes(function.at, function.length, 0), NULL);
    }
    if (str_is(piece, ".file") || str_starts(piece, STR(".file ")) ||
        str_starts(piece, STR(".file\t")))
        scan_file(scan, piece);
    else if (str_starts(piece, STR(".loc ")) || str_starts(piece, STR(".loc\t")))
        scan_location(scan, piece);
    else if (piece.length && piece.at[0] == '.')
        scan_directive(scan, piece);
    else if (piece.length)
        scan_instruction(scan, piece);
}

static void scan_mark(TextScan *scan, bool was_inside)
{
    Section *section = sections_now(&scan->sections);
    if (scan->inside && !was_inside)
        scan->outside = section->function;
    else if (!scan->inside && was_inside)
        section->function = scan->outside;
}

static void scan_text(TextScan *scan, Str text)
{
    Str line, piece;
    while (str_next(&text, '\n', &line)) {
        Str trimmed = str_trim(line);
        bool was_inside = scan->inside;
        if (assembly_is_mark(trimmed, &scan->inside))
            scan_mark(scan, was_inside);
        else if (str_starts(trimmed, str_of(scan->isa->comment)))
            scan_line_mark(scan, trimmed, strlen(scan->isa->comment));
        else if (trimmed.length && trimmed.at[0] == '#')
            scan_line_mark(scan, trimmed, 1);
        else
            while (sections_next_statement(&trimmed, scan->isa->comment, &piece))
                scan_statement(scan, piece);
    }
}

static bool escapes_in_assembly(Arena *arena, const Build *build, const BuildInput *input,
                                const Isa *isa, HashMap *names, Escapes *out, Error *error)
{
    Buffer text = {0};
    if (!file_read(input->assembly, &text, error)) {
        vec_free(&text);
        return false;
    }
    Reachable reachable;
    reachable_find(buffer_str(&text), &reachable);
    TextScan scan = {.arena = arena,
                     .isa = isa,
                     .out = out,
                     .clang = build->compiler.clang,
                     .reachable = &reachable,
                     .names = names,
                     .file = str_of(input->path)};
    sections_begin(&scan.sections);
    scan_text(&scan, buffer_str(&text));
    sections_free(&scan.sections);
    reachable_free(&reachable);
    vec_free(&text);
    return true;
}

typedef struct CodeScan {
    Arena *arena;
    Escapes *out;
    const ObjectFile *object;
    Elf *elf;
    Elf_Data *symbols;
    size_t symbol_count, names, section;
} CodeScan;

static void code_found(void *context, uint64_t address, const char *instruction, const char *why)
{
    CodeScan *scan = context;
    if (is_full(scan->out))
        return;
    Escape escape = {.place = scan->object->name,
                     .why = why,
                     .instruction = arena_copy(scan->arena, instruction, strlen(instruction))};
    for (size_t i = 0; i < scan->symbol_count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(scan->symbols, (int)i, &symbol) || symbol.st_shndx != scan->section ||
            GELF_ST_TYPE(symbol.st_info) != STT_FUNC || address < symbol.st_value ||
            address >= symbol.st_value + symbol.st_size)
            continue;
        const char *name = elf_strptr(scan->elf, scan->names, symbol.st_name);
        escape.function = name ? arena_copy(scan->arena, name, strlen(name)) : NULL;
        escape.offset = address - symbol.st_value;
    }
    vec_push(scan->out, escape);
}

static void escapes_in_object(Arena *arena, const ObjectFile *object, Escapes *out)
{
    union {
        const void *constant;
        char *plain;
    } bytes = {object->bytes};
    Elf *elf = elf_memory(bytes.plain, object->size);
    if (!elf)
        return;
    CodeScan scan = {.arena = arena, .out = out, .object = object, .elf = elf};
    Elf_Scn *section = NULL;
    GElf_Shdr shape;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &shape) && shape.sh_type == SHT_SYMTAB && shape.sh_entsize) {
            scan.symbols = elf_getdata(section, NULL);
            scan.symbol_count = scan.symbols ? shape.sh_size / shape.sh_entsize : 0;
            scan.names = shape.sh_link;
        }
    section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &shape) || shape.sh_type != SHT_PROGBITS ||
            !(shape.sh_flags & SHF_EXECINSTR))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        scan.section = elf_ndxscn(section);
        if (data && data->d_buf)
            object->isa->escapes_in_code(data->d_buf, data->d_size, shape.sh_addr, code_found,
                                         &scan);
    }
    elf_end(elf);
}

/* Code that we did not compile is watched as a whole (foreign.h), our own is searched. */
static void escapes_in_file(Arena *arena, const ObjectFile *file, Escapes *out)
{
    if (file->left_out)
        return;
    if (!file->instrumented && file->has_code)
        vec_push(out, (Escape){.place = file->name,
                               .why = "not compiled by heddle: its memory accesses are invisible",
                               .library = file->library,
                               .whole = file});
    else
        escapes_in_object(arena, file, out);
}

static void escapes_in_libraries(Arena *arena, const Build *build, const BuildRequest *request,
                                 Escapes *out)
{
    for (size_t i = 0; i < request->link.count; i++) {
        const char *name = archives_library(&request->link, i);
        if (!name || archives_is_known_library(name))
            continue;
        bool is_archive = false;
        for (size_t k = 0; k < build->members.count; k++)
            is_archive |= !strcmp(build->members.at[k].library, name);
        if (!is_archive)
            vec_push(out, (Escape){.place = arena_printf(arena, "library %s", name),
                                   .why = "not compiled by heddle",
                                   .library = name});
    }
    for (size_t i = 0; i < build->members.count; i++)
        escapes_in_file(arena, &build->members.at[i], out);
}

bool escapes_find(Arena *arena, const Build *build, const BuildRequest *request, Escapes *out,
                  Watches *watches, Error *error)
{
    size_t object = 0;
    HashMap names = {0};
    for (size_t i = 0; i < build->inputs.count; i++) {
        const BuildInput *input = &build->inputs.at[i];
        if (input->assembly) {
            if (!escapes_in_assembly(arena, build, input, build->objects.at[object].isa, &names,
                                     out, error)) {
                hashmap_free(&names);
                return false;
            }
            if (!build->isa->foreign && nested_functions_in(input->assembly))
                vec_push(out, ((Escape){.place = input->path,
                                        .why = "with nested functions: gcc does not announce "
                                               "accesses of variables that they share"}));
            object++; /* each source made one object, in order */
            continue;
        }
        /* all members of an archive carry its name */
        size_t length = strlen(input->path);
        for (; object < build->objects.count; object++) {
            const ObjectFile *file = &build->objects.at[object];
            if (strncmp(file->name, input->path, length) != 0)
                break;
            escapes_in_file(arena, file, out);
            if (input->language == FILE_OBJECT) {
                object++;
                break;
            }
        }
    }
    escapes_in_libraries(arena, build, request, out);
    lanes_watch(build, out, watches);
    bool done =
        nested_watch(arena, build->program, out, watches, error) &&
        unannounced_find(arena, build->program, build->compiler.clang, &names, out, watches, error);
    hashmap_free(&names);
    return done;
}

const char *escapes_text(Arena *arena, const Escape *escape)
{
    if (!escape->instruction)
        return arena_printf(arena, "%s is %s", escape->place, escape->why);
    const char *where = "";
    const char *function = escape->function ? demangle(arena, escape->function) : NULL;
    if (function && escape->offset)
        where = arena_printf(arena, " in %s+0x%llx", function, (unsigned long long)escape->offset);
    else if (function)
        where = arena_printf(arena, " in %s", function);
    return arena_printf(arena, "%s: `%s'%s is %s that heddle can't see", escape->place,
                        escape->instruction, where, escape->why);
}
