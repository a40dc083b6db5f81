#include "guest/states/answer/way.h"
#include "guest/states/state.h"
#include "guest/explore/graph/finding.h"
#include "guest/states/answer/picture.h"
#include "guest/states/tickets.h"
#include "guest/states/visited.h"

Way way_to(uint32_t node)
{
    Way path = {0};
    for (uint32_t n = node; n != VISITED_NONE; n = visited_step(n).parent)
        vec_push(&path, n);
    for (size_t i = 0; i < path.count / 2; i++) {
        uint32_t other = path.at[i];
        path.at[i] = path.at[path.count - 1 - i];
        path.at[path.count - 1 - i] = other;
    }
    return path;
}

/* Takes the steps of PATH again, for a picture of its states. */
static void walk(const StatesClient *client, const Way *path)
{
    static StatesCopy copy;
    picture_begin();
    states_start(client);
    for (size_t i = 0; i < path->count && picture_is_whole(); i++) {
        VisitedStep step = visited_step(path->at[i]);
        StatesDone done = {.call = -1};
        bool flushes = step.choice == (uint8_t)STATES_FLUSH;
        if (i)
            states_step(step.thread,
                        step.call >= 0 ? (uint32_t)step.call
                        : flushes      ? STATES_FLUSH
                                       : step.choice,
                        &done);
        tickets_key();
        states_collect();
        states_copy(&copy);
        picture_add_state(copy.at);
        if (i)
            picture_add_step((uint32_t)i - 1, (uint32_t)i, step.thread, &done);
    }
}

void way_draw(const StatesClient *client, uint32_t node, uint32_t thread, int begun)
{
    bool whole = picture_is_whole(), walked = false;
    Way path = way_to(node);
    Finding found = finding;
    if (!whole && path.count <= PICTURE_STATES) {
        if (setjmp(findings.jump))
            picture_drop();
        else
            walk(client, &path);
        walked = true;
        finding = found;
    }
    for (size_t i = 0; i < path.count && picture_is_whole(); i++)
        picture_add_to_way(walked ? (uint32_t)i : visited_state_of(path.at[i]));
    if (picture_is_whole() && thread)
        picture_end_way(thread, begun);
    vec_free(&path);
}
