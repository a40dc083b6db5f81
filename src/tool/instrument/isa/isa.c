#include "tool/instrument/isa/isa.h"
#include <elf.h>
#include "tool/instrument/isa/aarch64/aarch64.h"
#include "tool/instrument/isa/x86_64/x86_64.h"

const Isa *isa_of(uint16_t machine)
{
    static const Isa *const known[] = {&isa_x86_64, &isa_aarch64};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i]->machine == machine)
            return known[i];
    return NULL;
}
