#include "tool/instrument/machine/liveness_wanted.h"
#include <string.h>
#include "base/vec.h"

typedef struct Edge {
    uint32_t from, to;
} Edge;

static bool is_indirect_call(const uint8_t *p)
{
    return p[0] == 0xff && (p[1] >> 3 & 7) == 2;
}

/* May byte I of the code at P be the last of the opcode of a direct call, jump or branch? */
static bool is_apparent_call(const uint8_t *p, uint64_t i)
{
    return (p[i] & 0xfe) == 0xe8 || ((p[i] & 0xf0) == 0x80 && i && p[i - 1] == 0x0f);
}

/* The function whose entry the bytes at P, at ADDRESS, would call or jump to if they ended the
 * opcode of an instruction that does so. Seeing too many does no harm. */
static uint32_t apparent_callee(const Image *image, const uint8_t *p, uint64_t address)
{
    int32_t distance;
    memcpy(&distance, p + 1, 4);
    uint64_t to = address + 5 + (uint64_t)(int64_t)distance;
    uint32_t callee = image_function_with(image, to);
    if (callee == IMAGE_NO_FUNCTION)
        return callee;
    const ImageFunction *f = &image_functions(image)[callee];
    return f->address == to || f->is_cold ? callee : IMAGE_NO_FUNCTION;
}

/* The runtime's functions at the bottom of every stack, which are called through pointers. */
static bool is_first(const char *name)
{
    return !strcmp(name, "fiber_entry") || !strcmp(name, "thread_main") ||
           !strcmp(name, "start_program");
}

/* Closes the set under the edges, towards callees or callers. */
static void spread(const Edge *edges, size_t count, bool *set, bool to_callees)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t e = 0; e < count; e++) {
            uint32_t from = to_callees ? edges[e].from : edges[e].to;
            uint32_t to = to_callees ? edges[e].to : edges[e].from;
            if (set[from] && !set[to])
                again = set[to] = true;
        }
    }
}

/* Instrumented functions begin with a call of __tsan_func_entry; those among them that call through
 * pointers may reach a request too. */
WantedFunctions wanted_find(Arena *arena, const Image *image)
{
    size_t count = image_function_count(image);
    const ImageFunction *functions = image_functions(image);
    WantedFunctions wanted = {.is = arena_array_of(arena, bool, count + 1),
                              .context_switch = IMAGE_NO_FUNCTION,
                              .other_switch = IMAGE_NO_FUNCTION};
    uint32_t instrumented = IMAGE_NO_FUNCTION;
    bool *called = arena_array_of(arena, bool, count + 1);
    for (uint32_t f = 0; f < count; f++) {
        called[f] = is_first(functions[f].name);
        wanted.is[f] = !strcmp(functions[f].name, "fiber_yield");
        if (!strcmp(functions[f].name, "heddle__switch"))
            wanted.context_switch = f;
        if (!strcmp(functions[f].name, "fiber_pass_baton"))
            wanted.other_switch = f;
        if (!strcmp(functions[f].name, "__tsan_func_entry"))
            instrumented = f;
    }
    Vec(Edge) edges = {0};
    for (uint32_t f = 0; f < count; f++) {
        size_t room;
        const uint8_t *p = image_bytes(image, functions[f].address, &room);
        if (!p || room < functions[f].size)
            continue;
        bool is_users = false, indirect = false;
        for (uint64_t i = 0; i + 5 <= functions[f].size; i++) {
            if (p[i] < 0x80) /* no opcode that is looked for ends so */
                continue;
            indirect |= is_indirect_call(p + i);
            if (!is_apparent_call(p, i))
                continue;
            uint32_t callee = apparent_callee(image, p + i, functions[f].address + i);
            is_users |= callee != IMAGE_NO_FUNCTION && callee == instrumented;
            if (callee != IMAGE_NO_FUNCTION && callee != f)
                vec_push(&edges, (Edge){f, callee});
        }
        called[f] |= is_users;
        wanted.is[f] |= is_users && indirect;
    }
    spread(edges.at, edges.count, wanted.is, false);
    spread(edges.at, edges.count, called, true);
    for (uint32_t f = 0; f < count; f++)
        wanted.is[f] &= called[f];
    vec_free(&edges);
    return wanted;
}
