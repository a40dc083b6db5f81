#include "tool/report/page/packed.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MOST_BYTES (256u << 20) /* of a document */
#define HEAD_BYTES 8            /* the length of the JSON text, little-endian */

void packed_page(Arena *arena, const json_t *document, RecordBytes *out)
{
    *out = (RecordBytes){0};
    char *text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (!text)
        die("out of memory");
    size_t length = strlen(text);
    uLongf bytes = compressBound(length);
    if (length <= MOST_BYTES) {
        unsigned char *packed = arena_array_of(arena, unsigned char, bytes + HEAD_BYTES);
        for (int i = 0; i < HEAD_BYTES; i++)
            packed[i] = (unsigned char)((uint64_t)length >> (8 * i));
        if (compress2(packed + HEAD_BYTES, &bytes, (const Bytef *)text, length, 6) == Z_OK)
            *out = (RecordBytes){packed, (uint32_t)bytes + HEAD_BYTES};
    }
    free(text);
}

json_t *packed_open(const RecordBytes *bytes, Error *error)
{
    const unsigned char *at = bytes->at;
    uint64_t length = 0;
    if (bytes->count <= HEAD_BYTES) {
        error_set(error, "the record holds no page");
        return NULL;
    }
    for (int i = 0; i < HEAD_BYTES; i++)
        length |= (uint64_t)at[i] << (8 * i);
    char *text = length <= MOST_BYTES ? malloc(length + 1) : NULL;
    uLongf got = (uLongf)length;
    json_t *document = NULL;
    if (text && uncompress((Bytef *)text, &got, at + HEAD_BYTES, bytes->count - HEAD_BYTES) == Z_OK)
        document = json_loadb(text, got, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    const char *kind = json_string_value(json_object_get(document, "kind"));
    if (kind && !strcmp(kind, "execution"))
        return document;
    json_decref(document);
    error_set(error, "the record is damaged: its page is none");
    return NULL;
}
