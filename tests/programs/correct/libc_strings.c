// expect: holds
// executions: 1
// What the runtime does in place of libc: strings, formatting, sorting, numbers, input and output.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int reverse(const void *a, const void *b, void *arg) { return *(int *)arg * compare(a, b); }
int main(void)
{
    char text[64], *end, *more;
    int count = 0, numbers[50], minus = -1;
    strcpy(text, "hello");
    strcat(text, " world");
    assert(strlen(text) == 11 && !strcmp(text, "hello world") && strncmp(text, "help", 3) == 0);
    assert(strcmp("a", "b") < 0 && strcmp("b", "a") > 0 && strchr(text, 'w') == text + 6);
    strncpy(text, "abc", 8);
    assert(!memcmp(text, "abc\0\0\0\0\0", 8) && stpcpy(text, "xy") == text + 2);
    assert(snprintf(text, 4, "%d-%s", 12, "345") == 6 && !strcmp(text, "12-"));
    assert(sprintf(text, "%5.2f|%-3c|%%|%n", 1.5, 'x', &count) == 12 && count == 12);
    assert(asprintf(&more, "%s %zu", "size", (size_t)7) == 6 && !strcmp(more, "size 7"));
    free(more);
    more = strdup("copy");
    assert(!strcmp(more, "copy") && memccpy(text, more, 'p', 9) == text + 3);
    free(more);
    char list[] = "a,b,,c";
    assert(!strcmp(strtok(list, ","), "a") && !strcmp(strtok(0, ","), "b"));
    assert(!strcmp(strtok(0, ","), "c") && !strtok(0, ","));
    errno = 0;
    assert(strtol("12x", &end, 10) == 12 && *end == 'x' && errno == 0);
    assert(strtoul("99999999999999999999", &end, 10) && errno == ERANGE && atoi("-7") == -7);
    for (int i = 0; i < 50; i++)
        numbers[i] = i * 37 % 50;
    qsort(numbers, 50, sizeof numbers[0], compare);
    for (int i = 0; i < 50; i++)
        assert(numbers[i] == i);
    qsort_r(numbers, 20, sizeof numbers[0], reverse, &minus);
    assert(numbers[0] == 19 && numbers[19] == 0);
    int wanted = 30;
    assert(bsearch(&wanted, numbers + 20, 30, sizeof wanted, compare) == numbers + 30);
    assert(printf("hi %d %s\n", 3, "yo") == 8 && puts("line") >= 0 && getchar() == EOF);
    srand(5);
    int first = rand();
    srand(5);
    assert(rand() == first);
    return 0;
}
