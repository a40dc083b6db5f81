/* forge.c: makes a record that asks for what it should not get, with a valid hash.
 * usage: forge RECORD OUT [cc=NAME] [compile=WORD] [link=WORD] [file=PATH] [folder=PATH]
 *        [observations=PATH] [command=NAME] [endless=1] [model=N] [page=FILE]
 * compile= and link= add words; the others replace what is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "record/disk.h"

static void add(RecordStrings *strings, const char *word)
{
    const char **more = calloc(strings->count + 2u, sizeof *more);
    memcpy(more, strings->at, strings->count * sizeof *more);
    more[strings->count++] = word;
    strings->at = more;
}

static const char *value_of(const char *word, const char *key)
{
    size_t length = strlen(key);
    return !strncmp(word, key, length) && word[length] == '=' ? word + length + 1 : NULL;
}

int main(int argc, char **argv)
{
    Arena *arena = arena_new();
    RecordFile file;
    Error error = {0};
    if (argc < 3 || !disk_read(arena, argv[1], &file, &error)) {
        fprintf(stderr, "forge: %s\n", error.message);
        return 2;
    }
    CheckOptions *check = &file.options.check;
    for (int i = 3; i < argc; i++) {
        const char *word = argv[i], *value;
        Buffer text = {0};
        if ((value = value_of(word, "cc")))
            file.compiler = value;
        else if ((value = value_of(word, "compile")))
            add(&file.compile, value);
        else if ((value = value_of(word, "link")))
            add(&file.link, value);
        else if ((value = value_of(word, "file")))
            file.files.at[0] = value;
        else if ((value = value_of(word, "folder")))
            file.folder = value;
        else if ((value = value_of(word, "command")))
            file.command = value;
        else if ((value = value_of(word, "model")))
            file.options.model = (uint32_t)atoi(value);
        else if ((value = value_of(word, "observations")))
            snprintf(check->observations, sizeof check->observations, "%s", value);
        else if (value_of(word, "endless"))
            memset(check->scenario, 'x', sizeof check->scenario);
        else if ((value = value_of(word, "page")) && file_read(value, &text, &error))
            file.page = (RecordBytes){text.at, (uint32_t)text.count};
        else
            return 2;
    }
    if (!disk_write(argv[2], &file, &error)) {
        fprintf(stderr, "forge: %s\n", error.message);
        return 2;
    }
    return 0;
}
