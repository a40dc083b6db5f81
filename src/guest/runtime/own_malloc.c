/* own_malloc.c: malloc and free as the runtime's own code sees them (base/ uses them): pieces of
 * pages.h with a size before them, kept in lists by size class when freed. The runtime object
 * renames heddle__malloc to malloc for its own calls only. */
#include <string.h>
#include "guest/runtime/pages.h"

void *heddle__malloc(size_t bytes);
void *heddle__calloc(size_t count, size_t bytes);
void *heddle__realloc(void *address, size_t bytes);
void heddle__free(void *address);

typedef struct Piece {
    size_t class; /* log2 of its bytes */
    struct Piece *next;
} Piece;
static Piece *lists[48];

void *heddle__malloc(size_t bytes)
{
    size_t class = 5;
    while (((size_t)1 << class) < bytes)
        class ++;
    Piece *piece = lists[class];
    if (piece)
        lists[class] = piece->next;
    else
        piece = pages_alloc(sizeof(Piece) + ((size_t)1 << class));
    piece->class = class;
    return piece + 1;
}

void heddle__free(void *address)
{
    if (!address)
        return;
    Piece *piece = (Piece *)address - 1;
    piece->next = lists[piece->class];
    lists[piece->class] = piece;
}

void *heddle__calloc(size_t count, size_t bytes)
{
    void *p = heddle__malloc(count * bytes);
    return memset(p, 0, count * bytes);
}

void *heddle__realloc(void *address, size_t bytes)
{
    if (!address)
        return heddle__malloc(bytes);
    size_t room = (size_t)1 << ((Piece *)address - 1)->class;
    if (room >= bytes)
        return address;
    void *moved = heddle__malloc(bytes);
    memcpy(moved, address, room);
    heddle__free(address);
    return moved;
}
