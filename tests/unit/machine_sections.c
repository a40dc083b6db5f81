/* In which section and function the statements of small assembly texts stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "tool/instrument/machine/sections.h"

static const struct {
    const char *line, *section, *function; /* after the line */
    bool code, object;
} steps[] = {
    {"\t.type f, @function", ".text", "", true, false},
    {"f:", ".text", "f", true, false},
    {"\t.section .rodata", ".rodata", "", false, false}, /* the table of a switch */
    {".L4: .long .L9-.L4; .string \"a;\\\"b: .text\"", ".rodata", "", false, false},
    {"\t.text # .data", ".text", "f", true, false},
    {"1: again: movl $1, (%rdi); .data; table: .quad 0", ".data", "table", false, false},
    {"\t.previous", ".text", "again", true, false},
    {"\t.size again, .-again", ".text", "", true, false},
    {"\t.pushsection \".mine\", \"awx\", @progbits", ".mine", "", true, false},
    {"\t.type code, @object", ".mine", "", true, false},
    {"code: .byte 1; .popsection", ".text", "", true, false},
    {"\t.section .mine", ".mine", "code", true, true},
    {"\tmovq %fs:8, %rax; call g", ".mine", "code", true, true},
    {"\t.section .text.unlikely,\"ax\"", ".text.unlikely", "", true, false},
    {"\t.section .other", ".other", "", false, false},
};

static void test_sections(void **state)
{
    (void)state;
    Sections sections;
    sections_begin(&sections);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        Str line = str_of(steps[i].line), statement;
        while (sections_next_statement(&line, "#", &statement)) {
            sections_labels(&sections, &statement);
            sections_directive(&sections, statement);
        }
        const Section *now = sections_now(&sections);
        if (!str_is(now->name, steps[i].section) || !str_is(now->function, steps[i].function) ||
            now->code != steps[i].code || now->object != steps[i].object)
            fail_msg("%s: in section %.*s and function %.*s, code %d, object %d", steps[i].line,
                     STR_ARG(now->name), STR_ARG(now->function), now->code, now->object);
    }
    sections_free(&sections);
}

static void test_data(void **state)
{
    (void)state;
    assert_true(sections_is_data(STR(".byte 1")));
    assert_true(sections_is_data(STR(".incbin \"file\"")));
    assert_true(sections_is_data(STR(".xword 1")));
    assert_true(sections_is_data(STR(".dc.b 1")));
    assert_true(sections_is_data(STR(".space 4, 0xf0")));
    assert_false(sections_is_data(STR(".p2align 4")));
    assert_false(sections_is_data(STR(".cfi_startproc")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sections),
                                       cmocka_unit_test(test_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
