/* interp.c: the operations of twin.c, read from HEDDLE_TWIN_PROGRAM instead of compiled: for each of
 * the three its steps as two digits, what it does and where; operations are separated by `|'. Built
 * once and started without the tool, it checks the test that HEDDLE_DEBUG's scenario names. */
#include <heddle.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 3, MOST_STEPS = 3 };
static struct {
    int kind, place;
} steps[OPERATIONS][MOST_STEPS]; /* read only once the test runs */
static int count[OPERATIONS];
static atomic_int memory[3];

static int perform(int kind, atomic_int *m, int r)
{
    int expected = 0;
    switch (kind) {
    case 0:
        return 2 * r + atomic_load(m);
    case 1:
        atomic_store(m, r);
        return r;
    case 2:
        atomic_store(m, r + 1);
        return r;
    case 3:
        atomic_store(m, 1);
        return r;
    case 4:
        return r + atomic_fetch_add(m, 1);
    case 5:
        return atomic_exchange(m, r + 1);
    case 6:
        return r + 2 * atomic_compare_exchange_strong(m, &expected, 2);
    case 7:
        while (!atomic_load(m))
            ;
        return r;
    default:
        return r + (int)heddle_choose(2);
    }
}

static int run(int operation)
{
    int r = 0;
    for (int s = 0; s < count[operation]; s++)
        r = perform(steps[operation][s].kind, &memory[steps[operation][s].place], r);
    return r;
}

HD_OP(op0)
{
    return HD_INT(run(0));
}
HD_OP(op1)
{
    return HD_INT(run(1));
}
HD_OP(op2)
{
    return HD_INT(run(2));
}

__attribute__((constructor)) static void read_program(void)
{
    const char *text = getenv("HEDDLE_TWIN_PROGRAM");
    for (int o = 0; text && *text && o < OPERATIONS; text++)
        if (*text == '|') {
            o++;
        } else if (text[1] && count[o] < MOST_STEPS) {
            steps[o][count[o]].kind = *text - '0';
            steps[o][count[o]++].place = *++text - '0';
        }
}
