#include "prove/solver.h"
#include "prove/smtlib.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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
    X(mk_string_symbol)                                                                            \
    X(model_inc_ref)                                                                               \
    X(model_dec_ref)                                                                               \
    X(model_eval)                                                                                  \
    X(get_numeral_int64)                                                                           \
    X(get_bool_value)                                                                              \
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

struct Solver {
    TermPool *pool;
    Z3_context context;
    Z3_solver solver;
    Z3_model model;
    Z3_sort integer;
    Vec(Z3_ast) asts;       /* of each term, NULL until needed */
    Vec(Z3_func_decl) maps; /* of each map */
    Terms asserted;
    Vec(unsigned char) is_asserted; /* of each term: asserting twice would only cost time */
    Vec(size_t) levels;
    unsigned long queries, certificates;
    double seconds;
    double deadline; /* on the monotonic clock; 0: none */
    bool out_of_time;
    const char *directory;
    char question[128];
    Error certificate_error;
    bool certificate_failed;
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
    die("Z3: %s", z3.get_error_msg(context, code));
}

bool solver_new(TermPool *pool, unsigned timeout_ms, Solver **out, Error *error)
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
    z3.params_set_uint(solver->context, params, z3.mk_string_symbol(solver->context, "timeout"),
                       timeout_ms);
    z3.solver_set_params(solver->context, solver->solver, params);
    z3.params_dec_ref(solver->context, params);
    solver->integer = z3.mk_int_sort(solver->context);
    *out = solver;
    return true;
}

void solver_free(Solver *solver)
{
    if (!solver)
        return;
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
    z3.solver_push(solver->context, solver->solver);
    vec_push(&solver->levels, solver->asserted.count);
}

void solver_pop(Solver *solver)
{
    z3.solver_pop(solver->context, solver->solver, 1);
    size_t keep = vec_pop(&solver->levels);
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
    z3.solver_assert(solver->context, solver->solver, solver_ast(solver, term));
}

void solver_assert_all(Solver *solver, const Terms *terms)
{
    for (size_t i = 0; i < terms->count; i++)
        solver_assert(solver, terms->at[i]);
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

static double solver_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void solver_set_deadline(Solver *solver, double seconds)
{
    solver->deadline = solver_clock() + seconds;
}

bool solver_out_of_time(const Solver *solver)
{
    return solver->out_of_time;
}

Answer solver_check(Solver *solver)
{
    double start = solver_clock();
    solver->queries++;
    if (solver->deadline > 0 && start > solver->deadline) {
        solver->out_of_time = true;
        return ANSWER_UNKNOWN;
    }
    if (solver->model)
        z3.model_dec_ref(solver->context, solver->model);
    solver->model = NULL;
    Z3_lbool found = z3.solver_check(solver->context, solver->solver);
    if (found == Z3_L_TRUE) {
        solver->model = z3.solver_get_model(solver->context, solver->solver);
        z3.model_inc_ref(solver->context, solver->model);
    }
    solver->seconds += solver_clock() - start;
    if (found == Z3_L_FALSE)
        solver_write_certificate(solver);
    return found == Z3_L_TRUE ? ANSWER_YES : found == Z3_L_FALSE ? ANSWER_NO : ANSWER_UNKNOWN;
}

static Z3_ast solver_eval(Solver *solver, Term term)
{
    Z3_ast value = NULL;
    ASSERT(solver->model);
    if (!z3.model_eval(solver->context, solver->model, solver_ast(solver, term), true, &value))
        return NULL;
    return value;
}

bool solver_holds(Solver *solver, Term formula)
{
    Z3_ast value = solver_eval(solver, formula);
    return value && z3.get_bool_value(solver->context, value) == Z3_L_TRUE;
}

int64_t solver_value(Solver *solver, Term term)
{
    Z3_ast value = solver_eval(solver, term);
    int64_t number = 0;
    if (!value || !z3.get_numeral_int64(solver->context, value, &number))
        return 0;
    return number;
}

unsigned long solver_queries(const Solver *solver)
{
    return solver->queries;
}

double solver_seconds(const Solver *solver)
{
    return solver->seconds;
}

bool solver_certify(Solver *solver, const char *directory, Error *error)
{
    solver->directory = directory;
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
