#include "tool/report/dwarf/frames.h"
#include <dwarf.h>
#include <string.h>
#include "base/vec.h"

#define DEEPEST_INLINING 32

/* The compiler's headers, those of the C library and of test frameworks. Others in /usr/include
 * belong to libraries whose steps are what a person wants to see who tests them. */
bool frames_is_system_file(const char *file)
{
    if (!file)
        return false;
    bool installed = !strncmp(file, "/usr/include/", 13);
    return !strncmp(file, "/usr/lib/", 9) || strstr(file, "/include/c++/") ||
           strstr(file, "/lib/gcc/") || strstr(file, "/include/gtest/") ||
           strstr(file, "/include/gmock/") || strstr(file, "/include/catch2/") ||
           (installed && (strstr(file, "/bits/") || strstr(file, "/sys/")));
}

/* Where an inlined function was called. */
static bool inlined_call(Dwarf_Die *unit, Dwarf_Die *scope, SourceFrame *frame)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file, line, column = 0;
    Dwarf_Files *files;
    size_t count;
    if (!dwarf_attr(scope, DW_AT_call_file, &attribute) ||
        dwarf_formudata(&attribute, &file) != 0 ||
        !dwarf_attr(scope, DW_AT_call_line, &attribute) ||
        dwarf_formudata(&attribute, &line) != 0 || dwarf_getsrcfiles(unit, &files, &count) != 0 ||
        file >= count)
        return false;
    if (dwarf_attr(scope, DW_AT_call_column, &attribute))
        dwarf_formudata(&attribute, &column);
    frame->file = dwarf_filesrc(files, file, NULL, NULL);
    frame->line = (int)line;
    frame->column = (int)column;
    return frame->file != NULL;
}

typedef struct InlineChain { /* the function that contains an address, and what was inlined into
                              * it */
    Dwarf_Die frames[DEEPEST_INLINING];
    int count;
} InlineChain;

/* dwarf_getscopes follows an inlined function to where it was defined, not to where it was called:
 * so the tree is searched here. */
static bool find_chain(Dwarf_Die *parent, Dwarf_Addr address, int depth, InlineChain *chain)
{
    Dwarf_Die child;
    if (depth > 64 || dwarf_child(parent, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
        bool scope = tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
                     tag == DW_TAG_class_type || tag == DW_TAG_lexical_block;
        if (function && dwarf_haspc(&child, address) > 0) {
            if (chain->count < DEEPEST_INLINING)
                chain->frames[chain->count++] = child;
            find_chain(&child, address, depth + 1, chain);
            return true;
        }
        /* functions may be nested in any scope, and a lambda's class in a function */
        if ((scope || (function && !chain->count)) && find_chain(&child, address, depth + 1, chain))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* clang gives line 0 to instructions that it has merged from several. The nearest line before
 * ADDRESS that FUNCTION, a part of whose code they are, has there; the line of FUNCTION itself if
 * there is none. */
static void find_line(Dwfl_Module *module, Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Addr bias,
                      uint64_t address, SourceFrame *frame)
{
    for (int rows = 0; rows < 256; rows++) {
        Dwfl_Line *line = dwfl_module_getsrc(module, address);
        Dwarf_Addr row;
        int number = 0, column;
        const char *file = line ? dwfl_lineinfo(line, &row, &number, &column, NULL, NULL) : NULL;
        InlineChain chain = {.count = 0}; /* its own code, or that of a call inlined there? */
        if (file && number && find_chain(unit, address - bias, 0, &chain) &&
            dwarf_dieoffset(&chain.frames[chain.count - 1]) == dwarf_dieoffset(function)) {
            frame->file = file;
            frame->line = number;
            frame->column = column;
            return;
        }
        if (!file || !row || dwarf_haspc(function, row - 1 - bias) <= 0)
            break;
        address = row - 1;
    }
    if (dwarf_decl_file(function) && !dwarf_decl_line(function, &frame->line))
        frame->file = dwarf_decl_file(function);
}

unsigned frames_at(Dwfl_Module *module, uint64_t address, SourceFrame *frames, unsigned most)
{
    SourceFrame frame = {0};
    Dwarf_Addr bias;
    Dwfl_Line *line = dwfl_module_getsrc(module, address);
    if (line)
        frame.file = dwfl_lineinfo(line, NULL, &frame.line, &frame.column, NULL, NULL);
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
    InlineChain chain = {.count = 0};
    if (unit)
        find_chain(unit, address - bias, 0, &chain);
    if (line && !frame.line && chain.count)
        find_line(module, unit, &chain.frames[chain.count - 1], bias, address, &frame);
    unsigned count = 0;
    for (int i = chain.count - 1; i >= 0 && count < most; i--) {
        frame.function = dwarf_diename(&chain.frames[i]);
        frame.scope = dwarf_dieoffset(&chain.frames[i]);
        frame.system = frames_is_system_file(frame.file);
        frames[count++] = frame;
        if (dwarf_tag(&chain.frames[i]) != DW_TAG_inlined_subroutine ||
            !inlined_call(unit, &chain.frames[i], &frame))
            return count;
    }
    if (!count && most && frame.file) {
        frame.system = frames_is_system_file(frame.file);
        frames[count++] = frame;
    }
    return count;
}

bool frames_user_at(Dwfl_Module *module, uint64_t address, SourceFrame *out)
{
    SourceFrame frames[32];
    unsigned count = frames_at(module, address, frames, COUNT_OF(frames)), i = 0;
    while (i + 1 < count && frames[i].system)
        i++;
    if (count)
        *out = frames[i];
    return count != 0;
}

/* A tour of the functions of the system's headers. */
typedef struct Tour {
    FramesRange each;
    void *context;
    Dwarf_Addr bias;
    Vec(uint64_t) holes; /* pairs: the user's code that was inlined into the present function */
} Tour;

/* A lambda may be inlined into the library's function that calls it. */
static void find_holes(Tour *tour, Dwarf_Die *parent, int depth)
{
    Dwarf_Die child;
    if (depth > 64 || dwarf_child(parent, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine && !frames_is_system_file(dwarf_decl_file(&child))) {
            Dwarf_Addr base, from, to;
            for (ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &from, &to)) > 0;) {
                vec_push(&tour->holes, from);
                vec_push(&tour->holes, to);
            }
        } else if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) {
            find_holes(tour, &child, depth + 1);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* FROM to TO without the holes from number FIRST on. */
static void give_range(const Tour *tour, uint64_t from, uint64_t to, size_t first)
{
    for (size_t i = first; i < tour->holes.count; i += 2) {
        uint64_t low = tour->holes.at[i], high = tour->holes.at[i + 1];
        if (low >= to || high <= from)
            continue;
        if (low > from)
            give_range(tour, from, low, i + 2);
        if (high < to)
            give_range(tour, high, to, i + 2);
        return;
    }
    if (from < to)
        tour->each(tour->context, from + tour->bias, to + tour->bias);
}

/* Functions stand in namespaces, and clang nests those of a local class in its function. */
static void each_system_code(Tour *tour, Dwarf_Die *parent, int depth)
{
    Dwarf_Die child;
    if (depth > 16 || dwarf_child(parent, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type)
            each_system_code(tour, &child, depth + 1);
        if (tag != DW_TAG_subprogram)
            continue;
        if (!frames_is_system_file(dwarf_decl_file(&child))) {
            each_system_code(tour, &child, depth + 1);
            continue;
        }
        vec_clear(&tour->holes);
        find_holes(tour, &child, 0);
        Dwarf_Addr base, from, to;
        for (ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &from, &to)) > 0;)
            give_range(tour, from, to, 0);
    } while (dwarf_siblingof(&child, &child) == 0);
}

void frames_each_system_code(Dwfl_Module *module, FramesRange each, void *context)
{
    Tour tour = {.each = each, .context = context};
    Dwarf_Die *unit = NULL;
    while ((unit = dwfl_module_nextcu(module, unit, &tour.bias)))
        each_system_code(&tour, unit, 0);
    vec_free(&tour.holes);
}
