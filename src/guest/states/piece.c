#include "guest/states/piece.h"
#include <string.h>
#include "base/hash.h"
#include "base/vec.h"
#include "guest/states/shelf.h"

typedef struct Piece {
    char *at;
    uint32_t count;
} Piece;
static Vec(Piece) pieces;
static HashMap by_content;
static uint64_t bytes_used;

static const char *add_piece(const char *bytes, uint32_t count)
{
    DEBUG_ASSERT(count);
    char *at = memcpy(shelf_take_bytes(count), bytes, count);
    vec_push(&pieces, (Piece){at, count});
    bytes_used += count + 16;
    return at;
}

const char *piece_keep(const char *bytes, uint32_t count)
{
    for (uint64_t hash = hash_bytes(bytes, count, 5);; hash++) {
        bool absent;
        uint64_t *at = hashmap_put(&by_content, hash, &absent);
        if (absent) {
            *at = pieces.count;
            return add_piece(bytes, count);
        }
        const Piece *piece = &pieces.at[*at];
        if (piece->count == count && !memcmp(piece->at, bytes, count))
            return piece->at;
    }
}

void piece_begin(void)
{
    pieces.count = 0;
    hashmap_clear(&by_content);
    bytes_used = 0;
}

uint64_t piece_bytes(void)
{
    return bytes_used + by_content.capacity * 17 + pieces.capacity * sizeof *pieces.at;
}
