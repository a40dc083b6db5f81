/* Threads that meet in the kernel, each case with the answer for both orders of its threads. All of it happens in FOLDER,
 * which is empty afterwards. */
// run: run -DCASE=1 => violated assertion
// run: run --cc=clang --model=tso -DCASE=1 -DOTHER => violated assertion
// run: run -DCASE=2 => violated assertion
// run: run --model=sc -DCASE=2 -DOTHER => violated assertion
// run: run -DCASE=3 -DOTHER => violated assertion
// run: run --cc=clang -O2 -DCASE=4 => violated assertion
// run: run -DCASE=4 -DOTHER => violated assertion
// run: run -DCASE=5 => holds
// run: run --cc=clang -DCASE=5 -DOTHER => holds
// run: run -DCASE=6 => holds
// run: run -DCASE=6 -DBUG => violated assertion
// run: run -DCASE=7 => holds
// run: run -DCASE=7 -DBUG => violated deadlock
// run: run -DCASE=8 => violated assertion
// run: run -DCASE=9 -DOTHER => violated assertion
// run: run -DCASE=10 => violated race
// run: run -DCASE=11 => violated assertion
// run: run -DCASE=12 => holds
// run: run -DCASE=13 => holds
// run: run -DCASE=14 => violated assertion
// run: run -DCASE=15 => inconclusive
// run: run -DCASE=16 => inconclusive
// run: run -DCASE=17 => inconclusive
// run: run -DCASE=18 -DOTHER => inconclusive
// run: run --cc=clang --model=sc -DCASE=18 => inconclusive
// run: run -DCASE=19 => holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define F FOLDER "/f"
#define G FOLDER "/g"
static atomic_int count, bad;
static int fd;

#if CASE == 1 /* is it there? no: create it */
static void begin(void) {}
static void *first(void *unused)
{
    if (access(F, F_OK)) {
        close(open(F, O_CREAT | O_RDWR, 0600));
        count++;
    }
    return unused;
}
#define second first
static void end(void) { assert(count == 1); }
#elif CASE == 2 /* a descriptor that was used again */
static void begin(void) { fd = open("/dev/null", O_RDONLY); }
static void *first(void *unused)
{
    close(fd);
    return unused;
}
static void *second(void *unused)
{
    int own = open("/dev/null", O_RDONLY);
    close(fd);
    if (fcntl(own, F_GETFD) < 0)
        bad = 1;
    return unused;
}
static void end(void) { assert(!bad); }
#elif CASE == 3 /* the end of the file, then a write there */
static void begin(void) { fd = open(F, O_CREAT | O_RDWR, 0600); }
static void *first(void *unused)
{
    if (pwrite(fd, "x", 1, lseek(fd, 0, SEEK_END)) != 1)
        abort();
    return unused;
}
#define second first
static void end(void) { assert(lseek(fd, 0, SEEK_END) == 2); }
#elif CASE == 4 /* the working directory */
static void begin(void)
{
    mkdir(FOLDER "/d", 0700);
    if (chdir(FOLDER))
        abort();
}
static void *first(void *unused)
{
    if (chdir("d"))
        abort();
    return unused;
}
static void *second(void *unused)
{
    close(open("f", O_CREAT | O_RDWR, 0600));
    return unused;
}
static void end(void) { assert(access(F, F_OK) == 0); }
#elif CASE == 5 /* who creates it exclusively is one */
static void begin(void) {}
static void *first(void *unused)
{
    int own = open(F, O_CREAT | O_EXCL | O_RDWR, 0600);
    count += own >= 0;
    return unused;
}
#define second first
static void end(void) { assert(count == 1); }
#elif CASE == 6 /* O_APPEND, or not */
#ifdef BUG
#define HOW 0
#else
#define HOW O_APPEND
#endif
static void begin(void) { close(open(F, O_CREAT | O_RDWR, 0600)); }
static void *first(void *unused)
{
    int own = open(F, O_WRONLY | HOW);
    if (write(own, "xy", 2) != 2)
        abort();
    close(own);
    return unused;
}
#define second first
static void end(void)
{
    struct stat status;
    assert(stat(F, &status) == 0 && status.st_size == 4);
}
#elif CASE == 7 /* flock as a mutex; BUG: it is not given back */
static int unprotected;
static void begin(void) { close(open(F, O_CREAT | O_RDWR, 0600)); }
static void *first(void *unused)
{
    int own = open(F, O_RDWR);
    flock(own, LOCK_EX);
    int before = atomic_load((_Atomic int *)&unprotected);
    atomic_store((_Atomic int *)&unprotected, before + 1);
#ifndef BUG
    flock(own, LOCK_UN);
    close(own);
#endif
    return unused;
}
#define second first
static void end(void) { assert(unprotected == 2); }
#elif CASE == 8 /* somebody else has the lock */
static void begin(void) { close(open(F, O_CREAT | O_RDWR, 0600)); }
static void *first(void *unused)
{
    int own = open(F, O_RDWR);
    assert(flock(own, LOCK_EX | LOCK_NB) == 0);
    close(own);
    return unused;
}
#define second first
static void end(void) {}
#elif CASE == 9 /* the mask of modes */
static void begin(void) { umask(0); }
static void *first(void *unused)
{
    umask(077);
    return unused;
}
static void *second(void *unused)
{
    close(open(F, O_CREAT | O_RDWR, 0666));
    return unused;
}
static void end(void)
{
    struct stat status;
    assert(stat(F, &status) == 0 && (status.st_mode & 0777) == 0666);
}
#elif CASE == 10 /* fcntl writes a structure */
static struct flock lock;
static void begin(void) { fd = open(F, O_CREAT | O_RDWR, 0600); }
static void *first(void *unused)
{
    lock.l_type = F_WRLCK;
    return unused;
}
static void *second(void *unused)
{
    fcntl(fd, F_GETLK, &lock);
    return unused;
}
static void end(void) {}
#elif CASE == 11 /* two streams on one file */
static void begin(void) { close(open(F, O_CREAT | O_RDWR, 0600)); }
static void *first(void *unused)
{
    FILE *file = fopen(F, "w");
    fputs("one", file);
    fclose(file);
    return unused;
}
static void *second(void *unused)
{
    FILE *file = fopen(F, "r");
    char text[8] = "";
    if (!fgets(text, sizeof text, file))
        bad = 1;
    fclose(file);
    return unused;
}
static void end(void) { assert(!bad); }
#elif CASE == 12 /* names of temporary files differ */
static char name[2][64];
static void begin(void) {}
static void *make(int i)
{
    strcpy(name[i], FOLDER "/tXXXXXX");
    int own = mkstemp(name[i]);
    if (own < 0 || write(own, "1", 1) != 1)
        abort();
    close(own);
    return NULL;
}
static void *first(void *unused)
{
    (void)unused;
    return make(0);
}
static void *second(void *unused)
{
    (void)unused;
    return make(1);
}
static void end(void) { assert(strcmp(name[0], name[1])); }
#elif CASE == 13 /* rename is atomic */
static void begin(void)
{
    close(open(F, O_CREAT | O_RDWR, 0600));
    close(open(G, O_CREAT | O_RDWR, 0600));
}
static void *first(void *unused)
{
    rename(G, F);
    return unused;
}
static void *second(void *unused)
{
    bad = access(F, F_OK);
    return unused;
}
static void end(void) { assert(!bad); }
#elif CASE == 14 /* removed and made again is not */
static void begin(void) { close(open(F, O_CREAT | O_RDWR, 0600)); }
static void *first(void *unused)
{
    unlink(F);
    close(open(F, O_CREAT | O_RDWR, 0600));
    return unused;
}
static void *second(void *unused)
{
    bad = access(F, F_OK);
    return unused;
}
static void end(void) { assert(!bad); }
#elif CASE == 15 /* what the kernel makes up */
static void begin(void) {}
static void *first(void *unused)
{
    fd = open("/proc/self/mem", O_RDWR);
    return unused;
}
static void *second(void *unused) { return unused; }
static void end(void) {}
#elif CASE >= 17 /* a private mapping of a file that is written, then or later; of one that is not */
static char *mapped;
static void begin(void)
{
    fd = open(CASE == 17 ? F : "/etc/passwd", CASE == 17 ? O_CREAT | O_RDWR : O_RDONLY, 0600);
    if (CASE == 18)
        fd = open(F, O_CREAT | O_RDWR, 0600);
    if (CASE != 19)
        assert(write(fd, "a", 1) == 1);
    if (CASE == 18)
        fd = open(F, O_RDONLY);
    mapped = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
    assert(mapped != MAP_FAILED);
}
static void *first(void *unused)
{
    if (CASE != 19) {
        int other = open(F, O_WRONLY);
        assert(write(other, "b", 1) == 1);
    }
    return unused;
}
static void *second(void *unused)
{
    assert(CASE == 19 || mapped[0] == 'a');
    return unused;
}
static void end(void)
{
    if (CASE != 19)
        unlink(F);
}
#else /* what is random */
static void begin(void) {}
static void *first(void *unused)
{
    fd = open("/dev/urandom", O_RDONLY);
    return unused;
}
static void *second(void *unused) { return unused; }
static void end(void) {}
#endif

int main(void)
{
    pthread_t threads[2];
    begin();
#ifdef OTHER
    pthread_create(&threads[0], NULL, second, NULL);
    pthread_create(&threads[1], NULL, first, NULL);
#else
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
#endif
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    end();
}
