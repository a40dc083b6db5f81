/* twin.c COUNT SEED: random texts for slots.c, and whether one of their interleavings loses an object: each step of every
 * operation is taken in all orders, on slots and objects that are numbers. Prints TEXT and 1 or 0. Knows nothing of Heddle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct State {
    int slot[3], at[3], held[3], stage[3]; /* of threads: operation, what it holds, how far the operation is */
    int objects, lost;
} State;
static char text[3][8];
static int threads;

/* One atomic step of thread t; objects count from 1. */
static void step(State *s, int t)
{
    char what = text[t][s->at[t]];
    int n = text[t][s->at[t] + 1] - '0', old = s->slot[n], mine = 0, done = 1;
    if (strchr("PLCDR", what))
        mine = ++s->objects;
    switch (what) {
    case 'P': s->slot[n] = mine; break;
    case 'L': s->lost += old != 0; s->slot[n] = mine; break;
    case 'C': if (!old) s->slot[n] = mine; break;
    case 'D': if (!old) s->slot[n] = mine; else s->lost++; break;
    case 'R':
        if (!old) s->slot[n] = mine;
        else if (!s->stage[t]) { s->lost++; s->stage[t] = 1; done = 0; }
        break;
    case 'T': s->slot[n] = 0; break;
    case 'X': s->lost += old != 0; s->slot[n] = 0; break;
    case 'M':
        if (!s->stage[t]) { s->held[t] = old; s->slot[n] = 0; s->stage[t] = 1; done = 0; }
        else s->slot[(n + 1) % 3] = s->held[t];
        break;
    }
    if (done) { s->stage[t] = 0; s->at[t] += 2; }
}

static int loses(const State *s)
{
    int ended = 1;
    for (int t = 0; t < threads; t++)
        if (text[t][s->at[t]]) {
            State next = *s;
            step(&next, t);
            if (loses(&next))
                return 1;
            ended = 0;
        }
    return ended && s->lost;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 10;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    while (count-- > 0) {
        static const char letters[] = "PPCCTTMMDRLX";
        threads = 2 + rand_r(&seed) % 2;
        State start = {0};
        for (int t = 0; t < threads; t++) {
            int length = 1 + rand_r(&seed) % 2;
            for (int i = 0; i < length; i++) {
                text[t][2 * i] = letters[rand_r(&seed) % (sizeof letters - 1)];
                text[t][2 * i + 1] = (char)('0' + rand_r(&seed) % 2);
            }
            text[t][2 * length] = 0;
        }
        for (int t = 0; t < threads; t++)
            printf("%s%s", t ? "," : "", text[t]);
        printf(" %d\n", loses(&start));
    }
    return 0;
}
