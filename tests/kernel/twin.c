/* twin.c: random programs whose threads meet in the kernel. A seed decides on a program with two or three threads that make
 * calls on a small folder, a shared descriptor, descriptors of their own, the working directory and the mask of modes.
 * Compiled with -DENUMERATE, by the system's compiler alone, `twin SEED COUNT FOLDER' makes the calls of all threads of COUNT
 * programs natively, one by one, in each order that there is, each time in a process of its own and with the folder emptied;
 * it prints, as a comment, the number of all orders, and the outcomes as strings, with a '|' after each, for each program. Heddle
 * explores the same programs with -DOUTCOMES="that output", the arguments SEED FOLDER and --rand=COUNT, which chooses one:
 * every execution must have an outcome of that program, and since each call is an event on one object, there must be exactly
 * as many executions as there are orders. twin.sh does all that. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder;
static int S, first, own[3] = {-1, -1, -1}; /* descriptors: the shared one, the least one, each thread's */
static char buffer[3];
static long result[3][4];
static unsigned threads, count, calls[3][4];
static uint64_t state;

static unsigned below(unsigned bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % bound);
}

static long as_is(long r) { return r < 0 ? -errno : r; }
static long fd(long r) { return r < 0 ? -errno : r - first; }
static long byte(long r, const char *c) { return r < 0 ? -errno : r * 1000 + (r ? *c : 0); }
static long size_of(const char *p) { struct stat s; return stat(p, &s) ? -1 : (long)s.st_size; }
static long mode_of(const char *p) { struct stat s; return stat(p, &s) ? -1 : (long)s.st_mode; }

enum { CALLS = 47, FEW = 5 };
static long make_call(unsigned call, int T)
{
    switch (call) {
    case 0: return fd(own[T] = open("a", O_CREAT | O_RDWR, 0666));
    case 1: return fd(own[T] = open("a", O_CREAT | O_EXCL | O_RDWR, 0600));
    case 2: return fd(own[T] = open("f", O_RDWR));
    case 3: return fd(own[T] = open("f", O_WRONLY | O_TRUNC));
    case 4: return fd(own[T] = open("f", O_WRONLY | O_APPEND));
    case 5: return fd(own[T] = open("b", O_RDONLY));
    case 6: return fd(own[T] = dup(S));
    case 7: return fd(dup2(S, own[T] < 0 ? S : own[T]));
    case 8: return as_is(close(own[T]));
    case 9: return as_is(close(S));
    case 10: return as_is(write(own[T], "x", 1));
    case 11: return as_is(write(S, "yz", 2));
    case 12: return as_is(pwrite(S, "q", 1, 1));
    case 13: return as_is(lseek(S, 0, SEEK_END));
    case 14: return as_is(lseek(S, 1, SEEK_CUR));
    case 15: return as_is(ftruncate(S, 1));
    case 16: return byte(read(S, &buffer[T], 1), &buffer[T]);
    case 17: return byte(pread(S, &buffer[T], 1, 0), &buffer[T]);
    case 18: return as_is(unlink("a"));
    case 19: return as_is(unlink("f"));
    case 20: return as_is(rename("f", "a"));
    case 21: return as_is(rename("a", "b"));
    case 22: return as_is(symlink("f", "b"));
    case 23: return as_is(mkdir("d", 0777));
    case 24: return as_is(rmdir("d"));
    case 25: return as_is(chdir("d"));
    case 26: return as_is(chdir(folder));
    case 27: return as_is(access("a", F_OK));
    case 28: return as_is(access("b", F_OK));
    case 29: return as_is(size_of("f"));
    case 30: return as_is(mode_of("a"));
    case 31: return as_is(umask(077));
    case 32: return as_is(umask(0));
    case 33: return as_is(chmod("f", 0400));
    case 34: return as_is(truncate("f", 5));
    case 35: return as_is(flock(S, LOCK_EX | LOCK_NB));
    case 36: return as_is(flock(own[T], LOCK_EX | LOCK_NB));
    case 37: return as_is(flock(own[T], LOCK_UN));
    case 38: return as_is(fcntl(S, F_GETFD));
    case 39: return as_is(fcntl(own[T], F_SETFL, O_APPEND));
    case 40: return as_is(readlink("b", &buffer[T], 1));
    case 41: return as_is(link("f", "a"));
    case 42: return as_is(mkdir("d/e", 0700));
    case 43: return as_is(rename("d", "e"));
    case 44: return as_is(lseek(own[T], 0, SEEK_CUR));
    case 45: return byte(read(own[T], &buffer[T], 1), &buffer[T]);
    default: return as_is(size_of("a"));
    }
}

static void draw_program(unsigned long long seed)
{
    state = seed * 2654435761u + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    threads = below(4) ? 2 : 3;
    count = threads == 3 ? 2 : 2 + below(2);
    unsigned few[FEW]; /* so that they have to do with each other more often */
    for (unsigned i = 0; i < FEW; i++)
        few[i] = below(CALLS);
    for (unsigned t = 0; t < threads; t++)
        for (unsigned i = 0; i < count; i++)
            calls[t][i] = few[below(FEW)];
}

static void set_up(void)
{
    if (chdir(folder))
        abort();
    umask(022);
    S = open("f", O_CREAT | O_RDWR, 0666);
    if (S < 0 || write(S, "abc", 3) != 3)
        abort();
    lseek(S, 0, SEEK_SET);
    first = S;
}

/* What the threads got, and the sizes of two files. */
static void tell(char to[200])
{
    char f[1000], a[1000];
    *to = 0;
    snprintf(f, sizeof f, "%s/f", folder);
    snprintf(a, sizeof a, "%s/a", folder);
    for (unsigned t = 0; t < threads; t++)
        for (unsigned i = 0; i < count; i++)
            sprintf(to + strlen(to), "%ld ", result[t][i]);
    sprintf(to + strlen(to), "%ld %ld", size_of(f), size_of(a));
}

#ifdef ENUMERATE
static char outcomes[4000][200];
static int outcome_count;
static unsigned order_count; /* of all programs */

static void empty(const char *path)
{
    DIR *all = opendir(path);
    if (!all)
        abort();
    for (struct dirent *one; (one = readdir(all));) {
        char name[2000];
        if (!strcmp(one->d_name, ".") || !strcmp(one->d_name, ".."))
            continue;
        snprintf(name, sizeof name, "%s/%s", path, one->d_name);
        if (one->d_type == DT_DIR) {
            empty(name);
            rmdir(name);
        } else {
            unlink(name);
        }
    }
    closedir(all);
}

static void make_calls(const unsigned *order)
{
    int ends[2], at[3] = {0};
    char text[200] = "";
    order_count++;
    if (pipe(ends))
        abort();
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], 200);
        close(ends[0]);
        close(ends[1]);
        set_up();
        for (unsigned i = 0; i < threads * count; i++) {
            unsigned t = order[i];
            result[t][at[t]] = make_call(calls[t][at[t]], (int)t);
            at[t]++;
        }
        tell(text);
        if (write(200, text, sizeof text) < 0)
            abort();
        _exit(0);
    }
    close(ends[1]);
    if (read(ends[0], text, sizeof text) < 1)
        abort();
    close(ends[0]);
    waitpid(child, NULL, 0);
    empty(folder);
    for (int i = 0; i < outcome_count; i++)
        if (!strcmp(outcomes[i], text))
            return;
    strcpy(outcomes[outcome_count++], text);
}

static void enumerate(unsigned *order, unsigned done, const unsigned left[3])
{
    if (done == threads * count)
        make_calls(order);
    for (unsigned t = 0; t < threads; t++)
        if (left[t]) {
            unsigned rest[3] = {left[0], left[1], left[2]};
            rest[t]--;
            order[done] = t;
            enumerate(order, done + 1, rest);
        }
}

int main(int argc, char **argv)
{
    unsigned order[12];
    if (argc != 4)
        return 2;
    folder = argv[3];
    for (int i = 3; i < 200; i++)
        close(i);
    unsigned long long seed = strtoull(argv[1], NULL, 10), end = seed + strtoull(argv[2], NULL, 10);
    char *text;
    size_t length;
    FILE *all = open_memstream(&text, &length);
    for (; seed < end; seed++) {
        draw_program(seed);
        outcome_count = 0;
        enumerate(order, 0, (unsigned[]){count, count, threads > 2 ? count : 0});
        for (int i = 0; i < outcome_count; i++)
            fprintf(all, "\"%s|\"\n", outcomes[i]);
        fputs(",\n", all);
    }
    fclose(all);
    printf("// %u\n%s", order_count, text);
}
#else
static const char *const all_outcomes[] = {
#include OUTCOMES
};

static void *thread(void *number)
{
    int t = (int)(intptr_t)number;
    for (unsigned i = 0; i < count; i++)
        result[t][i] = make_call(calls[t][i], t);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t handles[3];
    char text[202];
    if (argc != 3)
        return 2;
    folder = argv[2];
    int number = rand();
    const char *expected = all_outcomes[number];
    draw_program(strtoull(argv[1], NULL, 10) + (unsigned)number);
    set_up();
    for (unsigned t = 0; t < threads; t++)
        pthread_create(&handles[t], NULL, thread, (void *)(intptr_t)t);
    for (unsigned t = 0; t < threads; t++)
        pthread_join(handles[t], NULL);
    tell(text);
    strcat(text, "|");
    bool found = false;
    for (; *expected && !found; expected = strchr(expected, '|') + 1)
        found = !strncmp(expected, text, strlen(text));
    assert(found);
}
#endif
