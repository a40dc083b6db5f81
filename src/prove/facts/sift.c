#include "prove/facts/sift.h"
#include "base/hash.h"
#include "base/stop.h"
#include "prove/concrete.h"

enum {
    SIFT_SLOTS = 3,     /* instances at a time */
    SIFT_STEPS = 80,    /* of one execution */
    SIFT_CHOICES = 96,  /* ways to make a step that are looked at, to pick one */
    SIFT_IDLE = 12,     /* executions without a contradiction before it ends */
    SIFT_LOOKS = 100000 /* facts looked at, at most (a quantified one counts more) */
};

typedef struct SiftSlot {
    bool active;
    int operation, point;
    int32_t id;
    Locals locals;
} SiftSlot;

typedef struct Sift {
    Prover *prover;
    ConcreteMachine machine;
    Random random;
    ConcreteState state;
    SiftSlot slots[SIFT_SLOTS];
    int32_t next_id;
    long looks, changes;
    int last; /* slot that made a step: often it makes the next, so that operations finish */
    bool killed;
    /* The step that was picked. */
    int choices;
    ConcreteState picked;
    Locals picked_locals;
} Sift;

/* Each way of making the step is picked with the same probability. */
static bool sift_choice(void *context, const ConcreteState *state, const Locals *locals)
{
    Sift *sift = context;
    sift->choices++;
    if (random_below(&sift->random, (uint64_t)sift->choices) == 0) {
        sift->picked = *state;
        sift->picked_locals = *locals;
    }
    return sift->choices < SIFT_CHOICES;
}

static void sift_list(Sift *sift, FactList *list, const Locals *locals, int32_t id)
{
    for (size_t i = 0; i < list->count; i++) {
        Fact *fact = &list->at[i];
        if (fact->dead || fact->user || fact->axiom)
            continue;
        sift->looks += fact->bound_count == 0 ? 1 : fact->bound_count == 1 ? 8 : 50;
        if (concrete_fact_holds(&sift->machine, &sift->state, locals, id, fact))
            continue;
        fact->dead = true;
        sift->killed = true;
    }
}

static void sift_look(Sift *sift, int stepped, bool changed)
{
    static const Locals nothing;
    Facts *facts = &sift->prover->facts;
    for (int i = 0; i < SIFT_SLOTS; i++) {
        const SiftSlot *slot = &sift->slots[i];
        if (slot->active && (i == stepped || changed))
            sift_list(sift, &facts->points[slot->operation][slot->point], &slot->locals, slot->id);
    }
    if (changed && sift->changes++ % 4 == 0)
        sift_list(sift, &facts->global, &nothing, 1);
}

static bool sift_same(const Sift *sift, const ConcreteState *a, const ConcreteState *b)
{
    for (int i = 0; i < sift->machine.words; i++)
        if (a->word[i] != b->word[i])
            return false;
    return true;
}

static void sift_step(Sift *sift)
{
    const IrProgram *program = sift->prover->program;
    int number =
        random_below(&sift->random, 2) ? sift->last : (int)random_below(&sift->random, SIFT_SLOTS);
    sift->last = number;
    SiftSlot *slot = &sift->slots[number];
    if (!slot->active)
        *slot = (SiftSlot){.operation = (int)random_below(&sift->random, program->operations.count),
                           .id = sift->next_id++};
    const IrOperation *op = &program->operations.at[slot->operation];
    sift->choices = 0;
    concrete_step(&sift->machine, op, slot->point, slot->id, &sift->state, &slot->locals, NULL,
                  sift_choice, sift);
    if (sift->choices == 0) {
        /* It may wait for others; sometimes it is left where it stands, for ever. */
        if (slot->point > 0 && random_below(&sift->random, 4) == 0)
            slot->active = false;
        return;
    }
    bool changed = !sift_same(sift, &sift->state, &sift->picked);
    sift->state = sift->picked;
    slot->locals = sift->picked_locals;
    slot->active = ++slot->point < (int)op->subops.count;
    sift_look(sift, number, changed);
}

static bool sift_initial(void *context, const ConcreteState *state, const Locals *locals)
{
    (void)locals;
    ((Sift *)context)->state = *state;
    return false;
}

void sift_facts(Prover *prover)
{
    Sift sift = {.prover = prover, .random = {1}};
    ConcreteBounds bounds = {.nodes = 7, .cells = 9, .values = 3, .keys = 3};
    if (!concrete_init(&sift.machine, prover->program, bounds, NULL))
        return; /* too large to be run: the solver will do */
    for (int idle = 0; idle < SIFT_IDLE && sift.looks < SIFT_LOOKS && !stop_wanted(); idle++) {
        sift.killed = false;
        sift.next_id = 2;
        for (int i = 0; i < SIFT_SLOTS; i++)
            sift.slots[i].active = false;
        concrete_initial(&sift.machine, sift_initial, &sift);
        sift_look(&sift, -1, true);
        for (int i = 0; i < SIFT_STEPS && sift.looks < SIFT_LOOKS && !stop_wanted(); i++)
            sift_step(&sift);
        if (sift.killed)
            idle = -1;
    }
    facts_drop_dead(&prover->facts.global);
    for (size_t i = 0; i < prover->program->operations.count; i++)
        for (int p = 0; p <= prover_points(prover, (int)i); p++)
            facts_drop_dead(&prover->facts.points[i][p]);
}
