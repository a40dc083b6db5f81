/* The instruction's address is computed by lea while all registers are still the program's; rdi,
 * which then holds it, and the number of the instruction travel in a variable of the runtime
 * (threads are fibers of one kernel thread: nobody comes between). The 128 bytes below the stack
 * pointer may be in use by a function that calls nothing. No instruction of the call changes flags
 * before the runtime has saved them. */
#include "tool/instrument/machine/assembly.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"
#include "record/assembly_code.h"

#define MOST_OPERANDS 3

typedef struct Instruction {
    bool locked;
    Str word; /* the mnemonic */
    Str operands[MOST_OPERANDS];
    size_t count;
} Instruction;

/* Number and size of a general register; false if it is none that is supported (%ah, %xmm0). */
static bool read_register(Str text, unsigned *number, unsigned *size)
{
    static const char *const names[4][16] = {
        {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b",
         "r13b", "r14b", "r15b"},
        {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w",
         "r13w", "r14w", "r15w"},
        {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d",
         "r12d", "r13d", "r14d", "r15d"},
        {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
         "r13", "r14", "r15"}};
    if (!text.length || text.at[0] != '%')
        return false;
    Str name = {text.at + 1, text.length - 1};
    for (unsigned width = 0; width < 4; width++)
        for (unsigned i = 0; i < 16; i++)
            if (str_is(name, names[width][i]) && i != 4) {
                *number = i;
                *size = 1u << width;
                return true;
            }
    return false;
}

/* $8 or $-1; a symbol or another base is left alone. */
static bool read_number(Str text, int64_t *value)
{
    return text.length > 1 && text.at[0] == '$' &&
           str_to_int64((Str){text.at + 1, text.length - 1}, value) && *value >= INT32_MIN &&
           *value <= INT32_MAX;
}

static bool is_memory(Str text)
{
    return text.length && text.at[0] != '%' && text.at[0] != '$' && text.at[0] != '*' &&
           !memchr(text.at, ':', text.length);
}

static bool split_operands(Str rest, Instruction *out)
{
    int depth = 0;
    size_t start = 0;
    out->count = 0;
    for (size_t i = 0; i <= rest.length; i++) {
        if (i < rest.length && rest.at[i] == '(')
            depth++;
        if (i < rest.length && rest.at[i] == ')')
            depth--;
        if (i < rest.length && (rest.at[i] != ',' || depth))
            continue;
        Str piece = str_trim((Str){rest.at + start, i - start});
        start = i + 1;
        if (!piece.length)
            continue;
        if (out->count == MOST_OPERANDS)
            return false;
        out->operands[out->count++] = piece;
    }
    return depth == 0;
}

/* Mnemonic WORD is BASE, perhaps with a size letter; *SIZE 0: the register tells. */
static bool is_word(Str word, const char *base, unsigned *size)
{
    Str name = str_of(base);
    *size = 0;
    if (str_equal(word, name))
        return true;
    static const char letters[] = "bwlq";
    const char *letter = word.length == name.length + 1 && str_starts(word, name)
                             ? memchr(letters, word.at[name.length], 4)
                             : NULL;
    if (letter)
        *size = 1u << (letter - letters);
    return letter != NULL;
}

/* lock addl $0, (%rsp): a fence, by what it is used for. */
static bool is_stack_fence(const Instruction *in, AssemblyOp op)
{
    int64_t value;
    Str at = in->operands[1];
    return in->locked && in->count == 2 && (op == ASSEMBLY_ADD || op == ASSEMBLY_OR) &&
           read_number(in->operands[0], &value) && !value && at.length >= 6 &&
           !memcmp(at.at + at.length - 6, "(%rsp)", 6);
}

typedef struct Translation {
    AssemblyOp op;
    unsigned size, reg; /* reg: the number of a register, or ASSEMBLY_IMMEDIATE */
    int64_t number;
    Str memory; /* empty: a fence */
    Str sets;   /* not empty: the instruction that tells the number by a condition (sete) */
} Translation;

static const Translation fence = {.op = ASSEMBLY_FENCE, .reg = ASSEMBLY_IMMEDIATE};

/* Operands "register or number, memory"; for a load "memory, register". */
static bool read_operands(const Instruction *in, AssemblyOp op, unsigned suffix, Translation *out)
{
    *out = (Translation){.op = op, .size = suffix, .reg = ASSEMBLY_IMMEDIATE};
    bool pair = op == ASSEMBLY_CAS_WIDE || op == ASSEMBLY_CAS_PAIR;
    bool alone = pair || op == ASSEMBLY_INC || op == ASSEMBLY_DEC || op == ASSEMBLY_NOT ||
                 op == ASSEMBLY_NEGATE;
    if (in->count != (alone ? 1u : 2u))
        return false;
    Str first = in->operands[0], memory = in->operands[in->count - 1];
    if (op == ASSEMBLY_LOAD || (op == ASSEMBLY_EXCHANGE && is_memory(first))) {
        memory = first;
        first = in->operands[1];
    }
    if (!is_memory(memory))
        return false;
    out->memory = memory;
    if (pair) {
        out->size = op == ASSEMBLY_CAS_WIDE ? 16 : 8;
        return true;
    }
    if (alone)
        return out->size != 0;
    unsigned size;
    if (read_register(first, &out->reg, &size)) {
        if (out->size && out->size != size)
            return false;
        out->size = size;
        return true;
    }
    out->reg = ASSEMBLY_IMMEDIATE;
    bool takes_number = op != ASSEMBLY_LOAD && op != ASSEMBLY_EXCHANGE && op != ASSEMBLY_CAS &&
                        op != ASSEMBLY_FETCH_ADD;
    return takes_number && out->size && read_number(first, &out->number);
}

/* mov %fs:0, %rax: a load of the thread's own memory, which is plain in C11, too. The address of
 * the operand lacks the segment's beginning. */
static bool read_own(const Instruction *in, Translation *out)
{
    unsigned size, suffix;
    Str first = in->count == 2 ? in->operands[0] : (Str){0};
    if (in->locked || !is_word(in->word, "mov", &suffix) || !str_starts(first, STR("%fs:")))
        return false;
    *out = (Translation){.op = ASSEMBLY_LOAD_OWN, .memory = {first.at + 4, first.length - 4}};
    if (!is_memory(out->memory) || !read_register(in->operands[1], &out->reg, &size) ||
        (suffix && suffix != size))
        return false;
    out->size = size;
    return true;
}

/* sete (%rdi): a store of a byte, which the flags tell. clang has the result of an instruction in
 * memory wherever its operand may lie there ("=qm"). */
static bool read_set(const Instruction *in, AssemblyMeaning meaning, Translation *out)
{
    if (meaning == ASSEMBLY_IN_C11 || in->locked || in->count != 1 ||
        !str_starts(in->word, STR("set")) || !is_memory(in->operands[0]))
        return false;
    *out = (Translation){.op = ASSEMBLY_STORE,
                         .size = 1,
                         .reg = ASSEMBLY_IMMEDIATE,
                         .memory = in->operands[0],
                         .sets = in->word};
    return true;
}

/* Instructions without operands. */
static bool is_alone(Str word)
{
    return str_is(word, "mfence") || str_is(word, "sfence") || str_is(word, "lfence") ||
           str_is(word, "rdtsc") || str_is(word, "rdtscp");
}

static bool translate(const Instruction *in, AssemblyMeaning meaning, Translation *out)
{
    static const char *const words[] = {
#define X(name, word) word,
        ASSEMBLY_OPS(X)
#undef X
    };
    if (str_is(in->word, "mfence") && !in->locked && !in->count) {
        *out = fence;
        return true;
    }
    if (read_own(in, out) || read_set(in, meaning, out))
        return true;
    for (int op = ASSEMBLY_FENCE_STORES; op <= ASSEMBLY_CLOCK_PLACE; op++)
        if (op != ASSEMBLY_LOAD_OWN && str_is(in->word, words[op]) && !in->locked && !in->count) {
            *out = (Translation){.op = (AssemblyOp)op, .reg = ASSEMBLY_IMMEDIATE};
            return true;
        }
    for (int op = ASSEMBLY_LOAD; op < ASSEMBLY_FENCE_STORES; op++) {
        unsigned size;
        if (!is_word(in->word, words[op], &size))
            continue;
        if (is_stack_fence(in, (AssemblyOp)op)) {
            *out = fence;
            return true;
        }
        /* xchg with memory is locked by itself, a move needs no lock; others are no atomic step
         * without */
        bool free_of_lock = op == ASSEMBLY_LOAD || op == ASSEMBLY_STORE || op == ASSEMBLY_COMPARE ||
                            op == ASSEMBLY_BIT_TEST;
        if (meaning == ASSEMBLY_IN_C11 ||
            (free_of_lock ? in->locked : op != ASSEMBLY_EXCHANGE && !in->locked))
            continue;
        if (read_operands(in, (AssemblyOp)op, size, out))
            return true;
    }
    return false;
}

static void emit(const Translation *what, Buffer *out)
{
    buffer_printf(out, "#NO_APP\n\tmovq\t%%rdi, heddle__asm(%%rip)\n");
    if (what->memory.length)
        buffer_printf(out, "\tleaq\t%.*s, %%rdi\n", STR_ARG(what->memory));
    if (what->sets.length)
        buffer_printf(out, "\tmovl\t$0, heddle__asm+12(%%rip)\n\t%.*s\theddle__asm+12(%%rip)\n",
                      STR_ARG(what->sets));
    buffer_printf(out, "\tmovl\t$%u, heddle__asm+8(%%rip)\n",
                  ASSEMBLY_CODE(what->op, what->size, what->reg));
    if (what->reg == ASSEMBLY_IMMEDIATE && !what->sets.length)
        buffer_printf(out, "\tmovl\t$%lld, heddle__asm+12(%%rip)\n", (long long)what->number);
    buffer_printf(
        out,
        "\tleaq\t-128(%%rsp), %%rsp\n\tcall\theddle__assembly\n\tleaq\t128(%%rsp), %%rsp\n#APP\n");
}

/* Returns the length of the label that TEXT begins with, with its colon, or 0. */
static size_t label_length(Str text)
{
    size_t i = 0;
    while (i < text.length && (isalnum((unsigned char)text.at[i]) || strchr("_.$", text.at[i])))
        i++;
    return i && i < text.length && text.at[i] == ':' ? i + 1 : 0;
}

/* One line of inline assembly, which may be several instructions. A "lock" may stand on a line of
 * its own. */
static bool translate_line(Str line, bool *locked, AssemblyMeaning meaning, Buffer *out)
{
    Buffer made = {0};
    bool any = false, lock = *locked;
    Str rest = line, piece;
    while (str_next(&rest, ';', &piece)) {
        Str text = str_trim(piece);
        for (size_t label; (label = label_length(text)) > 0;) {
            buffer_printf(&made, "%.*s\n", (int)label, text.at);
            text = str_trim((Str){text.at + label, text.length - label});
        }
        Instruction in = {.locked = lock};
        Translation what;
        if (str_is(text, "lock")) {
            lock = true;
            continue;
        }
        if (!text.length)
            continue;
        if (str_starts(text, STR("lock")) && text.length > 4 &&
            (text.at[4] == ' ' || text.at[4] == '\t')) {
            in.locked = true;
            text = str_trim((Str){text.at + 4, text.length - 4});
        }
        size_t length = 0;
        while (length < text.length && text.at[length] != ' ' && text.at[length] != '\t')
            length++;
        in.word = (Str){text.at, length};
        if (split_operands(str_trim((Str){text.at + length, text.length - length}), &in) &&
            translate(&in, meaning, &what)) {
            if (meaning == ASSEMBLY_IN_TSO && ASSEMBLY_IS_CAS(what.op))
                emit(&fence, &made);
            emit(&what, &made);
            any = true;
        } else {
            buffer_printf(&made, "\t%s%.*s\n", in.locked ? "lock " : "", STR_ARG(text));
        }
        lock = false;
    }
    /* a lock is kept back until its instruction comes */
    if (any || lock || *locked)
        buffer_append(out, made.at, made.count);
    else
        buffer_printf(out, "%.*s\n", STR_ARG(line));
    *locked = lock;
    vec_free(&made);
    return any;
}

bool assembly_is_mark(Str line, bool *inside)
{
    static const struct {
        const char *word;
        bool begins;
    } marks[] = {{"APP", true},
                 {"NO_APP", false},
                 {" Start of file scope inline assembly", true},
                 {" End of file scope inline assembly", false}};
    size_t comment = str_starts(line, STR("#")) ? 1 : str_starts(line, STR("//")) ? 2 : 0;
    Str rest = {line.at + comment, line.length - comment};
    for (size_t i = 0; comment && i < COUNT_OF(marks); i++)
        if (str_starts(rest, str_of(marks[i].word))) {
            *inside = marks[i].begins;
            return true;
        }
    return false;
}

bool assembly_translate(Str text, AssemblyMeaning meaning, Buffer *out)
{
    bool inside = false, any = false, locked = false;
    Str line;
    if (memmem(text.at, text.length, ".intel_syntax", strlen(".intel_syntax")))
        return false; /* another language */
    while (str_next(&text, '\n', &line)) {
        if (!line.length && !text.length)
            break; /* behind the last line */
        Str trimmed = str_trim(line);
        assembly_is_mark(trimmed, &inside);
        bool code = trimmed.length && trimmed.at[0] != '#' && trimmed.at[0] != '.' &&
                    !memchr(trimmed.at, '"', trimmed.length) &&
                    !memchr(trimmed.at, '#', trimmed.length);
        /* intrinsics like _mm_mfence and __rdtsc leave no mark */
        bool unmarked = is_alone(trimmed);
        if (code && (inside || unmarked)) {
            bool done = translate_line(line, &locked, meaning, out);
            any |= done;
            if (done && !inside) /* close what was opened behind the call */
                buffer_printf(out, "#NO_APP\n");
            continue;
        }
        buffer_printf(out, "%.*s\n", STR_ARG(line));
    }
    return any;
}

/* Does it have functions that begin as those of x86-64 do? Calls of the runtime are in its
 * language. (All functions have a frame pointer.) */
static bool is_x86(const Buffer *text)
{
    return memmem(text->at, text->count, "pushq\t%rbp", 10) != NULL;
}

bool assembly_translate_file(const char *path, AssemblyMeaning meaning, Error *error)
{
    Buffer text = {0}, out = {0};
    bool fine = file_read(path, &text, error);
    if (fine && text.count && is_x86(&text) &&
        assembly_translate(buffer_str(&text), meaning, &out)) {
        FileWriter file;
        file_begin(&file, path);
        fwrite(out.at, 1, out.count, file.stream);
        fine = file_commit(&file, error);
    }
    vec_free(&text);
    vec_free(&out);
    return fine;
}
