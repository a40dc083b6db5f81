/* testcase.h: the tests that operations make: a matrix of calls, one column a thread, and perhaps
 * calls that main makes before the threads begin and after they have ended. A call is an operation
 * with concrete arguments, by number. Enumerated without those that differ only in the order of
 * their threads; or sampled; or parsed from text ("put(1) get() | put(2)", "put(1) / get() | get()
 * / get()"). Depends on libc only. */
#ifndef HEDDLE_HARNESS_CHECK_TESTCASE_H
#define HEDDLE_HARNESS_CHECK_TESTCASE_H
#include "base/common.h"
#include "base/hash.h"

#define TESTCASE_THREADS 8
#define TESTCASE_LENGTH 16
#define TESTCASE_OPERATIONS 32
/* The columns of main. */
#define TESTCASE_BEFORE TESTCASE_THREADS
#define TESTCASE_AFTER (TESTCASE_THREADS + 1)
#define TESTCASE_COLUMNS (TESTCASE_THREADS + 2)

typedef struct TestCase {
    uint32_t threads;
    uint32_t length[TESTCASE_COLUMNS];
    uint16_t call[TESTCASE_COLUMNS][TESTCASE_LENGTH];
} TestCase;

typedef struct TestShape {
    uint32_t threads, length;
    uint32_t calls;      /* how many different calls there are */
    const uint8_t *role; /* by call: K > 0: only thread K-1 makes it; or NULL */
} TestShape;

uint32_t testcase_operations(const TestCase *test);
/* The columns in the order in which operations are numbered: those of the threads, before, after.
 * column = testcase_next_column(test, UINT32_MAX) is the first; UINT32_MAX comes after the last. */
uint32_t testcase_next_column(const TestCase *test, uint32_t column);
/* The number of operation I of a column, counting column after column. */
uint32_t testcase_number(const TestCase *test, uint32_t column, uint32_t i);

/* The first test of a shape; false if it has none. */
bool testcase_first(const TestShape *shape, TestCase *test);
/* The next one; false after the last. Columns are in non-decreasing order, but for those of
 * threads that have calls of their own. */
bool testcase_next(const TestShape *shape, TestCase *test);
/* How many there are, or UINT64_MAX if more than fits. */
uint64_t testcase_count(const TestShape *shape);
/* A uniformly random matrix (over all calls that each column may make). */
void testcase_sample(const TestShape *shape, Random *random, TestCase *test);
/* Puts the columns of threads that have no calls of their own in the order of testcase_next: tests
 * that differ in the order of such threads only become equal. */
void testcase_sort(const TestShape *shape, TestCase *test);
/* Without operation I of a column; a thread without operations goes away. */
void testcase_without(const TestCase *test, uint32_t column, uint32_t i, TestCase *smaller);
/* With the calls of thread B behind those of thread A, and one thread less; false if they are too
 * many. */
bool testcase_merged(const TestCase *test, uint32_t a, uint32_t b, TestCase *merged);
#endif
