#include "tool/answer/repair.h"

const char *repair_end_word(RepairEnd end)
{
    static const char *const words[] = {
#define X(name, word) word,
        REPAIR_ENDS(X)
#undef X
    };
    return words[end];
}
