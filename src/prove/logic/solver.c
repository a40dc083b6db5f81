#include "prove/logic/solver.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "prove/logic/smt.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HOT = 2 }; /* questions that needed it before it is handed over at once */

struct Solver {
    TermPool *pool;
    unsigned effort;
    Decide *decide;
    size_t decided; /* of asserted: how many it was told */
    Smt *smt;       /* NULL until it is needed */
    bool by_smt;    /* the witness is its */
    bool lacks;     /* it was needed and could not be had */
    Error lack;
    Terms asserted;
    Terms assumed; /* not yet asserted, see solver_check */
    Vec(size_t) assumed_levels;
    Vec(unsigned char) needed;      /* of each term: how often it was handed over, up to HOT */
    Vec(unsigned char) is_asserted; /* of each term: asserting twice would only cost time */
    Vec(size_t) levels;
    unsigned long queries, left_open;
    double seconds;
    bool out_of_time;
};

Solver *solver_new(TermPool *pool, unsigned effort)
{
    Solver *solver = calloc(1, sizeof *solver);
    if (!solver)
        die("out of memory");
    solver->pool = pool;
    solver->effort = effort;
    solver->decide = decide_new(pool, effort * 1000UL);
    return solver;
}

void solver_free(Solver *solver)
{
    if (!solver)
        return;
    decide_free(solver->decide);
    smt_free(solver->smt);
    vec_free(&solver->asserted);
    vec_free(&solver->is_asserted);
    vec_free(&solver->needed);
    vec_free(&solver->assumed);
    vec_free(&solver->assumed_levels);
    vec_free(&solver->levels);
    free(solver);
}

void solver_push(Solver *solver)
{
    vec_push(&solver->levels, solver->asserted.count);
    vec_push(&solver->assumed_levels, solver->assumed.count);
}

void solver_pop(Solver *solver)
{
    size_t keep = vec_pop(&solver->levels);
    solver->assumed.count = vec_pop(&solver->assumed_levels);
    while (solver->asserted.count > keep)
        solver->is_asserted.at[vec_pop(&solver->asserted)] = 0;
    if (solver->decided > keep) { /* it can't take back a single term */
        decide_reset(solver->decide);
        solver->decided = 0;
    }
}

void solver_assert(Solver *solver, Term term)
{
    if (term == term_true(solver->pool))
        return;
    while (solver->is_asserted.count <= term)
        vec_push(&solver->is_asserted, 0);
    if (solver->is_asserted.at[term])
        return;
    solver->is_asserted.at[term] = 1;
    vec_push(&solver->asserted, term);
}

void solver_assert_all(Solver *solver, const Terms *terms)
{
    for (size_t i = 0; i < terms->count; i++)
        solver_assert(solver, terms->at[i]);
}

/* An assumption that was needed in several questions before is likely to be needed in this one. */
void solver_assume_all(Solver *solver, const Terms *terms)
{
    for (size_t i = 0; i < terms->count; i++) {
        Term term = terms->at[i];
        if (term < solver->needed.count && solver->needed.at[term] >= HOT)
            solver_assert(solver, term);
        else
            vec_push(&solver->assumed, term);
    }
}

bool solver_out_of_time(const Solver *solver)
{
    return solver->out_of_time;
}

bool solver_holds(Solver *solver, Term formula)
{
    return solver_value(solver, formula) != 0;
}

int64_t solver_value(Solver *solver, Term term)
{
    return solver->by_smt ? smt_value(solver->smt, term) : decide_value(solver->decide, term);
}

static SolverAnswer solver_ask_smt(Solver *solver)
{
    solver->left_open++;
    if (!solver->smt && !solver->lacks)
        solver->lacks = !smt_new(solver->pool, solver->effort, &solver->smt, &solver->lack);
    if (!solver->smt)
        return ANSWER_UNKNOWN;
    solver->by_smt = true;
    return smt_check(solver->smt, &solver->asserted);
}

/* Whether what is asserted has a witness. */
static SolverAnswer solver_ask(Solver *solver)
{
    for (; solver->decided < solver->asserted.count; solver->decided++)
        decide_add(solver->decide, solver->asserted.at[solver->decided]);
    solver->by_smt = false;
    SolverAnswer answer = decide_check(solver->decide);
    return answer == ANSWER_UNKNOWN ? solver_ask_smt(solver) : answer;
}

/* Hands over what is assumed and false in the witness; false if there is nothing. */
static bool solver_hand_over(Solver *solver)
{
    enum { AT_ONCE = 4000 }; /* later ones often follow from earlier ones */
    size_t before = solver->asserted.count, count = solver->assumed.count;
    for (size_t i = 0; i < count && solver->asserted.count < before + AT_ONCE; i++) {
        if (i % 256 == 255 && stop_wanted())
            break;
        Term term = solver->assumed.at[i];
        if (solver_holds(solver, term))
            continue;
        solver_assert(solver, term);
        while (solver->needed.count <= term)
            vec_push(&solver->needed, 0);
        if (solver->needed.at[term] < HOT)
            solver->needed.at[term]++;
    }
    return solver->asserted.count > before;
}

/* Marks the terms of which marked ones are made: these have smaller numbers. */
static void solver_mark_parts(const TermPool *pool, bool *named, size_t count)
{
    for (size_t t = count; t > 0; t--) {
        const TermNode *node = term_node(pool, (Term)t - 1);
        if (!named[t - 1] || node->kind == TERM_NUMBER || node->kind == TERM_SYMBOL)
            continue;
        if (node->kind != TERM_READ)
            named[node->a] = true;
        named[node->b] = named[node->c] = true; /* 0 where there is none */
    }
}

/* Assumes what quotients and remainders mean that the question names. */
static void solver_assume_meanings(Solver *solver)
{
    const TermPool *pool = solver->pool;
    size_t count = pool->nodes.count, meanings = pool->meanings.count;
    if (meanings == 0)
        return;
    bool *named = calloc(count + meanings, sizeof *named), *told = named ? named + count : NULL;
    if (!named)
        die("out of memory");
    for (size_t i = 0; i < solver->asserted.count; i++)
        named[solver->asserted.at[i]] = true;
    for (size_t i = 0; i < solver->assumed.count; i++)
        named[solver->assumed.at[i]] = true;
    for (bool more = true; more;) { /* a meaning may name others */
        more = false;
        solver_mark_parts(pool, named, count);
        for (size_t i = 0; i < meanings; i++) {
            const TermMeaning *m = &pool->meanings.at[i];
            if (told[i] || (!named[m->quotient] && !named[m->rest]))
                continue;
            told[i] = more = named[m->formula] = true;
            vec_push(&solver->assumed, m->formula);
        }
    }
    free(named);
}

SolverAnswer solver_check(Solver *solver)
{
    double start = clock_seconds();
    solver->queries++;
    if (stop_wanted()) {
        solver->out_of_time = true;
        return ANSWER_UNKNOWN;
    }
    size_t assumed = solver->assumed.count;
    solver_assume_meanings(solver);
    SolverAnswer found;
    do
        found = solver_ask(solver);
    while (found == ANSWER_YES && solver_hand_over(solver) && !stop_wanted());
    solver->assumed.count = assumed;
    if (stop_wanted()) { /* a witness need not satisfy what was not handed over */
        solver->out_of_time = true;
        found = ANSWER_UNKNOWN;
    }
    solver->seconds += clock_seconds() - start;
    return found;
}

unsigned long solver_queries(const Solver *solver)
{
    return solver->queries;
}

double solver_seconds(const Solver *solver)
{
    return solver->seconds;
}

unsigned long solver_left_open(const Solver *solver)
{
    return solver->left_open;
}

const char *solver_lacks(const Solver *solver)
{
    return solver->lacks ? solver->lack.message : NULL;
}
