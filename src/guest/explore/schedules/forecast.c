#include "guest/explore/schedules/forecast.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/frames.h"

#define MOST_PROBES 20000
#define BATCHES 7
#define TRY_COST 1 /* of an alternative that is looked at, in requests */

static Random draw;
static double weight; /* of the present probe */

static uint32_t draw_alternative(uint32_t count)
{
    weight *= count;
    return 1 + (uint32_t)random_below(&draw, count);
}

Forecast forecast_make(uint64_t requests)
{
    static double sum, squares, batch[BATCHES]; /* static: they outlive a jump */
    static uint64_t probes;
    uint64_t begun = request_count, tried = frame_draws.tried;
    sum = squares = 0;
    memset(batch, 0, sizeof batch);
    probes = 0;
    draw.state = hash_mix(options.seed + 2);
    exploration.floor = 0;
    if (setjmp(findings.jump)) {
        frame_draws.draw = NULL;
        return (Forecast){0};
    }
    explore_begin();
    frame_draws.draw = draw_alternative;
    while (probes < MOST_PROBES &&
           request_count - begun + TRY_COST * (frame_draws.tried - tried) < requests) {
        weight = 1;
        double leaves = explore_probe() ? weight : 0;
        sum += leaves;
        squares += leaves * leaves;
        batch[probes % BATCHES] += leaves;
        probes++;
        frames_drop(0);
        if (exploration.poll && exploration.poll())
            break;
    }
    frame_draws.draw = NULL;
    if (probes < 2)
        return (Forecast){0};
    double n = (double)probes, mean = sum / n;
    double variance = MAX(0.0, squares / n - mean * mean), least = mean;
    for (uint64_t i = 0; i < BATCHES; i++) {
        uint64_t size = (probes + BATCHES - 1 - i) / BATCHES;
        least = size ? MIN(least, batch[i] / (double)size) : 0;
    }
    return (Forecast){probes, mean, variance / (n - 1), least / 2};
}
