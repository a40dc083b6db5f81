#include "tool/instrument/liveness/wanted.h"
#include <string.h>
#include "base/vec.h"
#include "tool/instrument/liveness/stored.h"

/* The function that is entered by a jump to ADDRESS. */
static uint32_t entered_at(const Image *image, uint64_t address)
{
    uint32_t callee = image_function_with(image, address);
    if (callee == IMAGE_NO_FUNCTION)
        return callee;
    const ImageFunction *f = &image_functions(image)[callee];
    return f->address == address || f->is_cold ? callee : IMAGE_NO_FUNCTION;
}

/* The runtime's functions at the bottom of every stack, which are called through pointers. */
static bool is_first(const char *name)
{
    return !strcmp(name, "fiber_entry") || !strcmp(name, "thread_main") ||
           !strcmp(name, "start_program");
}

void wanted_spread(const WantedFunctions *wanted, bool *set, bool to_callees)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t e = 0; e < wanted->edge_count; e++) {
            uint32_t from = to_callees ? wanted->edges[e].from : wanted->edges[e].to;
            uint32_t to = to_callees ? wanted->edges[e].to : wanted->edges[e].from;
            if (set[from] && !set[to])
                again = set[to] = true;
        }
    }
}

typedef Vec(WantedEdge) WantedEdges;

/* Adds the calls and jumps of F to EDGES, as its code tells when it is decoded; false if it can't
 * be. */
static bool decode_edges(Arena *arena, CodeReader *code, uint32_t f, WantedEdges *edges)
{
    CodeFunction decoded = {0};
    bool fine = code_read(code, f, &decoded);
    for (size_t i = 0; fine && i < decoded.code.count; i++)
        if (decoded.code.at[i].callee != IMAGE_NO_FUNCTION && decoded.code.at[i].callee != f)
            arena_push(arena, edges, (WantedEdge){f, decoded.code.at[i].callee});
    code_free(&decoded);
    return fine;
}

/* Other bytes may look like a call, by chance: functions that seem to be wanted are decoded, and
 * what they really call decides. Of these SEEDS are known to reach a request, or to be called. */
static void decide_by_code(Arena *arena, CodeReader *code, WantedFunctions *wanted, size_t count,
                           const bool *seeds_reach, const bool *seeds_called)
{
    WantedEdges edges = {0};
    bool *decoded = arena_array_of(arena, bool, count + 1);
    for (uint32_t f = 0; f < count; f++)
        decoded[f] = wanted->reaches[f] && wanted->called[f] && !seeds_reach[f] &&
                     decode_edges(arena, code, f, &edges);
    for (size_t e = 0; e < wanted->edge_count; e++)
        if (!decoded[wanted->edges[e].from])
            arena_push(arena, &edges, wanted->edges[e]);
    wanted->edges = edges.at;
    wanted->edge_count = edges.count;
    memcpy(wanted->reaches, seeds_reach, count * sizeof *seeds_reach);
    memcpy(wanted->called, seeds_called, count * sizeof *seeds_called);
    wanted_spread(wanted, wanted->reaches, false);
    wanted_spread(wanted, wanted->called, true);
}

typedef struct Caller { /* a function whose code is looked at */
    Arena *arena;
    const Image *image;
    WantedEdges *edges;
    uint32_t function, instrumented; /* the latter: what instrumented functions call */
    bool is_users, guesses;          /* it is one; it has to be decoded */
} Caller;

static void note_call(void *context, uint64_t target, bool guessed)
{
    Caller *caller = context;
    uint32_t callee = entered_at(caller->image, target);
    if (callee == IMAGE_NO_FUNCTION)
        return;
    caller->guesses |= guessed;
    caller->is_users |= !guessed && callee == caller->instrumented;
    if (!guessed && callee != caller->function)
        arena_push(caller->arena, caller->edges, (WantedEdge){caller->function, callee});
}

/* Instrumented functions begin with a call of __tsan_func_entry; those among them that call through
 * pointers may reach a request too. */
WantedFunctions wanted_find(Arena *arena, const Image *image, CodeReader *code,
                            const Stored *stored)
{
    size_t count = image_function_count(image);
    const ImageFunction *functions = image_functions(image);
    WantedFunctions wanted = {.is = arena_array_of(arena, bool, count + 1),
                              .reaches = arena_array_of(arena, bool, count + 1),
                              .called = arena_array_of(arena, bool, count + 1),
                              .context_switch = IMAGE_NO_FUNCTION,
                              .other_switch = IMAGE_NO_FUNCTION};
    uint32_t instrumented = IMAGE_NO_FUNCTION;
    for (uint32_t f = 0; f < count; f++) {
        wanted.called[f] = is_first(functions[f].name);
        wanted.reaches[f] = !strcmp(functions[f].name, "fiber_yield");
        if (!strcmp(functions[f].name, "heddle__switch"))
            wanted.context_switch = f;
        if (!strcmp(functions[f].name, "fiber_pass_baton"))
            wanted.other_switch = f;
        if (!strcmp(functions[f].name, "__tsan_func_entry"))
            instrumented = f;
    }
    WantedEdges edges = {0};
    const Isa *isa = image_isa(image);
    for (uint32_t f = 0; f < count; f++) {
        size_t room;
        uint8_t flags = stored ? stored_flags(stored, f) : 0;
        if (flags & STORED_CLOSED) {
            wanted.reaches[f] = flags & STORED_REACHES;
            continue;
        }
        const uint8_t *p = image_bytes(image, functions[f].address, &room);
        if (!p || room < functions[f].size || functions[f].size < 5)
            continue;
        uint64_t end = functions[f].address + functions[f].size;
        bool alone = f + 1 == count || functions[f + 1].address >= end;
        Caller caller = {arena, image, &edges, f, instrumented, false, false};
        isa->each_call(p, functions[f].size, functions[f].address, alone, note_call, &caller);
        if (caller.guesses)
            (void)decode_edges(arena, code, f, &edges);
        wanted.called[f] |= caller.is_users;
        wanted.reaches[f] |= caller.is_users && isa->calls_indirectly(p, functions[f].size);
    }
    wanted.edges = edges.at;
    wanted.edge_count = edges.count;
    bool *seeds_reach = arena_array_of(arena, bool, count + 1);
    bool *seeds_called = arena_array_of(arena, bool, count + 1);
    memcpy(seeds_reach, wanted.reaches, count * sizeof *seeds_reach);
    memcpy(seeds_called, wanted.called, count * sizeof *seeds_called);
    wanted_spread(&wanted, wanted.reaches, false);
    wanted_spread(&wanted, wanted.called, true);
    decide_by_code(arena, code, &wanted, count, seeds_reach, seeds_called);
    for (uint32_t f = 0; f < count; f++)
        wanted.is[f] = wanted.reaches[f] && wanted.called[f] &&
                       !(stored && (stored_flags(stored, f) & STORED_CLOSED));
    return wanted;
}
