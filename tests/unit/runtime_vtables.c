/* The tables of virtual functions that vtables.h finds in the C++ library, compared with the tables
 * that the library exports by name, whose sizes are in its symbol table. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "guest/runtime/vtables.h"

enum { MOST = 8192 };
static struct {
    uintptr_t *slots[MOST];
    const char *names[MOST];
    size_t count;
} seen;
static struct dl_phdr_info library;
static VtableSpan code;

static void see(uintptr_t *slot, const char *name)
{
    assert_true(seen.count < MOST);
    seen.slots[seen.count] = slot;
    seen.names[seen.count++] = name;
}

static int find(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "/libstdc++.so"))
        return 0;
    library = *info;
    return 1;
}

static bool is_function(uintptr_t address)
{
    return address - code.from < code.to - code.from;
}

static int set_up(void **state)
{
    (void)state;
    if (!dlopen("libstdc++.so.6", RTLD_NOW) || !dl_iterate_phdr(find, NULL))
        return -1;
    code = vtables_code(&library);
    vtables_each(&library, code, see);
    return 0;
}

/* Finds the table of a class by its exported name. */
static const uintptr_t *table_of(const char *name, size_t *words)
{
    Dl_info where;
    ElfW(Sym) *symbol = NULL;
    void *handle = dlopen("libstdc++.so.6", RTLD_NOW);
    const uintptr_t *table = dlsym(handle, name);
    assert_non_null(table);
    assert_int_not_equal(dladdr1(table, &where, (void **)&symbol, RTLD_DL_SYMENT), 0);
    *words = symbol->st_size / sizeof *table;
    return table;
}

static void finds_every_function_of_exported_tables(void **state)
{
    (void)state;
    static const char *const names[] = {
        "_ZTVSt5ctypeIcE",
        "_ZTVSt5ctypeIwE",
        "_ZTVSt7collateIcE",
        "_ZTVSt9bad_alloc",
        "_ZTVNSt3pmr25monotonic_buffer_resourceE",
        "_ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t words, functions = 0;
        const uintptr_t *table = table_of(names[i], &words);
        for (size_t k = 2; k < words; k++) {
            bool found = false;
            for (size_t n = 0; n < seen.count; n++)
                found |= seen.slots[n] == &table[k];
            assert_int_equal(found, is_function(table[k]));
            functions += found;
            unsigned number;
            if (!found)
                continue;
            const char *class =
                vtables_class(&table[k], vtables_constants(&library), is_function, &number);
            assert_string_equal(class, names[i] + 4);
            assert_int_equal(number, k - 2);
        }
        assert_true(functions >= 3);
    }
}

static void knows_names_that_the_library_exports(void **state)
{
    (void)state;
    size_t named = 0;
    void *handle = dlopen("libstdc++.so.6", RTLD_NOW);
    for (size_t i = 0; i < seen.count; i++)
        if (seen.names[i]) {
            named++;
            const void *address = dlsym(handle, seen.names[i]);
            assert_true(!address || (uintptr_t)address == *seen.slots[i]);
        }
    assert_true(named > 1000 && named < seen.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_function_of_exported_tables),
        cmocka_unit_test(knows_names_that_the_library_exports),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
