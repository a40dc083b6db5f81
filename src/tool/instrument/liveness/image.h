/* image.h: an executable as the liveness analysis sees it: bytes by address, functions,
 * names of what calls reach, exception tables. Read only; lives in the arena and until
 * image_close. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_IMAGE_H
#define HEDDLE_INSTRUMENT_LIVENESS_IMAGE_H
#include "base/arena.h"
#include "base/error.h"
#include "tool/instrument/isa/isa.h"

#define IMAGE_NO_FUNCTION UINT32_MAX
#define IMAGE_UNREADABLE UINT64_MAX

typedef struct ImageFunction {
    uint64_t address, size;
    const char *name;
    bool is_cold;      /* a part of another function, moved out of the way by the compiler */
    bool is_local;     /* no other object can call it by a name */
    uint64_t handlers; /* address of its exception table, 0, or IMAGE_UNREADABLE */
} ImageFunction;

typedef struct Image Image;

/* Fails if PATH is no executable with fixed addresses, for a machine whose code can be read. */
MUST_USE bool image_open(Arena *arena, const char *path, Image **out, Error *error);
void image_close(Image *image);
const Isa *image_isa(const Image *image);
uint64_t image_symbol(const Image *image, const char *name); /* its address, or 0 */
size_t image_function_count(const Image *image);
ImageFunction *image_functions(const Image *image); /* sorted by address */
/* The function that begins at, or contains, ADDRESS; IMAGE_NO_FUNCTION if none does. */
uint32_t image_function_at(const Image *image, uint64_t address);
uint32_t image_function_with(const Image *image, uint64_t address);
/* Bytes at ADDRESS that are fixed in the file, and how many follow; NULL if there are none. */
const uint8_t *image_bytes(const Image *image, uint64_t address, size_t *count);
/* Name of the function of another object that the stub at ADDRESS jumps to, or that the table slot
 * at ADDRESS holds; NULL if it is none. */
const char *image_stub_name(const Image *image, uint64_t address);
const char *image_slot_name(const Image *image, uint64_t address);
/* The next function of another object that there is a stub or a slot for, by name; NULL at the end.
 * *AT is 0 at first. */
const char *image_next_stub(const Image *image, size_t *at);
/* The section of that name: its bytes in the file; ADDRESS (which may be NULL) and BYTES tell where
 * it lies. NULL if there is none. */
const uint8_t *image_section(const Image *image, const char *name, uint64_t *address,
                             uint64_t *bytes);
/* A hash of the names, sizes and places of the functions of section heddle_text, where the runtime
 * lies; places count from its begin. */
uint64_t image_signature(const Image *image);
/* A number in the variable-length form of debug information; moves *P. */
uint64_t image_read_uleb(const uint8_t **p, const uint8_t *end);
/* The pointer at *P in the encoding of unwind tables, which lies at ADDRESS; moves *P. False if the
 * encoding is not understood. */
bool image_read_pointer(const uint8_t **p, const uint8_t *end, uint8_t encoding, uint64_t address,
                        uint64_t *value);
struct Elf *image_elf(const Image *image);
#endif
