/* driver.c: random programs with accesses of every size to overlapping memory, explored by Heddle
 * and, on the other side, run by a machine of bytes or judged by the axioms.
 *   parts build CC INTERP_SOURCE OUT
 *   parts compare MODEL SEED COUNT INTERP     sc, tso: equal; pso, rc11: equal unless Heddle says
 *                                             that executions may be missing, and never more
 *   parts replay MODEL SEED COUNT INTERP      one outcome of each program is called a violation: it
 * is found, replayed, judged by the axioms and confirmed parts check MODEL PROGRAM INTERP one
 * program parts show SEED COUNT MODEL               only prints programs */
#include "../build.h"
#include "outcomes.h"
#include "base/hash.h"
#include <stdio.h>
#include <unistd.h>

static Random draw;

static int compare_outcomes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Outcome));
}
void outcomes_sort(Outcomes *set)
{
    size_t kept = 0;
    if (set->count)
        qsort(set->at, set->count, sizeof set->at[0], compare_outcomes);
    for (size_t i = 0; i < set->count; i++)
        if (!i || compare_outcomes(&set->at[i], &set->at[i - 1]))
            set->at[kept++] = set->at[i];
    set->count = kept;
}

/* ---- programs ---- */

static unsigned below(unsigned limit)
{
    return (unsigned)random_below(&draw, limit);
}

/* BYTES of the memory, from 2 to 16, are used. */
static char *add_step(char *to, unsigned bytes, bool with_other)
{
    static const char kinds[] = "llsssxca";
    static const int orders[] = {0, 2, 3, 4, 5, 5};
    unsigned most = 0, size;
    while (1u << most < bytes)
        most++;
    size = below(most + 1);
    unsigned offset = below(bytes >> size) << size;
    char kind = kinds[below(sizeof kinds - 1)];
    if (with_other && below(4) == 0)
        kind = below(8) == 0 ? 'f' : below(2) ? 'L' : 'S';
    if (kind == 'L' || kind == 'S' || kind == 'f')
        size = 2, offset = 0;
    return to + sprintf(to, "%c%u%x%d%02x%02x", kind, size, offset, orders[below(6)], 1 + below(3),
                        below(3));
}

/* MODEL decides how large they may be: candidates are many. */
static void generate(uint64_t seed, const char *model, char *text)
{
    draw.state = hash_mix(seed);
    bool many = !strcmp(model, "sc") || !strcmp(model, "tso") || !strcmp(model, "pso");
    unsigned bytes = 2u << below(4), threads = 2 + (below(3) == 0);
    unsigned left = many ? 4 + below(4) : 3 + below(4);
    bool with_other = below(3) != 0;
    for (unsigned t = 0; t < threads; t++) {
        unsigned steps = MIN(1 + below(PARTS_STEPS - 1), MAX(left, 1u));
        left -= MIN(left, steps);
        if (t)
            *text++ = '|';
        while (steps--)
            text = add_step(text, bytes, with_other);
    }
    *text = 0;
}

/* ---- Heddle ---- */

/* The outcomes that the file lists: addresses and values; the first address is that of the results.
 */
static void read_outcomes(const char *path, Outcomes *to)
{
    FILE *file = fopen(path, "re");
    char line[8192];
    while (file && fgets(line, sizeof line, file)) {
        Outcome o = outcome_none();
        uint64_t base = 0;
        for (char *at = line; *at && *at != '.';) {
            uint64_t address = strtoull(at, &at, 16), value = strtoull(at + 1, &at, 16);
            base = base ? base : address;
            if (address - base < sizeof o)
                ((uint64_t *)&o)[(address - base) / 8] = value;
            while (*at == ' ')
                at++;
        }
        vec_push(to, o);
    }
    if (file)
        fclose(file);
    outcomes_sort(to);
}

static bool validates; /* the explorer checks its invariants at every step */

/* Explores the program; false if it was not explored completely, and *WHY is told. */
static bool explore(const char *text, const char *model, const char *interp, bool reductions,
                    Outcomes *to, char *why, size_t bytes)
{
    char path[64], command[1024];
    snprintf(path, sizeof path, "/tmp/heddle-parts.%d", (int)getpid());
    snprintf(command, sizeof command, "HEDDLE_PARTS='%s' HEDDLE_DEBUG=%s%smodel=%s,outcomes=%s %s",
             text, reductions ? "" : "no-reductions,", validates ? "validate," : "", model, path,
             interp);
    FILE *pipe = popen(command, "re");
    if (!pipe || !fgets(why, (int)bytes, pipe))
        snprintf(why, bytes, "no answer");
    if (pipe)
        pclose(pipe);
    read_outcomes(path, to);
    unlink(path);
    return !strncmp(why, "holds ", 6) ||
           (!strncmp(why, "inconclusive ", 13) && strstr(why, " 1 cut"));
}

/* ---- both ---- */

static bool is_subset(const Outcomes *a, const Outcomes *b)
{
    size_t j = 0;
    for (size_t i = 0; i < a->count; i++) {
        while (j < b->count && compare_outcomes(&b->at[j], &a->at[i]) < 0)
            j++;
        if (j == b->count || compare_outcomes(&b->at[j], &a->at[i]))
            return false;
    }
    return true;
}

static void print_missing(const char *title, const Outcomes *from, const Outcomes *in)
{
    int shown = 0;
    for (size_t i = 0; i < from->count && shown < 4; i++) {
        Outcomes one = {.at = &from->at[i], .count = 1};
        if (is_subset(&one, in))
            continue;
        shown++;
        printf("  %s:", title);
        for (int k = 0; k < PARTS_RESULTS; k++)
            if (from->at[i].word[k][0] != PARTS_UNTOUCHED)
                printf(" %d.%d=%llx:%llx", k / PARTS_STEPS, k % PARTS_STEPS,
                       (unsigned long long)from->at[i].word[k][1],
                       (unsigned long long)from->at[i].word[k][0]);
        printf("\n");
    }
}

/* Is outcome O, which Heddle has listed, confirmed when it is a violation? */
static bool confirms(const char *text, const char *model, const char *interp, const Outcome *o)
{
    char words[2048], command[4096], line[4096] = "", last[4096] = "nothing";
    int used = 0;
    for (int i = 0; i < PARTS_RESULTS; i++)
        used += snprintf(words + used, sizeof words - (size_t)used, "%llx,%llx,",
                         (unsigned long long)o->word[i][0], (unsigned long long)o->word[i][1]);
    snprintf(command, sizeof command,
             "HEDDLE_PARTS='%s' HEDDLE_PARTS_BAD=%s HEDDLE_DEBUG=confirm,model=%s %s", text, words,
             model, interp);
    FILE *pipe = popen(command, "re");
    while (pipe && fgets(line, sizeof line, pipe))
        memcpy(last, line, sizeof last);
    if (pipe)
        pclose(pipe);
    if (!strcmp(last, "confirmed\n"))
        return true;
    printf("%s '%s' HEDDLE_PARTS_BAD=%s: %s\n", model, text, words, last);
    return false;
}

static bool confirms_one(const char *text, const char *model, const char *interp, uint64_t seed)
{
    Outcomes ours = {0};
    char why[4096];
    explore(text, model, interp, true, &ours, why, sizeof why);
    bool fine = ours.count && confirms(text, model, interp, &ours.at[seed % ours.count]);
    vec_free(&ours);
    return fine;
}

static unsigned long missing; /* programs of which Heddle says that it goes less far */

static bool agree(const char *text, const char *model, const char *interp, bool reductions)
{
    Outcomes theirs = {0}, ours = {0};
    char why[4096];
    Program program = parts_read(text);
    if (!strcmp(model, "rc11"))
        candidates_run(&program, &theirs);
    else
        machine_run(&program,
                    !strcmp(model, "sc")    ? MACHINE_SC
                    : !strcmp(model, "tso") ? MACHINE_TSO
                                            : MACHINE_PSO,
                    &theirs);
    bool done = explore(text, model, interp, reductions, &ours, why, sizeof why);
    bool less = strncmp(why, "holds ", 6) != 0;
    missing += less;
    bool may_miss = less && (!strcmp(model, "rc11") || !strcmp(model, "pso"));
    bool same = done && is_subset(&ours, &theirs) && (may_miss || is_subset(&theirs, &ours));
    if (!same) {
        printf("%s '%s'%s: %zu outcomes, Heddle %zu: %s", model, text,
               reductions ? "" : " (no reductions)", theirs.count, ours.count, why);
        print_missing("missing", &theirs, &ours);
        print_missing("impossible", &ours, &theirs);
    }
    vec_free(&theirs);
    vec_free(&ours);
    return same;
}

int main(int argc, char **argv)
{
    char text[1024];
    if (argc == 5 && !strcmp(argv[1], "build"))
        return !twin_build(argv[2], argv[3], argv[4], argv + 5);
    if (argc == 5 && !strcmp(argv[1], "check"))
        return !(agree(argv[3], argv[2], argv[4], true) && agree(argv[3], argv[2], argv[4], false));
    if (argc == 5 && !strcmp(argv[1], "show")) {
        for (uint64_t i = 0, first = strtoull(argv[2], NULL, 10); i < strtoull(argv[3], NULL, 10);
             i++) {
            generate(first + i, argv[4], text);
            puts(text);
        }
        return 0;
    }
    bool replays = argc == 6 && !strcmp(argv[1], "replay");
    if (argc != 6 || (!replays && strcmp(argv[1], "compare"))) {
        fprintf(stderr, "parts build|compare|check|show ...: see driver.c\n");
        return 2;
    }
    unsigned long differ = 0, programs = strtoul(argv[4], NULL, 10);
    uint64_t first = strtoull(argv[3], NULL, 10);
    for (unsigned long i = 0; i < programs; i++) {
        generate(first + i, argv[2], text);
        validates = (first + i) % 8 < 2;
        if (replays) {
            differ += !confirms_one(text, argv[2], argv[5], first + i);
            continue;
        }
        differ += !agree(text, argv[2], argv[5], (first + i) % 2);
    }
    printf("%s %lu programs %lu less far %lu differ\n", argv[2], programs, missing, differ);
    return differ != 0;
}
