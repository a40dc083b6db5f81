/* server.c: compiled without instrumentation. The kernel is called directly: names such as mmap
 * belong to the runtime, which must not know that anything has happened. */
#include "server.h"
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Of a runtime with mutants (mutant.h), and of one that serves (serve.c). */
extern int random_mutant __attribute__((weak));
extern unsigned char *random_reached __attribute__((weak));
extern Exchange *random_exchange __attribute__((weak));
static Exchange *exchange;

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

static void *map(size_t bytes, long file)
{
    long at = kernel(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                     file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    if (at < 0 && at > -4096)
        kernel(SYS_exit_group, 2, 0, 0, 0, 0, 0);
    return (void *)at;
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

/* By hand, RANDOM_MUTANT says which mutant is on, but in the plain search and without reductions;
 * the file RANDOM_REACHED, where there is one, says afterwards which conditions mattered. */
static __attribute__((constructor(101))) void begin_by_hand(void)
{
    const char *number = getenv("RANDOM_MUTANT"), *reached = getenv("RANDOM_REACHED");
    const char *debug = getenv("HEDDLE_DEBUG");
    if (reached && &random_reached)
        random_reached =
            map(REACHED_BYTES, kernel(SYS_open, (long)reached, 2 /* O_RDWR */, 0, 0, 0, 0));
    if (!number || has_word(debug, "plain-search") || has_word(debug, "no-reductions"))
        return;
    int mutant = 0;
    for (; *number; number++)
        mutant = mutant * 10 + *number - '0';
    if (&random_mutant)
        random_mutant = mutant;
}

bool server_begin(void *variables, void *told, void *own)
{
    const char *text = getenv("HEDDLE_RANDOM");
    exchange = map(sizeof *exchange, text ? -1 : SERVER_MEMORY);
    exchange->variables = variables, exchange->told = told, exchange->own = own;
    if (!text && !&random_exchange) /* a runtime that does not serve */
        kernel(SYS_exit_group, 2, 0, 0, 0, 0, 0);
    if (!text)
        random_exchange = exchange;
    else if (*text >= '0' && *text <= '9')
        exchange->number = atoi(text);
    else if (program_parse(text, &exchange->program))
        kernel(SYS_exit_group, 2, 0, 0, 0, 0, 0);
    return !text;
}

Step server_step(const Code *code, int number)
{
    return code->step[number];
}
int server_length(const Code *code)
{
    return code->length;
}
const Code *server_code(int thread)
{
    const Program *program = &exchange->program;
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
int server_thread(const Code *code)
{
    return (int)(code - exchange->program.thread);
}
int server_barrier(void)
{
    return barrier_size(&exchange->program);
}
int server_number(void)
{
    return exchange->number;
}
