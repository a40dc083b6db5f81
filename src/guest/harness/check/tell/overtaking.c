#include "guest/harness/check/tell/overtaking.h"
#include <stdio.h>
#include <string.h>
#include "guest/harness/check/composition.h"
#include "guest/harness/check/quasi.h"
#include "guest/harness/check/spec.h"
#include "judge/quasi/overtaking.h"
#include "judge/quasi/relax.h"

/* "T1", or "main". */
static void print_caller(uint32_t k, Buffer *out)
{
    const TestCase *test = &child_test.test;
    uint32_t column = testcase_next_column(test, UINT32_MAX);
    while (k >= test->length[column]) {
        k -= test->length[column];
        column = testcase_next_column(test, column);
    }
    if (column < TESTCASE_THREADS)
        buffer_printf(out, "T%u", column + 1);
    else
        buffer_printf(out, "main");
}

/* "deq() of T1" */
static void print_call(uint32_t k, Buffer *out)
{
    buffer_printf(out, "%s of ", child_test_call(k)->text);
    print_caller(k, out);
}

static void print_list(const uint32_t *ops, uint32_t count, Buffer *out)
{
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(out, "%s", !i ? "" : i + 1 == count ? " and " : ", ");
        print_call(ops[i], out);
    }
}

static const char *times(uint32_t count, char *text, size_t bytes)
{
    static const char *const words[] = {"never", "once", "twice"};
    if (count < COUNT_OF(words))
        return words[count];
    snprintf(text, bytes, "%u times", count);
    return text;
}

/* ---- elements that appear from nowhere ---- */

static bool explain_value(const GraphHistory *history, uint64_t word, Buffer *out)
{
    uint32_t puts[REALTIME_MOST], takes[REALTIME_MOST], put_count = 0, take_count = 0;
    for (uint32_t k = 0; k < history->count; k++) {
        const DeclaredCall *call = child_test_call(k);
        BalanceRole role = child_composition_role(call);
        if (role == BALANCE_PUT && call->values[0].word == word && history->called >> k & 1)
            puts[put_count++] = k;
        if (role == BALANCE_TAKE && history->returned >> k & 1 && history->word[k] == word)
            takes[take_count++] = k;
    }
    if (take_count <= put_count)
        return false;
    char text[32];
    buffer_printf(out, "element ");
    child_test_print_value(word, out);
    if (put_count) {
        buffer_printf(out, " is put %s, by ", times(put_count, text, sizeof text));
        print_list(puts, put_count, out);
    } else {
        buffer_printf(out, " is never put");
    }
    buffer_printf(out, ", and taken %s, by ", times(take_count, text, sizeof text));
    print_list(takes, take_count, out);
    return true;
}

static bool explain_values(const GraphHistory *history, Buffer *out)
{
    for (uint32_t k = 0; k < history->count; k++)
        if (history->returned >> k & 1 && history->word[k] != VALUE_NONE.word &&
            child_composition_role(child_test_call(k)) == BALANCE_TAKE &&
            explain_value(history, history->word[k], out))
            return true;
    return false;
}

/* ---- elements that are overtaken ---- */

static void print_others(const Overtaking *worst, Buffer *out)
{
    for (uint32_t i = 0; i < worst->count; i++) {
        const OvertakingOther *other = &worst->others[i];
        buffer_printf(out, "%s", !i ? "" : i + 1 == worst->count ? " and " : ", ");
        if (other->op != OVERTAKING_NOBODY && other->result.word == VALUE_NONE.word) {
            print_call(other->op, out);
            buffer_printf(out, " (nothing)");
            continue;
        }
        child_test_print_value(other->result.word, out);
        if (other->op != OVERTAKING_NOBODY) {
            buffer_printf(out, " (");
            print_call(other->op, out);
            buffer_printf(out, ")");
        } else {
            buffer_printf(out, " (not taken)");
        }
    }
}

/* NAME: of the operations of the class. */
static void print_overtaking(const Overtaking *worst, const char *name, uint32_t factor,
                             Buffer *out)
{
    bool late = worst->place > worst->turn, nobody = worst->op == OVERTAKING_NOBODY;
    uint32_t far = late ? worst->place - worst->turn : worst->turn - worst->place;
    char text[32];
    if (!nobody && worst->result.word == VALUE_NONE.word) {
        print_call(worst->op, out);
        buffer_printf(out, " finds nothing");
    } else {
        buffer_printf(out, "element ");
        child_test_print_value(worst->result.word, out);
        if (late) {
            buffer_printf(out, " is overtaken %s, by ", times(worst->count, text, sizeof text));
            print_others(worst, out);
        } else {
            buffer_printf(out, " is taken by ");
            print_call(worst->op, out);
        }
    }
    if (!late) {
        buffer_printf(out, " before ");
        print_others(worst, out);
    }
    buffer_printf(out,
                  ": it %s number %u of %s, and would be number %u in its turn, %u place%s %s; ",
                  nobody ? "can be" : "is", worst->place, name, worst->turn, far,
                  far == 1 ? "" : "s", late ? "earlier" : "later");
    buffer_printf(out, "%s:%u allows %u", name, factor, factor);
}

static const char *class_name(const uint8_t *class, uint32_t count, uint8_t wanted)
{
    for (uint32_t k = 0; k < count; k++)
        if (class[k] == wanted)
            return child_test_call(k)->operation->name;
    return "";
}

/* The smallest factors, all larger by the same, that allow the history; then a serial order of
 * it. */
static bool explain_order(Verifier *verifier, const GraphHistory *history,
                          const VerifyFailure *failure, Buffer *out)
{
    ChildRelaxed wider = {0};
    for (uint32_t more = 1; more <= REALTIME_MOST; more++) {
        if (!child_spec_widen(more, &wider))
            return false;
        uint32_t serial[REALTIME_MOST];
        bool allowed = verifier_order(verifier, history, failure, wider.automaton,
                                      child_spec_widened_label, &wider, serial);
        Overtaking worst, furthest = {0};
        uint32_t factor = 0, found = 0;
        const char *name = "";
        SpecCall calls[REALTIME_MOST];
        uint8_t class[REALTIME_MOST];
        for (uint32_t k = 0; allowed && k < history->count; k++) {
            calls[k] = child_spec_call(k, (Value){history->word[k]});
            class[k] = relax_class_of(wider.spec, calls[k].method);
        }
        const RelaxClasses *classes = relax_classes(wider.spec);
        Automaton *inner = allowed ? automaton_new(classes->inner) : NULL;
        OvertakingInput input = {inner, calls, class, serial, failure->count};
        for (uint8_t c = 0; allowed && c < classes->count; c++) {
            if (!overtaking_find(&input, c, &worst))
                continue;
            uint32_t far =
                worst.place > worst.turn ? worst.place - worst.turn : worst.turn - worst.place;
            uint32_t bound = wider.base[c];
            if (far > bound && far - bound > found) {
                found = far - bound;
                furthest = worst;
                factor = bound;
                name = class_name(class, history->count, c);
            }
        }
        automaton_free(inner);
        child_spec_widened_free(&wider);
        if (!allowed)
            continue;
        if (found)
            print_overtaking(&furthest, name, factor, out);
        return found > 0;
    }
    if (wider.exact)
        buffer_printf(out, "no factor up to %u allows it: this is not a matter of order",
                      REALTIME_MOST);
    return wider.exact;
}

/* Are there elements that are put and taken? A get of a counter takes nothing: where only serial
 * runs tell what is right, nobody knows. */
static bool has_elements(void)
{
    static const char *const containers[] = {"fifo", "lifo", "deque", "priority-queue", "bag"};
    const char *given = child_spec_given();
    for (size_t i = 0; given && i < COUNT_OF(containers); i++)
        if (!strncmp(given, containers[i], strlen(containers[i])))
            return true;
    return child_quasi.factors != NULL;
}

void child_overtaking_explain(Verifier *verifier, const GraphHistory *history,
                              const VerifyFailure *failure, Buffer *out)
{
    if (failure->stuck == UINT32_MAX && has_elements() && !explain_values(history, out))
        explain_order(verifier, history, failure, out);
}
