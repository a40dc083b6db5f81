/* Functions of the C library that no table knows: they are watched in a copy of its code. TEST chooses. */
#define _GNU_SOURCE
#include <argz.h>
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wordexp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *root;
static int one = 1, two = 2;

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

#if TEST == 1 /* a tree without a lock */
static void *other(void *unused)
{
    tsearch(&two, &root, compare);
    return unused;
}
static void work(void)
{
    tsearch(&one, &root, compare);
}
static void check(void) {}
#elif TEST == 2 /* the same with a lock: two orders */
static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    tsearch(&two, &root, compare);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void work(void)
{
    pthread_mutex_lock(&lock);
    tsearch(&one, &root, compare);
    pthread_mutex_unlock(&lock);
}
static void check(void)
{
    assert(tfind(&one, &root, compare) && tfind(&two, &root, compare));
}
#elif TEST == 3 /* vector code reads beyond the end of strings; the neighbours are another thread's */
static char *block;
static void *other(void *unused)
{
    block[4] = 'x';
    return unused;
}
static void work(void)
{
    char *list = NULL;
    size_t length = 0;
    assert(!argz_add(&list, &length, block) && length == 4);
    free(list);
}
static void check(void)
{
    free(block);
}
#elif TEST == 4 /* one byte further, and it races */
static char *block;
static void *other(void *unused)
{
    block[2] = 'x';
    return unused;
}
static void work(void)
{
    char *list = NULL;
    size_t length = 0;
    argz_add(&list, &length, block);
    free(list);
}
static void check(void)
{
    free(block);
}
#elif TEST == 5 /* a system call */
static void *other(void *unused)
{
    return unused;
}
static void work(void)
{
    free(canonicalize_file_name("/usr/bin"));
}
static void check(void) {}
#elif TEST == 7 /* the environment is read by a function that is watched and set by one that is not */
static void *other(void *unused)
{
    setenv("PLACE", "a", 1);
    return unused;
}
static void work(void)
{
    wordexp_t words;
    assert(!wordexp("$PLACE", &words, 0));
}
static void check(void) {}
#elif TEST == 8 /* the same without anybody who sets it */
static void *other(void *unused)
{
    return unused;
}
static void work(void)
{
    wordexp_t words;
    assert(!wordexp("$HEDDLE_NOWHERE", &words, 0) && words.we_wordc == 0);
}
static void check(void) {}
#elif TEST == 6 /* a call back into the program that calls such a function itself */
static int visits;
static void visit(const void *node, VISIT when, int depth)
{
    (void)depth;
    if (when == postorder || when == leaf) {
        size_t count = 2;
        int numbers[2] = {1, 2};
        assert(lfind(*(int *const *)node, numbers, &count, sizeof *numbers, compare));
        visits++;
    }
}
static void *other(void *unused)
{
    wchar_t text[] = L"a b", *rest;
    assert(wcstok(text, L" ", &rest)[0] == L'a' && wcstok(NULL, L" ", &rest)[0] == L'b');
    return unused;
}
static void work(void)
{
    tsearch(&one, &root, compare);
    tsearch(&two, &root, compare);
    twalk(root, visit);
    assert(visits == 2);
}
static void check(void) {}
#endif

int main(void)
{
    pthread_t thread;
#if TEST == 3 || TEST == 4
    block = malloc(5);
    memcpy(block, "abc", 4);
#endif
    pthread_create(&thread, NULL, other, NULL);
    work();
    pthread_join(thread, NULL);
    check();
    return 0;
}
