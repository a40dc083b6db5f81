/* Arrays of words are numbered as a list searched from the beginning would number them. */
#include "base/interner.h"
#include "base/hash.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MOST 3000
static uint64_t known[MOST][4];
static size_t lengths[MOST];

static void test_numbers(void **state)
{
    (void)state;
    Interner interner = {0};
    for (int round = 0; round < 2; round++) { /* the second time in the memory of the first */
        Random random = {(uint64_t)round + 5};
        size_t count = 0;
        for (int i = 0; i < 20000; i++) {
            uint64_t words[4];
            size_t length = (size_t)random_below(&random, 5), at = 0;
            for (size_t w = 0; w < length; w++)
                words[w] = random_below(&random, 6);
            while (at < count && (lengths[at] != length ||
                                  (length && memcmp(known[at], words, length * sizeof *words))))
                at++;
            assert_int_equal(interner_number(&interner, words, length), at);
            if (at == count) {
                assert_true(count < MOST);
                memcpy(known[count], words, length * sizeof *words);
                lengths[count++] = length;
            }
            size_t found;
            const uint64_t *back = interner_words(&interner, (uint32_t)at, &found);
            assert_int_equal(found, length);
            assert_true(!length || !memcmp(back, words, length * sizeof *words));
        }
        assert_true(count > 1000); /* of 1 + 6 + 36 + 216 + 1296 */
        interner_clear(&interner);
    }
    assert_true(interner_memory(&interner) > 0);
    interner_free(&interner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
