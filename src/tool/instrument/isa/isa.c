#include "tool/instrument/isa/isa.h"
#include <elf.h>
#include "tool/instrument/isa/x86_64/x86_64.h"

const Isa *isa_of(uint16_t machine)
{
    static const Isa *const known[] = {&isa_x86_64};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i]->machine == machine)
            return known[i];
    return NULL;
}

const Isa *isa_own(void)
{
#if defined __x86_64__
    return isa_of(EM_X86_64);
#else
    return isa_of(EM_AARCH64);
#endif
}
