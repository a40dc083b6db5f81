#include "tool/instrument/wrapper/note.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"

/* A note is a list of strings, each with its 0: the mark, folder, source, language, the number of
 * words, the words. */
#define NOTE_MARK "heddle note 1"
#define MOST_WORDS 100000

static void write_string(Buffer *out, const char *text)
{
    buffer_append(out, text, strlen(text) + 1);
}

void note_write(Buffer *out, const Note *note)
{
    char count[32];
    snprintf(count, sizeof count, "%zu", note->words.count);
    write_string(out, NOTE_MARK);
    write_string(out, note->folder);
    write_string(out, note->source);
    write_string(out, note->language == FILE_CXX ? "c++" : "c");
    write_string(out, count);
    for (size_t i = 0; i < note->words.count; i++)
        write_string(out, note->words.at[i]);
}

/* Cuts a string off *REST; NULL if no 0 ends it. */
static const char *next_string(Str *rest)
{
    const char *start = rest->at, *end = rest->length ? memchr(start, 0, rest->length) : NULL;
    if (!end)
        return NULL;
    rest->at = end + 1;
    rest->length -= (size_t)(end + 1 - start);
    return start;
}

static bool parse_one(Str *rest, Note *note)
{
    const char *mark = next_string(rest), *language, *count, *word;
    int64_t words;
    if (!mark || strcmp(mark, NOTE_MARK) || !(note->folder = next_string(rest)) ||
        !(note->source = next_string(rest)) || !(language = next_string(rest)) ||
        !(count = next_string(rest)) || !str_to_int64(str_of(count), &words) || words < 1 ||
        words > MOST_WORDS || note->folder[0] != '/')
        return false;
    if (strcmp(language, "c") && strcmp(language, "c++"))
        return false;
    note->language = strcmp(language, "c") ? FILE_CXX : FILE_C;
    for (int64_t i = 0; i < words; i++) {
        if (!(word = next_string(rest)))
            return false;
        vec_push(&note->words, word);
    }
    return true;
}

bool note_parse(Arena *arena, const char *label, Str bytes, Notes *out, Error *error)
{
    Str rest = {arena_copy(arena, bytes.at, bytes.length), bytes.length};
    while (rest.length) {
        Note note = {0};
        if (!parse_one(&rest, &note)) {
            vec_free(&note.words);
            return error_set(error, "%s: the note of `heddle cc' is damaged", label);
        }
        vec_push(out, note);
    }
    return true;
}

static bool read_sections(Arena *arena, Elf *elf, NotedFile *file, Error *error)
{
    GElf_Ehdr header;
    size_t names;
    if (!gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &names) != 0)
        return error_set(error, "%s is a damaged object file", file->name);
    file->executable = header.e_type == ET_EXEC || header.e_type == ET_DYN;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr shape;
        const char *name =
            gelf_getshdr(section, &shape) ? elf_strptr(elf, names, shape.sh_name) : NULL;
        Notes *notes = !name                          ? NULL
                       : !strcmp(name, NOTE_COMPILED) ? &file->compiled
                       : !strcmp(name, NOTE_LINKED)   ? &file->linked
                                                      : NULL;
        if (!notes || shape.sh_type != SHT_PROGBITS)
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (!data || !data->d_buf)
            return error_set(error, "%s: the note of `heddle cc' is damaged", file->name);
        if (!note_parse(arena, file->name, (Str){data->d_buf, data->d_size}, notes, error))
            return false;
    }
    return true;
}

static bool read_members(Arena *arena, const char *path, int fd, Elf *archive, NotedFiles *out,
                         Error *error)
{
    Elf *member;
    Elf_Cmd command = ELF_C_READ;
    bool fine = true;
    while (fine && (member = elf_begin(fd, command, archive))) {
        Elf_Arhdr *header = elf_getarhdr(member);
        if (header && header->ar_name && header->ar_name[0] != '/' &&
            elf_kind(member) == ELF_K_ELF) {
            NotedFile file = {.name = arena_printf(arena, "%s(%s)", path, header->ar_name)};
            fine = read_sections(arena, member, &file, error);
            vec_push(out, file);
        }
        command = elf_next(member);
        elf_end(member);
    }
    return fine;
}

bool note_read_file(Arena *arena, const char *path, NotedFiles *out, bool *is_elf, Error *error)
{
    *is_elf = false;
    elf_version(EV_CURRENT);
    int fd = file_open(path, error);
    if (fd < 0)
        return false;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool fine = true;
    if (elf && elf_kind(elf) == ELF_K_AR) {
        *is_elf = true;
        fine = read_members(arena, path, fd, elf, out, error);
    } else if (elf && elf_kind(elf) == ELF_K_ELF) {
        NotedFile file = {.name = arena_printf(arena, "%s", path)};
        *is_elf = true;
        fine = read_sections(arena, elf, &file, error);
        vec_push(out, file);
    }
    elf_end(elf);
    close(fd);
    return fine;
}

static void free_notes(Notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        vec_free(&notes->at[i].words);
    vec_free(notes);
}

void note_free_files(NotedFiles *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free_notes(&files->at[i].compiled);
        free_notes(&files->at[i].linked);
    }
    vec_free(files);
}
