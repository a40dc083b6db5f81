/* Conflict-driven search. Each conflict is a set of true literals, from a clause, from the classes
 * or from the differences; resolving it back to the one literal of its level that implies the rest
 * gives the clause that is learnt. Decisions serve clauses that are not satisfied, the newest
 * learnt first: once all are, no more needs to be decided. */
#include "base/stop.h"
#include "prove/decide/private.h"
#include <string.h>

uint32_t decide_new_variable(Decide *decide)
{
    uint32_t number = (uint32_t)decide->variables.count;
    vec_push(&decide->variables, (DecideVariable){.next = {NOTHING, NOTHING}, .phase = -1});
    size_t wanted = 2 * decide->variables.count;
    if (wanted > decide->watch_capacity) {
        size_t before = decide->watch_capacity;
        decide->watches = (void *)vec_grow(decide->watches, &decide->watch_capacity,
                                           sizeof *decide->watches, wanted);
        memset(decide->watches + before, 0,
               (decide->watch_capacity - before) * sizeof *decide->watches);
    }
    vec_clear(&decide->watches[wanted - 2]);
    vec_clear(&decide->watches[wanted - 1]);
    return number;
}

void decide_assign(Decide *decide, Lit lit, uint32_t reason)
{
    DecideVariable *variable = &decide->variables.at[lit_variable(lit)];
    variable->value = lit & 1 ? -1 : 1;
    variable->phase = variable->value;
    variable->level = (uint32_t)decide->levels.count;
    variable->reason = reason;
    vec_push(&decide->trail, lit);
}

/* Stores a clause of at least two literals; the first two are watched. */
static uint32_t decide_store_clause(Decide *decide, const Lit *lits, size_t count)
{
    uint32_t clause = (uint32_t)decide->words.count;
    vec_push(&decide->words, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        vec_push(&decide->words, lits[i]);
    vec_push(&decide->clauses, clause);
    decide->next_clause = 0;
    vec_push(&decide->watches[lits[0]], (DecideWatch){clause, lits[1]});
    vec_push(&decide->watches[lits[1]], (DecideWatch){clause, lits[0]});
    return clause;
}

/* Adds a clause that always holds; what is decided already, without decisions, is left out. */
void decide_add_clause(Decide *decide, const Lit *lits, size_t count)
{
    ASSERT(decide->levels.count == 0);
    Lits *kept = &decide->learnt;
    vec_clear(kept);
    for (size_t i = 0; i < count; i++) {
        int value = decide_lit_value(decide, lits[i]);
        if (value > 0)
            return;
        bool twice = value < 0;
        for (size_t k = 0; k < kept->count; k++) {
            if (kept->at[k] == (lits[i] ^ 1))
                return;
            twice |= kept->at[k] == lits[i];
        }
        if (!twice)
            vec_push(kept, lits[i]);
    }
    if (kept->count == 0)
        decide->refuted = true;
    else if (kept->count == 1)
        decide_assign(decide, kept->at[0], REASON_DECISION);
    else
        decide_store_clause(decide, kept->at, kept->count);
}

void decide_go_back(Decide *decide, size_t level)
{
    if (decide->levels.count <= level)
        return;
    DecideLevel to = decide->levels.at[level];
    while (decide->trail.count > to.trail)
        decide->variables.at[lit_variable(vec_pop(&decide->trail))].value = 0;
    decide->propagated = to.trail;
    decide_undo_merges(decide, to.merges);
    vec_clear(&decide->pending);
    decide->next_clause = 0;
    decide->levels.count = level;
}

/* Looks at the clauses that watch a literal which has become false. */
static bool decide_propagate_clauses(Decide *decide, Lit falsified)
{
    size_t kept = 0, count = decide->watches[falsified].count;
    DecideWatch *list = decide->watches[falsified].at;
    decide->steps += count;
    for (size_t i = 0; i < count; i++) {
        DecideWatch watch = list[i];
        if (decide_lit_value(decide, watch.other) > 0) {
            list[kept++] = watch;
            continue;
        }
        uint32_t length = decide->words.at[watch.clause], *lits;
        lits = decide->words.at + watch.clause + 1;
        if (lits[0] == falsified) {
            lits[0] = lits[1];
            lits[1] = falsified;
        }
        watch.other = lits[0];
        int value = decide_lit_value(decide, lits[0]);
        uint32_t next = 2;
        while (value <= 0 && next < length && decide_lit_value(decide, lits[next]) < 0)
            next++;
        if (value <= 0 && next < length) { /* watch another one */
            lits[1] = lits[next];
            lits[next] = falsified;
            vec_push(&decide->watches[lits[1]], watch);
            continue;
        }
        list[kept++] = watch;
        if (value < 0) {
            vec_clear(&decide->conflict);
            for (uint32_t k = 0; k < length; k++)
                vec_push(&decide->conflict, lits[k] ^ 1);
            while (++i < count)
                list[kept++] = list[i];
            decide->watches[falsified].count = kept;
            return false;
        }
        if (value == 0)
            decide_assign(decide, lits[0], watch.clause);
    }
    decide->watches[falsified].count = kept;
    return true;
}

static bool decide_tell_theories(Decide *decide, Lit lit)
{
    const DecideVariable *variable = &decide->variables.at[lit_variable(lit)];
    decide->compared |= variable->kind == ATOM_AT_MOST;
    if (variable->kind != ATOM_EQUAL)
        return true;
    if (!(lit & 1))
        return decide_merge_equal(decide, lit);
    const DecideNode *nodes = decide->nodes.at;
    if (nodes[variable->a].find != nodes[variable->b].find)
        return true;
    vec_clear(&decide->conflict);
    decide_explain_equal(decide, variable->a, variable->b, &decide->conflict);
    vec_push(&decide->conflict, lit);
    return false;
}

static bool decide_propagate(Decide *decide)
{
    if (!decide_merge_pending(decide))
        return false;
    do {
        while (decide->propagated < decide->trail.count) {
            Lit lit = decide->trail.at[decide->propagated++];
            decide->steps++;
            if (!decide_propagate_clauses(decide, lit ^ 1) || !decide_tell_theories(decide, lit))
                return false;
        }
        if (decide->compared && !decide_differences(decide))
            return false;
        decide->compared = false;
    } while (decide->propagated < decide->trail.count);
    return true;
}

static void decide_raise_activity(Decide *decide, DecideVariable *variable)
{
    variable->activity += decide->bump;
    if (variable->activity < 1e30f)
        return;
    for (size_t i = 0; i < decide->variables.count; i++)
        decide->variables.at[i].activity *= 1e-30f;
    decide->bump *= 1e-30f;
}

/* Marks the true literals of decide->conflict: those of LEVEL are counted, lower ones learnt. */
static size_t decide_resolve(Decide *decide, uint32_t level)
{
    size_t here = 0;
    for (size_t i = 0; i < decide->conflict.count; i++) {
        Lit lit = decide->conflict.at[i];
        DecideVariable *variable = &decide->variables.at[lit_variable(lit)];
        if (variable->seen || variable->level == 0)
            continue;
        variable->seen = true;
        decide_raise_activity(decide, variable);
        if (variable->level == level)
            here++;
        else
            vec_push(&decide->learnt, lit ^ 1);
    }
    return here;
}

/* Puts into decide->conflict the true literals that LIT follows from. */
static void decide_reason(Decide *decide, Lit lit)
{
    uint32_t reason = decide->variables.at[lit_variable(lit)].reason;
    ASSERT(reason != REASON_DECISION);
    vec_clear(&decide->conflict);
    if (reason == REASON_CLASSES) {
        decide_explain(decide, lit, &decide->conflict);
        return;
    }
    uint32_t length = decide->words.at[reason];
    for (uint32_t i = 0; i < length; i++)
        if (decide->words.at[reason + 1 + i] != lit)
            vec_push(&decide->conflict, decide->words.at[reason + 1 + i] ^ 1);
}

static uint32_t decide_highest_level(const Decide *decide, const Lits *lits, size_t from)
{
    uint32_t highest = 0;
    for (size_t i = from; i < lits->count; i++)
        highest = MAX(highest, decide->variables.at[lit_variable(lits->at[i])].level);
    return highest;
}

/* Learns from decide->conflict and goes back to where the clause implies something. False if there
 * was no decision to take back. */
static bool decide_learn(Decide *decide)
{
    uint32_t level = decide_highest_level(decide, &decide->conflict, 0);
    if (level == 0)
        return false;
    decide_go_back(decide, level); /* a conflict of differences may be an old one */
    vec_clear(&decide->learnt);
    vec_push(&decide->learnt, 0);
    size_t open = decide_resolve(decide, level), at = decide->trail.count;
    Lit lit;
    for (;;) {
        do
            lit = decide->trail.at[--at];
        while (!decide->variables.at[lit_variable(lit)].seen);
        decide->variables.at[lit_variable(lit)].seen = false;
        if (--open == 0)
            break;
        decide_reason(decide, lit);
        open += decide_resolve(decide, level);
    }
    decide->learnt.at[0] = lit ^ 1;
    for (size_t i = 1; i < decide->learnt.count; i++)
        decide->variables.at[lit_variable(decide->learnt.at[i])].seen = false;
    uint32_t back = decide_highest_level(decide, &decide->learnt, 1);
    for (size_t i = 2; i < decide->learnt.count; i++) /* watch one of that level */
        if (decide->variables.at[lit_variable(decide->learnt.at[i])].level == back) {
            Lit swap = decide->learnt.at[1];
            decide->learnt.at[1] = decide->learnt.at[i];
            decide->learnt.at[i] = swap;
            break;
        }
    decide_go_back(decide, back);
    decide->bump *= 1.05f;
    uint32_t reason = REASON_DECISION;
    if (decide->learnt.count > 1)
        reason = decide_store_clause(decide, decide->learnt.at, decide->learnt.count);
    decide_assign(decide, lit ^ 1, reason);
    return true;
}

/* The literal of an unsatisfied clause to try first: as it was last, else the most active one. */
static Lit decide_pick(const Decide *decide, uint32_t clause)
{
    Lit best = NOTHING;
    float best_score = -1;
    for (uint32_t i = 0; i < decide->words.at[clause]; i++) {
        Lit lit = decide->words.at[clause + 1 + i];
        const DecideVariable *variable = &decide->variables.at[lit_variable(lit)];
        if (variable->value != 0)
            continue;
        bool as_before = (variable->phase > 0) == !(lit & 1);
        float score = variable->activity + (as_before ? decide->bump : 0);
        if (score > best_score) {
            best_score = score;
            best = lit;
        }
    }
    return best;
}

/* False when every clause is satisfied. */
static bool decide_decide(Decide *decide)
{
    for (; decide->next_clause < decide->clauses.count; decide->next_clause++) {
        uint32_t clause = decide->clauses.at[decide->clauses.count - 1 - decide->next_clause];
        uint32_t length = decide->words.at[clause], i = 0;
        while (i < length && decide_lit_value(decide, decide->words.at[clause + 1 + i]) <= 0)
            i++;
        decide->steps++;
        if (i < length)
            continue;
        Lit lit = decide_pick(decide, clause);
        vec_push(&decide->levels, (DecideLevel){decide->trail.count, decide->merges.count});
        decide_assign(decide, lit, REASON_DECISION);
        return true;
    }
    return false;
}

SolverAnswer decide_search(Decide *decide)
{
    SolverAnswer answer = ANSWER_UNKNOWN;
    enum { FIRST_RESTART = 100 };
    unsigned long conflicts = 0, restart = FIRST_RESTART; /* conflicts until it begins anew */
    decide->steps = 0;
    decide->next_clause = 0;
    decide->compared = true;
    while (decide->steps <= decide->limit && !stop_wanted()) {
        bool conflict = decide->refuted || !decide_propagate(decide);
        if (decide->refuted || (conflict && !decide_learn(decide))) {
            decide->refuted = true;
            return ANSWER_NO;
        }
        if (conflict && ++conflicts >= restart) {
            decide_go_back(decide, 0);
            restart += FIRST_RESTART + conflicts / 4;
        }
        if (decide->propagated < decide->trail.count || decide->pending.count > 0 ||
            decide_decide(decide))
            continue;
        if (!decide_differences(decide)) {
            if (!decide_learn(decide)) {
                decide->refuted = true;
                return ANSWER_NO;
            }
            continue;
        }
        if (!decide_arrange(decide))
            continue;
        answer = decide_make_witness(decide) ? ANSWER_YES : ANSWER_UNKNOWN;
        break;
    }
    decide_go_back(decide, 0);
    return answer;
}
