#include "guest/harness/check/quasi.h"
#include <stdio.h>
#include "guest/harness/check/composition.h"
#include "guest/harness/check/test.h"
#include "judge/spec/serial.h"

/* Serial runs of one test: more would take many seconds. */
#define MOST_RUNS 2000000u

ChildQuasi child_quasi;

/* ---- the factors ---- */

/* "takes" in --quasi is a group of all operations that take. */
static bool expand_takes(Error *error)
{
    static char text[512];
    Buffer takes = {0}, out = {0};
    for (uint32_t c = 0; c < child_test.declared.count; c++) {
        const DeclaredCall *call = &child_test.declared.calls[c];
        if ((!c || call[-1].operation != call->operation) &&
            child_composition_role(call) == BALANCE_TAKE)
            buffer_printf(&takes, "%s%s", takes.count ? "+" : "", call->operation->name);
    }
    Str rest = str_of(child_quasi.factors), piece;
    bool fine = true;
    while (str_next(&rest, ',', &piece)) {
        Str names, factor = str_trim(piece);
        str_next(&factor, ':', &names);
        bool all = str_is(str_trim(names), "takes");
        if (str_is(str_trim(names), "auto") || (factor.at && str_is(str_trim(factor), "auto"))) {
            vec_free(&takes);
            vec_free(&out);
            return error_set(error,
                             "HD_QUASI(\"%s\"): factors are found by --quasi=auto on the "
                             "command line",
                             child_quasi.factors);
        }
        fine = fine && (!all || takes.count);
        buffer_printf(&out, "%s", out.count ? "," : "");
        if (all && fine)
            buffer_printf(&out, "%.*s%s%.*s", STR_ARG(buffer_str(&takes)), factor.at ? ":" : "",
                          STR_ARG(factor));
        else
            buffer_printf(&out, "%.*s", STR_ARG(piece));
    }
    bool fits = out.count < sizeof text;
    snprintf(text, sizeof text, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&takes);
    vec_free(&out);
    child_quasi.factors = text;
    if (fine && !fits)
        return error_set(error,
                         "--quasi is longer than %zu characters when \"takes\" is replaced by "
                         "the operations that take",
                         sizeof text - 1);
    return fine ||
           error_set(error, "no operation is known by its name to take (deq, pop, get, take "
                            "...): name it in --quasi, as in --quasi=next:auto");
}

bool child_quasi_by_def4(void)
{
    return child_quasi.factors && child_quasi.semantics == RELAX_DEF4;
}

bool child_quasi_setup(Error *error)
{
    const CheckOptions *check = &options.check;
    const char *factors = check->quasi[0] ? check->quasi : child_test.declared.quasi;
    child_quasi = (ChildQuasi){factors && factors[0] ? factors : NULL, RELAX_KOOO};
    if (child_quasi.factors && !expand_takes(error))
        return false;
    if (check->semantics[0] && !relax_semantics_from_word(check->semantics, &child_quasi.semantics))
        return error_set(error, "no semantics \"%s\": kooo, slot or def4", check->semantics);
    if (child_quasi_by_def4() && !model_is_interleaved(options.model))
        return error_set(error,
                         "def4 is about real time: it needs --model=sc (kooo and slot do not)");
    if (child_quasi_by_def4() && child_test.declared.any_may_fail)
        return error_set(error, "def4 does not say what calls that may fail (HD_MAY_FAIL, "
                                "--may-fail) are: kooo and slot do");
    return true;
}

Str child_quasi_known(const Spec *inner, Buffer *out)
{
    Str rest = str_of(child_quasi.factors), piece;
    while (str_next(&rest, ',', &piece)) {
        Str names, name, factor = str_trim(piece);
        if (!str_next(&factor, ':', &names))
            continue;
        bool any = false;
        while (str_next(&names, '+', &name)) {
            uint16_t method;
            if (!inner->resolve(inner, str_trim(name), 0, &method))
                continue;
            buffer_printf(out, "%s%.*s",
                          any          ? "+"
                          : out->count ? ","
                                       : "",
                          STR_ARG(str_trim(name)));
            any = true;
        }
        if (any)
            buffer_printf(out, ":%.*s", STR_ARG(str_trim(factor)));
    }
    return buffer_str(out);
}

/* ---- larger factors ---- */

static bool group_takes(Str names)
{
    Str name;
    while (str_next(&names, '+', &name)) {
        bool takes = false;
        for (uint32_t c = 0; c < child_test.declared.count && !takes; c++)
            takes = str_is(str_trim(name), child_test.declared.calls[c].operation->name) &&
                    child_composition_role(&child_test.declared.calls[c]) == BALANCE_TAKE;
        if (!takes)
            return false;
    }
    return true;
}

/* The text of the factors, those of groups that take (or of all) larger by MORE; how many groups
 * are. */
static uint32_t widen_text(Str text, uint32_t more, bool all, Buffer *out, uint32_t *base)
{
    uint32_t widened = 0, groups = 0;
    Str piece;
    while (str_next(&text, ',', &piece)) {
        Str names, factor = str_trim(piece);
        int64_t number = 0;
        if (!str_next(&factor, ':', &names) || !str_to_int64(str_trim(factor), &number))
            continue;
        bool wider = all || group_takes(names);
        widened += wider;
        base[groups++] = (uint32_t)number;
        buffer_printf(out, "%s%.*s:%u", out->count ? "," : "", STR_ARG(names),
                      MIN((uint32_t)number + (wider ? more : 0), RELAX_LARGEST));
    }
    return widened;
}

void child_quasi_widen(Str text, uint32_t more, Buffer *out, uint32_t *base)
{
    if (widen_text(text, more, false, out, base))
        return;
    vec_clear(out);
    widen_text(text, more, true, out, base);
}

/* ---- the serial runs that they need ---- */

/* The factor of an operation: 0 if it may not be displaced. spec_relax has read the text without
 * complaint. */
static uint32_t factor_of(const char *operation)
{
    if (!child_quasi.factors)
        return 0;
    Str rest = str_of(child_quasi.factors), piece;
    while (str_next(&rest, ',', &piece)) {
        Str names, name, factor = str_trim(piece);
        int64_t number = 0;
        if (!str_next(&factor, ':', &names) || !str_to_int64(str_trim(factor), &number))
            continue;
        while (str_next(&names, '+', &name))
            if (str_is(str_trim(name), operation))
                return (uint32_t)number;
    }
    return 0;
}

/* May the call stand elsewhere in a serial run than in its thread (also HD_ASYNC), or be left out
 * (HD_MAY_FAIL)?
 * Quiescent consistency does not even keep the order of a thread; with --consistency=set a call
 * that takes may be one with others. */
static bool moves(uint32_t call)
{
    return options.check.consistency == CHECK_QUIESCENT ||
           (options.check.consistency == CHECK_SET &&
            child_composition_role(&child_test.declared.calls[call]) == BALANCE_TAKE) ||
           child_test.declared.async[call] || child_test.declared.may_fail[call] ||
           child_test.declared.may_be_refused[call] ||
           factor_of(child_test.declared.calls[call].operation->name);
}

/* How many orders there are of calls in columns of these lengths: at most MOST + 1. */
static uint64_t count_orders(const TestCase *all, uint64_t most)
{
    double orders = 1;
    uint32_t placed = 0;
    for (uint32_t t = 0; t < all->threads; t++)
        for (uint32_t i = 1; i <= all->length[t]; i++)
            orders = orders * ++placed / i;
    return orders > (double)most ? most + 1 : (uint64_t)orders;
}

static bool add_serial_call(TestCase *all, uint32_t column, uint16_t call)
{
    if (all->length[column] == TESTCASE_LENGTH || testcase_operations(all) == SERIAL_MOST)
        return false;
    all->call[column][all->length[column]++] = call;
    return true;
}

/* A displaced operation may come before an earlier one of its own thread, so serial runs that keep
 * the columns are not enough; nor are they where one may be left out. What keeps its place (factor
 * 0) keeps its column; of the others, each
 * kind of call (operation and arguments) is a column, since equal calls can be told apart by
 * nobody. With EXTENDED, each kind has as many more calls as its factor: kooo lets a run end early
 * that so many calls would complete. False if there are too many such runs. */
bool child_quasi_choose_runs(bool extended, uint32_t *key_of_serial, uint32_t *key_of)
{
    const TestCase *test = &child_test.test;
    TestCase all = {0};
    uint32_t column_of_kind[DECLARED_CALLS], kept_column[SERIAL_MOST], kept_index[SERIAL_MOST];
    for (uint32_t c = 0; c < DECLARED_CALLS; c++)
        column_of_kind[c] = UINT32_MAX;
    /* what main does first comes first in every run if all of it keeps its place */
    bool fixed = true;
    for (uint32_t i = 0; i < test->length[TESTCASE_BEFORE]; i++)
        fixed = fixed && !moves(test->call[TESTCASE_BEFORE][i]);
    uint32_t number = 0;
    for (uint32_t t = UINT32_MAX; (t = testcase_next_column(test, t)) != UINT32_MAX;) {
        uint32_t kept = t == TESTCASE_BEFORE && fixed ? TESTCASE_BEFORE : all.threads;
        for (uint32_t i = 0; i < test->length[t]; i++, number++) {
            if (moves(test->call[t][i]))
                continue;
            if (kept == TESTCASE_THREADS && !(t == TESTCASE_BEFORE && fixed))
                return false;
            kept_column[number] = kept;
            kept_index[number] = all.length[kept];
            if (!add_serial_call(&all, kept, test->call[t][i]))
                return false;
        }
        all.threads += kept < TESTCASE_THREADS && all.length[kept] > 0;
    }
    uint32_t kept_columns = all.threads;
    for (uint32_t k = 0; k < child_test.operations; k++) {
        uint32_t c = (uint32_t)(child_test_call(k) - child_test.declared.calls);
        uint32_t factor = factor_of(child_test.declared.calls[c].operation->name);
        if (!moves(c))
            continue;
        if (column_of_kind[c] == UINT32_MAX) {
            if (all.threads == TESTCASE_THREADS)
                return false;
            column_of_kind[c] = all.threads++;
            for (uint32_t i = 0; extended && i < factor; i++)
                if (!add_serial_call(&all, column_of_kind[c], (uint16_t)c))
                    return false;
        }
        if (!add_serial_call(&all, column_of_kind[c], (uint16_t)c))
            return false;
    }
    if (count_orders(&all, MOST_RUNS) > MOST_RUNS)
        return false;
    child_test.serial_test = all;
    for (uint32_t t = UINT32_MAX; (t = testcase_next_column(&all, t)) != UINT32_MAX;)
        for (uint32_t i = 0; i < all.length[t]; i++)
            key_of_serial[testcase_number(&all, t, i)] =
                testcase_number(&all, t, t < kept_columns || t == TESTCASE_BEFORE ? i : 0);
    for (uint32_t k = 0; k < child_test.operations; k++) {
        uint32_t column = column_of_kind[child_test_call(k) - child_test.declared.calls];
        key_of[k] = column == UINT32_MAX ? testcase_number(&all, kept_column[k], kept_index[k])
                                         : testcase_number(&all, column, 0);
    }
    return true;
}

FindingKind child_quasi_too_many_runs(const char *what)
{
    char text[256];
    declared_print(&child_test.declared, &child_test.test, text, sizeof text);
    finding = (Finding){.kind = FINDING_UNSUPPORTED, .thread = -1, .partner = -1};
    snprintf(finding.message, sizeof finding.message,
             "%s: %s would take more than %u serial runs: use smaller tests, fewer argument values "
             "or a built-in specification (--spec)",
             text, what, MOST_RUNS);
    return FINDING_UNSUPPORTED;
}
