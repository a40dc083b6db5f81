/* twin.c: a random program whose threads meet in the kernel. twin SEED FILE.c writes a program with two or three threads
 * that make calls on a small folder, a shared descriptor, descriptors of their own, the working directory and the mask
 * of modes. The file is compiled twice. With -DENUMERATE, by the system's compiler alone, it makes the calls of all
 * threads natively, one by one, in each order that there is, each time in a process and a folder of its own, and prints
 * the table of all outcomes. With that table in OUTCOMES, heddle explores the threads: -DWANTED=-1 asserts that the
 * outcome is one of the table, -DWANTED=N that it is not number N, which some execution must refute. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static unsigned below(unsigned bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % bound);
}

/* T is the thread, own[T] its descriptor, S the shared one. */
static const char *const calls[] = {
    "fd(own[T] = open(\"a\", O_CREAT | O_RDWR, 0666))",
    "fd(own[T] = open(\"a\", O_CREAT | O_EXCL | O_RDWR, 0600))",
    "fd(own[T] = open(\"f\", O_RDWR))",
    "fd(own[T] = open(\"f\", O_WRONLY | O_TRUNC))",
    "fd(own[T] = open(\"f\", O_WRONLY | O_APPEND))",
    "fd(own[T] = open(\"b\", O_RDONLY))",
    "fd(own[T] = dup(S))",
    "fd(dup2(S, own[T] < 0 ? S : own[T]))",
    "as_is(close(own[T]))",
    "as_is(close(S))",
    "as_is(write(own[T], \"x\", 1))",
    "as_is(write(S, \"yz\", 2))",
    "as_is(pwrite(S, \"q\", 1, 1))",
    "as_is(lseek(S, 0, SEEK_END))",
    "as_is(lseek(S, 1, SEEK_CUR))",
    "as_is(ftruncate(S, 1))",
    "byte(read(S, &buffer[T], 1), &buffer[T])",
    "byte(pread(S, &buffer[T], 1, 0), &buffer[T])",
    "as_is(unlink(\"a\"))",
    "as_is(unlink(\"f\"))",
    "as_is(rename(\"f\", \"a\"))",
    "as_is(rename(\"a\", \"b\"))",
    "as_is(symlink(\"f\", \"b\"))",
    "as_is(mkdir(\"d\", 0777))",
    "as_is(rmdir(\"d\"))",
    "as_is(chdir(\"d\"))",
    "as_is(chdir(FOLDER))",
    "as_is(access(\"a\", F_OK))",
    "as_is(access(\"b\", F_OK))",
    "as_is(size_of(\"f\"))",
    "as_is(mode_of(\"a\"))",
    "as_is(umask(077))",
    "as_is(umask(0))",
    "as_is(chmod(\"f\", 0400))",
    "as_is(truncate(\"f\", 5))",
    "as_is(flock(S, LOCK_EX | LOCK_NB))",
    "as_is(flock(own[T], LOCK_EX | LOCK_NB))",
    "as_is(flock(own[T], LOCK_UN))",
    "as_is(fcntl(S, F_GETFD))",
    "as_is(fcntl(own[T], F_SETFL, O_APPEND))",
    "as_is(readlink(\"b\", &buffer[T], 1))",
};

static const char head[] =
    "#define _GNU_SOURCE\n#include <assert.h>\n#include <errno.h>\n#include <fcntl.h>\n"
    "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/file.h>\n"
    "#include <sys/stat.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
    "static int S, first, own[3] = {-1, -1, -1};\nstatic char buffer[3];\nstatic long result[3][4];\n"
    "static long as_is(long r) { return r < 0 ? -errno : r; }\n"
    "static long fd(long r) { return r < 0 ? -errno : r - first; }\n"
    "static long byte(long r, const char *c) { return r < 0 ? -errno : r * 1000 + (r ? *c : 0); }\n"
    "static long size_of(const char *p) { struct stat s; return stat(p, &s) ? -1 : (long)s.st_size; }\n"
    "static long mode_of(const char *p) { struct stat s; return stat(p, &s) ? -1 : (long)s.st_mode; }\n";

static const char tail[] =
    "static void set_up(const char *folder)\n{\n"
    "    if (chdir(folder)) abort();\n    umask(022);\n"
    "    S = open(\"f\", O_CREAT | O_RDWR, 0666);\n    if (S < 0 || write(S, \"abc\", 3) != 3) abort();\n"
    "    lseek(S, 0, SEEK_SET);\n    first = S;\n}\n"
    "static void tell(char *to)\n{\n    *to = 0;\n"
    "    for (int t = 0; t < THREADS; t++) for (int i = 0; i < COUNT; i++)\n"
    "        sprintf(to + strlen(to), \"%ld \", result[t][i]);\n"
    "    sprintf(to + strlen(to), \"%ld %ld\", size_of(FOLDER \"/f\"), size_of(FOLDER \"/a\"));\n}\n"
    "#ifdef ENUMERATE\n"
    "static char outcomes[4000][200];\nstatic int outcome_count;\n"
    "static void run(const int *order)\n{\n    int ends[2], at[3] = {0};\n    char text[200] = \"\";\n"
    "    if (pipe(ends)) abort();\n    pid_t child = fork();\n    if (!child) {\n"
    "        dup2(ends[1], 200);\n        close(ends[0]);\n        close(ends[1]);\n        set_up(FOLDER);\n"
    "        for (int i = 0; i < THREADS * COUNT; i++) { int t = order[i]; result[t][at[t]] = step[t][at[t]](); at[t]++; }\n"
    "        tell(text);\n        if (write(200, text, sizeof text) < 0) abort();\n        _exit(0);\n    }\n"
    "    close(ends[1]);\n    if (read(ends[0], text, sizeof text) < 1) abort();\n    close(ends[0]);\n"
    "    waitpid(child, NULL, 0);\n"
    "    if (system(\"rm -rf \" FOLDER \"; mkdir \" FOLDER)) abort();\n"
    "    for (int i = 0; i < outcome_count; i++) if (!strcmp(outcomes[i], text)) return;\n"
    "    strcpy(outcomes[outcome_count++], text);\n}\n"
    "static void enumerate(int *order, int done, const int *left)\n{\n"
    "    if (done == THREADS * COUNT) { run(order); return; }\n"
    "    for (int t = 0; t < THREADS; t++) if (left[t]) {\n"
    "        int rest[3] = {left[0], left[1], left[2]};\n        rest[t]--;\n        order[done] = t;\n"
    "        enumerate(order, done + 1, rest);\n    }\n}\n"
    "int main(void)\n{\n    int order[12], left[3] = {COUNT, COUNT, THREADS > 2 ? COUNT : 0};\n"
    "    for (int i = 3; i < 200; i++) close(i);\n"
    "    enumerate(order, 0, left);\n"
    "    for (int i = 0; i < outcome_count; i++) printf(\"\\\"%s\\\",\\n\", outcomes[i]);\n}\n"
    "#else\n"
    "static const char *const outcomes[] = {\n#include OUTCOMES\n};\n"
    "static void *thread(void *number)\n{\n    int t = (int)(long)number;\n"
    "    for (int i = 0; i < COUNT; i++) result[t][i] = step[t][i]();\n    return NULL;\n}\n"
    "int main(void)\n{\n    pthread_t threads[THREADS];\n    char text[200];\n    set_up(FOLDER);\n"
    "    for (long t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, thread, (void *)t);\n"
    "    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);\n"
    "    tell(text);\n    int count = (int)(sizeof outcomes / sizeof *outcomes), found = -1;\n"
    "    for (int i = 0; i < count; i++) if (!strcmp(outcomes[i], text)) found = i;\n"
    "    assert(WANTED < 0 ? found >= 0 : found != WANTED % count);\n}\n"
    "#endif\n";

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "twin SEED FILE.c\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    unsigned threads = below(4) ? 2 : 3, count = threads == 3 ? 2 : 2 + below(2);
    fputs(head, file);
    for (unsigned t = 0; t < threads; t++)
        for (unsigned i = 0; i < count; i++)
            fprintf(file, "#define T %u\nstatic long step%u%u(void) { return %s; }\n#undef T\n", t, t, i,
                    calls[below(sizeof calls / sizeof *calls)]);
    fprintf(file, "#define THREADS %u\n#define COUNT %u\nstatic long (*const step[3][4])(void) = {", threads, count);
    for (unsigned t = 0; t < threads; t++) {
        fputs("{", file);
        for (unsigned i = 0; i < count; i++)
            fprintf(file, "step%u%u, ", t, i);
        fputs("}, ", file);
    }
    fputs("};\n", file);
    fputs(tail, file);
    return fclose(file) != 0;
}
