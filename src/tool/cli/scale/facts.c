#include "tool/cli/scale/facts.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "record/memory_model.h"
#include "record/reductions.h"
#include "tool/cli/commands.h"

extern char **environ;

/* Options that decide which executions there are and how they are judged. Limits, jobs and output
 * may change from session to session. */
#define OPTION_FACTS(X)                                                                            \
    X(races)                                                                                       \
    X(weak_cas)                                                                                    \
    X(checkpoints)                                                                                 \
    X(foreign_code)                                                                                \
    X(thread_local_storage)                                                                        \
    X(keep_going)                                                                                  \
    X(preemptions)                                                                                 \
    X(loop_bound)                                                                                  \
    X(event_bound)                                                                                 \
    X(schedules)                                                                                   \
    X(sampler)                                                                                     \
    X(follow_hopeless)                                                                             \
    X(seed)                                                                                        \
    X(rand_values)                                                                                 \
    X(rand_others)                                                                                 \
    X(clock_chosen)                                                                                \
    X(clock_equals)                                                                                \
    X(spurious_wakeups)                                                                            \
    X(stack_bytes)                                                                                 \
    X(plain_search)                                                                                \
    X(tso_axioms)                                                                                  \
    X(release_sequences)                                                                           \
    X(exit_status_ignored)                                                                         \
    X(uninitialised_ignored)                                                                       \
    X(leaks)                                                                                       \
    X(check.enabled)                                                                               \
    X(check.threads)                                                                               \
    X(check.length)                                                                                \
    X(check.framed)                                                                                \
    X(check.main_calls)                                                                            \
    X(check.exhaustive)                                                                            \
    X(check.samples)                                                                               \
    X(check.unbounded)                                                                             \
    X(check.elements)                                                                              \
    X(check.lag)                                                                                   \
    X(check.messages)                                                                              \
    X(check.annotated)                                                                             \
    X(check.consistency)                                                                           \
    X(check.histories)
#define TEXT_FACTS(X) X(spec) X(quasi) X(semantics) X(scenario) X(may_fail)

static void hash_segments(const unsigned char *image, size_t bytes, uint64_t hash[2])
{
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    hash[0] = 1;
    hash[1] = 2;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t at = header.e_phoff + i * (uint64_t)sizeof segment;
        if (at > bytes || bytes - at < sizeof segment)
            return;
        memcpy(&segment, image + at, sizeof segment);
        if (segment.p_type != PT_LOAD || segment.p_offset > bytes ||
            segment.p_filesz > bytes - segment.p_offset)
            continue;
        for (int k = 0; k < 2; k++) {
            hash[k] = hash_combine(hash[k], segment.p_vaddr);
            hash[k] = hash_bytes(image + segment.p_offset, segment.p_filesz, hash[k]);
        }
    }
}

/* The file PATH in memory, *BYTES long; NULL on error. */
static const unsigned char *map_program(const char *path, size_t *bytes, Error *error)
{
    struct stat status;
    int fd = file_open(path, NULL);
    bool fine = fd >= 0 && fstat(fd, &status) == 0 && status.st_size > (off_t)sizeof(Elf64_Ehdr);
    void *image = MAP_FAILED;
    if (fine)
        image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (image == MAP_FAILED)
        error_set(error, "%s can't be read: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    *bytes = image == MAP_FAILED ? 0 : (size_t)status.st_size;
    return image == MAP_FAILED ? NULL : image;
}

static const char *hash_image(Arena *arena, const unsigned char *image, size_t bytes)
{
    uint64_t hash[2];
    hash_segments(image, bytes, hash);
    return arena_printf(arena, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
}

bool facts_hash_program(Arena *arena, const char *path, const char **text, Error *error)
{
    size_t bytes;
    const unsigned char *image = map_program(path, &bytes, error);
    if (!image)
        return false;
    *text = hash_image(arena, image, bytes);
    munmap((void *)(uintptr_t)image, bytes);
    return true;
}

static void add(LedgerFacts *facts, const char *name, const char *value)
{
    vec_push(facts, (LedgerFact){name, value});
}

/* ---- the environment ---- */

typedef struct AskedVariable { /* of the environment */
    const char *text;          /* NAME=VALUE */
    size_t length;             /* of the name */
    bool is_named;             /* by the program */
} AskedVariable;
typedef Vec(AskedVariable) AskedVariables;

static int compare_variables(const void *a, const void *b)
{
    return strcmp(((const AskedVariable *)a)->text, ((const AskedVariable *)b)->text);
}

/* The environment, by name. TMPDIR and ours are named in every program that heddle makes; the shell
 * says in `_` which command it has started. */
static void list_variables(AskedVariables *to)
{
    static const char *const left_out[] = {"_=", "TMPDIR=", "HEDDLE_"};
    for (char **at = environ; *at; at++) {
        const char *equals = strchr(*at, '=');
        bool wanted = equals && equals > *at;
        for (size_t i = 0; i < COUNT_OF(left_out); i++)
            wanted &= strncmp(*at, left_out[i], strlen(left_out[i])) != 0;
        if (wanted)
            vec_push(to, (AskedVariable){*at, (size_t)(equals - *at), false});
    }
    if (to->count)
        qsort(to->at, to->count, sizeof *to->at, compare_variables);
}

/* Marks the variables whose name ends at place END of the image, where a string or a `=` ends it. A
 * string may begin before the name: linkers let strings share their ends. */
static void mark_ending(const unsigned char *image, size_t end, AskedVariables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        AskedVariable *v = &variables->at[i];
        if (!v->is_named && v->length <= end &&
            image[end - 1] == (unsigned char)v->text[v->length - 1] &&
            !memcmp(image + end - v->length, v->text, v->length))
            v->is_named = true;
    }
}

/* Adds the variables of the environment whose names stand in the program, which may ask for them.
 * Values may be secrets: what is written is their hash. */
static void add_environment(Arena *arena, const unsigned char *image, size_t bytes,
                            LedgerFacts *facts)
{
    AskedVariables variables = {0};
    bool is_last[256] = {false}; /* the last characters of names: all others are passed quickly */
    list_variables(&variables);
    for (size_t i = 0; i < variables.count; i++)
        is_last[(unsigned char)variables.at[i].text[variables.at[i].length - 1]] = true;
    for (size_t end = 1; end < bytes; end++)
        if (is_last[image[end - 1]] && (image[end] == 0 || image[end] == '='))
            mark_ending(image, end, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const AskedVariable *v = &variables.at[i];
        const char *value = v->text + v->length;
        if (v->is_named)
            add(facts, arena_printf(arena, LEDGER_VARIABLE "%.*s", (int)v->length, v->text),
                arena_printf(arena, "%016" PRIx64, hash_bytes(value, strlen(value), 1)));
    }
    vec_free(&variables);
}

/* The words with their lengths, so that no two lists look alike. */
static const char *join(Arena *arena, const Words *words)
{
    const char *text = "";
    for (size_t i = 0; i < words->count; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? " " : "", words->at[i]);
    return words->count > 1 ? arena_printf(arena, "%s (%zu words)", text, words->count) : text;
}

bool facts_collect(const Session *session, LedgerFacts *facts, Error *error)
{
    Arena *arena = session->arena;
    const ExploreOptions *options = &session->explore;
    size_t bytes;
    const unsigned char *image = map_program(session->build.program, &bytes, error);
    if (!image)
        return false;
    add(facts, "heddle", HEDDLE_VERSION);
    add(facts, "command", session->command);
    add(facts, "model", model_word(options->model));
    char reductions[256];
    reductions_name(options->reductions, reductions, sizeof reductions);
    add(facts, "reductions", arena_printf(arena, "%s", reductions));
#define X(name) add(facts, #name, arena_printf(arena, "%lld", (long long)session->explore.name));
    OPTION_FACTS(X)
#undef X
#define X(name) add(facts, #name, arena_printf(arena, "%s", options->check.name));
    TEXT_FACTS(X)
#undef X
    add(facts, "trust", arena_printf(arena, "%s", options->trust));
    add(facts, "program (its source, compiler or compiler options)",
        hash_image(arena, image, bytes));
    add(facts, "arguments of the program", join(arena, &session->options->program_arguments));
    add_environment(arena, image, bytes, facts);
    munmap((void *)(uintptr_t)image, bytes);
    return true;
}

void facts_add_libraries(Arena *arena, const Link *link, LedgerFacts *facts)
{
    char *text = arena_copy(arena, link->units.libraries, sizeof link->units.libraries);
    text[sizeof link->units.libraries - 1] = 0;
    Str rest = str_of(text), line;
    while (rest.length && str_next(&rest, '\n', &line)) {
        const char *space = memchr(line.at, ' ', line.length);
        if (!space)
            continue;
        Str name = {line.at, (size_t)(space - line.at)};
        Str id = {space + 1, line.length - name.length - 1};
        add(facts, str_copy(arena, name), str_copy(arena, id));
    }
}
