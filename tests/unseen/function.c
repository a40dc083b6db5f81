/* One line of functions.txt: a thread makes CALL, another does OTHER, without order. */
#define _GNU_SOURCE
#include <sys/cdefs.h>
#undef __attribute_pure__ /* calls whose result is not used must stay */
#define __attribute_pure__
#include <arpa/inet.h>
#include <crypt.h>
#include <dirent.h>
#include <err.h>
#include <error.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <libgen.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wctype.h>
#include <wordexp.h>
#undef basename

extern char *basename(const char *path); /* of <string.h>; dirname is that of <libgen.h> */

static _Alignas(64) char memory[4096];
static _Alignas(64) char zeros[512];
static const char *text = memory;
static const wchar_t *wide = (const wchar_t *)memory;
static FILE *stream;
static DIR *directory;
static pthread_attr_t attributes;
static pthread_mutexattr_t mutex_attributes;
static sem_t semaphore;
static regex_t pattern;
static size_t four = 4;
static char *words[] = {"x", "-1", 0};

#define M ((void *)memory)
#define Z zeros
#define Q text
#define QW wide
#define QV words
#define S stream
#define D directory
#define A &attributes
#define A2 &mutex_attributes
#define A3 &semaphore
#define R &pattern
#define N &four

int compare(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

int compare_r(const void *a, const void *b, void *unused)
{
    (void)unused;
    return compare(a, b);
}

void *nothing(void *unused)
{
    return unused;
}

#define VARIADIC(name, type, call)                                                                 \
    int name(type a, const char *b, ...)                                                           \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, b);                                                                         \
        int result = call;                                                                         \
        va_end(list);                                                                              \
        return result;                                                                             \
    }
VARIADIC(my_vsprintf, char *, vsprintf(a, b, list))
VARIADIC(my_vsnprintf, char *, vsnprintf(a, 9, b, list))
VARIADIC(my_vsscanf, const char *, vsscanf(a, b, list))

static void *caller(void *unused)
{
    _Alignas(64) char own[4096] = "1";
    char *P = 0, *B = own;
    (void)P, (void)B;
    CALL;
    return unused;
}

int main(void)
{
    char initial[] = INITIAL;
    pthread_t thread;
    stream = tmpfile();
    fputs("abc\n", stream);
    rewind(stream);
    directory = opendir("/");
    pthread_attr_init(&attributes);
    pthread_mutexattr_init(&mutex_attributes);
    sem_init(&semaphore, 0, 1);
    if (initial[0] == 's')
        memcpy(memory, "12 3", 5);
    if (initial[0] == 'w')
        memcpy(memory, L"12 3", 5 * sizeof(wchar_t));
    if (initial[0] == 'r')
        initstate_r(1, memory + 1024, 64, (struct random_data *)memory);
    pthread_create(&thread, 0, caller, 0);
    OTHER;
    pthread_join(thread, 0);
    return 0;
}
