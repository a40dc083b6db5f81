#include "tool/instrument/compiler.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/str.h"
#include "tool/instrument/process.h"

void words_append(Words *to, const Words *from)
{
    for (size_t i = 0; i < from->count; i++)
        vec_push(to, from->at[i]);
}

FileLanguage compiler_file_language(const char *path)
{
    static const struct {
        const char *ending;
        FileLanguage language;
    } endings[] = {{".c", FILE_C},      {".cc", FILE_CXX},    {".cpp", FILE_CXX},
                   {".cxx", FILE_CXX},  {".C", FILE_CXX},     {".c++", FILE_CXX},
                   {".o", FILE_OBJECT}, {".a", FILE_ARCHIVE}, {".obj", FILE_OBJECT}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < COUNT_OF(endings); i++)
        if (!strcmp(dot, endings[i].ending))
            return endings[i].language;
    return FILE_UNKNOWN;
}

const char *compiler_file_word(Arena *arena, const char *path)
{
    return path[0] == '-' || path[0] == '@' ? arena_printf(arena, "./%s", path) : path;
}

/* Searches PATH as the shell does. */
static bool on_path(const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    const char *path = getenv("PATH");
    Str rest = str_of(path ? path : "/usr/bin:/bin"), piece;
    while (str_next(&rest, ':', &piece)) {
        char full[4096];
        snprintf(full, sizeof full, "%.*s/%s", STR_ARG(piece), name);
        if (access(full, X_OK) == 0)
            return true;
    }
    return false;
}

/* The macros that it predefines tell the family of a driver called "cc", and for which processor
 * one with a prefix compiles. */
static bool ask_macros(const char *name, Compiler *out, Error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, "can't make a pipe: %s", strerror(errno));
    char self[4096], options[4][16] = {"-dM", "-E", "-xc", "/dev/null"};
    snprintf(self, sizeof self, "%s", name);
    char *arguments[] = {self, options[0], options[1], options[2], options[3], NULL};
    pid_t pid;
    ProcessStart start = {.arguments = arguments, .output = ends[1], .errors = -1};
    bool started = process_start(&start, &pid, error);
    close(ends[1]);
    Buffer text = {0};
    char piece[4096];
    ssize_t got;
    while (started && (got = read(ends[0], piece, sizeof piece)) > 0)
        buffer_append(&text, piece, (size_t)got);
    close(ends[0]);
    out->clang = text.at && strstr(text.at, "__clang__");
    out->aarch64 = text.at && strstr(text.at, "__aarch64__");
    bool gnu = text.at && strstr(text.at, "__GNUC__");
    vec_free(&text);
    int status = 0;
    if (!started)
        return false;
    if (!process_wait(pid, &status))
        return error_set(error, "interrupted");
    if (status != 0 || !gnu)
        return error_set(error, "%s is neither gcc nor clang", name);
    return true;
}

/* NAME with the last FROM in its base name replaced by TO; NULL if there is none. */
static const char *driver_replace(Arena *arena, const char *name, const char *from, const char *to)
{
    const char *base = strrchr(name, '/'), *found = NULL;
    base = base ? base + 1 : name;
    for (const char *at = base; (at = strstr(at, from)); at++)
        found = at;
    if (!found)
        return NULL;
    return arena_printf(arena, "%.*s%s%s", (int)(found - name), name, to, found + strlen(from));
}

#ifdef __aarch64__
static const bool is_aarch64_here = true;
#else
static const bool is_aarch64_here = false;
#endif

bool compiler_find(const char *name, Arena *arena, Compiler *out, Error *error)
{
    if (!name)
        name = "gcc";
    if (!on_path(name))
        return error_set(error, "compiler not found: %s", name);
    /* C driver and C++ driver, by name. */
    static const struct {
        const char *c, *cxx;
        int clang; /* -1: ask it */
    } families[] = {{"clang", "clang++", 1}, {"gcc", "g++", 0}, {"cc", "c++", -1}};
    *out = (Compiler){.c = name, .cxx = name, .aarch64 = is_aarch64_here};
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    int clang = -1;
    for (size_t i = 0; i < COUNT_OF(families); i++) {
        const char *other;
        if ((other = driver_replace(arena, name, families[i].cxx, families[i].c)))
            out->c = other;
        else if ((other = driver_replace(arena, name, families[i].c, families[i].cxx)))
            out->cxx = other;
        else
            continue;
        if (!strncmp(base, families[i].c, 2)) /* no prefix that names another processor */
            clang = families[i].clang;
        break;
    }
    out->clang = clang > 0;
    return clang >= 0 || ask_macros(name, out, error);
}

bool compiler_wants(const char *word, bool *separate, bool *link)
{
    *separate = *link = false;
    if (word[0] != '-' || word[1] == '-' || !word[1])
        return false;
    /* Words that stand for themselves, or whose argument may be the next word. */
    static const struct {
        const char *word;
        bool separate, link;
    } whole[] = {{"-include", true, false},
                 {"-isystem", true, false},
                 {"-iquote", true, false},
                 {"-idirafter", true, false},
                 {"-imacros", true, false},
                 {"-iprefix", true, false},
                 {"-isysroot", true, true},
                 {"-pthread", false, true},
                 {"-ansi", false, false},
                 {"-pedantic", false, false},
                 {"-pedantic-errors", false, false},
                 {"-w", false, false},
                 {"-static-libstdc++", false, true},
                 {"-static-libgcc", false, true},
                 {"-rdynamic", false, true},
                 {"-D", true, false},
                 {"-U", true, false},
                 {"-I", true, false},
                 {"-L", true, true},
                 {"-l", true, true},
                 {"-Xlinker", true, true}};
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        if (!strcmp(word, whole[i].word)) {
            *separate = whole[i].separate;
            *link = whole[i].link;
            return true;
        }
    static const struct {
        const char *start;
        bool link;
    } starts[] = {{"-D", false}, {"-U", false},    {"-I", false},      {"-O", false},
                  {"-g", false}, {"-std=", false}, {"-stdlib=", true}, {"-f", true},
                  {"-m", true},  {"-Wl,", true},   {"-W", false},      {"-L", true},
                  {"-l", true}};
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (!strncmp(word, starts[i].start, strlen(starts[i].start))) {
            *link = starts[i].link;
            return true;
        }
    return false;
}

static void append(Words *words, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        vec_push(words, list[i]);
}

bool compiler_standard_is_cxx20(const Words *words)
{
    static const char *const years[] = {"20", "2a", "23", "2b", "26", "2c"};
    bool is = false;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->at[i];
        if (strncmp(word, "-std=", 5) && strncmp(word, "--std=", 6))
            continue;
        const char *standard = strchr(word, '=') + 1;
        is = false;
        if (strncmp(standard, "c++", 3) && strncmp(standard, "gnu++", 5))
            continue;
        for (size_t y = 0; y < COUNT_OF(years); y++)
            is |= !strcmp(strrchr(standard, '+') + 1, years[y]);
    }
    return is;
}

void compiler_flags_before(const char *redirect, Words *words)
{
    /* -O0 keeps every access of the source (at -O1 two plain reads of one variable become one). */
    static const char *const both[] = {"-O0", "-g"};
    append(words, both, COUNT_OF(both));
    vec_push(words, "-include");
    vec_push(words, redirect);
}

void compiler_flags_after(const Compiler *compiler, Words *words)
{
    static const char *const both[] = {
        "-fsanitize=thread", "-fno-lto",
        /* std::string is compiled with the program, in sight, and libstdc++ checks its callers */
        "-D_GLIBCXX_ASSERTIONS",
        /* checked memory functions are expanded or called under names nobody wraps */
        "-U_FORTIFY_SOURCE",
        /* what is stored at rbp is stored to the stack: guest/runtime/code.h */
        "-fno-omit-frame-pointer"};
    /* gcc expands memory functions of constant size inline, after its instrumentation has
     * passed. */
    static const char *const gcc[] = {
        "--param=tsan-distinguish-volatile=1",
        "-Wno-tsan", /* it warns of fences, which libtsan ignores */
        "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset", "-fno-builtin-memcmp",
        "-fno-builtin-mempcpy", "-fno-builtin-strcpy", "-fno-builtin-stpcpy",
        "-fno-builtin-strncpy", "-fno-builtin-strcat", "-fno-builtin-strncat",
        "-fno-builtin-strcmp", "-fno-builtin-strncmp", "-fno-builtin-strlen",
        "-fno-builtin-sprintf", "-fno-builtin-snprintf", "-fno-tree-loop-distribute-patterns",
        /* a merged function would write its caller's structure */
        "-fno-ipa-icf"};
    /* Without aranges the report finds no lines; without read-before-write x++ has no read. */
    static const char *const clang[] = {"-gdwarf-aranges", "-grecord-command-line",
                                        "-mllvm",          "-tsan-distinguish-volatile=1",
                                        "-mllvm",          "-tsan-instrument-read-before-write=1"};
    /* AArch64: return addresses are compared as they are, without signatures. Constants that hold
     * addresses would be data that may change, if the program could be moved. Where a switch leads
     * is seen in comparisons, not in tables, whose forms there are many (liveness/constants.h).
     * Ends of frames are read off tables, which clang makes on demand
     * (guest/runtime/aarch64/unwind.c). */
    static const char *const aarch64[] = {"-mbranch-protection=none", "-fno-pie",
                                          "-fno-jump-tables", "-fasynchronous-unwind-tables"};
    append(words, both, COUNT_OF(both));
    if (compiler->aarch64)
        append(words, aarch64, COUNT_OF(aarch64));
    if (compiler->clang)
        append(words, clang, COUNT_OF(clang));
    else
        append(words, gcc, COUNT_OF(gcc));
}

void compiler_flags_step(bool second, Words *words)
{
    /* nothing is announced, but functions are marked as such that will be */
    static const char *const first[] = {"-emit-llvm",
                                        "-mllvm",
                                        "-tsan-instrument-memory-accesses=0",
                                        "-mllvm",
                                        "-tsan-instrument-atomics=0",
                                        "-mllvm",
                                        "-tsan-instrument-memintrinsics=0",
                                        "-mllvm",
                                        "-tsan-instrument-func-entry-exit=0"};
    if (second)
        vec_push(words, "-Qunused-arguments"); /* those that are about the source */
    else
        append(words, first, COUNT_OF(first));
}

static bool write_text(const char *path, const char *text, Error *error)
{
    FileWriter file;
    file_begin(&file, path);
    fputs(text, file.stream);
    return file_commit(&file, error);
}

/* libstdc++.so contains instances of its own templates, streams above all, which nobody
 * instruments: without the declarations that say so, the compiler makes them anew, with the
 * program. */
#define TEMPLATES                                                                                  \
    "#if __has_include(<bits/c++config.h>)\n"                                                      \
    "#include <bits/c++config.h>\n"                                                                \
    "#undef _GLIBCXX_EXTERN_TEMPLATE\n"                                                            \
    "#define _GLIBCXX_EXTERN_TEMPLATE 0\n"                                                         \
    "#endif\n"
/* Overloads of the function that libstdc++ tries with, __atomic_spin, which are preferred since
 * they ask for more. Which test it is can be told by its name: gcc says in which function a lambda
 * stands, clang in which file. The test of a semaphore is a lambda that holds `this`, a pointer to
 * the count (seen in libstdc++ 12 only). */
#define ONE_TRY                                                                                    \
    "#line 1 \"/usr/include/c++/heddle_tries\"\n" /* not the user's: frames_is_system_file */      \
    "#if defined __GLIBCXX__ && defined __cpp_concepts && __cplusplus > 201703L\n"                 \
    "namespace std { namespace __detail {\n"                                                       \
    "constexpr bool heddle_has(const char *text, const char *part)\n"                              \
    "{\n"                                                                                          \
    "    for (int i = 0; *text; text++, i = 0) {\n"                                                \
    "        while (part[i] && text[i] == part[i])\n"                                              \
    "            i++;\n"                                                                           \
    "        if (!part[i])\n"                                                                      \
    "            return true;\n"                                                                   \
    "    }\n"                                                                                      \
    "    return false;\n"                                                                          \
    "}\n"                                                                                          \
    "template <typename Test> constexpr bool heddle_only_loads()\n"                                \
    "{\n"                                                                                          \
    "    const char *name = __PRETTY_FUNCTION__;\n"                                                \
    "    return heddle_has(name, \"_S_do_spin_v\") || heddle_has(name, \"latch::wait\") ||\n"      \
    "           heddle_has(name, \"__tree_barrier\") || heddle_has(name, \"/atomic_wait.h:\") "    \
    "||\n"                                                                                         \
    "           heddle_has(name, \"/latch:\") || heddle_has(name, \"/barrier:\");\n"               \
    "}\n"                                                                                          \
    "struct __default_spin_policy;\n"                                                              \
    "template <typename Test, typename Policy>\n"                                                  \
    "requires(__is_same(Policy, __default_spin_policy) && heddle_only_loads<Test>())\n"            \
    "__attribute__((__always_inline__)) inline bool __atomic_spin(Test &test, Policy) noexcept\n"  \
    "{ return test(); }\n"                                                                         \
    "#if _GLIBCXX_RELEASE == 12\n"                                                                 \
    "template <typename Test> constexpr bool heddle_takes()\n"                                     \
    "{\n"                                                                                          \
    "    const char *name = __PRETTY_FUNCTION__;\n"                                                \
    "    return sizeof(Test) == sizeof(void *) && (heddle_has(name, \"__atomic_semaphore::_M_\") " \
    "||\n"                                                                                         \
    "           heddle_has(name, \"/semaphore_base.h:\"));\n"                                      \
    "}\n"                                                                                          \
    "template <typename Test> bool heddle_take(Test &test) noexcept\n"                             \
    "{\n"                                                                                          \
    "    typedef int *__attribute__((__may_alias__)) Pointer;\n"                                   \
    "    int *count = *(const Pointer *)&test;\n"                                                  \
    "    for (int i = 0; i < 16; i++) {\n"                                                         \
    "        int old = __atomic_load_n(count, __ATOMIC_ACQUIRE);\n"                                \
    "        if (old == 0)\n"                                                                      \
    "            return false;\n"                                                                  \
    "        if (__atomic_compare_exchange_n(count, &old, old - 1, false, __ATOMIC_ACQUIRE,\n"     \
    "                                        __ATOMIC_RELAXED))\n"                                 \
    "            return true;\n"                                                                   \
    "    }\n"                                                                                      \
    "    return false;\n"                                                                          \
    "}\n"                                                                                          \
    "template <typename Test, typename Policy = __default_spin_policy>\n"                          \
    "requires(__is_same(Policy, __default_spin_policy) && heddle_takes<Test>())\n"                 \
    "__attribute__((__always_inline__)) inline bool __atomic_spin(Test &test, Policy = "           \
    "Policy{})\n"                                                                                  \
    "noexcept { return heddle_take(test); }\n"                                                     \
    "#endif\n"                                                                                     \
    "} }\n"                                                                                        \
    "#endif\n"

bool compiler_write_templates(const char *path, bool every_try, Error *error)
{
    return write_text(path, every_try ? TEMPLATES : TEMPLATES ONE_TRY, error);
}

/* clang announces no atomic minimum and maximum; by compare-and-exchange it is the same update. */
#define CLANG_EXTREME(name, order_of, load, exchange, given)                                       \
    "#define " name "(heddle_a, heddle_b, heddle_order) __extension__ ({ "                         \
    "__typeof__((heddle_a) + 0) heddle_p = (heddle_a); "                                           \
    "__typeof__(" load "(heddle_p, 0)) heddle_v = (heddle_b), heddle_n, "                          \
    "heddle_o = " load "(heddle_p, 0); "                                                           \
    "do heddle_n = heddle_v " order_of " heddle_o ? heddle_v : heddle_o; "                         \
    "while (!" exchange "heddle_order, 0)); " given "; })\n"
#define CLANG_EXTREMES                                                                             \
    CLANG_EXTREME("__c11_atomic_fetch_max", ">", "__c11_atomic_load", EXCHANGE_C11, "heddle_o")    \
    CLANG_EXTREME("__c11_atomic_fetch_min", "<", "__c11_atomic_load", EXCHANGE_C11, "heddle_o")    \
    CLANG_EXTREME("__atomic_fetch_max", ">", "__atomic_load_n", EXCHANGE_GNU, "heddle_o")          \
    CLANG_EXTREME("__atomic_fetch_min", "<", "__atomic_load_n", EXCHANGE_GNU, "heddle_o")          \
    CLANG_EXTREME("__atomic_max_fetch", ">", "__atomic_load_n", EXCHANGE_GNU, "heddle_n")          \
    CLANG_EXTREME("__atomic_min_fetch", "<", "__atomic_load_n", EXCHANGE_GNU, "heddle_n")
#define EXCHANGE_C11 "__c11_atomic_compare_exchange_strong(heddle_p, &heddle_o, heddle_n, "
#define EXCHANGE_GNU "__atomic_compare_exchange_n(heddle_p, &heddle_o, heddle_n, 0, "

/* The functions get names of ours, so that no header of the user's choice is needed (its
 * feature-test macros must still be undecided here) and no declaration can clash; the assembler
 * name makes the call go to the C library's function, which the linker wraps. What a function says
 * against instrumentation is taken back: its accesses count like any other. */
bool compiler_write_header(const char *path, Error *error)
{
    static const char text[] = "#ifndef __ASSEMBLER__\n"
                               "#define no_sanitize(...) __unused__\n"
                               "#define __no_sanitize__(...) __unused__\n"
                               "#define no_sanitize_thread __unused__\n"
                               "#define __no_sanitize_thread__ __unused__\n"
                               "#ifndef __clang__\n"
                               "#ifdef __cplusplus\n"
                               "extern \"C\" {\n"
                               "#endif\n"
                               "void *heddle__memcpy(void *, const void *, __SIZE_TYPE__)\n"
                               "    __asm__(\"memcpy\") __attribute__((nothrow));\n"
                               "void *heddle__memmove(void *, const void *, __SIZE_TYPE__)\n"
                               "    __asm__(\"memmove\") __attribute__((nothrow));\n"
                               "void *heddle__memset(void *, int, __SIZE_TYPE__)\n"
                               "    __asm__(\"memset\") __attribute__((nothrow));\n"
                               "int heddle__memcmp(const void *, const void *, __SIZE_TYPE__)\n"
                               "    __asm__(\"memcmp\") __attribute__((nothrow));\n"
                               "#ifdef __cplusplus\n"
                               "}\n"
                               "#endif\n"
                               "#define __builtin_memcpy heddle__memcpy\n"
                               "#define __builtin_memmove heddle__memmove\n"
                               "#define __builtin_memset heddle__memset\n"
                               "#define __builtin_memcmp heddle__memcmp\n"
                               "#else\n" CLANG_EXTREMES "#endif\n"
                               "#endif\n";
    return write_text(path, text, error);
}

void compiler_link_flags(Words *words, const char *wraps)
{
    /* -no-pie: addresses in the program are those in its file, in every run, and objects that were
     * compiled without -fPIE still link. -z now: no lazy binding that a restore would undo.
     * --build-id: nobody asks for it, and to compute it takes a sixth of the linker's
     * instructions. */
    static const char *const flags[] = {"-no-pie", "-Wl,-z,now", "-Wl,--build-id=none", "-lpthread",
                                        "-ldl"};
    vec_push(words, wraps);
    append(words, flags, COUNT_OF(flags));
}

bool compiler_main_is_in_library(const Words *link)
{
    static const char *const words[] = {"-lgtest_main", "-lgmock_main", "-lCatch2Main",
                                        "-lCatch2WithMain"};
    for (size_t i = 0; i < link->count; i++)
        for (size_t k = 0; k < COUNT_OF(words); k++)
            if (!strcmp(link->at[i], words[k]))
                return true;
    return false;
}

const char *compiler_wraps(Arena *arena, const char *runtime)
{
    const char *slash = strrchr(runtime, '/');
    char *list =
        arena_printf(arena, "@%.*swrap.args", slash ? (int)(slash + 1 - runtime) : 0, runtime);
    if (access(list + 1, R_OK) == 0)
        return list;
    return "-Wl,--wrap=main,--wrap=memcpy,--wrap=memmove,--wrap=memset";
}
