/* Analyses an executable and writes its table of dead stack bytes: liveness_table PROGRAM TABLE
 * [check]. With `check` it compares sizes of frames and places of saved registers with the unwind
 * tables, which the compiler wrote without knowing of us, and prints what differs. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include "tool/instrument/liveness/liveness.h"

/* DWARF numbers of the registers in the order of LIVENESS_*, of the frame pointer among them, and
 * of the stack pointer. */
typedef struct Machine {
    int numbers[LIVENESS_REGISTERS], count, frame_pointer, stack_pointer;
} Machine;
static const Machine x86_64 = {{15, 14, 13, 12, 3, 6}, 6, LIVENESS_RBP, 7};
static const Machine aarch64 = {{19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}, 12, 10, 31};

static unsigned sizes_compared, registers_compared;

static bool covers(const LivenessTable *table, const LivenessEntry *e, int64_t offset)
{
    for (unsigned k = 0; k < e->range_count; k++) {
        const LivenessRange *range = &liveness_ranges(table)[e->first_range + k];
        if (offset + 8 > range->offset && offset < range->offset + range->bytes)
            return true;
    }
    return false;
}

static bool check_entry(const Machine *m, Dwarf_CFI *cfi, const LivenessTable *table,
                        const LivenessEntry *e, bool *known)
{
    Dwarf_Frame *frame;
    Dwarf_Op *ops, space[3];
    size_t count;
    *known = false;
    if (dwarf_cfi_addrframe(cfi, e->address - 1, &frame))
        return true; /* no unwind table */
    if (dwarf_frame_cfa(frame, &ops, &count) || count != 1)
        return true;
    bool by_stack_pointer = ops[0].atom == DW_OP_bregx
                                ? ops[0].number == (Dwarf_Word)m->stack_pointer
                                : ops[0].atom == DW_OP_breg0 + m->stack_pointer;
    int64_t offset = (int64_t)(ops[0].atom == DW_OP_bregx ? ops[0].number2 : ops[0].number);
    *known = true;
    sizes_compared += by_stack_pointer;
    if (by_stack_pointer && offset != e->frame_bytes) {
        printf("%llx: frame of %u bytes, unwind table says %lld\n", (unsigned long long)e->address,
               e->frame_bytes, (long long)offset);
        return false;
    }
    if (!by_stack_pointer && (e->dead >> m->frame_pointer & 1)) {
        printf("%llx: the frame pointer is called dead\n", (unsigned long long)e->address);
        return false;
    }
    for (int r = 0; r < m->count; r++) {
        if (dwarf_frame_register(frame, m->numbers[r], space, &ops, &count))
            continue;
        /* DW_OP_call_frame_cfa DW_OP_plus_uconst/const: saved there; nothing: same value or
         * undefined */
        bool saved = count > 0 && ops[0].atom == DW_OP_call_frame_cfa;
        int64_t place = count > 1 ? (int64_t)ops[1].number : 0;
        int64_t ours = e->saved[r] - e->frame_bytes;
        bool agrees = e->saved[r] == LIVENESS_LOST || /* knows nothing */
                      (e->saved[r] == LIVENESS_KEPT ? true : saved && place == ours);
        if (agrees && e->saved[r] == LIVENESS_KEPT && (e->dead >> r & 1))
            agrees = false;
        if (saved && covers(table, e, place + e->frame_bytes))
            agrees = false; /* the unwinder would read a dead byte */
        if (!saved && e->saved[r] != LIVENESS_KEPT && (e->dead >> r & 1))
            agrees = false; /* the unwinder takes the register itself */
        registers_compared += e->saved[r] >= 0;
        if (!agrees) {
            printf("%llx: register %d saved at %lld, unwind table says %s %lld\n",
                   (unsigned long long)e->address, m->numbers[r], (long long)ours,
                   saved ? "at" : "not", (long long)place);
            return false;
        }
    }
    return true;
}

static int check(const LivenessTable *table, const char *path)
{
    int fd = open(path, O_RDONLY);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    Dwarf_CFI *cfi = elf ? dwarf_getcfi_elf(elf) : NULL;
    GElf_Ehdr header;
    const Machine *m =
        elf && gelf_getehdr(elf, &header) && header.e_machine == EM_AARCH64 ? &aarch64 : &x86_64;
    unsigned compared = 0, bad = 0;
    for (uint32_t i = 0; cfi && i < table->entry_count; i++) {
        bool known;
        bad += !check_entry(m, cfi, table, &liveness_entries(table)[i], &known);
        compared += known;
    }
    printf("%u of %u entries, %u sizes of frames, %u saved registers compared, %u differ\n",
           compared, table->entry_count, sizes_compared, registers_compared, bad);
    return bad || !compared;
}

/* For programs that are started by hand (HEDDLE_DEBUG=liveness=FILE). */
static bool save(const LivenessTable *table, const char *path, Error *error)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return error_set(error, "%s: it can't be written", path);
    bool written = fwrite(table, liveness_bytes(table), 1, file) == 1;
    return (fclose(file) == 0 && written) || error_set(error, "%s: it can't be written", path);
}

int main(int argc, char **argv)
{
    Error error = {0};
    LivenessTable *table;
    Arena *arena = arena_new();
    if (argc < 3 || !liveness_analyse(arena, argv[1], &table, &error) ||
        !save(table, argv[2], &error)) {
        fprintf(stderr, "liveness_table: %s\n", argc < 3 ? "PROGRAM TABLE [check]" : error.message);
        return 2;
    }
    int status = argc > 3 ? check(table, argv[1]) : 0;
    arena_free(arena);
    return status;
}
