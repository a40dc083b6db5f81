#include "tool/instrument/trust.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- compilers ---- */

static bool all_of(const char *text, const char *others)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr(others, *text))
            return false;
    return true;
}

/* "", "-12", "-12.2" */
static bool is_version(const char *text)
{
    return !*text || (text[0] == '-' && isdigit((unsigned char)text[1]) &&
                      strspn(text + 1, "0123456789.") == strlen(text + 1));
}

bool trust_compiler(const char *name)
{
    static const char *const drivers[] = {"gcc", "g++", "clang", "clang++", "cc", "c++"};
    if (!all_of(name, "+-._"))
        return false;
    for (size_t i = 0; i < COUNT_OF(drivers); i++) {
        size_t length = strlen(drivers[i]);
        for (const char *at = name; (at = strstr(at, drivers[i])); at++)
            if (is_version(at + length) && (at == name || (at[-1] == '-' && at > name + 1)))
                return true;
    }
    return false;
}

/* ---- paths ---- */

/* Is PATH the folder FOLDER or below it? Both are absolute. */
static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/' || length == 1);
}

/* Follows every link of PATH; of one that is not there, those of the folders that are. */
static bool resolve(const char *path, char *out)
{
    char head[PATH_MAX];
    if (realpath(path, out))
        return true;
    if (strlen(path) >= sizeof head)
        return false;
    strcpy(head, path);
    for (char *slash = strrchr(head, '/');; slash = strrchr(head, '/')) {
        const char *tail = path + (slash ? (size_t)(slash - head) + 1 : 0);
        if (slash)
            *slash = 0;
        if (realpath(slash ? (*head ? head : "/") : ".", out)) {
            /* dots after a folder that does not exist can't be followed */
            if (strstr(tail, "..") || strlen(out) + strlen(tail) + 2 > PATH_MAX)
                return false;
            strcat(out, "/");
            strcat(out, tail);
            return true;
        }
        if (!slash)
            return false;
    }
}

bool trust_path(const TrustRules *rules, const char *path)
{
    char real[PATH_MAX], folder[PATH_MAX];
    return rules->outside ||
           (realpath(rules->folder, folder) && resolve(path, real) && is_below(real, folder));
}

/* Folders that only the administrator writes to hold headers and libraries, too. */
static bool trust_search(const TrustRules *rules, const char *path)
{
    static const char *const system[] = {"/usr/include",   "/usr/lib",   "/usr/local/include",
                                         "/usr/local/lib", "/usr/share", "/usr/lib64"};
    char real[PATH_MAX];
    if (trust_path(rules, path))
        return true;
    for (size_t i = 0; i < COUNT_OF(system); i++)
        if (resolve(path, real) && is_below(real, system[i]))
            return true;
    return false;
}

/* ---- words ---- */

static bool is_number(const char *text)
{
    const char *at = text + (*text == '-');
    return isdigit((unsigned char)*at) && all_of(at, ".");
}

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return length > 0 && !isdigit((unsigned char)text[0]);
}

/* A macro's body becomes code of the program: -Dputs=system would run commands in a source that
 * the reader trusts. What stands here can't. */
static bool trust_macro(const TrustRules *rules, const char *text)
{
    static const char *const words[] = {
        "int",      "long",   "short",   "char",    "unsigned", "signed",   "float",    "double",
        "size_t",   "_Bool",  "bool",    "true",    "false",    "uint8_t",  "uint16_t", "uint32_t",
        "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t",  "uintptr_t"};
    const char *equals = strchr(text, '=');
    if (rules->macros)
        return true;
    if (!is_name(text, equals ? (size_t)(equals - text) : strlen(text)))
        return false;
    if (!equals || !equals[1] || is_number(equals + 1))
        return true;
    const char *value = equals + 1;
    if (!is_name(value, strlen(value)))
        return false;
    if (!strncmp(value, "memory_order_", 13) || !strncmp(value, "__ATOMIC_", 9))
        return true;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(value, words[i]))
            return true;
    return false;
}

/* Words for the linker between the commas of -Wl, */
static bool trust_linker(const char *text)
{
    static const char *const words[] = {"--as-needed",
                                        "--no-as-needed",
                                        "--start-group",
                                        "--end-group",
                                        "-(",
                                        "-)",
                                        "--gc-sections",
                                        "--no-gc-sections",
                                        "--whole-archive",
                                        "--no-whole-archive",
                                        "-Bstatic",
                                        "-Bdynamic",
                                        "--export-dynamic",
                                        "-E",
                                        "-z",
                                        "now",
                                        "lazy",
                                        "relro",
                                        "norelro",
                                        "noexecstack",
                                        "defs",
                                        "--no-undefined",
                                        "--build-id",
                                        "--hash-style=gnu",
                                        "--hash-style=both",
                                        "-O1",
                                        "-O2"};
    Str rest = str_of(text), word;
    while (str_next(&rest, ',', &word)) {
        bool known = false;
        for (size_t i = 0; i < COUNT_OF(words) && !known; i++)
            known = str_is(word, words[i]);
        if (!known)
            return false;
    }
    return true;
}

/* -f and -m words by their names, each also with "no-"; with '=' at its end, it takes a value of
 * letters, digits and dashes. */
static const char *const code_words[] = {"f:strict-aliasing",
                                         "f:strict-overflow",
                                         "f:wrapv",
                                         "f:trapv",
                                         "f:exceptions",
                                         "f:non-call-exceptions",
                                         "f:rtti",
                                         "f:threadsafe-statics",
                                         "f:sized-deallocation",
                                         "f:aligned-new",
                                         "f:coroutines",
                                         "f:concepts",
                                         "f:char8_t",
                                         "f:permissive",
                                         "f:ms-extensions",
                                         "f:plan9-extensions",
                                         "f:gnu89-inline",
                                         "f:signed-char",
                                         "f:unsigned-char",
                                         "f:short-enums",
                                         "f:common",
                                         "f:inline",
                                         "f:inline-functions",
                                         "f:omit-frame-pointer",
                                         "f:PIC",
                                         "f:pic",
                                         "f:PIE",
                                         "f:pie",
                                         "f:plt",
                                         "f:freestanding",
                                         "f:hosted",
                                         "f:builtin",
                                         "f:stack-protector",
                                         "f:stack-protector-strong",
                                         "f:stack-protector-all",
                                         "f:stack-clash-protection",
                                         "f:cf-protection",
                                         "f:cf-protection=",
                                         "f:asynchronous-unwind-tables",
                                         "f:unwind-tables",
                                         "f:data-sections",
                                         "f:function-sections",
                                         "f:visibility=",
                                         "f:visibility-inlines-hidden",
                                         "f:fast-math",
                                         "f:math-errno",
                                         "f:finite-math-only",
                                         "f:unroll-loops",
                                         "f:tree-vectorize",
                                         "f:delete-null-pointer-checks",
                                         "f:max-errors=",
                                         "f:template-depth=",
                                         "f:constexpr-depth=",
                                         "f:diagnostics-color",
                                         "f:diagnostics-color=",
                                         "f:lifetime-dse",
                                         "f:keep-inline-functions",
                                         "f:semantic-interposition",
                                         "f:merge-constants",
                                         "f:blocks",
                                         "f:implicit-templates",
                                         "f:elide-constructors",
                                         "f:access-control",
                                         "f:extended-identifiers",
                                         "f:sanitize=",
                                         "f:var-tracking",
                                         "f:var-tracking-assignments",
                                         "f:ident",
                                         "f:asm",
                                         "f:toplevel-reorder",
                                         "f:reorder-functions",
                                         "f:ipa-icf",
                                         "f:ipa-sra",
                                         "f:gcse",
                                         "f:ivopts",
                                         "m:32",
                                         "m:64",
                                         "m:x32",
                                         "m:arch=",
                                         "m:tune=",
                                         "m:cpu=",
                                         "m:fpmath=",
                                         "m:cmodel=",
                                         "m:tls-dialect=",
                                         "m:red-zone",
                                         "m:cx16",
                                         "m:sahf",
                                         "m:popcnt",
                                         "m:lzcnt",
                                         "m:bmi",
                                         "m:bmi2",
                                         "m:mmx",
                                         "m:sse",
                                         "m:sse2",
                                         "m:sse3",
                                         "m:ssse3",
                                         "m:sse4",
                                         "m:sse4.1",
                                         "m:sse4.2",
                                         "m:sse4a",
                                         "m:avx",
                                         "m:avx2",
                                         "m:avx512f",
                                         "m:fma",
                                         "m:aes",
                                         "m:sha",
                                         "m:pclmul",
                                         "m:rdrnd",
                                         "m:rdseed",
                                         "m:rtm",
                                         "m:hle",
                                         "m:adx",
                                         "m:movbe",
                                         "m:fsgsbase",
                                         "m:xsave",
                                         "m:crc32",
                                         "m:waitpkg",
                                         "m:clflushopt",
                                         "m:clwb",
                                         "m:prfchw",
                                         "m:general-regs-only",
                                         "m:omit-leaf-frame-pointer",
                                         "m:stackrealign",
                                         "m:indirect-branch=",
                                         "m:function-return="};

static bool trust_code_word(const char *word)
{
    const char *name = word + 2;
    if (!strncmp(name, "no-", 3))
        name += 3;
    if (!strncmp(name, "builtin-", 8)) /* -fno-builtin-memcpy */
        return all_of(name, "_-");
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < COUNT_OF(code_words); i++) {
        const char *known = code_words[i] + 2;
        size_t known_length = strcspn(known, "=");
        if (code_words[i][0] != word[1] || length != known_length ||
            strncmp(name, known, length) != 0)
            continue;
        if (!name[length] && !known[known_length])
            return true;
        if (name[length] && known[known_length] && all_of(name + length + 1, "+-._"))
            return true;
    }
    return false;
}

static bool trust_debug(const char *text)
{
    static const char *const words[] = {"",
                                        "0",
                                        "1",
                                        "2",
                                        "3",
                                        "gdb",
                                        "gdb0",
                                        "gdb1",
                                        "gdb2",
                                        "gdb3",
                                        "dwarf",
                                        "dwarf-2",
                                        "dwarf-3",
                                        "dwarf-4",
                                        "dwarf-5",
                                        "strict-dwarf",
                                        "no-strict-dwarf",
                                        "z",
                                        "column-info",
                                        "no-column-info",
                                        "line-tables-only",
                                        "record-gcc-switches",
                                        "no-record-gcc-switches"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(text, words[i]))
            return true;
    return false;
}

/* A word that has its value in it, or needs none. */
static bool trust_one(const TrustRules *rules, const char *word)
{
    static const char *const whole[] = {"-pthread",         "-ansi",    "-pedantic",
                                        "-pedantic-errors", "-w",       "-static-libstdc++",
                                        "-static-libgcc",   "-rdynamic"};
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        if (!strcmp(word, whole[i]))
            return true;
    if (!strncmp(word, "-Wl,", 4))
        return trust_linker(word + 4);
    if (!strncmp(word, "-std=", 5))
        return all_of(word + 5, "+:");
    if (!strncmp(word, "-stdlib=", 8))
        return all_of(word + 8, "+");
    if (strlen(word) < 2)
        return false;
    const char *value = word + 2;
    switch (word[1]) {
    case 'D':
        return trust_macro(rules, value);
    case 'U':
        return is_name(value, strlen(value));
    case 'I':
    case 'L':
        return trust_search(rules, value);
    case 'l':
        return *value && all_of(value, "+-._");
    case 'O':
        return !*value || !strcmp(value, "fast") || (!value[1] && strchr("0123sgz", *value));
    case 'g':
        return trust_debug(value);
    case 'W': /* warnings; -Wa, and -Wp, have commas */
        return *value && all_of(value, "+-=");
    case 'f':
    case 'm':
        return trust_code_word(word);
    default:
        return false;
    }
}

/* An option, and the word that follows it as its value. */
static bool trust_two(const TrustRules *rules, const char *word, const char *value)
{
    static const char *const searches[] = {"-isystem", "-iquote", "-idirafter", "-I", "-L"};
    /* gcc replaces @FILE by the words of that file, wherever it stands */
    if (value[0] == '@')
        return false;
    if (!strcmp(word, "-D"))
        return trust_macro(rules, value);
    if (!strcmp(word, "-U"))
        return is_name(value, strlen(value));
    if (!strcmp(word, "-l"))
        return *value && *value != '-' && all_of(value, "+-._");
    if (!strcmp(word, "-Xlinker"))
        return !strchr(value, ',') && trust_linker(value);
    if (!strcmp(word, "-include") || !strcmp(word, "-imacros"))
        return *value != '-' && trust_path(rules, value);
    for (size_t i = 0; i < COUNT_OF(searches); i++)
        if (!strcmp(word, searches[i]))
            return *value != '-' && trust_search(rules, value);
    return false;
}

bool trust_words(const TrustRules *rules, const Words *words, Buffer *refused)
{
    size_t before = refused->count;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->at[i], *value = NULL;
        bool separate = false, link;
        bool fine = compiler_wants(word, &separate, &link);
        if (fine && separate && i + 1 < words->count)
            value = words->at[++i];
        fine = fine && (separate ? value && trust_two(rules, word, value) : trust_one(rules, word));
        if (!fine)
            buffer_printf(refused, "%s`%s%s%s'", refused->count ? ", " : "", word, value ? " " : "",
                          value ? value : "");
    }
    return refused->count == before;
}
