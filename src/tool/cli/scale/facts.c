#include "tool/cli/scale/facts.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/str.h"
#include "record/memory_model.h"
#include "tool/cli/commands.h"

/* Options that decide which executions there are and how they are judged. Limits, jobs and output
 * may change from session to session. */
#define OPTION_FACTS(X)                                                                            \
    X(races)                                                                                       \
    X(reductions)                                                                                  \
    X(weak_cas)                                                                                    \
    X(checkpoints)                                                                                 \
    X(foreign_code)                                                                                \
    X(thread_local_storage)                                                                        \
    X(heap_reuse)                                                                                  \
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
    X(spurious_wakeups)                                                                            \
    X(stack_bytes)                                                                                 \
    X(plain_search)                                                                                \
    X(tso_axioms)                                                                                  \
    X(release_sequences)                                                                           \
    X(exit_status_ignored)                                                                         \
    X(uninitialised_ignored)                                                                       \
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

bool facts_hash_program(Arena *arena, const char *path, const char **text, Error *error)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = fd >= 0 && fstat(fd, &status) == 0 && status.st_size > (off_t)sizeof(Elf64_Ehdr);
    void *image = MAP_FAILED;
    if (fine)
        image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (image == MAP_FAILED)
        return error_set(error, "%s can't be read: %s", path, strerror(errno));
    uint64_t hash[2];
    hash_segments(image, (size_t)status.st_size, hash);
    munmap(image, (size_t)status.st_size);
    *text = arena_printf(arena, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
    return true;
}

static void add(LedgerFacts *facts, const char *name, const char *value)
{
    vec_push(facts, (LedgerFact){name, value});
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
    const char *program;
    if (!facts_hash_program(arena, session->build.program, &program, error))
        return false;
    add(facts, "heddle", HEDDLE_VERSION);
    add(facts, "command", session->command);
    add(facts, "model", model_word(options->model));
#define X(name) add(facts, #name, arena_printf(arena, "%lld", (long long)session->explore.name));
    OPTION_FACTS(X)
#undef X
#define X(name) add(facts, #name, arena_printf(arena, "%s", options->check.name));
    TEXT_FACTS(X)
#undef X
    add(facts, "trust", arena_printf(arena, "%s", options->trust));
    add(facts, "program (its source, compiler or compiler options)", program);
    add(facts, "arguments of the program", join(arena, &session->options->program_arguments));
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
