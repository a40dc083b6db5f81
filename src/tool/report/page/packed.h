/* packed.h: a page's document (page.h) inside a record: JSON, compressed. A record may come from
 * anybody: what is unpacked is limited in size, parsed, and written into a page as data again, so
 * that a hostile document is at worst a page that shows nonsense. */
#ifndef HEDDLE_REPORT_PAGE_PACKED_H
#define HEDDLE_REPORT_PAGE_PACKED_H
#include <jansson.h>
#include "base/arena.h"
#include "record/disk.h"

/* The bytes live in the arena. */
void packed_page(Arena *arena, const json_t *document, RecordBytes *out);
/* NULL, with *error filled, if BYTES are no document of an execution. The caller owns the result.
 */
json_t *packed_open(const RecordBytes *bytes, Error *error);
#endif
