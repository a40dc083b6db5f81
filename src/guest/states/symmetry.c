#include "guest/states/symmetry.h"
#include <string.h>
#include "guest/explore/ops.h"
#include "guest/states/buffers.h"
#include "guest/states/state.h"

typedef struct Turns {
    uint32_t threads, count;
    uint8_t slot[SYMMETRY_TURNS][SYMMETRY_THREADS + 1]; /* by turn and thread */
    uint8_t inverse[SYMMETRY_TURNS];
    uint8_t then[SYMMETRY_TURNS][SYMMETRY_TURNS];
} Turns;
static Turns turns;
bool symmetry_used;
uint8_t symmetry_turn;

/* Lists all turns of which the first DONE slots are given by NEXT, in lexicographic order. */
static void list_turns(uint8_t *next, uint32_t done, uint32_t taken)
{
    if (done == turns.threads) {
        memcpy(turns.slot[turns.count++], next, SYMMETRY_THREADS + 1);
        return;
    }
    for (uint32_t slot = 1; slot <= turns.threads; slot++)
        if (!(taken >> slot & 1)) {
            next[done + 1] = (uint8_t)slot;
            list_turns(next, done + 1, taken | 1u << slot);
        }
}

uint8_t turn_number(const uint8_t *slot_of)
{
    uint32_t number = 0;
    for (uint32_t t = 1; t < turns.threads; t++) {
        uint32_t smaller = 0;
        for (uint32_t u = t + 1; u <= turns.threads; u++)
            smaller += slot_of[u] < slot_of[t];
        number = (number + smaller) * (turns.threads - t);
    }
    return (uint8_t)number;
}

uint8_t turn_of_order(const uint8_t *order)
{
    return turns.inverse[turn_number(order)];
}

uint32_t turn_count(void)
{
    return turns.count;
}

void symmetry_begin(uint32_t threads)
{
    ASSERT(threads <= SYMMETRY_THREADS);
    uint8_t next[SYMMETRY_THREADS + 1] = {0};
    symmetry_used = true;
    symmetry_turn = 0;
    turns.threads = threads;
    turns.count = 0;
    list_turns(next, 0, 0);
    for (uint32_t a = 0; a < turns.count; a++) {
        for (uint32_t t = 1; t <= threads; t++)
            next[turns.slot[a][t]] = (uint8_t)t;
        turns.inverse[a] = turn_number(next);
        for (uint32_t b = 0; b < turns.count; b++) {
            for (uint32_t t = 1; t <= threads; t++)
                next[t] = turns.slot[b][turns.slot[a][t]];
            turns.then[a][b] = turn_number(next);
        }
    }
}

void symmetry_refuse(void)
{
    symmetry_used = false;
    symmetry_turn = 0;
    op_begin_again();
}

uint32_t turn_slot(uint8_t turn, uint32_t thread)
{
    return turn ? turns.slot[turn][thread] : thread;
}

uint8_t turn_inverse(uint8_t turn)
{
    return turn ? turns.inverse[turn] : 0;
}

uint8_t turn_then(uint8_t first, uint8_t second)
{
    return first ? second ? turns.then[first][second] : first : second;
}

uint32_t turn_bits(uint8_t turn, uint32_t threads)
{
    uint32_t slots = 0;
    if (!turn)
        return threads;
    for (uint32_t t = 1; t <= turns.threads; t++)
        slots |= (threads >> t & 1) << turns.slot[turn][t];
    return slots;
}

bool symmetry_has_idle_double(uint32_t thread)
{
    uint32_t idle = 0; /* before it, and it, with nothing that tells them apart */
    for (uint32_t t = 1; t <= thread && !buffers_used; t++)
        if (states_thread[t].call == STATES_IDLE && !states_prints[t].count)
            idle |= 1u << t;
    return idle >> thread && (idle & (idle - 1));
}
