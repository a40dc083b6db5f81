/* memory.c: the mem* functions. The compilers turn copies of objects into calls of these (see the
 * instrumented build), so they are plain accesses like any other. clang calls three of them
 * __tsan_NAME from version 16 on. */
#include "guest/entry/guest.h"
#include <stdlib.h>

#define WRAP(type, name, parameters)                                                               \
    GUEST type __wrap_##name parameters;                                                           \
    type __wrap_##name parameters
#define ALSO_HOOK(name, parameters)                                                                \
    GUEST void *__tsan_##name parameters __attribute__((alias("__wrap_" #name)))

WRAP(void *, memcpy, (void *restrict to, const void *restrict from, size_t bytes))
{
    guest_will_copy(to, from, bytes, GUEST_PC);
    return memcpy(to, from, bytes);
}
ALSO_HOOK(memcpy, (void *restrict to, const void *restrict from, size_t bytes));

WRAP(void *, memmove, (void *to, const void *from, size_t bytes))
{
    guest_will_copy(to, from, bytes, GUEST_PC);
    return memmove(to, from, bytes);
}
ALSO_HOOK(memmove, (void *to, const void *from, size_t bytes));

WRAP(void *, mempcpy, (void *restrict to, const void *restrict from, size_t bytes))
{
    guest_will_copy(to, from, bytes, GUEST_PC);
    return (char *)memcpy(to, from, bytes) + bytes;
}

WRAP(void *, memset, (void *to, int value, size_t bytes))
{
    guest_will_write(to, bytes, GUEST_PC);
    return memset(to, value, bytes);
}
ALSO_HOOK(memset, (void *to, int value, size_t bytes));

WRAP(void, bzero, (void *to, size_t bytes))
{
    guest_will_write(to, bytes, GUEST_PC);
    memset(to, 0, bytes);
}

WRAP(void, explicit_bzero, (void *to, size_t bytes))
{
    guest_will_write(to, bytes, GUEST_PC);
    memset(to, 0, bytes);
}

WRAP(void, bcopy, (const void *from, void *to, size_t bytes))
{
    guest_will_copy(to, from, bytes, GUEST_PC);
    memmove(to, from, bytes);
}

WRAP(void *, memccpy, (void *restrict to, const void *restrict from, int stop, size_t bytes))
{
    const char *found = memchr(from, stop, bytes);
    size_t count = found ? (size_t)(found - (const char *)from) + 1 : bytes;
    guest_will_read(from, count, GUEST_PC);
    guest_will_write(to, count, GUEST_PC);
    memcpy(to, from, count);
    return found ? (char *)to + count : NULL;
}

WRAP(int, memcmp, (const void *left, const void *right, size_t bytes))
{
    guest_will_read(left, bytes, GUEST_PC);
    guest_will_read(right, bytes, GUEST_PC);
    return memcmp(left, right, bytes);
}

WRAP(int, bcmp, (const void *left, const void *right, size_t bytes))
{
    guest_will_read(left, bytes, GUEST_PC);
    guest_will_read(right, bytes, GUEST_PC);
    return memcmp(left, right, bytes);
}

/* memchr may be given more bytes than there are, if the byte is found before. */
WRAP(void *, memchr, (const void *from, int value, size_t bytes))
{
    char *found = memchr(from, value, bytes);
    guest_will_read(from, found ? (size_t)(found - (const char *)from) + 1 : bytes, GUEST_PC);
    return found;
}

WRAP(void *, memrchr, (const void *from, int value, size_t bytes))
{
    guest_will_read(from, bytes, GUEST_PC);
    return memrchr(from, value, bytes);
}

WRAP(void *, rawmemchr, (const void *from, int value))
{
    char *found = rawmemchr(from, value);
    guest_will_read(from, (size_t)(found - (const char *)from) + 1, GUEST_PC);
    return found;
}

WRAP(void *, memmem, (const void *in, size_t in_bytes, const void *what, size_t what_bytes))
{
    guest_will_read(in, in_bytes, GUEST_PC);
    guest_will_read(what, what_bytes, GUEST_PC);
    return memmem(in, in_bytes, what, what_bytes);
}

/* -- qsort: by comparisons of the program, which may contain any event, so each move is announced
 * right before it is made. Insertion sort while small (stable, as glibc's is in effect), else heap
 * sort: neither needs memory. */

typedef struct Sort {
    char *base;
    size_t width;
    int (*compare)(const void *, const void *, void *);
    void *context;
    const void *pc;
} Sort;

static void swap(const Sort *sort, size_t i, size_t j)
{
    char *left = sort->base + i * sort->width, *right = sort->base + j * sort->width;
    if (i == j)
        return;
    guest_will_write(left, sort->width, sort->pc);
    guest_will_write(right, sort->width, sort->pc);
    for (size_t k = 0; k < sort->width; k++) {
        char byte = left[k];
        left[k] = right[k];
        right[k] = byte;
    }
}

static bool less(const Sort *sort, size_t i, size_t j)
{
    return sort->compare(sort->base + i * sort->width, sort->base + j * sort->width,
                         sort->context) < 0;
}

static void sift(const Sort *sort, size_t root, size_t count)
{
    DEBUG_ASSERT(root < count);
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && less(sort, child, child + 1))
            child++;
        if (!less(sort, root, child))
            return;
        swap(sort, root, child);
    }
}

static void sort_run(const Sort *sort, size_t count)
{
    if (count <= 32) {
        for (size_t i = 1; i < count; i++)
            for (size_t j = i; j > 0 && less(sort, j, j - 1); j--)
                swap(sort, j, j - 1);
        return;
    }
    for (size_t i = count / 2; i-- > 0;)
        sift(sort, i, count);
    for (size_t i = count; i-- > 1;) {
        swap(sort, 0, i);
        sift(sort, 0, i);
    }
}

static int compare_without_context(const void *left, const void *right, void *context)
{
    int (*compare)(const void *, const void *);
    memcpy(&compare, &context, sizeof compare);
    return compare(left, right);
}

WRAP(void, qsort,
     (void *base, size_t count, size_t width, int (*compare)(const void *, const void *)))
{
    Sort sort = {base, width, compare_without_context, NULL, GUEST_PC};
    memcpy(&sort.context, &compare, sizeof compare);
    sort_run(&sort, count);
}

WRAP(void, qsort_r,
     (void *base, size_t count, size_t width, int (*compare)(const void *, const void *, void *),
      void *context))
{
    Sort sort = {base, width, compare, context, GUEST_PC};
    sort_run(&sort, count);
}
