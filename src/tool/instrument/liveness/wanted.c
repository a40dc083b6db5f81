#include "tool/instrument/liveness/wanted.h"
#include <string.h>
#include "base/vec.h"
#include "tool/instrument/liveness/stored.h"

/* ---- the opcodes of calls, found without decoding: seeing too many does no harm ---- */

/* Is there an indirect call? */
static bool calls_indirectly(const uint8_t *p, const uint8_t *last)
{
    for (; p <= last; p++)
        if (p[0] == 0xff && (p[1] >> 3 & 7) == 2)
            return true;
    return false;
}

/* Bit 7 of some byte is set if a byte of WORD is 0, and only then. */
static uint64_t zero_bytes(uint64_t word)
{
    return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

static bool begins_call(uint8_t byte) /* 0f: a branch; e8 and e9: a call, a jump */
{
    return byte == 0x0f || (byte & 0xfe) == 0xe8;
}

/* Returns the first byte from P on that may begin a direct call, jump or branch; beyond LAST if
 * there is none. Few bytes are such, and all of the program's code is looked at. */
static const uint8_t *next_call(const uint8_t *p, const uint8_t *last)
{
    for (;;) {
        for (uint64_t word; last - p >= 8; p += 8) {
            memcpy(&word, p, 8);
            if (zero_bytes(word ^ UINT64_C(0x0f0f0f0f0f0f0f0f)) |
                zero_bytes((word & UINT64_C(0xfefefefefefefefe)) ^ UINT64_C(0xe8e8e8e8e8e8e8e8)))
                break;
        }
        for (const uint8_t *end = p + 8; p < end; p++)
            if (p > last || begins_call(*p))
                return p;
    }
}

/* The function that is entered by a jump to ADDRESS. */
static uint32_t entered_at(const Image *image, uint64_t address)
{
    uint32_t callee = image_function_with(image, address);
    if (callee == IMAGE_NO_FUNCTION)
        return callee;
    const ImageFunction *f = &image_functions(image)[callee];
    return f->address == address || f->is_cold ? callee : IMAGE_NO_FUNCTION;
}

/* The function whose entry the bytes at P, at ADDRESS, would call or jump to if they ended the
 * opcode of an instruction that does so. Jumps into the middle of SELF, the function that they
 * stand in, are none. */
static uint32_t apparent_callee(const Image *image, const uint8_t *p, uint64_t address,
                                const ImageFunction *self)
{
    int32_t distance;
    memcpy(&distance, p + 1, 4);
    uint64_t to = address + 5 + (uint64_t)(int64_t)distance;
    if (self && to > self->address && to < self->address + self->size) /* most branches */
        return IMAGE_NO_FUNCTION;
    return entered_at(image, to);
}

/* May there be a jump or a branch of two bytes out of FUNCTION, which ends at END, to another one?
 * It would stand within 128 bytes of the function's begin or end. Many bytes look like one, and
 * neighbours are near: so the code of such a function is decoded. */
static bool may_leave_shortly(const Image *image, const ImageFunction *function, const uint8_t *end)
{
    const uint8_t *begin = end - function->size;
    for (const uint8_t *p = begin; p < end - 1; p++) {
        if (p == begin + 128 && end - p > 129)
            p = end - 129;
        if (*p != 0xeb && (*p & 0xf0) != 0x70)
            continue;
        int64_t place = p - begin + 2 + (int8_t)p[1];
        if ((place < 0 || place >= (int64_t)function->size) &&
            entered_at(image, function->address + (uint64_t)place) != IMAGE_NO_FUNCTION)
            return true;
    }
    return false;
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
        bool is_users = false;
        bool alone =
            f + 1 == count || functions[f + 1].address >= functions[f].address + functions[f].size;
        const ImageFunction *self = alone ? &functions[f] : NULL;
        const uint8_t *last = p + functions[f].size - 5; /* an instruction of 5 bytes fits there */
        for (const uint8_t *at = p; (at = next_call(at, last)) <= last; at++) {
            const uint8_t *opcode = *at == 0x0f ? at + 1 : at; /* its last byte, if it is one */
            if (opcode > last || (opcode > at && (*opcode & 0xf0) != 0x80))
                continue;
            uint32_t callee =
                apparent_callee(image, opcode, functions[f].address + (uint64_t)(opcode - p), self);
            is_users |= callee != IMAGE_NO_FUNCTION && callee == instrumented;
            if (callee != IMAGE_NO_FUNCTION && callee != f)
                arena_push(arena, &edges, (WantedEdge){f, callee});
        }
        CodeFunction decoded = {0};
        if (may_leave_shortly(image, &functions[f], last + 5) && code_read(code, f, &decoded))
            for (size_t i = 0; i < decoded.code.count; i++) {
                const Code *c = &decoded.code.at[i];
                if ((c->flow == FLOW_TAIL || c->flow == FLOW_BRANCH_TAIL) && c->length == 2 &&
                    c->callee != IMAGE_NO_FUNCTION && c->callee != f)
                    arena_push(arena, &edges, (WantedEdge){f, c->callee});
            }
        code_free(&decoded);
        wanted.called[f] |= is_users;
        wanted.reaches[f] |= is_users && calls_indirectly(p, last);
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
