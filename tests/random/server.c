/* server.c: compiled without instrumentation. The kernel is called directly: names such as fork and
 * read belong to the runtime, which must not know that anything has happened. */
#include "server.h"
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>

int random_mutant; /* for a runtime with mutants (mutant.h) */
unsigned char *random_reached;

static long kernel(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void copy(void *to, const void *from, size_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static bool has_word(const char *text, const char *word)
{
    for (; text && *text; text++) {
        size_t n = 0;
        while (word[n] && text[n] == word[n])
            n++;
        if (!word[n])
            return true;
    }
    return false;
}

static unsigned char *map_file(const char *path)
{
    long file = kernel(SYS_open, (long)path, 2 /* O_RDWR */, 0, 0, 0, 0);
    long at = kernel(SYS_mmap, 0, REACHED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    kernel(SYS_close, file, 0, 0, 0, 0, 0);
    return (unsigned char *)at;
}

/* By hand, RANDOM_MUTANT says which mutant is on, but in the plain search and without reductions;
 * the file RANDOM_REACHED, where there is one, says afterwards which conditions mattered. */
static __attribute__((constructor(101))) void begin_without_server(void)
{
    static unsigned char nowhere[REACHED_BYTES];
    const char *number = getenv("RANDOM_MUTANT"), *reached = getenv("RANDOM_REACHED");
    random_reached = reached ? map_file(reached) : nowhere;
    const char *debug = getenv("HEDDLE_DEBUG");
    if (has_word(debug, "plain-search") || has_word(debug, "no-reductions"))
        return;
    for (; number && *number; number++)
        random_mutant = random_mutant * 10 + *number - '0';
}

static void become_child(const Exchange *x, void *program, size_t bytes)
{
    struct itimerval limit = {.it_value = {x->ms / 1000, x->ms % 1000 * 1000}};
    char *debug = getenv("HEDDLE_DEBUG");
    random_mutant = x->mutant;
    copy(debug, x->debug, sizeof x->debug);
    copy(program, x->program, bytes);
    kernel(SYS_dup2, SERVER_SAID, 1, 0, 0, 0, 0);
    kernel(SYS_dup2, SERVER_SAID, 2, 0, 0, 0, 0);
    kernel(SYS_setitimer, ITIMER_VIRTUAL, (long)&limit, 0, 0, 0, 0);
}

void server_run(void *program, size_t bytes, void *variables, void *told, void *own)
{
    Exchange *x = (Exchange *)kernel(SYS_mmap, 0, sizeof *x, PROT_READ | PROT_WRITE, MAP_SHARED,
                                     SERVER_MEMORY, 0);
    char order;
    if ((long)x < 0 && (long)x > -4096)
        kernel(SYS_exit_group, 2, 0, 0, 0, 0, 0);
    random_reached = x->reached;
    x->variables = variables, x->told = told, x->own = own;
    while (kernel(SYS_read, SERVER_ORDERS, (long)&order, 1, 0, 0, 0) == 1) {
        int status = -1;
        long child = kernel(SYS_fork, 0, 0, 0, 0, 0, 0);
        if (child == 0) {
            become_child(x, program, bytes);
            return;
        }
        x->child = (int)child;
        kernel(SYS_wait4, child, (long)&status, 0, 0, 0, 0);
        kernel(SYS_write, SERVER_REPLIES, (long)&status, sizeof status, 0, 0, 0);
    }
    kernel(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

Step server_step(const Code *code, int number)
{
    return code->step[number];
}
int server_length(const Code *code)
{
    return code->length;
}
const Code *server_code(const Program *program, int thread)
{
    for (int u = 1; u < thread; u++) { /* class_of, without memcmp, which is the runtime's */
        const Code *a = &program->thread[u], *b = &program->thread[thread];
        int same = a->length == b->length;
        const volatile unsigned char *x = (const void *)a->step, *y = (const void *)b->step;
        for (size_t i = 0; same && i < (size_t)a->length * sizeof a->step[0]; i++)
            same = x[i] == y[i];
        if (same)
            return a;
    }
    return &program->thread[thread];
}
int server_barrier(const Program *program)
{
    return barrier_size(program);
}
