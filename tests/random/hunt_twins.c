/* hunt_twins.c: looks for texts of tests/twin that kill mutants.
 *
 *     hunt_twins PROGRAM LIVENESS_TABLE MODEL FOLDER NAMES KILLED [RETURNED] <TEXTS
 *
 * PROGRAM is a twin (waits, confirms, looks) linked with server.c and the runtime of mutants.sh,
 * NAMES what mutants.sh has written, KILLED a file whose lines begin with the names of those that
 * need no killer. Each text is explored as tests/helpers/compare_twins.c does; a mutant whose
 * condition decided something is tried, and if the answer is not the one of the plain search, the
 * line for killers_twins.txt is printed. At its end: in how many texts each of the others mattered.
 */
#define main compare_main
#include "../helpers/compare_twins.c"
#undef main
#include <sys/mman.h>

enum { MUTANTS = 1024 };
static char name[MUTANTS][60];
static bool is_killed[MUTANTS];
static long reached_by[MUTANTS];
static int count;

static void read_names(const char *names, const char *killed)
{
    char line[8192], word[60];
    int n;
    FILE *file = fopen(names, "r");
    while (file && fscanf(file, "%d %59s", &n, word) == 2 && n < MUTANTS)
        memcpy(name[n], word, sizeof word), count = n > count ? n : count;
    if (file)
        fclose(file);
    file = fopen(killed, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "|\n")] = 0;
        for (n = 1; n <= count; n++)
            is_killed[n] |= !strcmp(line, name[n]);
    }
    if (file)
        fclose(file);
}

static bool is_same(const char *text, const Result *all)
{
    Result few;
    explore(text, "", &few);
    bool same = is_same_as_plain(text, &few, all) && (!returned || is_same_unreduced(text, &few));
    free(few.memories);
    return same;
}

/* Explores TEXT with each mutant whose condition mattered. REACHED: by number. */
static void hunt(const char *text, unsigned char *reached, const char *twin)
{
    unsigned char matters[MUTANTS];
    Result all;
    explore(text, ",plain-search,graph-symmetry=never", &all);
    memset(reached, 0, MUTANTS);
    bool same = !all.ended || is_same(text, &all);
    memcpy(matters, reached, MUTANTS);
    if (!same)
        printf("DIFFERENT without a mutant: %s\n", text);
    for (int n = 1; all.ended && same && n <= count; n++) {
        char number[12];
        reached_by[n] += matters[n];
        if (!matters[n] || is_killed[n])
            continue;
        snprintf(number, sizeof number, "%d", n);
        setenv("RANDOM_MUTANT", number, 1);
        if (!is_same(text, &all)) {
            is_killed[n] = true;
            printf("%s|%s|%s|%s\n", name[n], twin, model, text);
            fflush(stdout);
        }
        unsetenv("RANDOM_MUTANT");
    }
    free(all.memories);
}

int main(int argc, char **argv)
{
    char text[512], path[512];
    if (argc != 7 && argc != 8)
        return 2;
    program = argv[1], table = argv[2], model = argv[3], folder = argv[4];
    returned = argc == 8 ? strtoul(argv[7], NULL, 16) : 0;
    const char *twin = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
    read_names(argv[5], argv[6]);
    snprintf(path, sizeof path, "%s/reached", folder);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, MUTANTS))
        return 2;
    unsigned char *reached = mmap(NULL, MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    setenv("RANDOM_REACHED", path, 1);
    while (fgets(text, sizeof text, stdin)) {
        text[strcspn(text, "\n")] = 0;
        hunt(text, reached, twin);
    }
    for (int n = 1; n <= count; n++)
        if (!is_killed[n])
            printf("# %s: %ld texts\n", name[n], reached_by[n]);
    return 0;
}
