#include "tool/answer/answer.h"

int answer_exit_status(const Answer *answer)
{
    if (answer->internal)
        return 4;
    if (answer->verdict == VERDICT_VIOLATED && answer->known)
        return 0;
    static const int statuses[] = {
        [VERDICT_HOLDS] = 0, [VERDICT_VIOLATED] = 1, [VERDICT_INCONCLUSIVE] = 3};
    return statuses[answer->verdict];
}
