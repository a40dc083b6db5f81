#include "tool/cli/scale/sharing.h"

int sharing_victim(const SharingParty *parties, int count, int idle, double now)
{
    int victim = -1;
    for (int p = 0; p < count; p++) {
        const SharingParty *party = &parties[p];
        if (party->asked > 0 && now - party->asked < SHARING_PATIENCE_SECONDS) {
            if (--idle <= 0)
                return -1;
        } else if (party->busy && now - party->since >= SHARING_KEEP_SECONDS &&
                   (victim < 0 || party->since < parties[victim].since)) {
            victim = p;
        }
    }
    return idle > 0 ? victim : -1;
}

double sharing_tick(double quiet)
{
    double tick = quiet / SHARING_TICK_SHARE;
    if (tick < SHARING_TICK_SECONDS)
        return SHARING_TICK_SECONDS;
    return tick < SHARING_MOST_SECONDS ? tick : SHARING_MOST_SECONDS;
}
