/* annotated_others.c: what an annotated call has beside and before it, as the later CDSSpec papers
 * ask.
 *
 * The ordering relation (ordering.h) of one object's calls is a partial order. The calls that it
 * puts before a call are the call's past, those that it leaves unordered with it are its concurrent
 * set. A call whose result is not determined by one sequential history is justified if its
 * justifying conditions hold at the end of some sequential history of its past, in which the other
 * calls have their effects and no condition is asked of them; the conditions may look at the
 * concurrent set, too. */
#include <string.h>
#include "guest/entry/guest.h"
#include "guest/explore/search/ops.h"
#include "guest/harness/annotated_now.h"

GUEST unsigned heddle__concurrent(void);
GUEST const char *heddle__concurrent_name(unsigned number);
GUEST long long heddle__concurrent_value(unsigned number, const char *parameter);
GUEST long long heddle__pair_value(int which, const char *parameter);
GUEST int heddle__same_text(const char *a, const char *b);

static AnnotatedNow *const now = &annotated_now;

/* ---- the relation ---- */

/* The label of @OPDefine, as a mask; 0 if no ordering point is written so. */
static uint64_t op_label(void)
{
    const HeddleAnnotations *table = annotated_table();
    for (unsigned l = 0; l < table->label_count; l++)
        if (!strcmp(table->labels[l], "OP"))
            return (uint64_t)1 << l;
    return 0;
}

static bool has_label(uint32_t c, uint64_t label)
{
    return annotated_table()->methods[now->calls[c].call->method->number].labels & label;
}

void annotated_order_by_time(void)
{
    uint64_t label = op_label();
    for (uint32_t p = 0; label && p < now->point_count; p++)
        for (uint32_t q = 0; q < now->point_count; q++) {
            uint32_t a = now->points[p].call, b = now->points[q].call;
            if (a != b && now->events[p] != now->events[q] && has_label(a, label) &&
                has_label(b, label) && before(now->events[p], &now->events[q]->hb))
                now->ordering.next[a] |= (uint64_t)1 << b;
        }
    if (label)
        ordering_close(&now->ordering);
}

/* ---- values of other calls ---- */

static uint64_t past_of(uint32_t c)
{
    uint64_t past = 0;
    for (uint32_t d = 0; d < now->call_count; d++)
        past |= (now->ordering.after[d] >> c & 1) << d;
    return past & annotated_members_with(c) & ~((uint64_t)1 << c);
}

static uint64_t concurrent_with(uint32_t c)
{
    uint64_t ordered = past_of(c) | now->ordering.after[c] | (uint64_t)1 << c;
    return annotated_members_with(c) & ~ordered;
}

static uint64_t concurrent_now(void)
{
    return now->running ? concurrent_with((uint32_t)(now->running - now->calls)) : 0;
}

/* The call with this number among those of MASK; call_count if there are fewer. */
static uint32_t nth(uint64_t mask, unsigned number)
{
    for (; mask && number; number--)
        mask &= mask - 1;
    return mask ? (uint32_t)__builtin_ctzll(mask) : now->call_count;
}

static long long value_of(uint32_t c, const char *parameter)
{
    const AnnotatedCall *call = now->calls[c].call;
    const HeddleMethod *method = call->method;
    for (unsigned i = 0; i < method->field_count; i++) {
        const HeddleField *field = &method->fields[i];
        if (parameter ? !field->name || strcmp(field->name, parameter) != 0 : field->name != NULL)
            continue;
        uint64_t word = 0;
        unsigned bytes = MIN(field->bytes, 8u);
        memcpy(&word, now->calls[c].thread->data + call->data + field->offset, bytes);
        if (field->kind == HEDDLE_FIELD_SIGNED && bytes < 8)
            word = (uint64_t)((int64_t)(word << (64 - 8 * bytes)) >> (64 - 8 * bytes));
        return (long long)word;
    }
    return 0;
}

unsigned heddle__concurrent(void)
{
    return (unsigned)__builtin_popcountll(concurrent_now());
}

const char *heddle__concurrent_name(unsigned number)
{
    uint32_t c = nth(concurrent_now(), number);
    return c < now->call_count ? annotated_table()->methods[now->calls[c].call->method->number].name
                               : "";
}

long long heddle__concurrent_value(unsigned number, const char *parameter)
{
    uint32_t c = nth(concurrent_now(), number);
    return c < now->call_count ? value_of(c, parameter) : 0;
}

int heddle__same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- pairs ---- */

static uint32_t pair[2]; /* M1 and M2 */

long long heddle__pair_value(int which, const char *parameter)
{
    return value_of(pair[which - 1], parameter);
}

static bool pair_matches(const HeddlePair *rule, uint32_t a, uint32_t b)
{
    if ((int)now->calls[a].call->method->number != rule->first ||
        (int)now->calls[b].call->method->number != rule->second)
        return false;
    pair[0] = a;
    pair[1] = b;
    return rule->holds();
}

/* The rule that does not let A and B stay unordered; NULL if none does. Where a structure has rules
 * of commutativity, one of them must allow it. */
static const HeddlePair *forbidden_by(uint32_t a, uint32_t b)
{
    const HeddleAnnotations *table = annotated_table();
    const HeddlePair *missing = NULL;
    bool allowed = false;
    for (unsigned r = 0; r < table->pair_count; r++) {
        const HeddlePair *rule = &table->pairs[r];
        if (rule->structure != (int)now->calls[a].call->method->structure->number)
            continue;
        bool holds = pair_matches(rule, a, b) || pair_matches(rule, b, a);
        if (holds && !rule->commutes)
            return rule;
        allowed |= holds;
        if (rule->commutes && !missing)
            missing = rule;
    }
    return allowed ? NULL : missing;
}

static void warn_of(const HeddlePair *rule, uint32_t a, uint32_t b)
{
    static bool warned;
    if (warned)
        return;
    warned = true;
    Buffer calls = {0};
    annotated_print(a, " of ", &calls);
    buffer_printf(&calls, " and ");
    annotated_print(b, " of ", &calls);
    op_warning(
        "%s:%d: @%s: %.*s are not ordered by their ordering points: executions like this one "
        "are not admissible, and were not judged",
        rule->file, rule->line, rule->commutes ? "Commutativity" : "Admissibility",
        STR_ARG(buffer_str(&calls)));
    vec_free(&calls);
}

bool annotated_admissible(void)
{
    if (!annotated_table()->pair_count)
        return true;
    for (uint32_t a = 0; a < now->call_count; a++)
        for (uint64_t left = concurrent_with(a) >> a; left; left &= left - 1) {
            uint32_t b = a + (uint32_t)__builtin_ctzll(left);
            const HeddlePair *rule = forbidden_by(a, b);
            if (!rule)
                continue;
            warn_of(rule, a, b);
            return false;
        }
    return true;
}

/* ---- justifying histories ---- */

typedef struct Justifying {
    uint32_t call, length; /* of the past */
    uint64_t tried;
    Failed failed; /* of the last history */
    bool found;
} Justifying;

static bool try_history(Justifying *j, const uint32_t *history)
{
    annotated_begin_history(j->call);
    for (uint32_t i = 0; i < j->length; i++)
        (void)annotated_run_call(history[i], HEDDLE_JUDGE_EFFECT);
    j->failed = annotated_run_call(j->call, HEDDLE_JUDGE_LAST);
    j->tried++;
    j->found = j->failed == FAILED_NOT;
    return j->found;
}

static OrderingStep try_past(void *context, const uint32_t *history, uint32_t length)
{
    Justifying *j = context;
    if (length < j->length)
        return ORDERING_ON;
    return try_history(j, history) || j->tried >= ANNOTATED_HISTORIES ? ORDERING_STOP : ORDERING_ON;
}

NORETURN static void report_unjustified(const Justifying *j)
{
    const HeddleMethodText *method =
        &annotated_table()->methods[now->calls[j->call].call->method->number];
    bool pre = j->failed == FAILED_JUSTIFY_PRE;
    char line[128];
    Buffer message = {0};
    buffer_printf(
        &message, "%s:%d: @%s %s does not hold for ", method->file,
        pre ? method->justify_pre_line : method->justify_post_line,
        pre ? "JustifyingPrecondition" : "JustifyingPostcondition",
        annotated_one_line(pre ? method->justify_pre : method->justify_post, line, sizeof line));
    annotated_print(j->call, " of ", &message);
    buffer_printf(&message, " in any sequential history of the calls before it");
    uint64_t past = past_of(j->call);
    for (uint64_t left = past; left; left &= left - 1) {
        buffer_printf(&message, "%s", left == past ? ": " : ", ");
        annotated_print((uint32_t)__builtin_ctzll(left), " by ", &message);
    }
    if (!past)
        buffer_printf(&message, ", of which there are none");
    annotated_report(VIOLATION_SPECIFICATION, &message);
}

bool annotated_justified(uint64_t members)
{
    bool all = true;
    for (uint64_t left = members; left; left &= left - 1) {
        uint32_t c = (uint32_t)__builtin_ctzll(left);
        const HeddleMethodText *method =
            &annotated_table()->methods[now->calls[c].call->method->number];
        if (!method->justify_pre_line && !method->justify_post_line)
            continue;
        uint64_t past = past_of(c);
        Justifying j = {.call = c, .length = (uint32_t)__builtin_popcountll(past)};
        if (past)
            (void)ordering_histories(&now->ordering, past, try_past, &j);
        else
            (void)try_history(&j, &c); /* an empty one: nothing is read */
        if (!j.found && j.tried < ANNOTATED_HISTORIES)
            report_unjustified(&j);
        all &= j.found;
    }
    return all;
}
