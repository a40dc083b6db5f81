/* Places in the code that values.h says something is learnt of. */
#include "guest/explore/facts/values_table.h"
#include "guest/explore/graph/finding.h"

#define MOST_WISHES 6   /* passes that begin again for places that are learnt late */
#define PLACE_ASKED 512 /* see values_count_place */
#define PLACE_WORTH 8
#define PLACE_CUT 1000    /* see values_count_cut */
#define VAIN_STEPS 250000 /* in depth, before they are compared with what they save */
#define DEEP_STEPS 4000000
#define PLACE_STEPS 80 /* that a good answer is worth: about as long as thirty graphs take */

typedef enum PlaceDepth { DEPTH_LITTLE, DEPTH_MUCH, DEPTH_GIVEN_UP } PlaceDepth;

static int find_place(uint64_t first, uint64_t second)
{
    int count = (int)__atomic_load_n(&values_table->place_count, __ATOMIC_ACQUIRE), i = 0;
    while (i < count &&
           (values_table->place[i].first != first || values_table->place[i].second != second))
        i++;
    return i < count ? i : -1;
}

bool values_knows_place(uint64_t first, uint64_t second)
{
    int i = find_place(first, second);
    return i >= 0 && !values_table->place[i].given_up && !values_table->place[i].is_new;
}

bool values_knows_places(void)
{
    for (uint32_t i = 0; i < values_table->place_count; i++)
        if (!values_table->place[i].given_up && !values_table->place[i].is_new)
            return true;
    return false;
}

void values_learn_place(uint64_t first, uint64_t second)
{
    bool late = values_mode.strict || values_is_late(), goes_on = late && !values_mode.strict;
    if (late && values_table->late_wishes >= MOST_WISHES)
        return;
    values_lock();
    uint32_t n = values_table->place_count;
    int known = find_place(first, second);
    bool is_over = known >= 0
                       ? values_table->place[known].given_up || values_table->place[known].is_new
                       : n == MOST_PLACES;
    if (known < 0 && !is_over) {
        values_table->place[n] = (LearntPlace){.first = first, .second = second, .is_new = goes_on};
        __atomic_store_n(&values_table->place_count, n + 1, __ATOMIC_RELEASE);
    }
    values_unlock();
    if (is_over)
        return;
    if (!goes_on)
        finding_restart();
    values_table->late_wishes += !values_outdated;
    values_wish();
}

void values_ask_about_new(void)
{
    for (uint32_t i = 0; i < values_table->place_count; i++)
        values_table->place[i].is_new = 0;
}

void values_count_remembered(uint64_t first, uint64_t second)
{
    int i = find_place(first, second);
    if (i >= 0)
        values_table->place[i].remembered++;
}

/* Are the answers about PLACE worth what they cost? */
static bool is_worth_while(const LearntPlace *place)
{
    uint64_t good = (uint64_t)place->good + place->remembered;
    return place->good >= place->asked / PLACE_WORTH && place->steps <= PLACE_STEPS * good;
}

void values_count_place(uint64_t first, uint64_t second, bool good, int steps)
{
    DEBUG_ASSERT(steps >= 0);
    int i = find_place(first, second);
    if (i < 0)
        return;
    LearntPlace *place = &values_table->place[i];
    place->asked++;
    place->good += good;
    place->steps += (uint64_t)steps;
    if (place->asked < PLACE_ASKED || is_worth_while(place))
        return;
    place->given_up = 1;
    finding_restart();
}

bool values_place_is_deep(uint64_t first, uint64_t second)
{
    int i = find_place(first, second);
    return i >= 0 && values_table->place[i].depth == DEPTH_MUCH;
}

void values_count_cut(uint64_t first, uint64_t second)
{
    int i = find_place(first, second);
    uint32_t most = values_mode.eager ? 1 : PLACE_CUT; /* tests want all of it at once */
    if (i < 0 || values_table->place[i].depth != DEPTH_LITTLE ||
        ++values_table->place[i].cut < most)
        return;
    values_table->place[i].depth = DEPTH_MUCH;
    finding_restart();
}

void values_count_deep(uint64_t first, uint64_t second, bool good, uint64_t steps)
{
    int i = find_place(first, second);
    if (i < 0 || values_table->place[i].depth != DEPTH_MUCH)
        return;
    LearntPlace *place = &values_table->place[i];
    uint64_t worth = PLACE_STEPS * (uint64_t)(place->deep_good += good);
    place->deep_steps += steps;
    place->vain_steps += good ? 0 : steps;
    if ((place->vain_steps < VAIN_STEPS || place->vain_steps < worth) &&
        (place->deep_steps < DEEP_STEPS || place->deep_steps < worth))
        return;
    place->depth = DEPTH_GIVEN_UP;
    finding_restart();
}
