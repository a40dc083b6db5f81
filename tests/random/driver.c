/* driver.c: random programs and all small ones, explored by the engine and judged by the oracle.
 *
 *   random [OPTION...] run SEED COUNT     random programs
 *   random [OPTION...] small THREADS LENGTH [FROM COUNT]   all of that size
 *   random [OPTION...] check              programs from standard input, one a line
 *   random [OPTION...] judge              what the oracle says of those
 *   random [OPTION...] show SEED          the text of a random program
 *   random [OPTION...] print SEED COUNT   random programs as C text; compiled and given as --engine
 *                                         with --printed, `run SEED COUNT` explores what the
 *                                         compiler made of them
 *   random print                          those of standard input, lines of `kill' among them
 *   random [OPTION...] hunt SEED COUNT    programs that tell mutants from the runtime (mutants.sh),
 *                                         for each of --mutants=FILE that no line of --killed=FILE
 *                                         names
 *   random [OPTION...] try                such programs among those of standard input
 *   random [OPTION...] evolve SEED COUNT  and among programs near them
 *   random [OPTION...] kill               lines NAME|MODEL|TEXT from standard input: with the
 *                                         mutant they must differ, without it they must not
 *   random --mutant=NAME ... check        what the engine says with a mutant
 *
 * --engine=PROGRAM,TABLE  --models=sc,tso,...  --size=N  --features=NAME,...  --words (programs of
 * whole loops and such)  --keys=KEYS (more of HEDDLE_DEBUG)  --c11 (release sequences)  --ways=N (1
 * the reduced search, 2 also the plain one, 3 also the one without reductions)  --ms=N (CPU of an
 * exploration)  --most=N (states or graphs of the oracle)  --first (end at the first difference)
 * --verbose
 *
 * A program that tells the two apart is made as small as possible and printed with its seed. */
#include <stdarg.h>
#include <time.h>
#include "engine.h"
#include "generate.h"
#include "print.h"
#include "record/reductions.h"

static struct {
    const char *program, *table, *models, *features, *keys;
    int size, ways;
    long ms, most;
    const char *mutants, *killed, *mutant;
    bool first, verbose, printed, words;
} options = {
    .models = "sc,tso,pso,rc11", .size = 3, .ways = 2, .ms = 80, .most = 20000, .keys = ""};

static struct {
    long by_states, unfit; /* with --keys=states=views: decided, not decided */
    long programs, explored, differ, violated, stuck, too_large, given_up, too_long, outcomes;
} sums;

static const char *const way_words[] = {"reduced", "plain", "unreduced"};

static int16_t normal(const Program *p, int16_t pointer)
{
    int node = node_of_value(pointer), kind = node % NODES_OF_THREAD;
    if (pointer < POINTER)
        return pointer;
    return (int16_t)(POINTER +
                     (kind == NODE_TLS
                          ? kind
                          : class_of(p, node / NODES_OF_THREAD) * NODES_OF_THREAD + kind));
}

/* The node of the heap that V points to is the first of its thread, or the second if it is not that
 * of BEFORE. */
static int16_t unnumbered(int16_t v, int16_t before, int16_t was)
{
    int node = node_of_value(v), kind = node % NODES_OF_THREAD;
    return v < POINTER || kind < NODE_HEAP
               ? v
               : (int16_t)(v - kind + NODE_HEAP + (v != was && v - kind + NODE_HEAP == before));
}

static bool frees_any(const Program *p)
{
    bool any = false;
    for (int t = 0; t < p->threads; t++)
        any |= code_has(&p->thread[t], OP_FREE);
    return any;
}

/* Nodes of equal threads are not told apart; nor does it show how many were freed before. */
static void normalise(const Program *p, Judged *j)
{
    bool frees = frees_any(p);
    for (int i = 0; i < j->outcomes; i++) {
        int16_t *pointer = &j->outcome[i].variable[4], was = 0, before = 0;
        for (int v = 0; v < 2; v++) {
            int16_t now = pointer[v] = normal(p, pointer[v]);
            if (frees)
                pointer[v] = unnumbered(now, before, was);
            was = now, before = pointer[v];
        }
    }
    oracle_sort(j);
}

/* What is only plain, and raced with nothing, is in no outcome of the engine; where nobody races it
 * is what main tells. */
static void forget_plain(Judged *j)
{
    for (int i = 0; i < j->outcomes; i++)
        for (int v = 0; v < VARIABLES; v++)
            if (v >= 6)
                j->outcome[i].variable[v] = 0;
    oracle_sort(j);
}

static bool has_all(const Judged *many, const Judged *few)
{
    int i = 0, k = 0;
    for (; k < few->outcomes; k++, i++) {
        while (i < many->outcomes &&
               memcmp(&many->outcome[i], &few->outcome[k], sizeof(Outcome)) < 0)
            i++;
        if (i == many->outcomes || memcmp(&many->outcome[i], &few->outcome[k], sizeof(Outcome)))
            return false;
    }
    return true;
}

static const char *kinds_text(unsigned kinds)
{
    static char text[200];
    static const char *const words[] = {"assertion", "race", "freed", "double", "invalid", "stuck"};
    *text = 0;
    for (int i = 0; i < 6; i++)
        if (kinds >> i & 1)
            strcat(strcat(text, words[i]), " ");
    return *text ? text : "fine ";
}

/* NULL, or how ANSWER differs from what the oracle says. */
static const char *difference(const Judged *wanted, const Answer *got)
{
    unsigned wrong = wanted->kinds & ~(unsigned)KIND_STUCK;
    /* whoever frees writes: which of the two is told first is left open */
    unsigned allowed =
        wrong | (wrong & (KIND_FREED | KIND_DOUBLE) ? KIND_RACE | KIND_FREED | KIND_DOUBLE : 0);
    if (got->how == CRASHED)
        return "crashed";
    if (got->how != ENDED && !got->kind)
        return NULL;
    if (got->kind)
        return got->kind & allowed ? NULL : "a violation that there is not";
    if (wrong)
        return "a violation is missed";
    if (!got->stuck && wanted->kinds & KIND_STUCK)
        return "stuck threads are missed";
    if (got->stuck && !(wanted->kinds & KIND_STUCK))
        return "stuck threads that are not";
    if (!has_all(&got->found, wanted))
        return "an outcome is missed";
    if (!has_all(wanted, &got->found))
        return "an outcome that there is not";
    return NULL;
}

static bool is_more(const char *how)
{
    return how && strstr(how, "is not");
}

static bool has_loops(const Program *p)
{
    for (int t = 0; t < p->threads; t++)
        if (code_has(&p->thread[t], OP_LOOP))
            return true;
    return false;
}

/* The outcomes of two oracles at most differ by rounds: how often a thread may repeat loops. */
static void judge(const Program *p, Model model, int rounds, Judged *j)
{
    oracle_judge(p, model, rounds, options.most, j);
    normalise(p, j);
    forget_plain(j);
}

/* Objects of the heap have other names in states. */
static void forget_nodes(Judged *j)
{
    for (int i = 0; i < j->outcomes; i++)
        for (int v = 4; v < 6; v++)
            if (j->outcome[i].variable[v] >= POINTER)
                j->outcome[i].variable[v] = POINTER;
    oracle_sort(j);
}

/* NULL, or how the states by views differ from what the oracle says. */
static const char *compare_states(const Program *p, const Judged *j, Answer *a)
{
    sums.unfit += a->asks_states && !a->by_states;
    sums.by_states += a->by_states;
    if (options.verbose && a->asks_states && !a->by_states)
        printf("  no states: %s\n", a->said);
    if (!a->by_states)
        return NULL;
    Judged wanted = *j;
    Answer got = {.how = ENDED,
                  .kind = a->states_kind & ~(unsigned)KIND_STUCK,
                  .stuck = a->states_kind == KIND_STUCK,
                  .found = a->states};
    wanted.outcome = malloc(sizeof *j->outcome * (size_t)(j->outcomes + 1));
    memcpy(wanted.outcome, j->outcome, sizeof *j->outcome * (size_t)j->outcomes);
    normalise(p, &got.found);
    forget_plain(&got.found);
    forget_nodes(&got.found);
    forget_nodes(&wanted);
    const char *how = difference(&wanted, &got);
    free(wanted.outcome);
    a->states = got.found;
    if (how && options.verbose)
        printf("  states: %s\n", how);
    return how;
}

/* NULL, or how WAY explores P wrongly under MODEL; J is what the oracle says. */
static const char *compare_way(const Program *p, Model model, int way, Judged *j, Answer *a)
{
    engine_explore(p, model, way, a);
    normalise(p, &a->found);
    forget_plain(&a->found);
    const char *how = difference(j, a);
    if (!how)
        how = compare_states(p, j, a);
    for (int rounds = 4; is_more(how) && j->bounded && rounds <= 6; rounds += 2) {
        Judged more;
        judge(p, model, rounds, &more);
        how = more.too_large ? NULL : difference(&more, a);
        if (!more.too_large && !how)
            how = compare_states(p, &more, a);
        if (more.too_large)
            sums.too_large++;
        oracle_free(&more);
    }
    return how;
}

static const char *compare(const Program *p, Model model, int *way, bool counts)
{
    Judged j;
    const char *how = NULL;
    judge(p, model, 2, &j);
    sums.too_large += counts && j.too_large;
    for (*way = 0; !how && !j.too_large && *way < options.ways; ++*way) {
        Answer a;
        if (*way == 2 && has_loops(p))
            break;
        how = compare_way(p, model, *way, &j, &a);
        if (counts) {
            sums.explored++;
            sums.given_up += a.how == GIVEN_UP;
            sums.too_long += a.how == TOO_LONG;
            if (!*way) {
                sums.violated += a.kind != 0;
                sums.stuck += a.stuck != 0;
                sums.outcomes += a.found.outcomes;
            }
            if (options.verbose)
                printf("  %s %s: oracle %s%d outcomes %ld states%s; engine %s\n",
                       model_words[model], way_words[*way], kinds_text(j.kinds), j.outcomes,
                       j.states, j.bounded ? " bounded" : "", a.said);
        }
        oracle_free(&a.found);
        if (how)
            break;
    }
    oracle_free(&j);
    return how;
}

static void shrink(Program *p, Model model, const char *how)
{
    static Program q;
    for (int n = 0, way; generate_shrink(p, n, &q);) {
        const char *now = generate_is_valid(&q) ? compare(&q, model, &way, false) : NULL;
        if (now && !strcmp(now, how)) {
            *p = q;
            n = 0;
        } else {
            n++;
        }
    }
}

static void print_outcomes(const char *name, const Judged *j)
{
    for (int i = 0; i < j->outcomes && i < 40; i++) {
        printf("    %s:", name);
        for (int v = 0; v < VARIABLES; v++)
            if (j->outcome[i].variable[v])
                printf(" %c=%d", variable_names[v], j->outcome[i].variable[v]);
        for (int t = 0; t < THREADS; t++)
            if (j->outcome[i].told[t])
                printf(" told%d=%lld", t, (long long)j->outcome[i].told[t]);
        printf("\n");
    }
}

static void explain(const Program *p, Model model, int way)
{
    Judged j;
    Answer a;
    judge(p, model, 4, &j);
    engine_explore(p, model, way, &a);
    normalise(p, &a.found);
    forget_plain(&a.found);
    printf("    oracle: %s%d outcomes; engine: %s\n", kinds_text(j.kinds), j.outcomes, a.said);
    print_outcomes("oracle", &j);
    print_outcomes("engine", &a.found);
    oracle_free(&j);
    oracle_free(&a.found);
}

/* NAME: seed or number, as it is given on the command line. */
static void consider(const Program *p, const char *name)
{
    char text[8192];
    sums.programs++;
    if (options.verbose)
        program_print(text, p), printf("%s: %s\n", name, text);
    for (Model model = 0; model < MODELS; model++) {
        int way;
        if (!strstr(options.models, model_words[model]))
            continue;
        const char *how = compare(p, model, &way, true);
        if (!how)
            continue;
        sums.differ++;
        Program small = *p;
        printf("DIFFERENT %s, %s, %s: %s\n", name, model_words[model], way_words[way], how);
        program_print(text, p);
        printf("  %s\n", text);
        fflush(stdout);
        if (!options.printed)
            shrink(&small, model, how);
        program_print(text, &small);
        printf("  smaller: %s\n", text);
        compare(&small, model, &way, false);
        explain(&small, model, way < options.ways ? way : 0);
        fflush(stdout);
        if (options.first)
            break;
    }
}

static void draw(uint64_t seed, Program *p)
{
    if (options.words)
        generate_from_words(seed, options.size, p);
    else
        generate_program(seed, options.size, options.features, p);
}

static void run(uint64_t seed, long count)
{
    for (long i = 0; i < count && !(options.first && sums.differ); i++) {
        Program p;
        char name[80];
        draw(seed + (uint64_t)i, &p);
        oracle_c11 = (seed + (uint64_t)i) % 4 == 0;
        snprintf(name, sizeof name, "%s--size=%d%s%s run %llu 1", options.words ? "--words " : "",
                 options.size, options.features ? " --features=" : "",
                 options.features ? options.features : "",
                 (unsigned long long)(seed + (uint64_t)i));
        if (options.printed)
            engine_set_number((int)i);
        consider(&p, name);
    }
}

static void print(uint64_t seed, int count)
{
    printf("#include \"printed.h\"\n");
    for (int i = 0; i < count; i++) {
        Program p;
        draw(seed + (uint64_t)i, &p);
        print_program(&p, i);
    }
    print_end(count);
}

/* The programs of standard input, one a line, after any NAME|MODEL|; as C text. */
static void print_texts(void)
{
    static char line[8192];
    int count = 0;
    printf("#include \"printed.h\"\n");
    while (fgets(line, sizeof line, stdin)) {
        Program p;
        char *text = strrchr(line, '|'), *at = line;
        for (int bars = 0; (text = strchr(at, '|')) && bars < 2 && strncmp(at, "create", 6); bars++)
            at = text + 1;
        if (*line != '#' && !program_parse(strncmp(at, "c11 ", 4) ? at : at + 4, &p))
            print_program(&p, count++);
    }
    print_end(count);
}

static void run_small(int threads, int length, uint64_t from, uint64_t count)
{
    Program p;
    bool canonical;
    for (uint64_t n = from; n - from < count && generate_small(n, threads, length, &p, &canonical);
         n++) {
        char name[80];
        snprintf(name, sizeof name, "small %d %d %llu 1", threads, length, (unsigned long long)n);
        if (canonical)
            consider(&p, name);
        if (options.first && sums.differ)
            break;
    }
}

static void check(bool only_judge)
{
    static char line[8192];
    for (int number = 1; fgets(line, sizeof line, stdin); number++) {
        Program p;
        char name[40];
        snprintf(name, sizeof name, "line %d", number);
        if (*line == '#' || *line == '\n')
            continue;
        const char *wrong = program_parse(line, &p);
        if (wrong || !generate_is_valid(&p)) {
            printf("line %d: %s%s\n", number, wrong ? "can't be read at " : "is not valid",
                   wrong ? wrong : "");
            exit(2);
        }
        if (!only_judge) {
            consider(&p, name);
            continue;
        }
        for (Model model = 0; model < MODELS; model++)
            if (strstr(options.models, model_words[model])) {
                Judged j;
                judge(&p, model, 2, &j);
                printf("%s %s%d outcomes, %ld states%s%s\n", model_words[model],
                       kinds_text(j.kinds), j.outcomes, j.states, j.bounded ? ", bounded" : "",
                       j.too_large ? ", too large" : "");
                print_outcomes("", &j);
                oracle_free(&j);
            }
    }
}

/* ---- mutants ---- */

enum { MUTANTS = 1000, MOST_TOO_LONG = 200 };
static char mutant_name[MUTANTS][60];
static bool is_killed[MUTANTS];
static long reached_by[MUTANTS]; /* so many programs come to where they matter */
static int too_long[MUTANTS];    /* times that it did not end: it is not tried for ever */
static int mutant_count;

static int find_mutant(const char *name, size_t bytes)
{
    for (int n = 1; n <= mutant_count; n++)
        if (strlen(mutant_name[n]) == bytes && !strncmp(mutant_name[n], name, bytes))
            return n;
    return 0;
}

static void read_mutants(void)
{
    static char line[8192];
    FILE *file = options.mutants ? fopen(options.mutants, "r") : NULL;
    int n;
    char name[60];
    while (file && fscanf(file, "%d %59s", &n, name) == 2 && n < MUTANTS)
        memcpy(mutant_name[n], name, sizeof name),
            mutant_count = n > mutant_count ? n : mutant_count;
    if (file)
        fclose(file);
    file = options.killed ? fopen(options.killed, "r") : NULL;
    while (file && fgets(line, sizeof line, file))
        is_killed[find_mutant(line, strcspn(line, "|"))] = true;
    if (file)
        fclose(file);
}

/* NULL, or how the reduced search of P differs while mutant N is on. */
static const char *compare_mutant(const Program *p, Model model, Judged *j, int n)
{
    Answer a;
    engine_set_mutant(n);
    const char *how = compare_way(p, model, 0, j, &a);
    engine_set_mutant(0);
    too_long[n] += a.how == TOO_LONG ? (a.hangs ? 40 : 1) : 0;
    oracle_free(&a.found);
    return how;
}

static bool kills(const Program *p, Model model, int n)
{
    Judged j;
    bool does = false;
    judge(p, model, 2, &j);
    if (!j.too_large && compare_mutant(p, model, &j, n))
        does = !compare_mutant(p, model, &j, 0);
    oracle_free(&j);
    return does;
}

static void tell_killer(const Program *p, Model model, int n)
{
    static Program best, q;
    char text[8192];
    best = *p;
    for (int i = 0; !options.printed && generate_shrink(&best, i, &q);) {
        if (generate_is_valid(&q) && kills(&q, model, n)) {
            best = q;
            i = 0;
        } else {
            i++;
        }
    }
    program_print(text, &best);
    printf("%s|%s|%s%s\n", mutant_name[n], model_words[model], oracle_c11 ? "c11 " : "", text);
    fflush(stdout);
}

static void keep_near(const Program *p, int n);

static void hunt_with(const Program *p, Model model)
{
    Judged j;
    bool reached[MUTANTS];
    judge(p, model, 2, &j);
    const char *how = j.too_large ? NULL : compare_mutant(p, model, &j, 0);
    if (how) { /* without any mutant */
        char text[8192];
        program_print(text, p);
        printf("DIFFERENT %s %s: %s\n", model_words[model], how, text);
        fflush(stdout);
    } else if (!j.too_large) {
        for (int n = 1; n <= mutant_count; n++)
            reached_by[n] += engine_has_reached(n);
        for (int n = 1; n <= mutant_count; n++)
            reached[n] = !is_killed[n] && too_long[n] < MOST_TOO_LONG && engine_has_reached(n);
        for (int n = 1; n <= mutant_count; n++)
            if (reached[n])
                keep_near(p, n);
        for (int n = 1; n <= mutant_count; n++)
            if (reached[n] && compare_mutant(p, model, &j, n) && kills(p, model, n)) {
                is_killed[n] = true;
                tell_killer(p, model, n);
            }
    }
    oracle_free(&j);
}

static void hunt(uint64_t seed, long count)
{
    for (long i = 0; i < count; i++) {
        Program p;
        draw(seed + (uint64_t)i, &p);
        oracle_c11 = (seed + (uint64_t)i) % 4 == 0;
        sums.programs++;
        if (options.printed)
            engine_set_number((int)i);
        for (Model model = 0; model < MODELS; model++)
            if (strstr(options.models, model_words[model]))
                hunt_with(&p, model);
    }
}

/* ---- programs near those that come to where a condition matters ---- */

enum { NEAR = 12 };
static Program near[MUTANTS][NEAR];
static int near_count[MUTANTS];

static int steps_of(const Program *p)
{
    int n = 0;
    for (int t = 0; t < p->threads; t++)
        n += p->thread[t].length;
    return n;
}

/* Keeps P for mutant N: small ones for the most part. */
static void keep_near(const Program *p, int n)
{
    if (near_count[n] < NEAR) {
        near[n][near_count[n]++] = *p;
        return;
    }
    int at = rand() % NEAR;
    if (steps_of(p) <= steps_of(&near[n][at]) || rand() % 8 == 0)
        near[n][at] = *p;
}

/* From the programs that have been tried on: to programs near them, as long as mutants are left. */
static void evolve(uint64_t seed, long count)
{
    srand((unsigned)seed);
    for (long i = 0; i < count; i++) {
        Program p;
        int n = 1 + rand() % mutant_count;
        for (int tries = 0; tries < 50 && (is_killed[n] || !near_count[n]); tries++)
            n = 1 + rand() % mutant_count;
        if (is_killed[n] || !near_count[n] || rand() % 10 == 0)
            generate_from_words(seed + (uint64_t)i, 2, &p);
        else
            generate_near(seed + (uint64_t)i, &near[n][rand() % near_count[n]], &p);
        oracle_c11 = i % 4 == 0;
        if (steps_of(&p) > 40)
            continue;
        sums.programs++;
        for (Model model = 0; model < MODELS; model++)
            if (strstr(options.models, model_words[model]) && rand() % 2)
                hunt_with(&p, model);
    }
}

static void try_all(void)
{
    static char line[8192];
    Program p;
    while (fgets(line, sizeof line, stdin)) {
        if (*line == '#' || program_parse(line, &p) || !generate_is_valid(&p)) {
            printf("# not tried: %s", line);
            continue;
        }
        sums.programs++;
        for (Model model = 0; model < MODELS; model++)
            if (strstr(options.models, model_words[model]))
                hunt_with(&p, model);
    }
}

static void tell_rest(void)
{
    for (int n = 1; n <= mutant_count; n++)
        if (!is_killed[n])
            printf("# %s: %ld programs%s\n", mutant_name[n], reached_by[n],
                   too_long[n] >= MOST_TOO_LONG ? ", too long" : "");
}

static void kill_all(void)
{
    static char line[8192];
    long killed = 0, failed = 0, number = 0;
    while (fgets(line, sizeof line, stdin)) {
        Program p;
        int n = find_mutant(line, strcspn(line, "|")), model = 0;
        char *at = strchr(line, '|');
        if (*line == '#' || !at)
            continue;
        if (options.printed)
            engine_set_number((int)number++);
        while (model < MODELS && strncmp(at + 1, model_words[model], strlen(model_words[model])))
            model++;
        at = strchr(at + 1, '|');
        oracle_c11 = at && !strncmp(at, "|c11 ", 5);
        if (!n || model == MODELS || !at || program_parse(at + (oracle_c11 ? 5 : 1), &p)) {
            printf("no such mutant, model or program: %s", line);
            failed++;
        } else if (!kills(&p, (Model)model, n)) {
            printf("not killed: %s", line);
            failed++;
        } else {
            killed++;
        }
    }
    printf("%ld killed, %ld not\n", killed, failed);
    exit(failed > 0);
}

/* How often each reduction has left something out. */
static void tell_rules(void)
{
    static const char *const words[] = {
#define X(word, what, needs) #word,
        REDUCTIONS(X)
#undef X
    };
    for (int i = 0; i < REDUCTION_COUNT; i++) {
        RuleCount c = engine_rule(i);
        printf("%s left out: %ld times in %ld explorations\n", words[i], c.times, c.explorations);
    }
}

static bool take_option(char *word)
{
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    if (!strcmp(word, "--engine") && value) {
        options.program = value;
        value = strchr(value, ',');
        if (!value)
            return false;
        *value = 0;
        options.table = value + 1;
    } else if (!strcmp(word, "--models") && value) {
        options.models = value;
    } else if (!strcmp(word, "--features") && value) {
        options.features = value;
    } else if (!strcmp(word, "--keys") && value) {
        options.keys = value;
    } else if (!strcmp(word, "--size") && value) {
        options.size = atoi(value);
    } else if (!strcmp(word, "--ways") && value) {
        options.ways = atoi(value);
    } else if (!strcmp(word, "--ms") && value) {
        options.ms = atol(value);
    } else if (!strcmp(word, "--most") && value) {
        options.most = atol(value);
    } else if (!strcmp(word, "--mutants") && value) {
        options.mutants = value;
    } else if (!strcmp(word, "--killed") && value) {
        options.killed = value;
    } else if (!strcmp(word, "--mutant") && value) {
        options.mutant = value;
    } else if (!strcmp(word, "--words")) {
        options.words = true;
    } else if (!strcmp(word, "--printed")) {
        options.printed = true;
    } else if (!strcmp(word, "--c11")) {
        oracle_c11 = true;
    } else if (!strcmp(word, "--first")) {
        options.first = true;
    } else if (!strcmp(word, "--verbose")) {
        options.verbose = true;
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    int i = 1;
    while (i < argc && !strncmp(argv[i], "--", 2))
        if (!take_option(argv[i++]))
            return 2;
    const char *what = i < argc ? argv[i++] : "";
    uint64_t number[4] = {0, 1, 0, UINT64_MAX};
    for (int n = 0; n < 4 && i < argc; n++)
        number[n] = strtoull(argv[i++], NULL, 10);
    if (!strcmp(what, "show")) {
        static char text[8192];
        Program p;
        draw(number[0], &p);
        program_print(text, &p);
        printf("%s\n", text);
        return 0;
    }
    if (!strcmp(what, "print") && !number[0]) {
        print_texts();
        return 0;
    }
    if (!strcmp(what, "print")) {
        print(number[0], (int)number[1]);
        return 0;
    }
    if (!strcmp(what, "judge")) {
        check(true);
        return 0;
    }
    if (!options.program)
        return 2;
    engine_set(options.program, options.table, options.keys, options.ms);
    read_mutants();
    if (options.mutant)
        engine_set_mutant(find_mutant(options.mutant, strlen(options.mutant)));
    if (!strcmp(what, "run"))
        run(number[0], (long)number[1]);
    else if (!strcmp(what, "small"))
        run_small((int)number[0], (int)number[1], number[2], number[3]);
    else if (!strcmp(what, "hunt"))
        hunt(number[0], (long)number[1]), tell_rest();
    else if (!strcmp(what, "try"))
        try_all(), tell_rest();
    else if (!strcmp(what, "evolve"))
        try_all(), evolve(number[0], (long)number[1]), tell_rest();
    else if (!strcmp(what, "kill"))
        kill_all();
    else if (!strcmp(what, "check"))
        check(false);
    else
        return 2;
    engine_stop();
    tell_rules();
    if (sums.by_states + sums.unfit)
        printf("by states: %ld decided, %ld not\n", sums.by_states, sums.unfit);
    printf("%ld programs, %ld explorations, %ld differ; %ld violated, %ld stuck, %ld outcomes; "
           "%ld too large for the oracle, %ld inconclusive, %ld too long\n",
           sums.programs, sums.explored, sums.differ, sums.violated, sums.stuck, sums.outcomes,
           sums.too_large, sums.given_up, sums.too_long);
    return sums.differ > 0;
}
