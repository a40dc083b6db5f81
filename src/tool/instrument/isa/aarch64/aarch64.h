/* aarch64.h: AArch64 (isa.h), as far as it goes: machine code is not read yet, so every program for
 * it is an escape, and no answer about one is `holds'. */
#ifndef HEDDLE_INSTRUMENT_ISA_AARCH64_AARCH64_H
#define HEDDLE_INSTRUMENT_ISA_AARCH64_AARCH64_H
#include "tool/instrument/isa/isa.h"

extern const Isa isa_aarch64;
#endif
