#include "prove/logic/solver.h"
#include "base/clock.h"
#include "base/stop.h"
#include "prove/logic/smtlib.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <z3.h>

/* The functions of libz3 that are used, each a pointer found at run time. */
#define Z3_FUNCTIONS(X)                                                                            \
    X(mk_config)                                                                                   \
    X(del_config)                                                                                  \
    X(mk_context_rc)                                                                               \
    X(del_context)                                                                                 \
    X(inc_ref)                                                                                     \
    X(dec_ref)                                                                                     \
    X(set_error_handler)                                                                           \
    X(get_error_msg)                                                                               \
    X(interrupt)                                                                                   \
    X(mk_simple_solver)                                                                            \
    X(solver_inc_ref)                                                                              \
    X(solver_dec_ref)                                                                              \
    X(solver_push)                                                                                 \
    X(solver_pop)                                                                                  \
    X(solver_assert)                                                                               \
    X(solver_check)                                                                                \
    X(solver_get_model)                                                                            \
    X(solver_set_params)                                                                           \
    X(mk_params)                                                                                   \
    X(params_inc_ref)                                                                              \
    X(params_dec_ref)                                                                              \
    X(params_set_uint)                                                                             \
    X(params_set_bool)                                                                             \
    X(mk_string_symbol)                                                                            \
    X(model_inc_ref)                                                                               \
    X(model_dec_ref)                                                                               \
    X(model_eval)                                                                                  \
    X(get_numeral_int64)                                                                           \
    X(mk_int_symbol)                                                                               \
    X(mk_int_sort)                                                                                 \
    X(mk_const)                                                                                    \
    X(mk_func_decl)                                                                                \
    X(func_decl_to_ast)                                                                            \
    X(mk_app)                                                                                      \
    X(mk_int64)                                                                                    \
    X(mk_add)                                                                                      \
    X(mk_sub)                                                                                      \
    X(mk_ite)                                                                                      \
    X(mk_true)                                                                                     \
    X(mk_false)                                                                                    \
    X(mk_eq)                                                                                       \
    X(mk_le)                                                                                       \
    X(mk_not)                                                                                      \
    X(mk_and)                                                                                      \
    X(mk_or)

static struct {
    void *library;
#define X(name) __typeof__(Z3_##name) *name;
    Z3_FUNCTIONS(X)
#undef X
} z3;

enum { HOT = 2 }; /* questions that needed it before it is handed over at once */

struct Solver {
    TermPool *pool;
    Z3_context context;
    Z3_solver solver;
    Z3_model model;
    Z3_sort integer;
    Vec(Z3_ast) asts;       /* of each term, NULL until needed */
    Vec(Z3_func_decl) maps; /* of each map */
    Terms asserted;
    Terms assumed; /* not yet handed to Z3, see solver_check */
    Vec(size_t) assumed_levels;
    /* The witness, evaluated on demand: values of terms, valid where the stamp is the current
     * one. */
    Vec(int64_t) values;
    Vec(unsigned) stamps;
    unsigned stamp;
    HashMap reads;                  /* (map, index) of the witness */
    Vec(unsigned char) needed;      /* of each term: how often it was handed over, up to HOT */
    Vec(unsigned char) is_asserted; /* of each term: asserting twice would only cost time */
    Vec(size_t) levels;
    unsigned long queries, certificates;
    double seconds;
    bool out_of_time;
    const char *directory;
    char question[128];
    Error certificate_error;
    bool certificate_failed;
    /* A thread that interrupts Z3 when an end is wanted: one question can take seconds. */
    pthread_t watcher;
    pthread_mutex_t watch_lock;
    pthread_cond_t watch_end;
    bool watched, ending;
    bool asking;  /* only then may the thread interrupt, for whatever Z3 does next fails */
    bool stopped; /* it did, or it would have: Z3 is asked for nothing more */
};

static bool solver_load(Error *error)
{
    if (z3.library)
        return true;
    void *library = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, "the prover needs the library libz3.so.4: %s", dlerror());
#define X(name)                                                                                    \
    {                                                                                              \
        void *symbol = dlsym(library, "Z3_" #name);                                                \
        if (!symbol)                                                                               \
            return error_set(error, "libz3.so.4 has no function Z3_" #name);                       \
        memcpy(&z3.name, &symbol, sizeof symbol);                                                  \
    }
    Z3_FUNCTIONS(X)
#undef X
    z3.library = library;
    return true;
}

static void solver_complain(Z3_context context, Z3_error_code code)
{
    if (code == Z3_EXCEPTION && stop_wanted())
        return; /* the question was interrupted */
    die("Z3: %s", z3.get_error_msg(context, code));
}

/* Asks every few milliseconds whether an end is wanted, until the solver is freed. */
static void *solver_watch(void *data)
{
    enum { PERIOD_NS = 5000000 };
    Solver *solver = data;
    pthread_mutex_lock(&solver->watch_lock);
    while (!solver->ending) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PERIOD_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&solver->watch_end, &solver->watch_lock, &until);
        if (solver->asking && stop_wanted())
            z3.interrupt(solver->context);
    }
    pthread_mutex_unlock(&solver->watch_lock);
    return NULL;
}

/* Without the thread (none may be to be had) a question takes as long as its effort allows. */
static void solver_start_watch(Solver *solver)
{
    sigset_t all, before;
    pthread_mutex_init(&solver->watch_lock, NULL);
    pthread_cond_init(&solver->watch_end, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    solver->watched = pthread_create(&solver->watcher, NULL, solver_watch, solver) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void solver_end_watch(Solver *solver)
{
    pthread_mutex_lock(&solver->watch_lock);
    solver->ending = true;
    pthread_cond_signal(&solver->watch_end);
    pthread_mutex_unlock(&solver->watch_lock);
    if (solver->watched)
        pthread_join(solver->watcher, NULL);
    pthread_cond_destroy(&solver->watch_end);
    pthread_mutex_destroy(&solver->watch_lock);
}

bool solver_new(TermPool *pool, unsigned effort, Solver **out, Error *error)
{
    if (!solver_load(error))
        return false;
    Solver *solver = calloc(1, sizeof *solver);
    if (!solver)
        die("out of memory");
    Z3_config config = z3.mk_config();
    solver->pool = pool;
    solver->context = z3.mk_context_rc(config);
    z3.del_config(config);
    z3.set_error_handler(solver->context, solver_complain);
    solver->solver = z3.mk_simple_solver(solver->context);
    z3.solver_inc_ref(solver->context, solver->solver);
    Z3_params params = z3.mk_params(solver->context);
    z3.params_inc_ref(solver->context, params);
    z3.params_set_uint(solver->context, params, z3.mk_string_symbol(solver->context, "rlimit"),
                       effort * 1000);
    /* Else Z3 takes an interrupt for itself while it answers: the question then has no answer, and
     * nobody knows why. */
    z3.params_set_bool(solver->context, params, z3.mk_string_symbol(solver->context, "ctrl_c"),
                       false);
    /* The older simplex: a little faster on questions that are mostly about equality. */
    z3.params_set_uint(solver->context, params,
                       z3.mk_string_symbol(solver->context, "arith.solver"), 2);
    z3.solver_set_params(solver->context, solver->solver, params);
    z3.params_dec_ref(solver->context, params);
    solver->integer = z3.mk_int_sort(solver->context);
    solver_start_watch(solver);
    *out = solver;
    return true;
}

void solver_free(Solver *solver)
{
    if (!solver)
        return;
    solver_end_watch(solver);
    if (solver->model)
        z3.model_dec_ref(solver->context, solver->model);
    z3.solver_dec_ref(solver->context, solver->solver);
    for (size_t i = 0; i < solver->asts.count; i++)
        if (solver->asts.at[i])
            z3.dec_ref(solver->context, solver->asts.at[i]);
    z3.del_context(solver->context);
    vec_free(&solver->asts);
    vec_free(&solver->maps);
    vec_free(&solver->asserted);
    vec_free(&solver->is_asserted);
    vec_free(&solver->needed);
    vec_free(&solver->assumed);
    vec_free(&solver->assumed_levels);
    vec_free(&solver->values);
    vec_free(&solver->stamps);
    hashmap_free(&solver->reads);
    vec_free(&solver->levels);
    free(solver);
}

static Z3_ast solver_ast(Solver *solver, Term term);

static Z3_ast solver_application(Solver *solver, const TermNode *node)
{
    while (solver->maps.count <= node->a)
        vec_push(&solver->maps, NULL);
    Z3_func_decl *map = &solver->maps.at[node->a];
    if (!*map) {
        *map = z3.mk_func_decl(solver->context,
                               z3.mk_int_symbol(solver->context, (int)(1000000 + node->a)), 1,
                               &solver->integer, solver->integer);
        z3.inc_ref(solver->context, z3.func_decl_to_ast(solver->context, *map));
    }
    Z3_func_decl declared = *map;
    Z3_ast index = solver_ast(solver, node->b);
    return z3.mk_app(solver->context, declared, 1, &index);
}

static Z3_ast solver_make_ast(Solver *solver, TermNode node)
{
    Z3_context context = solver->context;
    Z3_ast pair[2];
    switch (node.kind) {
    case TERM_NUMBER:
        return z3.mk_int64(context, node.number, solver->integer);
    case TERM_SYMBOL:
        return z3.mk_const(context, z3.mk_int_symbol(context, (int)node.a), solver->integer);
    case TERM_READ:
        return solver_application(solver, &node);
    case TERM_TRUE:
        return z3.mk_true(context);
    case TERM_FALSE:
        return z3.mk_false(context);
    case TERM_NOT:
        return z3.mk_not(context, solver_ast(solver, node.a));
    default:
        break;
    }
    pair[0] = solver_ast(solver, node.a);
    pair[1] = solver_ast(solver, node.b);
    switch (node.kind) {
    case TERM_ADD:
        return z3.mk_add(context, 2, pair);
    case TERM_SUB:
        return z3.mk_sub(context, 2, pair);
    case TERM_ITE:
        return z3.mk_ite(context, pair[0], pair[1], solver_ast(solver, node.c));
    case TERM_EQ:
        return z3.mk_eq(context, pair[0], pair[1]);
    case TERM_LE:
        return z3.mk_le(context, pair[0], pair[1]);
    case TERM_AND:
        return z3.mk_and(context, 2, pair);
    default:
        return z3.mk_or(context, 2, pair);
    }
}

static Z3_ast solver_ast(Solver *solver, Term term)
{
    while (solver->asts.count <= term)
        vec_push(&solver->asts, NULL);
    if (!solver->asts.at[term]) {
        Z3_ast ast = solver_make_ast(solver, *term_node(solver->pool, term));
        z3.inc_ref(solver->context, ast);
        solver->asts.at[term] = ast;
    }
    return solver->asts.at[term];
}

void solver_push(Solver *solver)
{
    if (!solver->stopped)
        z3.solver_push(solver->context, solver->solver);
    vec_push(&solver->levels, solver->asserted.count);
    vec_push(&solver->assumed_levels, solver->assumed.count);
}

void solver_pop(Solver *solver)
{
    if (!solver->stopped)
        z3.solver_pop(solver->context, solver->solver, 1);
    size_t keep = vec_pop(&solver->levels);
    solver->assumed.count = vec_pop(&solver->assumed_levels);
    while (solver->asserted.count > keep)
        solver->is_asserted.at[vec_pop(&solver->asserted)] = 0;
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
    if (!solver->stopped)
        z3.solver_assert(solver->context, solver->solver, solver_ast(solver, term));
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

static void solver_write_certificate(Solver *solver)
{
    if (!solver->directory || solver->certificate_failed)
        return;
    char path[4096];
    snprintf(path, sizeof path, "%s/%05lu-%s.smt2", solver->directory, solver->certificates,
             solver->question[0] ? solver->question : "obligation");
    if (!smtlib_write(path, solver->pool, &solver->asserted, solver->question,
                      &solver->certificate_error))
        solver->certificate_failed = true;
    else
        solver->certificates++;
}

bool solver_out_of_time(const Solver *solver)
{
    return solver->out_of_time;
}

/* The value of a symbol or an application in the witness. */
static int64_t solver_leaf(Solver *solver, Z3_ast ast)
{
    Z3_ast value = NULL;
    int64_t number = 0;
    ASSERT(solver->model);
    if (!z3.model_eval(solver->context, solver->model, ast, true, &value) ||
        !z3.get_numeral_int64(solver->context, value, &number))
        die("Z3: a witness without a value");
    return number;
}

static int64_t solver_read_value(Solver *solver, uint32_t map, int64_t index)
{
    bool was_absent;
    uint64_t key = hash_combine(map, (uint64_t)index);
    uint64_t *slot = hashmap_put(&solver->reads, key, &was_absent);
    if (was_absent) {
        Term read = term_read(solver->pool, map, term_number(solver->pool, index));
        int64_t value = solver_leaf(solver, solver_ast(solver, read));
        slot = hashmap_put(&solver->reads, key, NULL);
        *slot = (uint64_t)value;
    }
    return (int64_t)*slot;
}

static int64_t solver_evaluate(Solver *solver, Term term)
{
    while (solver->stamps.count <= term) {
        vec_push(&solver->stamps, 0);
        vec_push(&solver->values, 0);
    }
    if (solver->stamps.at[term] == solver->stamp)
        return solver->values.at[term];
    TermNode node = *term_node(solver->pool, term);
    int64_t value = 0;
    switch (node.kind) {
    case TERM_NUMBER:
        value = node.number;
        break;
    case TERM_SYMBOL:
        value = solver_leaf(solver, solver_ast(solver, term));
        break;
    case TERM_READ:
        value = solver_read_value(solver, node.a, solver_evaluate(solver, node.b));
        break;
    case TERM_ADD:
        value = solver_evaluate(solver, node.a) + solver_evaluate(solver, node.b);
        break;
    case TERM_SUB:
        value = solver_evaluate(solver, node.a) - solver_evaluate(solver, node.b);
        break;
    case TERM_ITE:
        value = solver_evaluate(solver, solver_evaluate(solver, node.a) ? node.b : node.c);
        break;
    case TERM_TRUE:
    case TERM_FALSE:
        value = node.kind == TERM_TRUE;
        break;
    case TERM_EQ:
        value = solver_evaluate(solver, node.a) == solver_evaluate(solver, node.b);
        break;
    case TERM_LE:
        value = solver_evaluate(solver, node.a) <= solver_evaluate(solver, node.b);
        break;
    case TERM_NOT:
        value = !solver_evaluate(solver, node.a);
        break;
    case TERM_AND:
        value = solver_evaluate(solver, node.a) && solver_evaluate(solver, node.b);
        break;
    case TERM_OR:
        value = solver_evaluate(solver, node.a) || solver_evaluate(solver, node.b);
        break;
    }
    solver->stamps.at[term] = solver->stamp;
    solver->values.at[term] = value;
    return value;
}

bool solver_holds(Solver *solver, Term formula)
{
    return solver_evaluate(solver, formula) != 0;
}

int64_t solver_value(Solver *solver, Term term)
{
    return solver_evaluate(solver, term);
}

static void solver_set_asking(Solver *solver, bool asking)
{
    pthread_mutex_lock(&solver->watch_lock);
    solver->asking = asking;
    pthread_mutex_unlock(&solver->watch_lock);
}

static Z3_lbool solver_ask(Solver *solver)
{
    if (solver->model)
        z3.model_dec_ref(solver->context, solver->model);
    solver->model = NULL;
    solver_set_asking(solver, true);
    Z3_lbool found = z3.solver_check(solver->context, solver->solver);
    solver_set_asking(solver, false);
    if (stop_wanted()) {
        solver->stopped = true;
        return Z3_L_UNDEF;
    }
    if (found == Z3_L_TRUE) {
        solver->model = z3.solver_get_model(solver->context, solver->solver);
        z3.model_inc_ref(solver->context, solver->model);
        solver->stamp++;
        hashmap_clear(&solver->reads);
    }
    return found;
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

SolverAnswer solver_check(Solver *solver)
{
    double start = clock_seconds();
    solver->queries++;
    if (stop_wanted()) {
        solver->out_of_time = solver->stopped = true;
        return ANSWER_UNKNOWN;
    }
    Z3_lbool found;
    do
        found = solver_ask(solver);
    while (found == Z3_L_TRUE && solver_hand_over(solver) && !stop_wanted());
    if (stop_wanted()) { /* a witness need not satisfy what was not handed over */
        solver->out_of_time = solver->stopped = true;
        found = Z3_L_UNDEF;
    }
    solver->seconds += clock_seconds() - start;
    if (found == Z3_L_FALSE)
        solver_write_certificate(solver);
    return found == Z3_L_TRUE ? ANSWER_YES : found == Z3_L_FALSE ? ANSWER_NO : ANSWER_UNKNOWN;
}

unsigned long solver_queries(const Solver *solver)
{
    return solver->queries;
}

double solver_seconds(const Solver *solver)
{
    return solver->seconds;
}

bool solver_certify(Solver *solver, const char *directory, unsigned long first, Error *error)
{
    solver->directory = directory;
    if (directory)
        solver->certificates = first;
    if (directory && mkdir(directory, 0777) != 0 && errno != EEXIST)
        return error_set(error, "can't make the folder '%s': %s", directory, strerror(errno));
    return true;
}

void solver_name_question(Solver *solver, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(solver->question, sizeof solver->question, format, arguments);
    va_end(arguments);
}

unsigned long solver_certificates(const Solver *solver)
{
    return solver->certificates;
}

bool solver_certified(const Solver *solver, Error *error)
{
    if (solver->certificate_failed && error)
        *error = solver->certificate_error;
    return !solver->certificate_failed;
}
