#include "tool/instrument/unannounced/slots.h"
#include "tool/instrument/unannounced/overlooked.h"

Slot *slots_find(Slots *slots, int pointer, int32_t sp, const CodeMemory *memory, bool make)
{
    int64_t displacement = memory->displacement;
    if (memory->base == pointer && sp == SP_UNKNOWN)
        return NULL;
    if (memory->base == pointer)
        displacement += sp;
    for (size_t i = 0; i < slots->count; i++)
        if (slots->at[i].base == memory->base && slots->at[i].displacement == displacement)
            return &slots->at[i];
    if (!make || slots->count == SLOTS_MOST)
        return NULL;
    Slot *slot = &slots->at[slots->count++];
    *slot = (Slot){.base = memory->base, .displacement = displacement};
    return slot;
}
