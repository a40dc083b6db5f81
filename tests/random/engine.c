#define _GNU_SOURCE
#include "engine.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest/explore/memory/heap.h"
#include "record/layout.h"
#include "record/reductions.h"
#include "server.h"

static Exchange *exchange;
static int orders = -1, replies, said, outcomes;
static pid_t server;
static const char *server_program, *server_table;
static long limit_ms;
static int number = -1;
static char *said_text, *outcome_text;
static RuleCount rules[REDUCTION_COUNT];
static const char *const rule_words[] = {
#define X(word, what, needs) " " #word "=",
    REDUCTIONS(X)
#undef X
};
enum { TEXT = 1 << 20 };

static int move_to(int file, int number)
{
    if (dup2(file, number) < 0)
        abort();
    close(file);
    return number;
}

static void become_server(int read_orders, int write_replies)
{
    static char debug[sizeof exchange->debug];
    memset(debug, ',', sizeof debug - 1);
    setenv("HEDDLE_DEBUG", debug, 1);
    unsetenv("HEDDLE_RANDOM");
    unsetenv("HEDDLE_LINK");
    personality(ADDR_NO_RANDOMIZE);
    dup2(read_orders, SERVER_ORDERS);
    dup2(write_replies, SERVER_REPLIES);
    execl(server_program, server_program, (char *)NULL);
    _exit(127);
}

bool engine_start(const char *program, const char *table, long ms)
{
    int to[2], from[2];
    server_program = program, server_table = table, limit_ms = ms;
    int memory = move_to(memfd_create("memory", 0), SERVER_MEMORY);
    said = move_to(memfd_create("said", 0), SERVER_SAID);
    outcomes = move_to(memfd_create("outcomes", 0), SERVER_OUTCOMES);
    if (ftruncate(memory, sizeof *exchange) || pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        return false;
    exchange = mmap(NULL, sizeof *exchange, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    said_text = malloc(TEXT), outcome_text = malloc(TEXT);
    signal(SIGPIPE, SIG_IGN);
    server = fork();
    if (!server)
        become_server(to[0], from[1]);
    close(to[0]), close(from[1]);
    orders = to[1], replies = from[0];
    return server > 0;
}

void engine_stop(void)
{
    close(orders), close(replies);
    close(SERVER_MEMORY), close(SERVER_SAID), close(SERVER_OUTCOMES);
    munmap(exchange, sizeof *exchange);
    free(said_text), free(outcome_text);
    waitpid(server, NULL, 0);
}

static size_t read_text(int file, char *to)
{
    ssize_t got, bytes = 0;
    while (bytes < TEXT - 1 &&
           (got = pread(file, to + bytes, (size_t)(TEXT - 1 - bytes), bytes)) > 0)
        bytes += got;
    to[bytes] = 0;
    return (size_t)bytes;
}

/* The node that a pointer of the engine's is to. */
static int16_t node_at(const Program *p, uint64_t pointer)
{
    enum { STRIDE = sizeof(HeapBlock) + FIELDS * 8 + 16 }; /* header, node, red zone */
    uint64_t own = pointer - (uintptr_t)exchange->own;
    int t = 0, kind = NODE_TLS;
    if (pointer < 4096)
        return (int16_t)pointer;
    if (own < THREADS * FIELDS * 8)
        t = (int)(own / (FIELDS * 8)), kind = NODE_OWN;
    else if (in_heap((void *)pointer))
        t = (int)((pointer - HEAP_BASE) / HEAP_SLOT) % (MAX_THREADS - 1), /* by states: 0 */
            kind = NODE_HEAP + (int)((pointer - HEAP_BASE) % HEAP_SLOT / STRIDE);
    else if (pointer >= STACK_BASE && (pointer - STACK_BASE) / STACK_SLOT < THREADS)
        t = (int)((pointer - STACK_BASE) / STACK_SLOT), kind = NODE_STACK;
    return (int16_t)(POINTER + class_of(p, t) * NODES_OF_THREAD + kind);
}

static void note_final(const Program *p, uint64_t address, uint64_t value, Outcome *o)
{
    uint64_t variable = address - (uintptr_t)exchange->variables,
             told = address - (uintptr_t)exchange->told;
    if (variable < VARIABLES * 8)
        o->variable[variable / 8] =
            holds_pointers((int)variable / 8) ? node_at(p, value) : (int16_t)value;
    else if (told < THREADS * 8)
        o->told[told / 8] = (int64_t)value;
}

static void read_outcomes(const Program *p, char *text, Answer *a)
{
    Judged *found = &a->found;
    a->by_states = true;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        Outcome o;
        if (*line == 'u') /* why they could not be */
            a->by_states = false;
        if (*line == 'u' && !a->unfit[0])
            snprintf(a->unfit, sizeof a->unfit, "%s", line + 1);
        if (*line == 'u')
            continue;
        found = *line == 's' ? &a->states : &a->found;
        line += *line == 's';
        memset(&o, 0, sizeof o);
        for (char *at = line; *at && *at != '.';) {
            uint64_t address = strtoul(at, &at, 16);
            uint64_t value = *at == '=' ? strtoul(at + 1, &at, 16) : 0;
            note_final(p, address, value, &o);
            at += strspn(at, " ");
        }
        oracle_add(found, &o);
    }
    oracle_sort(&a->found);
    oracle_sort(&a->states);
}

static unsigned kind_of(const char *word)
{
    static const struct {
        const char *word;
        unsigned kind;
    } kinds[] = {{"assertion", KIND_ASSERTION},  {"race", KIND_RACE},
                 {"use-after-free", KIND_FREED}, {"double-free", KIND_DOUBLE},
                 {"invalid-free", KIND_INVALID}, {"deadlock", KIND_STUCK},
                 {"livelock", KIND_STUCK}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(word, kinds[i].word))
            return kinds[i].kind;
    return 1u << 31;
}

/* The first line ends with `NAME=TIMES' of those that have left something out. */
static void count_rules(const char *line)
{
    for (int i = 0; i < REDUCTION_COUNT; i++) {
        const char *at = strstr(line, rule_words[i]);
        rules[i].explorations += at != NULL;
        rules[i].times += at ? atol(at + strlen(rule_words[i])) : 0;
    }
}

RuleCount engine_rule(int i)
{
    return rules[i];
}

static void read_answer(const Program *p, Answer *a)
{
    char verdict[40] = "", kind[40] = "";
    read_text(said, said_text);
    snprintf(a->said, sizeof a->said, "%.*s", (int)strcspn(said_text, "\n"), said_text);
    count_rules(a->said);
    int words = sscanf(said_text, "%39s", verdict);
    const char *rest = said_text + strcspn(said_text, " ");
    if (words == 1 && !strcmp(verdict, "violated") && sscanf(rest, "%39s", kind) == 1)
        a->kind = kind_of(kind), rest = strstr(rest, kind) + strlen(kind);
    long cut = 0;
    if (sscanf(rest, "%ld executions %ld blocked %ld stuck %ld cut", &a->executions, &a->blocked,
               &a->stuck, &cut) != 4)
        a->how = CRASHED;
    else if (!strcmp(verdict, "inconclusive") &&
             (cut || !a->stuck)) /* (only stuck executions are not enough for it) */
        a->how = GIVEN_UP;
    if (a->kind == KIND_STUCK)
        a->kind = 0, a->stuck++;
    read_text(outcomes, outcome_text);
    read_outcomes(p, outcome_text, a);
}

/* Weak ones keep reads that confirm from being reduced, and thread-local memory takes threads of
 * the kernel: so neither is asked for without need. */
static const char *if_has(const Program *p, int op, const char *key)
{
    for (int t = 0; t < p->threads; t++)
        if (code_has(&p->thread[t], op))
            return key;
    return "";
}

void engine_explore(const Program *p, Model model, const char *keys, Answer *a)
{
    int status = -1;
    *a = (Answer){0};
    _Static_assert(sizeof *p <= sizeof exchange->program, "a program fits");
    memset(exchange->debug, ',', sizeof exchange->debug - 1);
    int n = snprintf(exchange->debug, sizeof exchange->debug,
                     "eager-confirm,keep-going,release-sequences=%s,%s%smodel=%s,"
                     "liveness=%s,outcomes=/proc/self/fd/%d,%s",
                     oracle_c11 ? "c11" : "c++20", if_has(p, OP_WEAK, "weak-cas,"),
                     if_has(p, OP_TLS, "thread-local,"), model_words[model], server_table,
                     SERVER_OUTCOMES, keys);
    if (n >= (int)sizeof exchange->debug)
        abort();
    exchange->ms = limit_ms;
    if (number < 0)
        memcpy(exchange->program, p, sizeof *p);
    else
        memcpy(exchange->program, &number, sizeof number);
    if (ftruncate(said, 0) || lseek(said, 0, SEEK_SET) || ftruncate(outcomes, 0))
        abort();
    exchange->child = 0;
    bool asked = write(orders, "", 1) == 1;
    /* One that neither ends nor computes: mutants do that. */
    struct pollfd reply = {.fd = replies, .events = POLLIN};
    if (poll(&reply, 1, (int)(1000 + 10 * limit_ms)) == 0 && exchange->child) {
        kill(exchange->child, SIGKILL);
        a->hangs = true;
        a->how = TOO_LONG;
    }
    if (!asked || read(replies, &status, sizeof status) != sizeof status) {
        fprintf(stderr, "the engine does not answer\n");
        exit(2);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM)
        a->how = TOO_LONG;
    else if (a->how != TOO_LONG)
        read_answer(p, a);
}

void engine_set_number(int n)
{
    number = n;
}

void engine_set_mutant(int n)
{
    exchange->mutant = n;
}

bool engine_has_reached(int n)
{
    return exchange->reached[n];
}

void engine_forget(void)
{
    memset(exchange->reached, 0, sizeof exchange->reached);
}
