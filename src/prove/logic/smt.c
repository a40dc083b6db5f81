#include "prove/logic/smt.h"
#include "base/stop.h"
#include "prove/logic/valuation.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

struct Smt {
    TermPool *pool;
    Z3_context context;
    Z3_solver solver;
    Z3_model model;
    Z3_sort integer;
    Vec(Z3_ast) asts;       /* of each term, NULL until needed */
    Vec(Z3_func_decl) maps; /* of each map */
    Valuation valuation;    /* of the witness */
    Terms told;             /* what Z3 has been told */
    /* A thread that interrupts Z3 when an end is wanted: one question can take seconds. */
    pthread_t watcher;
    pthread_mutex_t watch_lock;
    pthread_cond_t watch_end;
    bool watched, ending;
    bool asking;  /* only then may the thread interrupt, for whatever Z3 does next fails */
    bool stopped; /* it did, or it would have: Z3 is asked for nothing more */
};

static bool smt_load(Error *error)
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

static void smt_complain(Z3_context context, Z3_error_code code)
{
    if (code == Z3_EXCEPTION && stop_wanted())
        return; /* the question was interrupted */
    die("Z3: %s", z3.get_error_msg(context, code));
}

/* Asks every few milliseconds whether an end is wanted, until the solver is freed. */
static void *smt_watch(void *data)
{
    enum { PERIOD_NS = 5000000 };
    Smt *smt = data;
    pthread_mutex_lock(&smt->watch_lock);
    while (!smt->ending) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PERIOD_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&smt->watch_end, &smt->watch_lock, &until);
        if (smt->asking && stop_wanted())
            z3.interrupt(smt->context);
    }
    pthread_mutex_unlock(&smt->watch_lock);
    return NULL;
}

/* Without the thread (none may be to be had) a question takes as long as its effort allows. */
static void smt_start_watch(Smt *smt)
{
    sigset_t all, before;
    pthread_mutex_init(&smt->watch_lock, NULL);
    pthread_cond_init(&smt->watch_end, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    smt->watched = pthread_create(&smt->watcher, NULL, smt_watch, smt) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void smt_end_watch(Smt *smt)
{
    pthread_mutex_lock(&smt->watch_lock);
    smt->ending = true;
    pthread_cond_signal(&smt->watch_end);
    pthread_mutex_unlock(&smt->watch_lock);
    if (smt->watched)
        pthread_join(smt->watcher, NULL);
    pthread_cond_destroy(&smt->watch_end);
    pthread_mutex_destroy(&smt->watch_lock);
}

static Z3_ast smt_ast(Smt *smt, Term term);

static Z3_ast smt_application(Smt *smt, const TermNode *node)
{
    while (smt->maps.count <= node->a)
        vec_push(&smt->maps, NULL);
    Z3_func_decl *map = &smt->maps.at[node->a];
    if (!*map) {
        *map =
            z3.mk_func_decl(smt->context, z3.mk_int_symbol(smt->context, (int)(1000000 + node->a)),
                            1, &smt->integer, smt->integer);
        z3.inc_ref(smt->context, z3.func_decl_to_ast(smt->context, *map));
    }
    Z3_func_decl declared = *map;
    Z3_ast index = smt_ast(smt, node->b);
    return z3.mk_app(smt->context, declared, 1, &index);
}

static Z3_ast smt_make_ast(Smt *smt, TermNode node)
{
    Z3_context context = smt->context;
    Z3_ast pair[2];
    switch (node.kind) {
    case TERM_NUMBER:
        return z3.mk_int64(context, node.number, smt->integer);
    case TERM_SYMBOL:
        return z3.mk_const(context, z3.mk_int_symbol(context, (int)node.a), smt->integer);
    case TERM_READ:
        return smt_application(smt, &node);
    case TERM_TRUE:
        return z3.mk_true(context);
    case TERM_FALSE:
        return z3.mk_false(context);
    case TERM_NOT:
        return z3.mk_not(context, smt_ast(smt, node.a));
    default:
        break;
    }
    pair[0] = smt_ast(smt, node.a);
    pair[1] = smt_ast(smt, node.b);
    switch (node.kind) {
    case TERM_ADD:
        return z3.mk_add(context, 2, pair);
    case TERM_SUB:
        return z3.mk_sub(context, 2, pair);
    case TERM_ITE:
        return z3.mk_ite(context, pair[0], pair[1], smt_ast(smt, node.c));
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

static Z3_ast smt_ast(Smt *smt, Term term)
{
    while (smt->asts.count <= term)
        vec_push(&smt->asts, NULL);
    if (!smt->asts.at[term]) {
        Z3_ast ast = smt_make_ast(smt, *term_node(smt->pool, term));
        z3.inc_ref(smt->context, ast);
        smt->asts.at[term] = ast;
    }
    return smt->asts.at[term];
}

/* The value of a symbol or an application in the witness. */
static int64_t smt_leaf(Smt *smt, Term term)
{
    Z3_ast value = NULL;
    int64_t number = 0;
    ASSERT(smt->model);
    if (!z3.model_eval(smt->context, smt->model, smt_ast(smt, term), true, &value) ||
        !z3.get_numeral_int64(smt->context, value, &number))
        die("Z3: a witness without a value");
    return number;
}

static int64_t smt_symbol(void *context, Term symbol)
{
    return smt_leaf(context, symbol);
}

static int64_t smt_read(void *context, uint32_t map, int64_t index)
{
    Smt *smt = context;
    return smt_leaf(smt, term_read(smt->pool, map, term_number(smt->pool, index)));
}

int64_t smt_value(Smt *smt, Term term)
{
    return valuation_of(&smt->valuation, term);
}

bool smt_new(TermPool *pool, unsigned effort, Smt **out, Error *error)
{
    if (!smt_load(error))
        return false;
    Smt *smt = calloc(1, sizeof *smt);
    if (!smt)
        die("out of memory");
    Z3_config config = z3.mk_config();
    smt->pool = pool;
    smt->context = z3.mk_context_rc(config);
    z3.del_config(config);
    z3.set_error_handler(smt->context, smt_complain);
    smt->solver = z3.mk_simple_solver(smt->context);
    z3.solver_inc_ref(smt->context, smt->solver);
    Z3_params params = z3.mk_params(smt->context);
    z3.params_inc_ref(smt->context, params);
    z3.params_set_uint(smt->context, params, z3.mk_string_symbol(smt->context, "rlimit"),
                       effort * 1000);
    /* Else Z3 takes an interrupt for itself while it answers: the question then has no answer, and
     * nobody knows why. */
    z3.params_set_bool(smt->context, params, z3.mk_string_symbol(smt->context, "ctrl_c"), false);
    /* The older simplex, splits by activity alone and plain phase caching: a little faster on
     * questions that are mostly about equality. */
    z3.params_set_uint(smt->context, params, z3.mk_string_symbol(smt->context, "arith.solver"), 2);
    z3.params_set_uint(smt->context, params, z3.mk_string_symbol(smt->context, "case_split"), 0);
    z3.params_set_uint(smt->context, params, z3.mk_string_symbol(smt->context, "phase_selection"),
                       2);
    z3.solver_set_params(smt->context, smt->solver, params);
    z3.params_dec_ref(smt->context, params);
    smt->integer = z3.mk_int_sort(smt->context);
    smt->valuation =
        (Valuation){.pool = pool, .context = smt, .symbol = smt_symbol, .read = smt_read};
    z3.solver_push(smt->context, smt->solver);
    smt_start_watch(smt);
    *out = smt;
    return true;
}

void smt_free(Smt *smt)
{
    if (!smt)
        return;
    smt_end_watch(smt);
    if (smt->model)
        z3.model_dec_ref(smt->context, smt->model);
    z3.solver_dec_ref(smt->context, smt->solver);
    for (size_t i = 0; i < smt->asts.count; i++)
        if (smt->asts.at[i])
            z3.dec_ref(smt->context, smt->asts.at[i]);
    z3.del_context(smt->context);
    vec_free(&smt->asts);
    vec_free(&smt->maps);
    valuation_free(&smt->valuation);
    vec_free(&smt->told);
    free(smt);
}

static void smt_set_asking(Smt *smt, bool asking)
{
    pthread_mutex_lock(&smt->watch_lock);
    smt->asking = asking;
    pthread_mutex_unlock(&smt->watch_lock);
}

/* Tells Z3 the terms: those that are new, if the others are what it was told last. */
static void smt_tell(Smt *smt, const Terms *terms)
{
    size_t same = 0;
    while (same < terms->count && same < smt->told.count && terms->at[same] == smt->told.at[same])
        same++;
    if (same < smt->told.count) {
        z3.solver_pop(smt->context, smt->solver, 1);
        z3.solver_push(smt->context, smt->solver);
        vec_clear(&smt->told);
    }
    for (size_t i = smt->told.count; i < terms->count; i++) {
        vec_push(&smt->told, terms->at[i]);
        z3.solver_assert(smt->context, smt->solver, smt_ast(smt, terms->at[i]));
    }
}

SolverAnswer smt_check(Smt *smt, const Terms *terms)
{
    if (smt->stopped || stop_wanted())
        return ANSWER_UNKNOWN;
    if (smt->model)
        z3.model_dec_ref(smt->context, smt->model);
    smt->model = NULL;
    smt_tell(smt, terms);
    smt_set_asking(smt, true);
    Z3_lbool found = z3.solver_check(smt->context, smt->solver);
    smt_set_asking(smt, false);
    if (stop_wanted()) {
        smt->stopped = true;
        return ANSWER_UNKNOWN;
    }
    if (found == Z3_L_TRUE) {
        smt->model = z3.solver_get_model(smt->context, smt->solver);
        z3.model_inc_ref(smt->context, smt->model);
        valuation_forget(&smt->valuation);
    }
    return found == Z3_L_TRUE ? ANSWER_YES : found == Z3_L_FALSE ? ANSWER_NO : ANSWER_UNKNOWN;
}
