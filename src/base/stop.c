#include "base/stop.h"
#include <signal.h>
#include "base/clock.h"

static volatile sig_atomic_t requested;
static double limit; /* on the monotonic clock; 0: none */

void stop_after(double seconds)
{
    limit = seconds > 0 ? clock_seconds() + seconds : 0;
}

void stop_request(void)
{
    requested = 1;
}

bool stop_wanted(void)
{
    return requested || (limit > 0 && clock_seconds() > limit);
}

const char *stop_reason(void)
{
    return requested ? "interrupted" : "the time limit was reached";
}
