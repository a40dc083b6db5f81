#include "guest/states/answer/picture.h"
#include "guest/states/state.h"
#include <string.h>

typedef struct PictureStep {
    uint32_t from, to, thread, ended;
    int begun;
    bool returned;
    Value result;
} PictureStep;
typedef struct Picture {
    bool dropped;
    Buffer states; /* their lines */
    uint32_t count;
    Vec(PictureStep) steps;
    Vec(uint32_t) way;
    uint32_t last_thread; /* 0: no way */
    int last_begun;
} Picture;
static Picture picture;

void picture_begin(void)
{
    picture.dropped = false;
    picture.count = picture.last_thread = 0;
    picture.states.count = picture.steps.count = picture.way.count = 0;
}

void picture_drop(void)
{
    picture_begin();
    picture.dropped = true;
}

bool picture_is_whole(void)
{
    return !picture.dropped;
}

static void print_call(Buffer *out, int call)
{
    if (call < 0)
        buffer_printf(out, " -");
    else
        buffer_printf(out, " %d", call);
}

/* Heap objects are named by their order in memory. */
static void print_word(const char *copy, uint64_t value)
{
    uint64_t offset;
    uint32_t block = states_copied_block(copy, value, &offset);
    if (!block)
        buffer_printf(&picture.states, " %llx", (unsigned long long)value);
    else if (offset)
        buffer_printf(&picture.states, " @%u+%llu", block, (unsigned long long)offset);
    else
        buffer_printf(&picture.states, " @%u", block);
}

void picture_add_state(const char *copy)
{
    if (picture.dropped || picture.count++ == PICTURE_STATES) {
        picture_drop();
        return;
    }
    buffer_printf(&picture.states, "state");
    for (uint32_t t = states_first; t <= states_threads; t++) {
        print_call(&picture.states, states_copied_call(copy, t));
    }
    buffer_printf(&picture.states, " :");
    for (uint32_t i = 0; i < states_copied_words(copy); i++)
        print_word(copy, states_copied_word(copy, i));
    buffer_printf(&picture.states, "\n");
}

void picture_add_step(uint32_t from, uint32_t to, uint32_t thread, const StatesDone *done)
{
    if (picture.dropped)
        return;
    if (picture.steps.count == PICTURE_STEPS) {
        picture_drop();
        return;
    }
    vec_push(&picture.steps, (PictureStep){from, to, thread, done->ended, done->call,
                                           done->returned, done->result});
}

void picture_add_to_way(uint32_t state)
{
    vec_push(&picture.way, state);
}

void picture_end_way(uint32_t thread, int begun)
{
    picture.last_thread = thread;
    picture.last_begun = begun;
}

static void print_steps(Buffer *out, const PictureWords *words)
{
    for (size_t i = 0; i < picture.steps.count; i++) {
        const PictureStep *s = &picture.steps.at[i];
        buffer_printf(out, "step %u %u %u", s->from, s->to, s->thread);
        print_call(out, s->begun);
        print_call(out, s->returned ? (int)s->ended : -1);
        buffer_printf(out, " ");
        if (s->returned)
            words->result(s->result, out);
        buffer_printf(out, "\n");
    }
}

void picture_print(const PictureWords *words, Buffer *text)
{
    text->count = 0;
    if (picture.dropped || !picture.count)
        return;
    for (size_t i = 0; i < states_words.count; i++)
        buffer_printf(text, "word %llx %llx\n",
                      (unsigned long long)(uintptr_t)states_words.at[i].address,
                      (unsigned long long)states_words.at[i].initial);
    for (uint32_t c = 0; c < words->calls; c++)
        buffer_printf(text, "call %s\n", words->call(c));
    buffer_printf(text, "%.*s", (int)picture.states.count, picture.states.at);
    print_steps(text, words);
    if (picture.way.count)
        buffer_printf(text, "way");
    for (size_t i = 0; i < picture.way.count; i++)
        buffer_printf(text, " %u", picture.way.at[i]);
    if (picture.way.count)
        buffer_printf(text, "\n");
    if (picture.last_thread) {
        buffer_printf(text, "last %u", picture.last_thread);
        print_call(text, picture.last_begun);
        buffer_printf(text, "\n");
    }
    if (text->count > OUTCOME_ROOM / 2) /* the rest is for the answer itself */
        text->count = 0;
}
