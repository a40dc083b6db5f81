#include "said.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const wrong_words[] = {
#define X(name, word) word,
    WRONGS(X)
#undef X
};

static bool run_command(char **command, const char *text, char *output, size_t bytes)
{
    int ends[2], status;
    if (pipe(ends))
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_RDWR), 2);
        dup2(ends[1], 1);
        close(ends[0]);
        setenv("HEDDLE_TWIN_PROGRAM", text, 1);
        setrlimit(RLIMIT_CPU, &(struct rlimit){60, 60});
        alarm(3600); /* waiting costs no processor time; a machine that is used otherwise does */
        execvp(command[0], command);
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n;
         length + 1 < bytes && (n = read(ends[0], output + length, bytes - 1 - length)) > 0;)
        length += (size_t)n;
    output[length] = 0;
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) != 127;
}

Said said_by(char **command, const char *text)
{
    static char output[65536];
    if (!run_command(command, text, output, sizeof output))
        return (Said){SAID_FAILED, WRONG_COUNT};
    const char *violated = strstr(output, "violated ");
    if (strstr(output, "unconfirmed"))
        return (Said){SAID_UNCONFIRMED, WRONG_COUNT};
    if (!violated)
        return (Said){strstr(output, "holds") ? SAID_HOLDS : SAID_NOTHING, WRONG_COUNT};
    for (int i = 0; i < WRONG_COUNT; i++)
        if (!strncmp(violated + 9, wrong_words[i], strlen(wrong_words[i])))
            return (Said){SAID_VIOLATED, (Wrong)i};
    return (Said){SAID_VIOLATED, WRONG_COUNT};
}

const char *said_wrongly(Said said)
{
    return said.kind == SAID_FAILED        ? "the command failed"
           : said.kind == SAID_UNCONFIRMED ? "the violation does not show again"
           : said.kind == SAID_NOTHING     ? "there is no verdict"
           : said.kind == SAID_VIOLATED && said.wrong == WRONG_COUNT ? "a violation of another kind"
                                                                     : NULL;
}

void said_print_wrongs(unsigned wrongs)
{
    for (int i = 0; i < WRONG_COUNT; i++)
        if (wrongs >> i & 1)
            printf(" %s", wrong_words[i]);
    printf(wrongs ? "\n" : " nothing\n");
}
