#include "tool/cli/scale/join.h"
#include <stdlib.h>
#include <string.h>
#include "base/str.h"

/* ---- do they fit together? ---- */

static int compare_parts(const void *a, const void *b)
{
    uint32_t x = ((const JoinPart *)a)->ledger.shard, y = ((const JoinPart *)b)->ledger.shard;
    return x < y ? -1 : x > y;
}

static bool name_missing(const JoinPart *parts, size_t count, Error *error)
{
    uint32_t shards = parts[0].ledger.shards, missing = 0;
    size_t at = 0;
    Buffer names = {0};
    for (uint32_t i = 0; i < shards; i++) {
        if (at < count && parts[at].ledger.shard == i) {
            at++;
            continue;
        }
        if (missing++ < 20)
            buffer_printf(&names, "%s%u", missing > 1 ? ", " : "", i + 1);
    }
    error_set(error, "share%s %.*s%s of %u %s missing", missing == 1 ? "" : "s",
              STR_ARG(buffer_str(&names)), missing > 20 ? ", ..." : "", shards,
              missing == 1 ? "is" : "are");
    vec_free(&names);
    return false;
}

bool join_check(Arena *arena, JoinPart *parts, size_t count, Error *error)
{
    const JoinPart *first = &parts[0];
    for (size_t i = 0; i < count; i++) {
        const Ledger *ledger = &parts[i].ledger;
        if (!ledger->shards)
            return error_set(error, "%s is a journal, not the part of a share (--shard)",
                             parts[i].path);
        if (ledger->shards != first->ledger.shards)
            return error_set(error, "%s is one of %u shares, %s one of %u", parts[i].path,
                             ledger->shards, first->path, first->ledger.shards);
        /* a share that was not even begun does not know its libraries */
        LedgerFacts here = ledger->facts, there = first->ledger.facts;
        here.count = there.count = MIN(here.count, there.count);
        const char *difference = ledger_difference(arena, &there, &here);
        if (difference)
            return error_set(error,
                             "%s and %s are parts of different explorations: %s "
                             "(there: the former)",
                             first->path, parts[i].path, difference);
    }
    qsort(parts, count, sizeof *parts, compare_parts);
    for (size_t i = 1; i < count; i++)
        if (parts[i].ledger.shard == parts[i - 1].ledger.shard)
            return error_set(error, "%s and %s are both share %u of %u", parts[i - 1].path,
                             parts[i].path, parts[i].ledger.shard + 1, parts[i].ledger.shards);
    return count == parts[0].ledger.shards || name_missing(parts, count, error);
}

/* ---- knowledge ---- */

typedef Vec(KnownFact) Facts;

const unsigned char *join_knowledge_of(Arena *arena, const JoinKnowledge *parts, size_t count,
                                       uint32_t *bytes)
{
    KnowledgeHead all = {0};
    Facts facts = {0};
    for (size_t i = 0; i < count; i++) {
        size_t end = knowledge_fact_bytes(parts[i].at, parts[i].bytes);
        KnowledgeHead head = {0};
        if (end)
            memcpy(&head, parts[i].at, sizeof head);
        all.never_divided |= head.confirms || head.never_divided;
        for (size_t at = sizeof head; at < end; at += sizeof(KnownFact)) {
            KnownFact fact;
            memcpy(&fact, parts[i].at + at, sizeof fact);
            if (fact.kind < FACT_KINDS)
                vec_push(&facts, fact);
        }
    }
    if (facts.count)
        qsort(facts.at, facts.count, sizeof *facts.at, ledger_compare_facts);
    for (size_t i = 0; i < facts.count; i++) {
        KnownFact *last = all.facts ? &facts.at[all.facts - 1] : NULL;
        if (last && !ledger_compare_facts(last, &facts.at[i]))
            last->value = fact_join((FactKind)last->kind, last->value, facts.at[i].value);
        else
            facts.at[all.facts++] = facts.at[i];
    }
    *bytes = (uint32_t)(sizeof all + all.facts * sizeof *facts.at);
    unsigned char *to = arena_array_of(arena, unsigned char, *bytes);
    memcpy(to, &all, sizeof all);
    if (all.facts)
        memcpy(to + sizeof all, facts.at, all.facts * sizeof *facts.at);
    vec_free(&facts);
    return to;
}

bool join_same_tree(Arena *arena, const JoinPart *parts, size_t count, Ledger *whole)
{
    const Ledger *first = &parts[0].ledger;
    bool same = true;
    for (size_t i = 1; i < count && !first->tests_planned; i++) {
        const Ledger *ledger = &parts[i].ledger;
        if (!ledger->complete || !first->complete)
            continue; /* there is nothing to add up yet */
        same &= ledger->depth == first->depth &&
                ledger_same_tree(first->knowledge, first->knowledge_bytes, ledger->knowledge,
                                 ledger->knowledge_bytes);
    }
    if (same)
        return true;
    *whole = (Ledger){.subject = first->subject, .command = first->command};
    for (size_t i = 0; i < first->facts.count; i++)
        vec_push(&whole->facts, first->facts.at[i]);
    JoinKnowledge *all = arena_array_of(arena, JoinKnowledge, count);
    for (size_t i = 0; i < count; i++)
        all[i] = (JoinKnowledge){parts[i].ledger.knowledge, parts[i].ledger.knowledge_bytes};
    whole->knowledge = join_knowledge_of(arena, all, count, &whole->knowledge_bytes);
    return false;
}

/* ---- the answer ---- */

static const char *fact(const Ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->facts.count; i++)
        if (!strcmp(ledger->facts.at[i].name, name))
            return ledger->facts.at[i].value;
    return "?";
}

static void add_notes(Answer *answer, const Ledger *ledger)
{
    for (size_t i = 0; i < ledger->notes.count; i++) {
        bool known = false;
        for (size_t j = 0; j < answer->remarks.count && !known; j++)
            known = !strcmp(answer->remarks.at[j], ledger->notes.at[i]);
        if (!known)
            vec_push(&answer->remarks, ledger->notes.at[i]);
    }
}

static void take_violation(const JoinPart *part, Answer *answer)
{
    const Ledger *ledger = &part->ledger;
    answer->verdict = VERDICT_VIOLATED;
    answer->record_path = ledger->record;
    answer->message = ledger->message;
    for (unsigned k = 0; k < VIOLATION_KIND_COUNT; k++)
        if (!strcmp(violation_word((ViolationKind)k), ledger->violation))
            answer->violation = (ViolationKind)k;
}

/* Why the whole is not known to hold, although no part is violated; NULL if it is. */
static const char *doubt(Arena *arena, const JoinPart *parts, size_t count, const Answer *answer)
{
    for (size_t i = 0; i < count; i++) {
        const Ledger *ledger = &parts[i].ledger;
        if (!ledger->complete)
            return arena_printf(arena,
                                "share %u (%s) is not done: its command goes on from there%s%s",
                                ledger->shard + 1, parts[i].path, ledger->reason ? "; " : "",
                                ledger->reason ? ledger->reason : "");
        bool given_up = ledger->counts.cut || ledger->counts.stuck;
        if (strcmp(ledger->verdict ? ledger->verdict : "", "holds") && !given_up)
            return ledger->reason ? ledger->reason : "a share gave no answer";
    }
    if (answer->cut)
        return arena_printf(
            arena,
            "%llu executions were given up (loops that never repeat a state, too many "
            "threads, or memory in several atomic sizes)",
            (unsigned long long)answer->cut);
    if (answer->stuck)
        return arena_printf(arena,
                            "%llu deadlocks were counted and passed over, as --keep-going asks",
                            (unsigned long long)answer->stuck);
    if (!answer->executions && !answer->outcome.histories)
        return "no execution of the program came to its end";
    return NULL;
}

void join_answer(Arena *arena, const JoinPart *parts, size_t count, Answer *answer)
{
    const Ledger *first = &parts[0].ledger;
    UnitCounts counts = {0};
    *answer = (Answer){.command = first->command,
                       .subject = first->subject,
                       .model = fact(first, "model"),
                       .bounds = first->bounds,
                       .outcome.coverage = first->coverage,
                       .exhaustive = true};
    for (size_t i = 0; i < count; i++) {
        const Ledger *ledger = &parts[i].ledger;
        ledger_add_counts(&counts, &ledger->counts);
        answer->seconds += ledger->seconds;
        answer->outcome.cpu_ns += ledger->cpu_ns;
        answer->outcome.restarts = MAX(answer->outcome.restarts, ledger->epoch);
        answer->outcome.promoted = MAX(answer->outcome.promoted, ledger->promoted);
        answer->exhaustive &= ledger->exhaustive && ledger->complete;
        add_notes(answer, ledger);
    }
    answer->executions = counts.executions;
    answer->blocked = counts.blocked;
    answer->stuck = counts.stuck;
    answer->cut = counts.cut;
    answer->revisits = counts.revisits;
    answer->outcome.tests = counts.tests;
    answer->outcome.histories = counts.histories;
    answer->outcome.serial_runs = counts.serial_runs;
    for (size_t i = 0; i < count && answer->verdict != VERDICT_VIOLATED; i++)
        if (parts[i].ledger.violation)
            take_violation(&parts[i], answer);
    if (answer->verdict == VERDICT_VIOLATED) {
        answer->exhaustive = false;
        return;
    }
    answer->reason = doubt(arena, parts, count, answer);
    answer->verdict = answer->reason ? VERDICT_INCONCLUSIVE : VERDICT_HOLDS;
    answer->exhaustive &= !answer->reason;
}
