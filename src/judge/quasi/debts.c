#include "judge/quasi/debts.h"
#include <string.h>

static void copy_list(DebtList *to, const DebtList *from)
{
    to->count = from->count;
    memcpy(to->at, from->at, from->count * sizeof *to->at);
}

void debts_copy(Debts *to, const Debts *from)
{
    copy_list(&to->late, &from->late);
    copy_list(&to->promised, &from->promised);
}

bool debts_add(DebtList *list, uint32_t label)
{
    if (list->count > DEBTS_LARGEST)
        return false;
    list->at[list->count++] = (uint64_t)label << 16;
    return true;
}

void debts_remove(DebtList *list, uint32_t i)
{
    memmove(list->at + i, list->at + i + 1, (list->count - i - 1) * sizeof *list->at);
    list->count--;
}

void debts_sort(uint64_t *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j && entries[j - 1] > entries[j]; j--) {
            uint64_t entry = entries[j];
            entries[j] = entries[j - 1];
            entries[j - 1] = entry;
        }
}

/* The ages in a list are different, since a place adds at most one entry to it. So at most D
 * entries must be gone within D places, which settle one each: no entry is too late before its own
 * age is the factor. */
static bool grow_older(DebtList *list, bool added, uint32_t factor)
{
    for (uint32_t i = 0; i < list->count; i++) {
        list->at[i] += i + added < list->count;
        if (debts_age(list->at[i]) >= factor)
            return false;
    }
    debts_sort(list->at, list->count);
    return true;
}

bool debts_pass(Debts *debts, bool late_added, bool promised_added, uint32_t factor)
{
    return grow_older(&debts->late, late_added, factor) &&
           grow_older(&debts->promised, promised_added, factor);
}

void debts_read(const uint64_t *words, Debts *out)
{
    out->late.count = (uint32_t)words[0];
    out->promised.count = (uint32_t)(words[0] >> 32);
    memcpy(out->late.at, words + 1, out->late.count * sizeof *words);
    memcpy(out->promised.at, words + 1 + out->late.count, out->promised.count * sizeof *words);
}

size_t debts_write(const Debts *debts, uint64_t *to)
{
    to[0] = (uint64_t)debts->promised.count << 32 | debts->late.count;
    memcpy(to + 1, debts->late.at, debts->late.count * sizeof *to);
    memcpy(to + 1 + debts->late.count, debts->promised.at, debts->promised.count * sizeof *to);
    return debts_words(to);
}
