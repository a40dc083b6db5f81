/* file.h: the files of shared libraries: where the loader finds them, and what is in them. */
#ifndef HEDDLE_INSTRUMENT_SHARED_FILE_H
#define HEDDLE_INSTRUMENT_SHARED_FILE_H
#include <gelf.h>
#include "base/arena.h"

typedef struct LibraryFile {
    Elf *elf;
    int fd;
} LibraryFile;

bool library_file_open(const char *path, LibraryFile *out);
void library_file_close(LibraryFile *file);
/* Returns the file that -lLIBRARY means to PROGRAM, or NULL: it looks in the folders of the
 * environment, then those that the program names, then the system's. If the loader takes another
 * file after all, the runtime notices (guest/entry/shared.h). */
const char *library_file_path(Arena *arena, Elf *program, const char *library);
/* Does the library define FUNCTION for others? */
bool library_file_defines(const LibraryFile *file, const char *function);
#endif
