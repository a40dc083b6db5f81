#include "tool/instrument/unannounced/look.h"
#include <string.h>

static void flow(Look *look, uint32_t to, const State *state)
{
    State *there = &look->states[to];
    State joined = *there;
    for (int r = 0; r < REG_COUNT; r++)
        joined.reg[r] |= state->reg[r];
    joined.last |= state->last;
    joined.loaded = MAX(there->loaded, state->loaded);
    joined.rooms = !there->last ? state->rooms : rooms_join(there->rooms, state->rooms);
    joined.sp = !there->last || there->sp == state->sp ? state->sp : SP_UNKNOWN;
    if (!there->last)
        joined.call = state->call;
    else if (there->call != state->call)
        joined.call = MIN(there->call, state->call); /* any one will do */
    /* joined began as a copy, padding included.
     * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    if (memcmp(there, &joined, sizeof joined)) {
        *there = joined;
        look->again = true;
    }
}

void look_step(Look *look, uint32_t i)
{
    const Code *code = &look->function->code.at[i];
    State state = look->states[i];
    if (!state.last)
        return;
    look_perform(look, &state, code, i);
    bool goes_on =
        code->flow == FLOW_NEXT || code->flow == FLOW_BRANCH || code->flow == FLOW_BRANCH_TAIL;
    if (goes_on && i + 1 < look->function->code.count)
        flow(look, i + 1, &state);
    if ((code->flow == FLOW_BRANCH || code->flow == FLOW_JUMP) && code->target != CODE_NOWHERE)
        flow(look, code->target, &state);
    if (code->flow == FLOW_TABLE)
        for (size_t l = 0; l < look->function->labels.count; l++)
            flow(look, look->function->labels.at[l], &state);
    if (code->kind == CODE_CALL && code->landing != CODE_NOWHERE)
        flow(look, code->landing, &state);
}

/* Control comes to instruction TO with STATE, of which only the registers are filled in. */
static void enter(Look *look, uint32_t to, State *state)
{
    state->reg[look->function->isa->stack_pointer] = TO_STACK;
    state->last = LAST_OTHER;
    state->call = state->rooms.read_hook = state->rooms.write_hook = CODE_NOWHERE;
    state->sp = to ? SP_UNKNOWN : 0;
    flow(look, to, state);
}

/* Control comes to an instruction by a way that is not known: by the address of a label, or an
 * exception. Registers that calls preserve may hold there what they hold at any call. */
static void reach(Look *look, uint32_t to)
{
    State state;
    memset(&state, 0, sizeof state);
    for (size_t i = 0; i < look->function->code.count; i++)
        for (int r = 0; r < REG_COUNT; r++)
            if (look->states[i].last && look->function->code.at[i].kind == CODE_CALL)
                state.reg[r] |= look->states[i].reg[r];
    for (int r = 0; r < REG_COUNT; r++)
        if (!(look->function->isa->callee_saved >> r & 1) || !state.reg[r])
            state.reg[r] = TO_OTHER;
    enter(look, to, &state);
}

void look_follow(Look *look, uint8_t first_argument)
{
    State entry;
    memset(&entry, 0, sizeof entry);
    memset(entry.reg, TO_OTHER, sizeof entry.reg);
    const Isa *isa = look->function->isa;
    entry.reg[first_argument == TO_RESULT ? isa->result_place : isa->arguments[0]] = first_argument;
    enter(look, 0, &entry);
    for (uint32_t next = 0, count = (uint32_t)look->function->code.count; next < count;) {
        do {
            look->again = false;
            for (uint32_t i = 0; i < count; i++)
                look_step(look, i);
        } while (look->again);
        while (next < count &&
               (look->states[next].last || look->function->code.at[next].kind == CODE_NOTHING))
            next++;
        if (next < count)
            reach(look, next);
    }
}
