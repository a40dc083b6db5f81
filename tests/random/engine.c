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

/* Programs with thread-local memory have a server of their own: each thread then has an FS base,
 * which the others do without. */
typedef struct Server {
    Exchange *exchange;
    int orders, replies;
    pid_t pid;
} Server;
static Server servers[2];
static Exchange *exchange; /* of the one that was asked last */
static const char *server_program, *server_table, *server_keys = "";
static long limit_ms;
static int number = -1, mutant;
static bool asks_promised;
static RuleCount rules[REDUCTION_COUNT];

static void become_server(int memory, int orders, int replies, bool with_tls)
{
    char debug[1000];
    snprintf(debug, sizeof debug, "eager-confirm,keep-going,liveness=%s%s,%s", server_table,
             with_tls ? ",thread-local" : "", server_keys);
    setenv("HEDDLE_DEBUG", debug, 1);
    unsetenv("HEDDLE_RANDOM");
    unsetenv("HEDDLE_LINK");
    personality(ADDR_NO_RANDOMIZE);
    dup2(memory, SERVER_MEMORY);
    dup2(orders, SERVER_ORDERS);
    dup2(replies, SERVER_REPLIES);
    execl(server_program, server_program, (char *)NULL);
    _exit(127);
}

static bool server_start(Server *s, bool with_tls)
{
    int to[2], from[2], memory = memfd_create("memory", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, sizeof *exchange) || pipe2(to, O_CLOEXEC) ||
        pipe2(from, O_CLOEXEC))
        return false;
    s->exchange = mmap(NULL, sizeof *exchange, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    s->pid = fork();
    if (!s->pid)
        become_server(memory, to[0], from[1], with_tls);
    close(to[0]), close(from[1]), close(memory);
    s->orders = to[1], s->replies = from[0];
    return s->pid > 0 && s->exchange != MAP_FAILED;
}

void engine_set(const char *program, const char *table, const char *keys, long ms)
{
    server_program = program, server_table = table, server_keys = keys, limit_ms = ms;
    signal(SIGPIPE, SIG_IGN);
}

void engine_stop(void)
{
    for (int i = 0; i < 2; i++) {
        Server *s = &servers[i];
        if (!s->pid)
            continue;
        close(s->orders), close(s->replies);
        munmap(s->exchange, sizeof *exchange);
        waitpid(s->pid, NULL, 0);
        *s = (Server){0};
    }
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
        t = (int)((pointer - HEAP_BASE) / HEAP_SLOT) % (MAX_THREADS - 1), /* of states: 0 */
            kind = NODE_HEAP + (int)((pointer - HEAP_BASE) % HEAP_SLOT / STRIDE);
    else if (pointer >= STACK_BASE && (pointer - STACK_BASE) / STACK_SLOT < THREADS)
        t = (int)((pointer - STACK_BASE) / STACK_SLOT), kind = NODE_STACK;
    return (int16_t)(POINTER + class_of(p, t) * NODES_OF_THREAD + kind);
}

static void read_outcomes(const Program *p, const int64_t (*outcome)[OUTCOME_WORDS], unsigned count,
                          Judged *found)
{
    for (unsigned i = 0; i < count && i < MOST_OUTCOMES; i++) {
        Outcome o;
        memset(&o, 0, sizeof o);
        const int64_t *word = outcome[i];
        for (int v = 0; v < VARIABLES; v++)
            o.variable[v] = holds_pointers(v) ? node_at(p, (uint64_t)word[v]) : (int16_t)word[v];
        for (int t = 0; t < THREADS; t++)
            o.told[t] = word[VARIABLES + t];
        oracle_add(found, &o);
    }
    oracle_sort(found);
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

RuleCount engine_rule(int i)
{
    return rules[i];
}

static void read_answer(const Program *p, Answer *a)
{
    a->executions = (long)exchange->executions, a->blocked = (long)exchange->blocked;
    a->stuck = (long)exchange->stuck;
    a->promised = (int)exchange->promised;
    a->buffering_possible = exchange->buffering_possible;
    a->buffering_impossible = exchange->buffering_impossible;
    a->buffering_impossible_lse = exchange->buffering_impossible_lse;
    for (int i = 0; i < REDUCTION_COUNT; i++) {
        rules[i].explorations += exchange->left_out[i] != 0;
        rules[i].times += (long)exchange->left_out[i];
    }
    if (exchange->found == FOUND_VIOLATION)
        a->kind = kind_of(exchange->violation);
    else if (exchange->found == FOUND_NO_ANSWER || exchange->outcomes > MOST_OUTCOMES)
        a->how = GIVEN_UP;
    if (a->kind == KIND_STUCK)
        a->kind = 0, a->stuck++;
    snprintf(a->said, sizeof a->said,
             "%s %ld executions %ld blocked %ld stuck %lu cut %lu restarts %lu us %s",
             exchange->violation, a->executions, a->blocked, a->stuck, exchange->cut,
             exchange->restarts, exchange->us, exchange->message);
    read_outcomes(p, exchange->outcome, exchange->outcomes, &a->found);
    a->asks_states = exchange->by_states != STATES_NOT_ASKED;
    a->by_states =
        exchange->by_states > STATES_UNDECIDED && exchange->states_outcomes <= MOST_OUTCOMES;
    if (exchange->by_states == STATES_VIOLATED)
        a->states_kind = kind_of(exchange->states_violation);
    read_outcomes(p, exchange->states_outcome, exchange->states_outcomes, &a->states);
}

static bool has(const Program *p, int op)
{
    for (int t = 0; t < p->threads; t++)
        if (code_has(&p->thread[t], op))
            return true;
    return false;
}

void engine_explore(const Program *p, Model model, int way, Answer *a)
{
    int status = -1;
    bool with_tls = has(p, OP_TLS);
    Server *s = &servers[with_tls];
    *a = (Answer){0};
    if (!s->pid && !server_start(s, with_tls)) {
        fprintf(stderr, "the engine does not start\n");
        exit(2);
    }
    exchange = s->exchange;
    strcpy(exchange->model, model_words[model]);
    exchange->way = (unsigned)way;
    exchange->weak_cas = has(p, OP_WEAK); /* keeps confirming reads from being reduced */
    exchange->c11 = oracle_c11;
    exchange->ms = limit_ms;
    exchange->mutant = mutant;
    exchange->asks_promised = asks_promised;
    exchange->number = number;
    exchange->program = *p;
    exchange->child = 0;
    memset(exchange->reached, 0, sizeof exchange->reached);
    bool asked = write(s->orders, "", 1) == 1;
    /* One that neither ends nor computes: mutants do that. */
    struct pollfd reply = {.fd = s->replies, .events = POLLIN};
    if (poll(&reply, 1, (int)(2000 + 20 * limit_ms)) == 0 && exchange->child) {
        kill(exchange->child, SIGKILL);
        a->hangs = true;
        a->how = TOO_LONG;
    }
    if (!asked || read(s->replies, &status, sizeof status) != sizeof status) {
        fprintf(stderr, "the engine does not answer\n");
        exit(2);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM)
        a->how = TOO_LONG;
    else if (status && a->how != TOO_LONG)
        a->how = CRASHED, snprintf(a->said, sizeof a->said, "wait status %d", status);
    else if (a->how != TOO_LONG)
        read_answer(p, a);
}

void engine_set_number(int n)
{
    number = n;
}

void engine_ask_promised(bool asks)
{
    asks_promised = asks;
}

void engine_set_mutant(int n)
{
    mutant = n;
}

bool engine_has_reached(int n)
{
    return exchange->reached[n];
}
