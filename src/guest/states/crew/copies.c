#include "guest/states/crew/copies.h"
#include "guest/states/state.h"
#include <string.h>
#include "guest/states/crew/crew.h"
#include "guest/states/frontier.h"
#include "guest/states/shelf.h"

typedef struct Copies {
    Shelf(char *) lent;           /* by process: memory that it has not begun to use, or NULL */
    Vec(char *) rooms[CREW_JOBS]; /* in the search, by process: what is lent to it, oldest first */
    /* In the crew: */
    uint32_t self;
    char *next;  /* memory that was lent, from here on */
    size_t left; /* bytes of it */
} Copies;
static Copies copies;

/* Returns room for a copy of BYTES at most, or NULL. */
static char *lent_room(size_t bytes)
{
    if (copies.left < bytes && bytes <= FRONTIER_LENT) {
        char *more = __atomic_exchange_n(&copies.lent.at[copies.self], NULL, __ATOMIC_SEQ_CST);
        if (more) {
            copies.next = more;
            copies.left = FRONTIER_LENT;
        }
    }
    return copies.left < bytes ? NULL : copies.next;
}

/* (*COPY is filled in where it is: see crew.c about its log.) */
void copies_make(StatesCopy *copy)
{
    static StatesCopy apart; /* if there is no place where it can stay */
    size_t bytes = states_copy_bytes();
    copy->at = crew_is_member ? lent_room(bytes) : frontier_room(bytes);
    copy->capacity = bytes;
    if (LIKELY(copy->at != NULL)) {
        states_copy(copy);
    } else {
        states_copy(&apart);
        *copy = apart;
    }
}

char *copies_keep(const StatesCopy *copy)
{
    size_t bytes = (copy->count + 7) & ~(size_t)7;
    char *at = copies.next;
    if (!copies.left || at != copy->at)
        return NULL;
    frontier_expect_writes(at + bytes, bytes);
    copies.next += bytes;
    copies.left -= bytes;
    return at;
}

void copies_join(uint32_t self)
{
    copies.self = self;
    copies.left = 0;
}

void copies_begin(uint32_t jobs)
{
    shelf_clear(&copies.lent);
    for (uint32_t i = 0; i < jobs; i++)
        shelf_push(&copies.lent, NULL);
}

void copies_lend(uint32_t who)
{
    char **lent = shelf_at(&copies.lent, who);
    if (__atomic_load_n(lent, __ATOMIC_SEQ_CST))
        return;
    vec_push(&copies.rooms[who], frontier_lend());
    __atomic_store_n(lent, vec_last(&copies.rooms[who]), __ATOMIC_SEQ_CST);
}

void copies_note(uint32_t who, const char *at)
{
    size_t left = 0;
    while ((size_t)(at - copies.rooms[who].at[left]) >= FRONTIER_LENT)
        frontier_note_left(copies.rooms[who].at[left++]);
    if (LIKELY(!left))
        return;
    copies.rooms[who].count -= left;
    memmove(copies.rooms[who].at, copies.rooms[who].at + left,
            copies.rooms[who].count * sizeof *copies.rooms[who].at);
}

void copies_end(uint32_t who)
{
    for (size_t k = 0; k < copies.rooms[who].count; k++)
        frontier_note_left(copies.rooms[who].at[k]);
    copies.rooms[who].count = 0;
}
