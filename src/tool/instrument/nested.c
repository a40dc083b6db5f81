#include "tool/instrument/nested.h"
#include <capstone/capstone.h>
#include <ctype.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "tool/instrument/machine/assembly.h"
#include "tool/instrument/machine/foreign.h"
#include "tool/instrument/unannounced/signature.h"
#include "tool/instrument/isa/isa.h"

#define SECTION                                                                                    \
    ".heddle.unannounced" /* not loaded: of each instruction, its address and whether it is        \
                             volatile */

enum { FRAME_POINTER, SILENT_MEMBER, VOLATILE_MEMBER, SILENT_FUNCTION }; /* kinds of names */

typedef struct Marker {
    HashMap names;  /* (kind, function, name) */
    HashMap hooked; /* members whose address was computed just before, for a hook */
    uint64_t function;
    unsigned labels;
} Marker;

static const char *dump_name(Arena *arena, const char *assembly, const char *pass)
{
    return arena_printf(arena, "%s.%s", assembly, pass);
}

void nested_flags(Arena *arena, const char *assembly, Words *out)
{
    static const char *const passes[][2] = {
        {"tsan", "hooks"}, {"tsan0", "hooks"}, {"optimized", "last"}};
    vec_push(out, "-fverbose-asm");
    for (size_t i = 0; i < COUNT_OF(passes); i++)
        vec_push(out, arena_printf(arena, "-fdump-tree-%s=%s", passes[i][0],
                                   dump_name(arena, assembly, passes[i][1])));
}

static bool take_digits(Str *text)
{
    size_t count = 0;
    while (count < text->length && isdigit((unsigned char)text->at[count]))
        count++;
    *text = (Str){text->at + count, text->length - count};
    return count > 0;
}

/* A nested function is called NAME.NUMBER, and variants of it have more behind that; other names
 * with a dot have a word behind it. */
bool nested_functions_in(const char *assembly)
{
    Buffer text = {0};
    Error ignored;
    bool found = false;
    if (file_read(assembly, &text, &ignored)) {
        Str rest = buffer_str(&text), line;
        while (!found && str_next(&rest, '\n', &line)) {
            if (!str_starts(line, STR("\t.type\t")) ||
                !(str_ends(line, STR(", @function")) || str_ends(line, STR(", %function"))))
                continue;
            Str name = {line.at, line.length - strlen(", @function")}, number;
            str_next(&name, '.', &number); /* the directive's own dot */
            str_next(&name, '.', &number);
            found = str_next(&name, '.', &number) && take_digits(&number) && !number.length;
        }
    }
    vec_free(&text);
    return found;
}

/* ---- names ---- */

static uint64_t key_of(const Marker *marker, unsigned kind, Str name)
{
    return hash_combine(hash_combine(marker->function, kind),
                        hash_bytes(name.at, name.length, kind));
}

static void note(Marker *marker, unsigned kind, Str name)
{
    bool absent;
    hashmap_put(&marker->names, key_of(marker, kind, name), &absent);
}

static bool is_noted(const Marker *marker, unsigned kind, Str name)
{
    return hashmap_find(&marker->names, key_of(marker, kind, name)) != NULL;
}

static bool is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$';
}

static bool take(Str *text, const char *word)
{
    if (!str_starts(*text, str_of(word)))
        return false;
    *text = (Str){text->at + strlen(word), text->length - strlen(word)};
    return true;
}

/* Takes the name of a variable or of a version of it, x.1_2(D), off the text. */
static Str take_name(Str *text)
{
    size_t count = 0;
    while (count < text->length &&
           (is_word_byte(text->at[count]) || (text->at[count] == '.' && count + 1 < text->length &&
                                              isdigit((unsigned char)text->at[count + 1]))))
        count++;
    Str name = {text->at, count};
    *text = (Str){text->at + count, text->length - count};
    take(text, "(D)");
    return name;
}

/* Is NAME a frame, or does it point to one? */
static bool is_frame(const Marker *marker, Str name)
{
    Str rest = name;
    if ((take(&rest, "FRAME.") || take(&rest, "CHAIN.")) && take_digits(&rest))
        return !rest.length || rest.at[0] == '_';
    return is_noted(marker, FRAME_POINTER, name);
}

typedef struct Mention { /* of a frame in a text */
    Str member;          /* empty: the frame as a whole, or in a way that is not known */
    Str whole;           /* the expression */
    bool address;        /* its address is meant */
} Mention;

/* Takes the rest of an expression, [k_25(D)].next, off the text. */
static void take_rest(Str *text)
{
    for (;;) {
        if (text->length && text->at[0] == '[') {
            const char *end = memchr(text->at, ']', text->length);
            if (!end)
                return;
            *text = (Str){end + 1, text->length - (size_t)(end + 1 - text->at)};
        } else if (text->length > 1 && text->at[0] == '.' && is_word_byte(text->at[1])) {
            take(text, ".");
            take_name(text);
        } else {
            return;
        }
    }
}

/* The next mention of a frame in *TEXT, which is cut off behind it. */
static bool next_mention(const Marker *marker, Str *text, Mention *out)
{
    const char *start = text->at;
    while (text->length) {
        if (!is_word_byte(text->at[0])) {
            take(text, (char[]){text->at[0], 0});
            continue;
        }
        *out = (Mention){.whole = *text, .address = text->at > start && text->at[-1] == '&'};
        Str name = take_name(text);
        if (!name.length || !is_frame(marker, name)) {
            if (!name.length)
                *text = (Str){text->at + 1, text->length - 1};
            continue;
        }
        Str before = *text;
        if (take(text, "->") || take(text, ".")) {
            size_t count = 0;
            while (count < text->length && is_word_byte(text->at[count]))
                count++;
            out->member = (Str){text->at, count};
            *text = (Str){text->at + count, text->length - count};
            take_rest(text);
        } else {
            *text = before;
        }
        out->whole.length = (size_t)(text->at - out->whole.at);
        return true;
    }
    return false;
}

/* ---- dumps ---- */

/* ";; Function child (child.0, funcdef_no=2, ..." */
static bool begin_function(Marker *marker, Str line)
{
    if (!take(&line, ";; Function "))
        return false;
    const char *open = memchr(line.at, '(', line.length);
    Str name = open ? (Str){open + 1, line.length - (size_t)(open + 1 - line.at)} : line, first;
    if (str_next(&name, ',', &first))
        marker->function = hash_bytes(first.at, first.length, 0);
    return true;
}

/* "struct FRAME.go * _5;" */
static void note_pointer(Marker *marker, Str line)
{
    if (!take(&line, "struct FRAME.") || !str_ends(line, STR(";")))
        return;
    const char *star = memchr(line.at, '*', line.length);
    if (star) {
        Str name = str_trim((Str){star + 1, (size_t)(line.at + line.length - 1 - (star + 1))});
        note(marker, FRAME_POINTER, name);
    }
}

static bool is_compilers_own(Str member)
{
    return str_is(member, "__chain") || str_is(member, "FRAME_BASE");
}

/* Notes the members that a statement accesses with no hook before it. */
static void note_accesses(Marker *marker, Str line)
{
    Mention mention;
    Str rest = line;
    bool only_addresses = true;
    bool hook = memmem(line.at, line.length, "__tsan_", 7) != NULL, absent;
    while (next_mention(marker, &rest, &mention)) {
        uint64_t key = hash_bytes(mention.whole.at, mention.whole.length, 0);
        if (mention.address) {
            hashmap_put(&marker->hooked, key, &absent);
            continue;
        }
        if (!mention.member.length)
            continue;
        only_addresses = false;
        if (is_compilers_own(mention.member) || hashmap_find(&marker->hooked, key))
            continue;
        note(marker, SILENT_MEMBER, mention.member);
        if (memmem(line.at, line.length, "={v}", 4))
            note(marker, VOLATILE_MEMBER, mention.member);
        note(marker, SILENT_FUNCTION, STR(""));
    }
    bool address = only_addresses && memmem(line.at, line.length, " = &", 4) != NULL;
    if (!hook && !address)
        hashmap_clear(&marker->hooked);
}

static bool read_dump(Marker *marker, const char *path, bool hooks, Error *error)
{
    Buffer text = {0};
    if (!file_read(path, &text, error)) {
        vec_free(&text);
        return false;
    }
    Str rest = buffer_str(&text), line;
    while (str_next(&rest, '\n', &line)) {
        line = str_trim(line);
        if (begin_function(marker, line))
            continue;
        note_pointer(marker, line);
        bool declares = memmem(line.at, line.length, "[value-expr", 11) != NULL;
        if (hooks && !declares && str_ends(line, STR(";")))
            note_accesses(marker, line);
    }
    vec_free(&text);
    return true;
}

/* ---- assembly text ---- */

static bool is_string_instruction(Str code)
{
    bool operands = memchr(code.at, '%', code.length) != NULL; /* movsbl %al, %eax */
    return !operands && (str_starts(code, STR("rep")) || str_starts(code, STR("movs")) ||
                         str_starts(code, STR("stos")));
}

/* Cuts the COMMENT down to the name of the operand in memory, the last or the first one of CODE:
 * registers are named after what they hold. */
static Str memory_name(Str code, Str comment)
{
    bool last = code.at[code.length - 1] == ')';
    size_t from = 0, end = comment.length;
    for (size_t i = 0, depth = 0; i < comment.length; i++) {
        char byte = comment.at[i];
        depth += byte == '(' || byte == '[' || byte == '<';
        depth -= depth && (byte == ')' || byte == ']' || (byte == '>' && comment.at[i - 1] != '-'));
        if (byte != ',' || depth)
            continue;
        if (!last) {
            end = i;
            break;
        }
        from = i + 1;
    }
    return (Str){comment.at + from, end - from};
}

/* Is a member that is not announced mentioned in TEXT, and is it volatile? *ANY: a frame is
 * mentioned. */
static bool mentions_silent(const Marker *marker, Str text, bool *any, bool *is_volatile)
{
    Mention mention;
    bool unknown = memmem(text.at, text.length, "MEM", 3) != NULL;
    while (next_mention(marker, &text, &mention)) {
        *any |= mention.member.length || unknown;
        if (mention.member.length ? is_noted(marker, SILENT_MEMBER, mention.member) : unknown) {
            if (is_noted(marker, VOLATILE_MEMBER, mention.member))
                *is_volatile = true;
            return true;
        }
    }
    return false;
}

/* Does the instruction CODE access a member that is not announced, by its COMMENT? Is it
 * volatile? */
static bool is_silent(const Marker *marker, Str code, Str comment, bool *is_volatile)
{
    if (!is_noted(marker, SILENT_FUNCTION, STR("")) || str_starts(code, STR("lea")))
        return false;
    if (!memchr(code.at, '(', code.length))
        return is_string_instruction(code);
    bool any = false;
    return mentions_silent(marker, memory_name(code, comment), &any, is_volatile) ||
           (!any && mentions_silent(marker, comment, &any, is_volatile));
}

/* "name:" begins a function; what gcc moved away from it is called name.cold. */
static void see_label(Marker *marker, Str line)
{
    if (!line.length || line.at[line.length - 1] != ':' || line.at[0] == '.')
        return;
    line.length--;
    if (str_ends(line, STR(".cold")))
        line.length -= strlen(".cold");
    marker->function = hash_bytes(line.at, line.length, 0);
}

static void mark_line(Marker *marker, Str line, bool assembly, Buffer *out)
{
    static const char sign[] = "\t#";
    const char *comment = NULL;
    for (const char *at = line.at, *end = line.at + line.length;
         (at = memmem(at, (size_t)(end - at), sign, 2)); at++)
        if (!comment || assembly) /* a template may have comments of its own: the last is gcc's */
            comment = at;
    Str code = str_trim((Str){line.at, comment ? (size_t)(comment - line.at) : line.length});
    if (!assembly && code.length && code.at[0] != '.') {
        see_label(marker, code);
        Str words =
            comment ? (Str){comment + 2, line.length - (size_t)(comment + 2 - line.at)} : (Str){0};
        bool is_volatile = false;
        if (is_silent(marker, code, words, &is_volatile))
            buffer_printf(out,
                          ".Lheddle_silent%u:\n\t.pushsection %s,\"\",@progbits\n"
                          "\t.quad .Lheddle_silent%u, %u\n\t.popsection\n",
                          marker->labels, SECTION, marker->labels, is_volatile);
        marker->labels++;
    }
    bool directive = code.length && code.at[0] == '.';
    if (directive || !comment)
        buffer_printf(out, "%.*s\n", STR_ARG(line));
    else
        buffer_printf(out, "\t%.*s\n", STR_ARG(code));
}

static void mark_text(Marker *marker, Str text, Buffer *out)
{
    bool assembly = false;
    Str line;
    while (str_next(&text, '\n', &line)) {
        if (!line.length && !text.length)
            break; /* behind the last line */
        if (assembly_is_mark(line, &assembly) || (assembly && line.at[0] == '#'))
            buffer_printf(out, "%.*s\n", STR_ARG(line));
        else if (!line.length || line.at[0] != '#') /* not a line of the source, as a comment */
            mark_line(marker, line, assembly, out);
    }
}

bool nested_mark(Arena *arena, const char *assembly, Error *error)
{
    Marker marker = {0};
    Buffer text = {0}, marked = {0};
    bool fine = read_dump(&marker, dump_name(arena, assembly, "hooks"), true, error) &&
                read_dump(&marker, dump_name(arena, assembly, "last"), false, error) &&
                file_read(assembly, &text, error);
    if (fine) {
        FileWriter writer;
        mark_text(&marker, buffer_str(&text), &marked);
        file_begin(&writer, assembly);
        fwrite(marked.at, 1, marked.count, writer.stream);
        fine = file_commit(&writer, error);
    }
    vec_free(&text);
    vec_free(&marked);
    hashmap_free(&marker.names);
    hashmap_free(&marker.hooked);
    return fine;
}

/* ---- the program ---- */

/* Returns the bytes of the program's code from ADDRESS on, or NULL. */
static const uint8_t *code_at(Elf *elf, uint64_t address, size_t *count)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
            address - header.sh_addr >= header.sh_size || !(data = elf_getdata(section, NULL)) ||
            !data->d_buf)
            continue;
        *count = data->d_size - (size_t)(address - header.sh_addr);
        return (const uint8_t *)data->d_buf + (address - header.sh_addr);
    }
    return NULL;
}

/* The addresses that were kept, or NULL. */
static Elf_Data *marked_in(Elf *elf)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && !strcmp(name, SECTION))
            return elf_getdata(section, NULL);
    }
    return NULL;
}

static void watch_marked(Arena *arena, const Isa *isa, Elf *elf, Elf_Data *marked, Escapes *out,
                         Watches *watches)
{
    csh handle;
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    isa->open(&handle);
    cs_insn *in = cs_malloc(handle);
    for (size_t i = 0; i + 16 <= marked->d_size; i += 16) {
        uint64_t entry[2], next;
        size_t count = 0;
        memcpy(entry, (const char *)marked->d_buf + i, sizeof entry);
        uint64_t address = entry[0];
        const uint8_t *code = address ? code_at(elf, address, &count) : NULL;
        if (!code)
            continue; /* the linker left the function out */
        next = address;
        const uint8_t *start = code;
        size_t before = watches->count;
        bool read = cs_disasm_iter(handle, &code, &count, &next, in);
        if (read &&
            !foreign_watch_code(arena, isa, handle, elf, start, address, in->size, watches)) {
            for (size_t k = before; k < watches->count; k++) {
                watches->at[k].foreign = 0;
                watches->at[k].is_volatile = entry[1] != 0;
            }
            continue;
        }
        const char *place = signature_place(arena, dwarf, address);
        vec_push(out, ((Escape){.place = place ? place : "a nested function",
                                .instruction =
                                    read ? arena_printf(arena, "%s %s", in->mnemonic, in->op_str)
                                         : "an instruction",
                                .why = "an access of a variable of a function with nested ones",
                                .address = address}));
    }
    cs_free(in, 1);
    cs_close(&handle);
    if (dwarf)
        dwarf_end(dwarf);
}

bool nested_watch(Arena *arena, const char *program, Escapes *out, Watches *watches, Error *error)
{
    int fd = file_open(program, NULL);
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    Elf_Data *marked = elf ? marked_in(elf) : NULL;
    GElf_Ehdr header;
    const Isa *isa = marked && gelf_getehdr(elf, &header) ? isa_of(header.e_machine) : NULL;
    if (isa && isa->foreign)
        watch_marked(arena, isa, elf, marked, out, watches);
    bool fine = elf || error_set(error, "%s can't be read", program);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return fine;
}
