#include "guest/explore/schedules/sample_units.h"
#include "guest/explore/scale/units.h"
#include "guest/explore/scale/workers.h"

bool sample_units_on;
static SampleProgress last; /* between two executions */
static uint64_t *hashes;    /* in the mapping that the tool shares */

/* Whatever the moment: what is written is how things were after the last complete execution. */
static void write_state(UnitsShared *shared, UnitSlot *mine)
{
    UnitSamples *samples = &shared->samples;
    samples->state = last.state;
    samples->longest = last.longest;
    samples->done = last.done;
    samples->distinct = last.distinct;
    samples->counts_all = last.counts_all;
    mine->counts.executions = last.counts.executions;
    mine->counts.blocked = last.counts.blocked;
    mine->counts.stuck = last.counts.stuck;
    mine->counts.cut = last.counts.cut;
    mine->counts.left_out = last.counts.left_out;
    mine->head.left = 1 - (double)last.done / (double)options.schedules;
}

static SampleProgress read_state(const UnitSamples *samples)
{
    return (SampleProgress){.state = samples->state,
                            .longest = samples->longest,
                            .done = samples->done,
                            .distinct = samples->distinct,
                            .counts_all = samples->counts_all};
}

bool sample_units_begin(SampleProgress *all)
{
    UnitSamples *samples = units_samples();
    sample_units_on = samples && units_begin_samples();
    if (!samples)
        return true;
    *all = read_state(samples);
    units_mode.on_write = write_state;
    hashes = samples->hash;
    return sample_units_on;
}

bool sample_units_resume(HashMap *seen, SampleProgress *from)
{
    last = read_state(units_samples());
    if (!last.done && !last.state)
        return false;
    for (uint64_t i = 0; i < MIN(last.distinct, UNITS_HASHES); i++)
        hashmap_put(seen, hashes[i], NULL);
    *from = last;
    return true;
}

void sample_units_note(uint64_t distinct, uint64_t hash)
{
    if (sample_units_on && distinct < UNITS_HASHES)
        hashes[distinct] = hash;
}

void sample_units_keep(SampleProgress now)
{
    last = now;
}

bool sample_units_restart(SampleProgress now)
{
    last = now;
    return workers_restart() && units_restart();
}

void sample_units_end(bool drawn)
{
    if (!sample_units_on)
        return;
    if (drawn)
        units_finish();
    else
        units_stop();
}

uint64_t sample_units_hash(void)
{
    uint64_t hash = 1;
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        hash = hash_combine(hash, (uint64_t)t);
        for (int i = 0; i < threads[t].count; i++) {
            const Event *e = thread_event(t, i);
            if (e->kind == EVENT_JOIN || e->kind == EVENT_END)
                continue; /* the others decide them; main's may be left out (rest.h) */
            const Event *w = e->kind == EVENT_READ && e->rf ? &pool[e->rf] : NULL;
            uint64_t from = w ? (uint64_t)w->thread << 32 | (unsigned)w->index : UINT64_MAX;
            bool has_value =
                e->kind == EVENT_READ || e->kind == EVENT_WRITE || e->kind == EVENT_CHOOSE;
            hash = hash_combine(hash ^ (uint64_t)e->kind << 56 ^ (has_value ? e->value : 0),
                                e->kind == EVENT_WRITE ? (uint64_t)e->co : from);
        }
    }
    return hash;
}
