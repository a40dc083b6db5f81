/* Settings of a test file that name several calls: HD_SEQUENCE, HD_FIRST, HD_LAST. */
#include <string.h>
#include "guest/harness/check/declared.h"

static bool read_list(const Declared *declared, const HeddleSetting *setting, DeclaredList *list,
                      Error *error)
{
    TestCase test;
    Error why = {0};
    if (list->count)
        return declared_complain_twice(setting, error);
    if (!declared_parse(declared, setting->text, &test, &why))
        return error_at(error, setting->file, setting->line, 0, "\"%s\": %s", setting->text,
                        why.message);
    if (test.threads != 1 || test.length[TESTCASE_BEFORE] || test.length[TESTCASE_AFTER])
        return error_at(error, setting->file, setting->line, 0,
                        "\"%s\": these calls are made by one thread", setting->text);
    list->count = test.length[0];
    memcpy(list->call, test.call[0], sizeof list->call);
    return true;
}

/* A sequence is for the thread that its calls are for. */
static bool find_role(Declared *declared, const HeddleSetting *setting, uint32_t number,
                      Error *error)
{
    const DeclaredList *list = &declared->sequences[number];
    uint8_t role = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint8_t wanted = declared->role[list->call[i]];
        if (wanted && role && wanted != role)
            return error_at(error, setting->file, setting->line, 0,
                            "\"%s\": no thread may make all of these calls (HD_SINGLE)",
                            setting->text);
        role = MAX(role, wanted);
    }
    declared->role[declared->count + number] = role;
    return true;
}

bool declared_read_lists(Declared *declared, const HeddleSetting *setting, Error *error)
{
    Str key = str_of(setting->key);
    if (str_is(key, "first"))
        return read_list(declared, setting, &declared->first, error);
    if (str_is(key, "last"))
        return read_list(declared, setting, &declared->last, error);
    if (!str_is(key, "sequence"))
        return true;
    if (declared->sequence_count == DECLARED_SEQUENCES)
        return error_at(error, setting->file, setting->line, 0, "more than %d sequences",
                        DECLARED_SEQUENCES);
    uint32_t number = declared->sequence_count;
    if (!read_list(declared, setting, &declared->sequences[number], error) ||
        !find_role(declared, setting, number, error))
        return false;
    declared->sequence_count++;
    return true;
}
