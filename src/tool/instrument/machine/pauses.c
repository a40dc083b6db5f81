#include "tool/instrument/machine/pauses.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"

static char *skip_blanks(char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static bool take_word(char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length))
        return false;
    *at += length;
    return true;
}

/* Is [at, end) the instruction alone? Then *after is where it ends. */
static bool is_pause(char *at, const char *end, char **after)
{
    if (take_word(&at, end, "rep")) {
        char *between = skip_blanks(at, end);
        take_word(&between, end, ";");
        between = skip_blanks(between, end);
        if (between == at || !take_word(&between, end, "nop"))
            return false;
        at = between;
    } else if (!take_word(&at, end, "pause")) {
        return false;
    }
    *after = at;
    at = skip_blanks(at, end);
    while (take_word(&at, end, ";"))
        at = skip_blanks(at, end);
    return at == end || *at == '#';
}

/* std::thread::joinable(), and the runtime's function in its place, whose name is as long. */
static const char joinable[] = "_ZNKSt6thread8joinableEv", performed[] = "heddle__thread_joinable_";
_Static_assert(sizeof joinable == sizeof performed, "one takes the place of the other");

/* Is what stands at AT used there, and not defined or told to a debugger? */
static bool is_use(char *text, char *at, const char *end)
{
    char *line = at;
    while (line > text && line[-1] != '\n')
        line--;
    char *first = skip_blanks(line, end);
    return first > line && (*first != '.' || take_word(&first, end, ".quad"));
}

void pauses_perform_joinable(char *text, size_t bytes)
{
    size_t length = sizeof joinable - 1;
    char *stop = text + bytes;
    for (char *at = text; (at = memmem(at, (size_t)(stop - at), joinable, length)); at += length)
        if (is_use(text, at, stop))
            memcpy(at, performed, length);
}

void pauses_blank(char *text, size_t bytes)
{
    char *stop = text + bytes;
    for (char *line = text; line < stop;) {
        char *end = memchr(line, '\n', (size_t)(stop - line)), *after;
        if (!end)
            end = stop;
        char *first = skip_blanks(line, end);
        if (first < end && (*first == 'p' || *first == 'r') && is_pause(first, end, &after))
            memset(first, ' ', (size_t)(after - first));
        line = end + 1;
    }
}

void pauses_blank_left_behind(char *text, size_t bytes)
{
    static const char hook[] = "__tsan_atomic128_load", left[] = "__atomic_load_16";
    char *stop = text + bytes;
    bool behind = false; /* since a call of the hook there has been no call and no 16-byte access */
    if (!memmem(text, bytes, left, sizeof left - 1))
        return;
    for (char *line = text; line < stop;) {
        char *end = memchr(line, '\n', (size_t)(stop - line));
        if (!end)
            end = stop;
        char *first = skip_blanks(line, end), *at = first;
        bool call = take_word(&at, end, "call");
        if (call) {
            take_word(&at, end, "q");
            at = skip_blanks(at, end);
            if (behind && take_word(&at, end, left)) {
                take_word(&at, end, "@PLT");
                if (skip_blanks(at, end) == end)
                    memset(first, ' ', (size_t)(at - first));
            }
            behind = take_word(&at, end, hook);
        } else if (memmem(first, (size_t)(end - first), "cmpxchg16b", 10)) {
            behind = false;
        }
        line = end + 1;
    }
}

bool pauses_remove(const char *path, Error *error)
{
    int fd = file_open_kept(path, O_RDWR, error);
    if (fd < 0)
        return false;
    struct stat is;
    void *text = MAP_FAILED;
    if (!fstat(fd, &is))
        text = is.st_size
                   ? mmap(NULL, (size_t)is.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : NULL;
    int problem = errno;
    close(fd);
    if (text == MAP_FAILED)
        return error_set(error, "can't read %s: %s", path, strerror(problem));
    if (text) {
        pauses_blank(text, (size_t)is.st_size);
        pauses_blank_left_behind(text, (size_t)is.st_size);
        pauses_perform_joinable(text, (size_t)is.st_size);
        munmap(text, (size_t)is.st_size);
    }
    return true;
}
