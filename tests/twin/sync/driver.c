/* driver.c: the judge of programs of sync.h as a command.
 *
 *   sync generate SEED COUNT                  print random programs
 *   sync build CC OUT [FLAG...]               interp.c, instrumented, as a program that stays
 *   sync judge PROGRAM                        what can go wrong in it
 *   sync compare MODEL SEED COUNT -- COMMAND...
 *       For each program: COMMAND, with the text in HEDDLE_TWIN_PROGRAM, explores it. A violation
 *       that it reports must be one that some interleaving has, and if it reports none, none has.
 *       With `confirm' in HEDDLE_DEBUG every violation must show again; with `schedules' nothing
 *       counts as missed.
 *   sync check MODEL PROGRAM -- COMMAND...    the same for one program
 *
 * Before the subcommand --cxx: the command is interp.cc, with the locks of C++, and programs that
 * ask for what these do not have are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "../build.h"
#include "generate.h"
#include "machine.h"

static bool cxx;

static bool has_what_it_needs(const SyncProgram *program)
{
    for (int i = 0; cxx && i < SYNC_MUTEXES; i++)
        if (!strchr("nr", program->kind[i]))
            return false;
    for (int body = 0; cxx && body < SYNC_BODIES; body++)
        for (int i = 0; i < program->length[body]; i++)
            if (strchr("GvgKo", program->op[body][i].code))
                return false;
    return true;
}

typedef struct Tally {
    uint64_t programs, differ, left_out, holds, beyond, said[WRONG_COUNT];
} Tally;

/* With a race, rc11 must report something, and all else is allowed; sc explores it; tso and pso are
 * then not compared. */
static const char *compare_one(const char *model, const SyncProgram *program, const char *text,
                               char **command, Tally *tally)
{
    if (!has_what_it_needs(program)) {
        tally->left_out++;
        return NULL;
    }
    Judged judged = machine_judge(program, cxx);
    bool sc = !strcmp(model, "sc"), rc11 = !strcmp(model, "rc11");
    bool racy = judged.wrongs >> WRONG_RACE & 1;
    if (judged.too_large || judged.undefined || (racy && !sc && !rc11)) {
        tally->left_out++;
        return NULL;
    }
    Said said = said_by(command, text);
    const char *wrong = said_wrongly(said), *hooks = getenv("HEDDLE_DEBUG");
    if (wrong)
        return wrong;
    if (sc)
        judged.wrongs &= ~(1u << WRONG_RACE);
    if (said.kind == SAID_HOLDS) {
        tally->holds++;
        return judged.wrongs && !(hooks && strstr(hooks, "schedules")) ? "a violation was missed"
                                                                       : NULL;
    }
    tally->said[said.wrong]++;
    if ((judged.wrongs >> said.wrong & 1) || (racy && rc11))
        return NULL;
    if (rc11 && judged.weak) {
        tally->beyond++;
        return NULL;
    }
    return "a violation that is none";
}

static int compare(const char *model, uint64_t seed, uint64_t count, char **command)
{
    Tally tally = {0};
    for (uint64_t i = seed; i < seed + count; i++) {
        Buffer text = {0};
        SyncProgram program;
        sync_generate(i, &text);
        tally.programs++;
        const char *wrong = sync_parse(text.at, &program)
                                ? compare_one(model, &program, text.at, command, &tally)
                                : "can't be read";
        if (wrong) {
            tally.differ++;
            printf("DIFFERS %s seed %llu: %s\n  %s\n  possible:", model, (unsigned long long)i,
                   wrong, text.at);
            said_print_wrongs(machine_judge(&program, cxx).wrongs);
            fflush(stdout);
        }
        vec_free(&text);
    }
    printf("locks and lives under %s: %llu programs, %llu hold", model,
           (unsigned long long)tally.programs, (unsigned long long)tally.holds);
    for (int i = 0; i < WRONG_COUNT; i++)
        if (tally.said[i])
            printf(", %llu %s", (unsigned long long)tally.said[i], wrong_words[i]);
    printf(", %llu differ, %llu beyond interleavings, %llu left out\n",
           (unsigned long long)tally.differ, (unsigned long long)tally.beyond,
           (unsigned long long)tally.left_out);
    return tally.differ != 0;
}

static int check(const char *model, const char *text, char **command)
{
    Tally tally = {0};
    SyncProgram program;
    const char *wrong = sync_parse(text, &program)
                            ? compare_one(model, &program, text, command, &tally)
                            : "can't be read";
    printf("%s%s\n", wrong ? "DIFFERS: " : "0 differ", wrong ? wrong : "");
    return wrong != NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--cxx")) {
        cxx = true;
        argc--;
        argv++;
    }
    if (argc == 4 && !strcmp(argv[1], "generate")) {
        uint64_t seed = strtoull(argv[2], NULL, 0), count = strtoull(argv[3], NULL, 0);
        for (uint64_t i = seed; i < seed + count; i++) {
            Buffer text = {0};
            sync_generate(i, &text);
            puts(text.at);
            vec_free(&text);
        }
        return 0;
    }
    if (argc >= 4 && !strcmp(argv[1], "build"))
        return twin_build(argv[2], cxx ? "tests/twin/sync/interp.cc" : "tests/twin/sync/interp.c",
                          argv[3], argv + 4)
                   ? 0
                   : 2;
    if (argc == 3 && !strcmp(argv[1], "judge")) {
        SyncProgram program;
        if (!sync_parse(argv[2], &program))
            return 2;
        Judged judged = machine_judge(&program, cxx);
        printf("%s%s%s", judged.too_large ? " (too large)" : "",
               judged.undefined ? " (undefined)" : "", judged.weak ? " (weak)" : "");
        said_print_wrongs(judged.wrongs);
        return 0;
    }
    if (argc >= 7 && !strcmp(argv[1], "compare") && !strcmp(argv[5], "--"))
        return compare(argv[2], strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0), argv + 6);
    if (argc >= 6 && !strcmp(argv[1], "check") && !strcmp(argv[4], "--"))
        return check(argv[2], argv[3], argv + 5);
    fprintf(stderr,
            "usage: sync [--cxx] generate SEED COUNT | judge PROGRAM | build CC OUT [FLAG...]\n"
            "       | compare MODEL SEED COUNT -- COMMAND...\n"
            "       | check MODEL PROGRAM -- COMMAND...\n");
    return 2;
}
