#include "judge/spec/automaton.h"
#include "base/interner.h"
#include <stdlib.h>
#include <string.h>

/* A remembered step is one word: no state, one state, or the place of a list in `lists`. */
#define STEP_NONE UINT32_MAX
#define STEP_LIST 0x80000000u
_Static_assert(INTERNER_MOST < STEP_LIST, "a state is told from a list");

typedef struct LabelEntry {
    SpecCall call;
    uint64_t hash;
    bool reads_only;
} LabelEntry;
typedef struct StepEntry {
    uint64_t key; /* state and label, plus 1; 0 is free */
    uint32_t step;
} StepEntry;

struct Automaton {
    const Spec *spec;
    Arena *arena; /* arguments of labels */
    Interner states;
    Vec(LabelEntry) labels;
    uint32_t *label_index; /* by hash: a label + 1, or 0; the next place where that is taken */
    size_t label_slots;    /* of the index: a power of two */
    StepEntry *steps;
    size_t steps_size, steps_count;
    Vec(uint32_t) lists; /* count, then states */
    SpecSteps scratch;
    Vec(uint64_t) from; /* the state being stepped, out of the way of growth */
    Vec(uint32_t) found;
    uint32_t initial, single;
};

static void *checked(void *memory)
{
    if (!memory)
        die("out of memory");
    return memory;
}

Automaton *automaton_new(const Spec *spec)
{
    Automaton *automaton = checked(calloc(1, sizeof *automaton));
    automaton->spec = spec;
    automaton->arena = arena_new();
    spec_steps_clear(&automaton->scratch, spec, NULL);
    spec->initial(spec, &automaton->scratch);
    ASSERT(automaton->scratch.results.count == 1);
    automaton->initial =
        automaton_intern(automaton, automaton->scratch.words.at, automaton->scratch.words.count);
    return automaton;
}

void automaton_free(Automaton *automaton)
{
    if (!automaton)
        return;
    arena_free(automaton->arena);
    interner_free(&automaton->states);
    vec_free(&automaton->labels);
    vec_free(&automaton->lists);
    vec_free(&automaton->from);
    vec_free(&automaton->found);
    free(automaton->label_index);
    spec_steps_free(&automaton->scratch);
    free(automaton->steps);
    free(automaton);
}

const Spec *automaton_spec(const Automaton *automaton)
{
    return automaton->spec;
}

size_t automaton_memory(const Automaton *automaton)
{
    return interner_memory(&automaton->states) + automaton->labels.capacity * sizeof(LabelEntry) +
           automaton->label_slots * sizeof(uint32_t) + automaton->steps_size * sizeof(StepEntry) +
           automaton->lists.capacity * sizeof(uint32_t);
}

uint32_t automaton_initial(const Automaton *automaton)
{
    return automaton->initial;
}

uint32_t automaton_intern(Automaton *automaton, const uint64_t *words, size_t count)
{
    return interner_number(&automaton->states, words, count);
}

const uint64_t *automaton_state(const Automaton *automaton, uint32_t state, size_t *words)
{
    return interner_words(&automaton->states, state, words);
}

static void labels_grow(Automaton *automaton)
{
    size_t slots = automaton->label_slots ? automaton->label_slots * 2 : 128;
    free(automaton->label_index);
    automaton->label_index = checked(calloc(slots, sizeof *automaton->label_index));
    automaton->label_slots = slots;
    for (uint32_t i = 0; i < automaton->labels.count; i++) {
        size_t slot = (size_t)automaton->labels.at[i].hash & (slots - 1);
        while (automaton->label_index[slot])
            slot = (slot + 1) & (slots - 1);
        automaton->label_index[slot] = i + 1;
    }
}

static bool same_call(const SpecCall *a, const SpecCall *b)
{
    bool same = a->method == b->method && a->count == b->count && a->result.word == b->result.word;
    for (size_t i = 0; i < a->count && same; i++)
        same = a->arguments[i].word == b->arguments[i].word;
    return same;
}

static void add_label(Automaton *automaton, const SpecCall *call, uint64_t hash)
{
    LabelEntry new = {.call = *call, .hash = hash};
    Value *arguments = arena_array_of(automaton->arena, Value, call->count);
    if (call->count)
        memcpy(arguments, call->arguments, call->count * sizeof(Value));
    new.call.arguments = arguments;
    const Spec *spec = automaton->spec;
    if (spec->labels_matter && automaton->steps_count) {
        memset(automaton->steps, 0, automaton->steps_size * sizeof *automaton->steps);
        automaton->steps_count = 0;
        vec_clear(&automaton->lists);
    }
    new.reads_only = spec->effect && spec->effect(spec, &new.call) == SPEC_READS;
    vec_push(&automaton->labels, new);
}

uint32_t automaton_label(Automaton *automaton, const SpecCall *call)
{
    uint64_t hash = (uint64_t)call->method << 16 | call->count;
    for (size_t i = 0; i < call->count; i++)
        hash = (hash ^ call->arguments[i].word) * 0x9E3779B97F4A7C15u;
    hash = hash_mix(hash ^ call->result.word);
    if (UNLIKELY(automaton->labels.count * 2 >= automaton->label_slots))
        labels_grow(automaton);
    size_t mask = automaton->label_slots - 1, slot = (size_t)hash & mask;
    for (; automaton->label_index[slot]; slot = (slot + 1) & mask) {
        uint32_t label = automaton->label_index[slot] - 1;
        const LabelEntry *known = &automaton->labels.at[label];
        if (known->hash == hash && same_call(&known->call, call))
            return label;
    }
    add_label(automaton, call, hash);
    automaton->label_index[slot] = (uint32_t)automaton->labels.count;
    return (uint32_t)automaton->labels.count - 1;
}

const SpecCall *automaton_call(const Automaton *automaton, uint32_t label)
{
    return &automaton->labels.at[label].call;
}

bool automaton_reads_only(const Automaton *automaton, uint32_t label)
{
    return automaton->labels.at[label].reads_only;
}

static void steps_grow(Automaton *automaton)
{
    size_t old_size = automaton->steps_size, size = old_size ? old_size * 2 : 256;
    StepEntry *old = automaton->steps;
    automaton->steps = checked(calloc(size, sizeof *old));
    automaton->steps_size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].key) {
            size_t slot = (size_t)hash_mix(old[i].key) & (size - 1);
            while (automaton->steps[slot].key)
                slot = (slot + 1) & (size - 1);
            automaton->steps[slot] = old[i];
        }
    free(old);
}

static uint32_t take_step(Automaton *automaton, uint32_t state, uint32_t label)
{
    size_t words;
    const uint64_t *content = automaton_state(automaton, state, &words);
    vec_reserve(&automaton->from, words + 1);
    if (words)
        memcpy(automaton->from.at, content, words * sizeof *content);
    SpecCall call = automaton->labels.at[label].call;
    SpecSteps *steps = &automaton->scratch;
    spec_steps_clear(steps, automaton->spec, &call);
    automaton->spec->step(automaton->spec, automaton->from.at, words, &call, steps);
    vec_clear(&automaton->found);
    for (size_t i = 0; i < steps->results.count; i++) {
        const uint64_t *to = vec_from(&steps->words, steps->offsets.at[i]);
        size_t count = (size_t)steps->offsets.at[i + 1] - steps->offsets.at[i];
        bool same =
            count == words && (!words || !memcmp(to, automaton->from.at, words * sizeof *to));
        uint32_t next = same ? state : automaton_intern(automaton, to, count);
        bool repeated = false;
        for (size_t j = 0; j < automaton->found.count && !repeated; j++)
            repeated = automaton->found.at[j] == next;
        if (!repeated)
            vec_push(&automaton->found, next);
    }
    if (automaton->found.count == 0)
        return STEP_NONE;
    if (automaton->found.count == 1)
        return automaton->found.at[0];
    uint32_t place = (uint32_t)automaton->lists.count;
    vec_push(&automaton->lists, (uint32_t)automaton->found.count);
    for (size_t i = 0; i < automaton->found.count; i++)
        vec_push(&automaton->lists, automaton->found.at[i]);
    return STEP_LIST | place;
}

const uint32_t *automaton_step(Automaton *automaton, uint32_t state, uint32_t label, size_t *count)
{
    if (UNLIKELY((automaton->steps_count + 1) * 3 > automaton->steps_size * 2))
        steps_grow(automaton);
    uint64_t key = ((uint64_t)state << 32 | label) + 1;
    size_t mask = automaton->steps_size - 1, slot = (size_t)hash_mix(key) & mask;
    while (automaton->steps[slot].key && automaton->steps[slot].key != key)
        slot = (slot + 1) & mask;
    uint32_t step;
    if (LIKELY(automaton->steps[slot].key)) {
        step = automaton->steps[slot].step;
    } else {
        step = take_step(automaton, state, label);
        automaton->steps[slot] = (StepEntry){key, step};
        automaton->steps_count++;
    }
    if (step == STEP_NONE) {
        *count = 0;
        return NULL;
    }
    if (step & STEP_LIST) {
        const uint32_t *list = automaton->lists.at + (step & ~STEP_LIST);
        *count = list[0];
        return list + 1;
    }
    automaton->single = step;
    *count = 1;
    return &automaton->single;
}

bool automaton_waits(Automaton *automaton, uint32_t state, uint32_t label)
{
    const Spec *spec = automaton->spec;
    size_t count, words;
    automaton_step(automaton, state, label, &count);
    if (!count || !spec->may_wait)
        return !count;
    const uint64_t *content = automaton_state(automaton, state, &words);
    return spec->may_wait(spec, content, words, &automaton->labels.at[label].call);
}

bool automaton_accepts(Automaton *automaton, uint32_t state)
{
    const Spec *spec = automaton->spec;
    if (!spec->accepts)
        return true;
    size_t words;
    const uint64_t *content = automaton_state(automaton, state, &words);
    return spec->accepts(spec, content, words);
}
