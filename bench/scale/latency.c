/* latency.c: what a message between ranks costs, through the tool's own plug-in: half a round trip,
 * and rank 0's time for a report when all others send at once. Prints both in µs.
 *
 *     mpicc -Isrc bench/scale/latency.c src/tool/cli/scale/mpi/plugin.c && mpirun -n 2 ./a.out */
#include <stdio.h>
#include <time.h>
#include "tool/cli/scale/channel.h"

#define ROUNDS 2000
#define BYTES 400 /* a report: state, counts, a way of some 30 choices */

extern const Channel heddle_channel;

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void take(char *to)
{
    int from, tag;
    size_t count;
    while (!heddle_channel.probe(&from, &tag, &count)) {
    }
    heddle_channel.receive(from, tag, to, count);
}

int main(void)
{
    int own, ranks;
    char bytes[BYTES] = "";
    if (!heddle_channel.begin(&own, &ranks) || ranks < 2)
        return 2;
    double start = seconds();
    for (int i = 0; i < ROUNDS && own < 2; i++) {
        if (!own)
            heddle_channel.send(1, 1, bytes, sizeof bytes);
        take(bytes);
        if (own)
            heddle_channel.send(0, 1, bytes, sizeof bytes);
    }
    double trip = (seconds() - start) / ROUNDS / 2;
    start = seconds();
    for (int i = 0; i < ROUNDS; i++) {
        if (own)
            heddle_channel.send(0, 1, bytes, sizeof bytes);
        for (int r = 1; !own && r < ranks; r++)
            take(bytes);
    }
    if (!own)
        printf("%.1f %.1f\n", trip * 1e6, (seconds() - start) / ROUNDS / (ranks - 1) * 1e6);
    heddle_channel.end();
    return 0;
}
