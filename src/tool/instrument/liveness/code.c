#include "tool/instrument/liveness/code.h"
#include "tool/instrument/liveness/constants.h"
#include <string.h>
#include "tool/instrument/liveness/performed.h"

#define MAX_INSTRUCTIONS 20000

struct CodeReader {
    const Image *image;
    const Isa *isa;
    csh handle;
    cs_insn *scratch;
};

CodeReader *code_reader_new(Arena *arena, const Image *image)
{
    CodeReader *reader = arena_new_of(arena, CodeReader);
    reader->image = image;
    reader->isa = image_isa(image);
    reader->isa->open(&reader->handle);
    reader->scratch = cs_malloc(reader->handle);
    return reader;
}

void code_reader_free(CodeReader *reader)
{
    cs_free(reader->scratch, 1);
    cs_close(&reader->handle);
}

void code_free(CodeFunction *function)
{
    vec_free(&function->code);
    vec_free(&function->labels);
}

/* ---- control flow ---- */

bool code_never_returns(const char *name)
{
    static const char *const names[] = {
        "abort",
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "__assert_fail",
        "__assert_perror_fail",
        "__stack_chk_fail",
        "__cxa_throw",
        "__cxa_rethrow",
        "_Unwind_Resume",
        "_ZSt9terminatev",
        "__cxa_throw_bad_array_new_length",
        "__cxa_pure_virtual",
        "__clang_call_terminate",
        "longjmp",
        "siglongjmp",
        "_longjmp",
        "__longjmp_chk",
        "pthread_exit",
        "thrd_exit",
        "op_exit",
        "op_violation",
        "op_unsupported",
        "op_unsupported_at",
        "op_program_exit",
        "assert_failed",
        "die",
        "fiber_abandon",
        "fiber_pass_baton", /* only in a debugger, where no states are compared */
        "finding_restart",
        "finding_stop"};
    static const char wrapped[] = "__wrap_"; /* the runtime's function of that name */
    if (name && !strncmp(name, wrapped, sizeof wrapped - 1))
        name += sizeof wrapped - 1;
    for (size_t i = 0; name && i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Calls that come back twice. */
static bool returns_twice(const char *name)
{
    return name &&
           (strstr(name, "setjmp") || !strcmp(name, "vfork") || !strcmp(name, "getcontext"));
}

static uint32_t find_code(const CodeFunction *f, uint64_t address)
{
    for (size_t part = 0, end; part < f->code.count; part = end) { /* parts are sorted inside */
        for (end = part + 1;
             end < f->code.count && f->code.at[end].address > f->code.at[end - 1].address;)
            end++;
        if (address < f->code.at[part].address || address > f->code.at[end - 1].address)
            continue;
        size_t low = part, high = end;
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            if (f->code.at[middle].address <= address)
                low = middle;
            else
                high = middle;
        }
        if (f->code.at[low].address == address)
            return (uint32_t)low;
    }
    return CODE_NOWHERE;
}

/* Finds the function that a call or a jump leads to. */
static void name_callee(const Image *image, Code *code)
{
    bool jumps = code->flow == FLOW_JUMP || code->flow == FLOW_BRANCH || code->flow == FLOW_TABLE;
    uint64_t to = (uint64_t)code->immediate;
    if (code->kind != CODE_CALL && !jumps)
        return;
    if (code->is_direct) {
        code->callee = image_function_at(image, to);
        code->callee_name = code->callee != IMAGE_NO_FUNCTION
                                ? image_functions(image)[code->callee].name
                                : image_stub_name(image, to);
    } else if (code->memory.base == REG_UNKNOWN) {
        code->callee_name = image_slot_name(image, (uint64_t)code->memory.displacement);
    }
}

/* Appends the instructions of a part of the function, once. */
static bool read_part(CodeReader *reader, uint32_t part, CodeFunction *out)
{
    for (uint32_t p = 0; p < out->part_count; p++)
        if (out->parts[p] == part)
            return true;
    const ImageFunction *f = &image_functions(reader->image)[part];
    size_t room;
    const uint8_t *bytes = image_bytes(reader->image, f->address, &room);
    if (!bytes || room < f->size || out->part_count == CODE_PARTS)
        return false;
    out->parts[out->part_count++] = part;
    size_t left = f->size;
    uint64_t address = f->address;
    while (left) {
        Code code;
        if (!cs_disasm_iter(reader->handle, &bytes, &left, &address, reader->scratch))
            return false;
        bool described = reader->isa->decode(reader->handle, reader->scratch, &code);
        code.callee = IMAGE_NO_FUNCTION;
        if (described)
            name_callee(reader->image, &code);
        else
            out->is_odd = true;
        if (!described)
            code = (Code){.address = code.address,
                          .length = code.length,
                          .dst = REG_NONE,
                          .src = REG_NONE,
                          .is_thread_local = code.is_thread_local,
                          .is_locked = code.is_locked,
                          .memory = {.base = REG_NONE, .index = REG_NONE},
                          .changes = reader->isa->all & ~reader->isa->callee_saved,
                          .callee = IMAGE_NO_FUNCTION,
                          .landing = CODE_NOWHERE};
        vec_push(&out->code, code);
    }
    return out->code.count > 0;
}

/* The part with ADDRESS, if it is a piece of a function that the compiler has moved away. */
static bool read_moved_part(CodeReader *reader, uint64_t address, CodeFunction *out)
{
    uint32_t to = image_function_with(reader->image, address);
    return to == IMAGE_NO_FUNCTION || !image_functions(reader->image)[to].is_cold ||
           read_part(reader, to, out);
}

static bool read_moved_parts(CodeReader *reader, CodeFunction *out)
{
    for (size_t i = 0; i < out->code.count; i++)
        if ((out->code.at[i].flow == FLOW_JUMP || out->code.at[i].flow == FLOW_BRANCH) &&
            !read_moved_part(reader, (uint64_t)out->code.at[i].immediate, out))
            return false;
    return true;
}

/* ---- exceptions ---- */

/* Calls of the function whose return address lies in (FROM, END] go on at PAD after an
 * exception. */
static bool land(CodeReader *reader, CodeFunction *f, uint64_t from, uint64_t end, uint64_t pad)
{
    if (!read_moved_part(reader, pad, f))
        return false;
    uint32_t landing = find_code(f, pad);
    for (size_t i = 0; i < f->code.count; i++) {
        Code *c = &f->code.at[i];
        uint64_t back = c->address + c->length;
        if (c->kind != CODE_CALL || back <= from || back > end)
            continue;
        if (landing == CODE_NOWHERE)
            return false;
        c->landing = landing;
    }
    return true;
}

/* The exception table of one part: a header, then a list of address ranges with the place where an
 * exception from a call in it is handled (0: nowhere, it passes through). A call in no range ends
 * the program. */
static bool read_handlers(CodeReader *reader, CodeFunction *f, const ImageFunction *part)
{
    size_t room;
    const uint8_t *p = image_bytes(reader->image, part->handlers, &room), *start = p,
                  *end = p + room;
    if (!p || part->handlers == IMAGE_UNREADABLE || room < 4)
        return false;
    uint64_t base = part->address, pads = base;
    uint8_t encoding = *p++;
    if (encoding != 0xff &&
        !image_read_pointer(&p, end, encoding, part->handlers + (uint64_t)(p - start), &pads))
        return false;
    if (p < end && *p++ != 0xff)
        image_read_uleb(&p, end); /* where the types are */
    if (end - p < 2)
        return false;
    encoding = *p++;
    uint64_t length = image_read_uleb(&p, end);
    if (length > (uint64_t)(end - p) || (encoding & 0xf0))
        return false;
    for (end = p + length; p < end;) {
        uint64_t from, bytes, pad;
        if (!image_read_pointer(&p, end, encoding, 0, &from) ||
            !image_read_pointer(&p, end, encoding, 0, &bytes) ||
            !image_read_pointer(&p, end, encoding, 0, &pad))
            return false;
        image_read_uleb(&p, end); /* what is caught */
        if (pad && !land(reader, f, base + from, base + from + bytes, pads + pad))
            return false;
    }
    return true;
}

/* Reads the exception tables of all parts; parts may turn up meanwhile. */
static void find_handlers(CodeReader *reader, CodeFunction *f)
{
    for (uint32_t p = 0; p < f->part_count && !f->has_handlers; p++) {
        const ImageFunction *part = &image_functions(reader->image)[f->parts[p]];
        if (part->handlers && !(read_handlers(reader, f, part) && read_moved_parts(reader, f)))
            f->has_handlers = true;
    }
    for (size_t i = 0; i < f->code.count && f->has_handlers; i++)
        f->code.at[i].landing = CODE_NOWHERE;
}

/* Entries of a jump table at ADDRESS, either addresses or distances from the table itself, as long
 * as they name instructions of the function. A real table has only such entries, so none is missed;
 * reading too far only adds paths that are never taken. */
static bool add_labels(const CodeReader *reader, CodeFunction *f, uint64_t address)
{
    size_t room, before = f->labels.count;
    const uint8_t *bytes = image_bytes(reader->image, address, &room);
    for (size_t at = 0; bytes && at + 4 <= room; at += 4) {
        int32_t distance;
        memcpy(&distance, bytes + at, 4);
        uint32_t to = find_code(f, address + (uint64_t)(int64_t)distance);
        if (to == CODE_NOWHERE)
            break;
        vec_push(&f->labels, to);
    }
    for (size_t at = 0; bytes && at + 8 <= room; at += 8) {
        uint64_t target;
        memcpy(&target, bytes + at, 8);
        uint32_t to = find_code(f, target);
        if (to == CODE_NOWHERE)
            break;
        vec_push(&f->labels, to);
    }
    return f->labels.count >= before + 2;
}

/* Every table that an indirect jump of the function can use is named by its address somewhere in
 * it. Each jump has a table of its own; if fewer are found, something is not understood. */
static bool find_labels(const CodeReader *reader, CodeFunction *f, size_t jumps)
{
    Vec(uint64_t) seen = {0};
    for (size_t i = 0; i < f->code.count; i++) {
        const Code *c = &f->code.at[i];
        int64_t named[2] = {c->memory.bytes ? c->memory.displacement : 0,
                            c->flow == FLOW_NEXT && c->kind != CODE_CALL ? c->immediate : 0};
        for (int k = 0; k < 2; k++) {
            bool known = named[k] < 4096;
            for (size_t s = 0; s < seen.count && !known; s++)
                known = seen.at[s] == (uint64_t)named[k];
            if (!known && add_labels(reader, f, (uint64_t)named[k]))
                vec_push(&seen, (uint64_t)named[k]);
        }
    }
    bool enough = seen.count >= jumps;
    vec_free(&seen);
    return enough;
}

static void connect(const CodeReader *reader, CodeFunction *f)
{
    size_t tables = 0;
    for (size_t i = 0; i < f->code.count; i++) {
        Code *c = &f->code.at[i];
        bool part_ends =
            i + 1 == f->code.count || f->code.at[i + 1].address != c->address + c->length;
        if (c->kind == CODE_CALL) {
            f->is_odd |= returns_twice(c->callee_name);
            if (code_never_returns(c->callee_name))
                c->flow = FLOW_END;
        }
        if (c->flow == FLOW_JUMP || c->flow == FLOW_BRANCH) {
            c->target = find_code(f, (uint64_t)c->immediate);
            if (c->target == CODE_NOWHERE)
                c->flow = c->flow == FLOW_JUMP ? FLOW_TAIL : FLOW_BRANCH_TAIL;
            else
                f->code.at[c->target].leader = true;
        }
        tables += c->flow == FLOW_TABLE;
        if (c->landing != CODE_NOWHERE) {
            f->code.at[c->landing].leader = true;
            if (i + 1 < f->code.count)
                f->code.at[i + 1].leader = true;
        }
        bool goes_on =
            c->flow == FLOW_NEXT || c->flow == FLOW_BRANCH || c->flow == FLOW_BRANCH_TAIL;
        if (goes_on && part_ends) { /* the compiler knew that control does not come here */
            f->is_odd |= c->flow == FLOW_NEXT && c->kind != CODE_CALL && c->kind != CODE_NOTHING;
            c->flow = c->flow == FLOW_BRANCH        ? FLOW_JUMP
                      : c->flow == FLOW_BRANCH_TAIL ? FLOW_TAIL
                                                    : FLOW_END;
        }
        if (c->flow != FLOW_NEXT && i + 1 < f->code.count)
            f->code.at[i + 1].leader = true;
    }
    if (tables && !find_labels(reader, f, tables))
        vec_clear(&f->labels); /* then such a jump must leave the function */
    for (size_t i = 0; i < f->labels.count; i++)
        f->code.at[f->labels.at[i]].leader = true;
    f->code.at[0].leader = true;
}

bool code_read(CodeReader *reader, uint32_t function, CodeFunction *out)
{
    return code_follow(reader, function, out) && !out->is_odd && out->code.count < MAX_INSTRUCTIONS;
}

bool code_follow(CodeReader *reader, uint32_t function, CodeFunction *out)
{
    *out = (CodeFunction){.function = function, .isa = reader->isa};
    if (image_functions(reader->image)[function].size > (1u << 20))
        return false;
    if (!read_part(reader, function, out) || !read_moved_parts(reader, out))
        return false;
    find_handlers(reader, out);
    connect(reader, out);
    constants_resolve(out);
    performed_describe(out);
    return true;
}
