/* The order of what is written is that of doc/proofs/certificate.md. */
#include "prove/certificate.h"
#include <string.h>
#include "base/file.h"
#include "prove/certificate_private.h"
#include "prove/enlarge.h"
#include "prove/facts/houdini.h"
#include "prove/facts/walk.h"
#include "prove/meeting.h"
#include "prove/simulation_private.h"

typedef struct Speaker { /* an instance of an operation, in a question */
    int operation;
    CertView view;
} Speaker;

static const IrProgram *certificate_program(const Certificate *c)
{
    return c->prover->program;
}

static int certificate_points(const Certificate *c, int operation)
{
    return (int)certificate_program(c)->operations.at[operation].subops.count;
}

/* ---- questions ---- */

static void certificate_begin(Certificate *c, const char *name)
{
    memset(c->last, 0, sizeof *c->last * (size_t)c->components);
    buffer_printf(&c->out, "(push 1)\n(set-info :question \"%s\")\n", name);
}

static void certificate_end(Certificate *c)
{
    buffer_printf(&c->out, "(check-sat)\n(pop 1)\n");
    c->questions++;
}

static void certificate_refute(Certificate *c, const char *goal)
{
    buffer_printf(&c->out, "(assert (not %s))\n", goal);
    certificate_end(c);
}

static void certificate_declare_view(Certificate *c, CertView view)
{
    buffer_printf(&c->out, "(declare-const %s Int)\n", cert_local(c, view, -1));
    for (size_t l = 0; l < view.op->locals.count; l++)
        buffer_printf(&c->out, "(declare-const %s Int)\n", cert_local(c, view, (int)l));
}

/* Declares an instance; BEFORE: one that is declared already. */
static Speaker certificate_speaker(Certificate *c, int operation, const char *who,
                                   const Speaker *before)
{
    Speaker s = {operation,
                 {.op = operation < 0 ? &c->whole->initial
                                      : &certificate_program(c)->operations.at[operation],
                  .who = who}};
    certificate_declare_view(c, s.view);
    if (operation < 0)
        return s;
    cert_condition(c, arena_printf(c->arena, "(< 1 %s)", cert_local(c, s.view, -1)));
    if (before)
        cert_condition(c, arena_printf(c->arena, "(not (= %s %s))", cert_local(c, s.view, -1),
                                       cert_local(c, before->view, -1)));
    return s;
}

/* ---- facts ---- */

/* The components that the facts of the program speak of; the relation speaks of all. */
static bool certificate_speaks(const Certificate *c, int component, bool all)
{
    const IrProgram *own = certificate_program(c), *whole = c->whole;
    int globals = (int)whole->globals.count, fields = globals + (int)whole->fields.count,
        arrays = fields + (int)whole->arrays.count;
    if (component == whole->size)
        return false;
    if (all || component >= arrays)
        return true;
    if (component < globals)
        return component < (int)own->globals.count;
    if (component < fields)
        return component - globals < (int)own->fields.count;
    return component - fields < (int)own->arrays.count;
}

static void certificate_parameters(Certificate *c, bool all, Buffer *out)
{
    for (int i = 0; i < c->components; i++)
        if (certificate_speaks(c, i, all))
            buffer_printf(out, "(|%s| %s) ", cert_component_name(c, i), cert_sort(c, i));
}

static void certificate_facts(Certificate *c, const FactList *list, CertView view, bool axioms)
{
    static const char *const bound[] = {"", "(forall ((|any| Int)) ",
                                        "(forall ((|any| Int) (|any1| Int)) "};
    CertState state = cert_parameters(c);
    buffer_printf(&c->out, "(and true");
    for (size_t i = 0; i < list->count; i++) {
        const Fact *fact = &list->at[i];
        if (fact->dead || (fact->axiom && !axioms))
            continue;
        buffer_printf(&c->out, "\n  %s%s%s", bound[fact->bound_count],
                      cert_formula(c, &state, view, fact->formula),
                      fact->bound_count > 0 ? ")" : "");
    }
    buffer_printf(&c->out, "))\n");
}

static void certificate_point_facts(Certificate *c, char kind, int operation, int point,
                                    const FactList *list)
{
    const IrOperation *op = &certificate_program(c)->operations.at[operation];
    CertView view = {.op = op};
    buffer_printf(&c->out, "(define-fun |%c.%s.%d| (", kind, op->name, point);
    certificate_parameters(c, false, &c->out);
    buffer_printf(&c->out, "(|ID| Int)");
    for (size_t l = 0; l < op->locals.count; l++)
        buffer_printf(&c->out, " (%s Int)", cert_local(c, view, (int)l));
    buffer_printf(&c->out, ") Bool ");
    certificate_facts(c, list, view, true);
}

static void certificate_global_facts(Certificate *c, const char *name, const FactList *list,
                                     bool all, bool axioms)
{
    buffer_printf(&c->out, "(define-fun |%s| (", name);
    certificate_parameters(c, all, &c->out);
    buffer_printf(&c->out, ") Bool ");
    certificate_facts(c, list, (CertView){.op = &certificate_program(c)->initial}, axioms);
}

static const char *certificate_apply(Certificate *c, const char *name, const CertState *state,
                                     bool all, const Speaker *speaker)
{
    Buffer text = {0};
    buffer_printf(&text, "(|%s|", name);
    for (int i = 0; i < c->components; i++)
        if (certificate_speaks(c, i, all))
            buffer_printf(&text, " %s", state->at[i]);
    for (int l = -1; speaker && l < (int)speaker->view.op->locals.count; l++)
        buffer_printf(&text, " %s", cert_local(c, speaker->view, l));
    buffer_printf(&text, ")");
    const char *copy = str_copy(c->arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

static const char *certificate_known(Certificate *c, const CertState *state)
{
    return certificate_apply(c, "G", state, false, NULL);
}

/* Returns the facts of SPEAKER at POINT: none before its first step and after its last. */
static const char *certificate_point(Certificate *c, char kind, const CertState *state,
                                     const Speaker *speaker, int point)
{
    if (point == 0 || point >= certificate_points(c, speaker->operation))
        return "true";
    return certificate_apply(
        c, arena_printf(c->arena, "%c.%s.%d", kind, speaker->view.op->name, point), state, false,
        speaker);
}

static void certificate_assume(Certificate *c, const CertState *state)
{
    cert_condition(c, certificate_known(c, state));
}

/* ---- runs ---- */

static void certificate_run(Certificate *c, CertState *state, const Speaker *speaker, int from,
                            int to, bool weak)
{
    for (int i = from; i < to; i++)
        if (weak && prover_is_weak(c->prover, speaker->operation, i))
            cert_condition(c, certificate_point(c, 'F', state, speaker, i + 1));
        else
            cert_step(c, state, speaker->view, &speaker->view.op->subops.at[i]);
}

/* That the other order of two runs from START is possible and ends as END. */
static const char *certificate_swaps(Certificate *c, CertState start, const CertState *end,
                                     const Speaker *a, int a0, int a1, const Speaker *b, int b0,
                                     int b1)
{
    Buffer goal = {0};
    CertState other = cert_copy(c, start);
    buffer_printf(&goal, "(and true");
    c->goal = &goal;
    certificate_run(c, &other, b, b0, b1, true);
    certificate_run(c, &other, a, a0, a1, true);
    for (int i = 0; i < c->components; i++)
        if (other.at[i] != end->at[i])
            cert_condition(c, arena_printf(c->arena, "(= %s %s)", end->at[i], other.at[i]));
    c->goal = NULL;
    buffer_printf(&goal, ")");
    const char *copy = str_copy(c->arena, buffer_str(&goal));
    vec_free(&goal);
    return copy;
}

/* ---- 1: facts ---- */

static void certificate_initial(Certificate *c, bool relation)
{
    certificate_begin(c, relation ? "the relation holds at the beginning"
                                  : "the facts hold at the beginning");
    CertState state = cert_base(c);
    for (int i = 0; i < c->components; i++)
        if (certificate_speaks(c, i, true))
            cert_condition(c, arena_printf(c->arena,
                                           i < (int)c->whole->globals.count
                                               ? "(= %s 0)"
                                               : "(= %s ((as const (Array Int Int)) 0))",
                                           state.at[i]));
    Speaker nobody = certificate_speaker(c, -1, "i", NULL);
    if (nobody.view.op->subops.count > 0)
        cert_step(c, &state, nobody.view, &nobody.view.op->subops.at[0]);
    certificate_refute(c, relation ? certificate_apply(c, "R", &state, true, NULL)
                                   : certificate_known(c, &state));
}

static void certificate_own_steps(Certificate *c, int operation)
{
    for (int i = 0; i < certificate_points(c, operation); i++) {
        const IrOperation *op = &certificate_program(c)->operations.at[operation];
        certificate_begin(
            c, arena_printf(c->arena, "%s.%s keeps and reaches", op->name, op->subops.at[i].label));
        CertState start = cert_base(c), end = cert_copy(c, start);
        Speaker u = certificate_speaker(c, operation, "u", NULL);
        certificate_assume(c, &start);
        cert_condition(c, certificate_point(c, 'F', &start, &u, i));
        certificate_run(c, &end, &u, i, i + 1, false);
        certificate_refute(c, arena_printf(c->arena, "(and %s %s)",
                                           op->observer ? "true" : certificate_known(c, &end),
                                           certificate_point(c, 'F', &end, &u, i + 1)));
    }
}

static void certificate_others_steps(Certificate *c, int operation, int other)
{
    const IrOperation *op = &certificate_program(c)->operations.at[operation];
    for (int i = 0; i < certificate_points(c, operation); i++)
        for (int q = 1; q < certificate_points(c, other); q++) {
            if (!ir_subop_writes(&op->subops.at[i]))
                continue;
            certificate_begin(
                c, arena_printf(c->arena, "%s.%s keeps %s at %d", op->name, op->subops.at[i].label,
                                certificate_program(c)->operations.at[other].name, q));
            CertState start = cert_base(c), end = cert_copy(c, start);
            Speaker u = certificate_speaker(c, operation, "u", NULL);
            Speaker v = certificate_speaker(c, other, "v", &u);
            certificate_assume(c, &start);
            cert_condition(c, certificate_point(c, 'F', &start, &u, i));
            cert_condition(c, certificate_point(c, 'F', &start, &v, q));
            certificate_run(c, &end, &u, i, i + 1, false);
            certificate_refute(c, certificate_point(c, 'F', &end, &v, q));
        }
}

static void certificate_part_facts(Certificate *c)
{
    int count = (int)certificate_program(c)->operations.count;
    certificate_initial(c, false);
    for (int o = 0; o < count; o++)
        certificate_own_steps(c, o);
    for (int o = 0; o < count; o++)
        for (int other = 0; other < count; other++)
            if (!certificate_program(c)->operations.at[o].observer)
                certificate_others_steps(c, o, other);
}

/* ---- 2 and 3: reordering ---- */

static void certificate_weak(Certificate *c, int operation)
{
    if (c->prover->weak[operation] == 0)
        return;
    const IrOperation *op = &certificate_program(c)->operations.at[operation];
    certificate_begin(c, arena_printf(c->arena, "%s with weakened reads is real", op->name));
    CertState start = cert_base(c), state = cert_copy(c, start);
    Speaker u = certificate_speaker(c, operation, "u", NULL);
    Buffer goal = {0};
    int points = certificate_points(c, operation);
    certificate_assume(c, &start);
    certificate_run(c, &state, &u, 0, points, true);
    state = cert_copy(c, start);
    buffer_printf(&goal, "(and true");
    c->goal = &goal;
    certificate_run(c, &state, &u, 0, points, false);
    c->goal = NULL;
    buffer_printf(&goal, ")");
    certificate_refute(c, str_copy(c->arena, buffer_str(&goal)));
    vec_free(&goal);
}

/* Steps [a0, a1) of A, then [b0, b1) of B, can be exchanged in every state where facts allow it. */
static void certificate_exchange(Certificate *c, int a_op, const char *a_who, int a0, int a1,
                                 int b_op, const char *b_who, int b0, int b1)
{
    CertState start = cert_base(c);
    bool first = strcmp(a_who, "u") == 0;
    Speaker u = certificate_speaker(c, first ? a_op : b_op, "u", NULL);
    Speaker v = certificate_speaker(c, first ? b_op : a_op, "v", &u);
    const Speaker *a = first ? &u : &v, *b = first ? &v : &u;
    (void)b_who;
    certificate_assume(c, &start);
    cert_condition(c, certificate_point(c, 'F', &start, a, a0));
    cert_condition(c, certificate_point(c, 'F', &start, b, b0));
    CertState middle = cert_copy(c, start);
    certificate_run(c, &middle, a, a0, a1, true);
    certificate_assume(c, &middle);
    cert_condition(c, certificate_point(c, 'F', &middle, a, a1));
    cert_condition(c, certificate_point(c, 'F', &middle, b, b0));
    CertState end = cert_copy(c, middle);
    certificate_run(c, &end, b, b0, b1, true);
    certificate_refute(c, certificate_swaps(c, start, &end, a, a0, a1, b, b0, b1));
}

static void certificate_single_steps(Certificate *c, const ReduceNote *note, const char *name)
{
    bool right = note->manner == MANNER_RIGHT;
    for (int o = 0; o < (int)certificate_program(c)->operations.count; o++)
        for (int p = 0; p < certificate_points(c, o); p++) {
            const IrOperation *other = &certificate_program(c)->operations.at[o];
            certificate_begin(c, arena_printf(c->arena, "%s, %s and %s.%s", name,
                                              right ? "right" : "left", other->name,
                                              other->subops.at[p].label));
            if (right)
                certificate_exchange(c, note->operation, "u", 0, note->prefix, o, "v", p, p + 1);
            else
                certificate_exchange(c, o, "v", p, p + 1, note->operation, "u", note->prefix,
                                     note->prefix + 1);
        }
}

/* The questions about the beginning x of NOTE and the beginning w, the first W steps of O. */
static void certificate_chain(Certificate *c, const ReduceNote *note, const char *name, int o,
                              int w)
{
    const char *other = certificate_program(c)->operations.at[o].name;
    int p = note->prefix;
    for (int question = 0; question < 4; question++) {
        static const char *const words[] = {"starts", "direct", "kept", "chain"};
        bool from_x = question < 2;
        certificate_begin(
            c, arena_printf(c->arena, "%s, %s with %s.%d", name, words[question], other, w));
        CertState start = cert_base(c);
        Speaker u = certificate_speaker(c, note->operation, "u", NULL);
        Speaker v = certificate_speaker(c, o, "v", &u);
        certificate_assume(c, &start);
        CertState middle = cert_copy(c, start);
        if (from_x) {
            certificate_run(c, &middle, &u, 0, p, true);
            certificate_assume(c, &middle);
        } else {
            cert_condition(c, certificate_point(c, 'F', &start, &u, p));
            cert_condition(c, certificate_point(c, 'K', &start, &u, p));
        }
        CertState end = cert_copy(c, middle);
        certificate_run(c, &end, &v, 0, w, true);
        if (from_x)
            cert_condition(c, arena_printf(c->arena, "(not %s)",
                                           certificate_swaps(c, start, &end, &u, 0, p, &v, 0, w)));
        if (question % 2 == 0) {
            certificate_refute(c, certificate_point(c, 'K', &end, &u, p));
            continue;
        }
        certificate_run(c, &end, &u, p, p + 1, true);
        certificate_refute(c, certificate_swaps(c, middle, &end, &v, 0, w, &u, p, p + 1));
    }
}

static void certificate_beginning(Certificate *c, const ReduceNote *note)
{
    const IrOperation *op = &certificate_program(c)->operations.at[note->operation];
    const char *name = arena_printf(c->arena, "%s.%d", op->name, note->prefix);
    if (note->manner == MANNER_WEAK)
        return;
    if (note->manner == MANNER_RIGHT || note->manner == MANNER_LEFT) {
        certificate_single_steps(c, note, name);
        return;
    }
    for (int o = 0; o < (int)certificate_program(c)->operations.count; o++)
        for (int w = 1; w <= certificate_points(c, o); w++) {
            if (note->manner == MANNER_CHAIN) {
                certificate_chain(c, note, name, o, w);
                continue;
            }
            certificate_begin(c, arena_printf(c->arena, "%s, whole and %s.%d", name,
                                              certificate_program(c)->operations.at[o].name, w));
            certificate_exchange(c, note->operation, "u", 0, note->prefix, o, "v", 0, w);
        }
}

/* ---- 5: serial runs ---- */

typedef struct Effect { /* a way of the specification, for a beginning */
    const IrOperation *way;
    CertView view;
    const bool *own; /* of its locals: not one of the operation's */
} Effect;

/* The way ABSTRACT for the first PREFIX steps of SPEAKER, as the path PATH. */
static Effect certificate_effect(Certificate *c, const Speaker *speaker, int path, int abstract)
{
    const IrProgram *program = certificate_program(c);
    const IrOperation *way = &c->simulation->specification->operations.at[abstract];
    const IrOperation *other = &program->operations.at[path];
    int *to_own = arena_array_of(c->arena, int, other->locals.count + 1);
    bool *own = arena_array_of(c->arena, bool, way->locals.count + 1);
    CertView view = {.op = way, .abstract = true};
    view.names = arena_array_of(c->arena, const char *, way->locals.count + 1);
    ir_operation_common_prefix(speaker->view.op, other, to_own);
    for (size_t l = 0; l < way->locals.count; l++) {
        own[l] = true;
        view.names[l] = arena_printf(c->arena, "|%zu.%s.s|", l, way->locals.at[l].name);
    }
    for (size_t k = 0; k < way->ports.count; k++) {
        int local = ir_operation_port(other, k), l = way->ports.at[k];
        if (l < 0 || local < 0)
            continue;
        local = path == speaker->operation ? local : to_own[local];
        if (local < 0)
            continue;
        own[l] = false;
        view.names[l] = cert_local(c, speaker->view, local);
    }
    return (Effect){way, view, own};
}

/* Stores the witness of a cell that is written: the node that was made. */
static void certificate_remember(Certificate *c, CertState *state, const Speaker *speaker, int made,
                                 CertView view, const IrExpr *target)
{
    const Simulation *simulation = c->simulation;
    int array = simulation->witness.at[target->index];
    if (array < 0 || target->kind != IR_CELL)
        return;
    IrType type = c->whole->arrays.at[array].type;
    CertView plain = {.op = speaker->view.op};
    bool fits = made >= 0 && ir_type_equal(speaker->view.op->locals.at[made].type, type);
    const char *node = fits ? cert_local(c, speaker->view, made) : "0";
    const char *at = cert_expr(c, state, view, target->a);
    int component = cert_component(c, &plain, IR_CELL, array);
    cert_set(c, state, component,
             arena_printf(c->arena, "(store %s %s %s)", state->at[component], at, node));
    if (!fits || simulation->positions.at[type.structure] < 0)
        return;
    component = cert_component(c, &plain, IR_FIELD, simulation->positions.at[type.structure]);
    cert_set(c, state, component,
             arena_printf(c->arena, "(store %s %s %s)", state->at[component], node, at));
}

static int certificate_made(const Speaker *speaker, int prefix)
{
    int made = -1;
    for (int i = 0; i < prefix; i++)
        for (size_t k = 0; k < speaker->view.op->subops.at[i].statements.count; k++)
            if (speaker->view.op->subops.at[i].statements.at[k].kind == IR_NEW)
                made = speaker->view.op->subops.at[i].statements.at[k].local;
    return made;
}

static void certificate_do_effect(Certificate *c, CertState *state, const Speaker *speaker,
                                  const Effect *effect, int prefix, bool ghosts)
{
    const SubOp *step = &effect->way->subops.at[0];
    for (size_t i = 0; i < step->guards.count; i++)
        cert_guard(c, state, effect->view, step->guards.at[i]);
    for (size_t i = 0; i < step->statements.count; i++) {
        const IrStatement *s = &step->statements.at[i];
        if (ghosts && s->kind == IR_SET && s->target->kind == IR_CELL)
            certificate_remember(c, state, speaker, certificate_made(speaker, prefix), effect->view,
                                 s->target);
        cert_statement(c, state, effect->view, s);
    }
}

/* Whether the way can run in STATE, for some values of what the beginning leaves open. */
static const char *certificate_can(Certificate *c, const CertState *state, const Speaker *speaker,
                                   const Effect *effect, int prefix)
{
    const IrProgram *program = certificate_program(c);
    const IrOperation *op = speaker->view.op;
    CertState copy = cert_copy(c, *state);
    CertView view = effect->view;
    Buffer text = {0}, bound = {0};
    view.names = arena_array_of(c->arena, const char *, effect->way->locals.count + 1);
    for (size_t l = 0; l < effect->way->locals.count; l++) {
        bool open = effect->own[l];
        view.names[l] = effect->view.names[l];
        for (size_t k = 0; !open && k < op->locals.count && prefix < (int)op->subops.count; k++) {
            if (strcmp(cert_local(c, speaker->view, (int)k), view.names[l]) != 0)
                continue;
            open = !program->id_is_thread || ir_operation_port(op, 0) == (int)k;
            for (int i = 0; i < prefix; i++)
                open = open && !ir_subop_uses_local(&op->subops.at[i], (int)k);
        }
        if (!open)
            continue;
        view.names[l] = arena_printf(c->arena, "|%zu.%s.s|", l, effect->way->locals.at[l].name);
        buffer_printf(&bound, "%s(%s Int)", bound.count > 0 ? " " : "", view.names[l]);
    }
    Effect with = {effect->way, view, effect->own};
    bool quantified = bound.count > 0;
    if (quantified)
        buffer_printf(&text, "(exists (%.*s) ", STR_ARG(buffer_str(&bound)));
    buffer_printf(&text, "(and true");
    c->goal = &text;
    c->inlined = true;
    certificate_do_effect(c, &copy, speaker, &with, prefix, false);
    c->inlined = false;
    c->goal = NULL;
    buffer_printf(&text, quantified ? "))" : ")");
    const char *result = str_copy(c->arena, buffer_str(&text));
    vec_free(&text);
    vec_free(&bound);
    return result;
}

/* Begins a question about the first PREFIX steps of OPERATION, from the relation. */
static Speaker certificate_related(Certificate *c, int operation, int prefix, CertState *state,
                                   const char *words)
{
    const IrOperation *op = &certificate_program(c)->operations.at[operation];
    certificate_begin(c, arena_printf(c->arena, "%s.%d %s", op->name, prefix, words));
    CertState start = cert_base(c);
    Speaker u = certificate_speaker(c, operation, "u", NULL);
    certificate_assume(c, &start);
    cert_condition(c, certificate_apply(c, "R", &start, true, NULL));
    *state = cert_copy(c, start);
    certificate_run(c, state, &u, 0, prefix, prefix < (int)op->subops.count);
    return u;
}

static void certificate_with_effects(Certificate *c, int operation, int prefix)
{
    const IrProgram *spec = c->simulation->specification;
    const IrOperation *op = &certificate_program(c)->operations.at[operation];
    bool finished = prefix == (int)op->subops.count;
    int path;
    CertState state;
    for (int a = 0; a < (int)spec->operations.count; a++) {
        if (!simulation_is_effect_of(c->simulation, operation, prefix, a, &path))
            continue;
        Speaker u = certificate_related(
            c, operation, prefix, &state,
            arena_printf(c->arena, "with %s keeps the relation", spec->operations.at[a].name));
        Effect effect = certificate_effect(c, &u, path, a);
        for (size_t l = 0; l < effect.way->locals.count; l++)
            if (effect.own[l])
                buffer_printf(&c->out, "(declare-const %s Int)\n", effect.view.names[l]);
        certificate_do_effect(c, &state, &u, &effect, prefix, true);
        certificate_refute(c, certificate_apply(c, "R", &state, true, NULL));
    }
    Buffer ways = {0};
    Speaker u = certificate_related(c, operation, prefix, &state,
                                    finished ? "is followed" : "where nothing follows");
    buffer_printf(&ways, "(or false");
    for (int a = 0; a < (int)spec->operations.count; a++)
        if (simulation_is_effect_of(c->simulation, operation, prefix, a, &path)) {
            Effect effect = certificate_effect(c, &u, path, a);
            buffer_printf(&ways, " %s", certificate_can(c, &state, &u, &effect, prefix));
        }
    buffer_printf(&ways, ")");
    const char *some = str_copy(c->arena, buffer_str(&ways));
    vec_free(&ways);
    if (finished) {
        certificate_refute(c, some);
        return;
    }
    cert_condition(c, arena_printf(c->arena, "(not %s)", some));
    certificate_refute(c, certificate_apply(c, "R", &state, true, NULL));
}

static void certificate_without_effect(Certificate *c, int operation, int prefix)
{
    CertState state;
    certificate_related(c, operation, prefix, &state, "alone keeps the relation");
    certificate_refute(c, certificate_apply(c, "R", &state, true, NULL));
}

static void certificate_part_relation(Certificate *c)
{
    const IrProgram *program = certificate_program(c);
    certificate_initial(c, true);
    for (int o = 0; o < (int)program->operations.count; o++) {
        const IrOperation *op = &program->operations.at[o];
        int steps = (int)op->subops.count, effect = c->simulation->effect.at[o];
        for (int prefix = 1; prefix < steps; prefix++) {
            if (simulation_is_known(c->simulation, o, prefix))
                continue;
            if (effect <= prefix)
                certificate_with_effects(c, o, prefix);
            else if (!ir_operation_reads_only(op, prefix))
                certificate_without_effect(c, o, prefix);
        }
        if (op->internal)
            certificate_without_effect(c, o, steps);
        else
            certificate_with_effects(c, o, steps);
    }
}

/* ---- the head ---- */

static void certificate_head(Certificate *c)
{
    buffer_printf(&c->out, "(declare-fun remainder (Int) Int)\n");
    CertState state = cert_base(c);
    if (c->whole->size >= 0) {
        const char *n = state.at[c->whole->size];
        buffer_printf(&c->out, "(declare-const %s Int)\n(assert (<= 2 %s))\n", n, n);
        buffer_printf(&c->out,
                      "(assert (forall ((|any| Int)) (and (<= 0 (remainder |any|)) (< (remainder "
                      "|any|) %s))))\n",
                      n);
        buffer_printf(&c->out,
                      "(assert (forall ((|any| Int)) (= (remainder (+ |any| %s)) (remainder "
                      "|any|))))\n",
                      n);
        buffer_printf(&c->out, "(assert (forall ((|any| Int)) (=> (<= 0 |any|) (<= (remainder "
                               "|any|) |any|))))\n");
        buffer_printf(&c->out,
                      "(assert (forall ((|any| Int) (|any1| Int)) (=> (and (< |any| |any1|) (= "
                      "(remainder |any|) (remainder |any1|))) (<= (+ |any| %s) |any1|))))\n",
                      n);
    }
    for (int i = 0; i < c->components; i++)
        if (i != c->whole->size)
            buffer_printf(&c->out, "(declare-const %s %s)\n", state.at[i], cert_sort(c, i));
}

static void certificate_choices(Certificate *c, const ReduceResult *reduction)
{
    static const char *const manners[] = {"weak", "right", "left", "whole", "chain"};
    const IrProgram *program = certificate_program(c);
    for (int o = 0; o < (int)program->operations.count; o++)
        for (int i = 0; i < certificate_points(c, o); i++)
            if (prover_is_weak(c->prover, o, i))
                buffer_printf(&c->out, "(set-info :weak \"%s %d\")\n",
                              program->operations.at[o].name, i);
    for (size_t i = 0; reduction && i < reduction->notes.count; i++)
        buffer_printf(&c->out, "(set-info :manner \"%s %d %s\")\n",
                      program->operations.at[reduction->notes.at[i].operation].name,
                      reduction->notes.at[i].prefix, manners[reduction->notes.at[i].manner]);
    for (int o = 0; o < (int)program->operations.count; o++) {
        const IrOperation *op = &program->operations.at[o];
        for (size_t w = 0; w < op->walks.count; w++)
            for (size_t g = 0; g < op->subops.at[0].guards.count; g++)
                if (walk_guard_is_immutable(c->prover, o, (int)w, g))
                    buffer_printf(&c->out, "(set-info :immutable \"%s %zu %zu\")\n", op->name, w,
                                  g);
    }
    const Simulation *simulation = c->simulation;
    for (int o = 0; simulation && o < (int)program->operations.count; o++)
        buffer_printf(&c->out, "(set-info :effect \"%s %d\")\n", program->operations.at[o].name,
                      simulation->effect.at[o]);
    for (size_t a = 0; simulation && a < simulation->witness.count; a++) {
        if (simulation->witness.at[a] < 0)
            continue;
        int structure = c->whole->arrays.at[simulation->witness.at[a]].type.structure;
        buffer_printf(&c->out, "(set-info :witness \"%s %s\")\n",
                      simulation->specification->arrays.at[a].name,
                      c->whole->structures.at[structure]);
    }
    for (size_t s = 0; simulation && s < simulation->positions.count; s++)
        if (simulation->positions.at[s] >= 0)
            buffer_printf(&c->out, "(set-info :position \"%s\")\n", c->whole->structures.at[s]);
}

static void certificate_definitions(Certificate *c, const ReduceResult *reduction)
{
    const IrProgram *program = certificate_program(c);
    certificate_global_facts(c, "G", &c->prover->facts.global, false, true);
    for (int o = 0; o < (int)program->operations.count; o++)
        for (int p = 1; p < certificate_points(c, o); p++)
            certificate_point_facts(c, 'F', o, p, &c->prover->facts.points[o][p]);
    for (size_t i = 0; reduction && i < reduction->notes.count; i++)
        if (reduction->notes.at[i].manner == MANNER_CHAIN)
            certificate_point_facts(c, 'K', reduction->notes.at[i].operation,
                                    reduction->notes.at[i].prefix, &reduction->notes.at[i].chain);
    if (c->simulation)
        certificate_global_facts(c, "R", &c->simulation->prover.facts.global, true, false);
}

static void certificate_open(Certificate *c, Prover *prover, const Simulation *simulation)
{
    c->prover = prover;
    c->simulation = simulation;
    c->whole = simulation ? simulation->product : prover->program;
    c->components =
        (int)(c->whole->globals.count + c->whole->fields.count + c->whole->arrays.count) + 2;
    c->last = arena_array_of(c->arena, int, (size_t)c->components);
}

/* ---- 4: memory, and what the text claims ---- */

typedef struct Touches { /* what has been assumed so far in the step, and what is touched */
    Buffer assumed, goals;
} Touches;

/* The node TERM is touched now. */
static void certificate_touch(Certificate *c, Touches *t, const CertState *state, const char *term)
{
    const IrProgram *program = certificate_program(c);
    const char *live = arena_printf(c->arena, "(and (not (= %s 0)) (= (select %s %s) 1))", term,
                                    state->at[c->components - 1], term);
    const char *goal = !program->id_is_thread
                           ? arena_printf(c->arena, "(or (= %s 0) %s)", term, live)
                       : program->manual ? live
                                         : arena_printf(c->arena, "(not (= %s 0))", term);
    buffer_printf(&t->goals, " (=> (and true%.*s) %s)", STR_ARG(buffer_str(&t->assumed)), goal);
}

static void certificate_touch_expr(Certificate *c, Touches *t, const CertState *state,
                                   CertView view, const IrExpr *e)
{
    if (!e)
        return;
    certificate_touch_expr(c, t, state, view, e->a);
    certificate_touch_expr(c, t, state, view, e->b);
    if (e->kind == IR_FIELD)
        certificate_touch(c, t, state, cert_expr(c, state, view, e->a));
}

static void certificate_touch_formula(Certificate *c, Touches *t, const CertState *state,
                                      CertView view, const IrFormula *f)
{
    if (!f)
        return;
    if (f->kind == FORMULA_NONE) { /* it may look at any node */
        buffer_printf(&t->goals, " false");
        return;
    }
    if (f->kind == FORMULA_LIVE)
        certificate_touch(c, t, state, cert_expr(c, state, view, f->left));
    certificate_touch_expr(c, t, state, view, f->left);
    certificate_touch_expr(c, t, state, view, f->right);
    certificate_touch_formula(c, t, state, view, f->a);
    certificate_touch_formula(c, t, state, view, f->b);
}

static void certificate_touch_step(Certificate *c, Touches *t, CertState *state, CertView view,
                                   const SubOp *subop)
{
    for (size_t i = 0; i < subop->guards.count; i++) {
        certificate_touch_formula(c, t, state, view, subop->guards.at[i]);
        c->goal = &t->assumed;
        cert_guard(c, state, view, subop->guards.at[i]);
    }
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind == IR_FREE)
            certificate_touch(c, t, state, cert_local(c, view, s->local));
        certificate_touch_expr(c, t, state, view, s->value);
        certificate_touch_expr(c, t, state, view, s->target);
        certificate_touch_formula(c, t, state, view, s->condition);
        c->goal = &t->assumed;
        cert_statement(c, state, view, s);
    }
    c->goal = NULL;
}

static void certificate_memory(Certificate *c, int operation)
{
    for (int i = 0; i < certificate_points(c, operation); i++) {
        const IrOperation *op = &certificate_program(c)->operations.at[operation];
        Touches touches = {0};
        certificate_begin(c, arena_printf(c->arena, "%s.%s touches allocated nodes", op->name,
                                          op->subops.at[i].label));
        CertState state = cert_base(c);
        Speaker u = certificate_speaker(c, operation, "u", NULL);
        certificate_assume(c, &state);
        cert_condition(c, certificate_point(c, 'F', &state, &u, i));
        c->inlined = true;
        certificate_touch_step(c, &touches, &state, u.view, &op->subops.at[i]);
        c->inlined = false;
        certificate_refute(
            c, arena_printf(c->arena, "(and true%.*s)", STR_ARG(buffer_str(&touches.goals))));
        vec_free(&touches.assumed);
        vec_free(&touches.goals);
    }
}

static void certificate_ensures(Certificate *c, int operation)
{
    const IrOperation *op = &certificate_program(c)->operations.at[operation];
    for (size_t i = 0; i < op->ensures.count; i++) {
        const Ensure *ensure = &op->ensures.at[i];
        certificate_begin(c, arena_printf(c->arena, "%s ensures %zu", op->name, i));
        CertState start = cert_base(c), end = cert_copy(c, start);
        Speaker u = certificate_speaker(c, operation, "u", NULL);
        certificate_assume(c, &start);
        certificate_run(c, &end, &u, 0, certificate_points(c, operation), false);
        const char *formula = cert_formula(c, &start, u.view, ensure->formula);
        certificate_refute(
            c, ensure->bound_count == 0
                   ? formula
                   : arena_printf(c->arena, "(forall ((|any| Int)) (not %s))", formula));
    }
}

/* ---- walks ---- */

static const char *certificate_live(Certificate *c, const CertState *state, const char *node)
{
    return arena_printf(c->arena, "(and (not (= %s 0)) (= (select %s %s) 1))", node,
                        state->at[c->components - 1], node);
}

static const char *certificate_all(Certificate *c, const CertState *state, CertView view,
                                   const IrFormula *const *list, size_t count)
{
    Buffer text = {0};
    buffer_printf(&text, "(and true");
    for (size_t i = 0; i < count; i++)
        buffer_printf(&text, " %s", cert_formula(c, state, view, list[i]));
    buffer_printf(&text, ")");
    const char *copy = str_copy(c->arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

static const char *certificate_follow(Certificate *c, const CertState *state, CertView view,
                                      const Walk *walk, const char *node)
{
    return arena_printf(c->arena, "(select %s %s)",
                        state->at[cert_component(c, &view, IR_FIELD, walk->field)], node);
}

static void certificate_walk_state(Certificate *c, int operation, const Walk *walk,
                                   const char *name)
{
    for (int onwards = 0; onwards < 2; onwards++) {
        certificate_begin(c, arena_printf(c->arena, "%s %s", name, onwards ? "goes on" : "starts"));
        CertState s = cert_base(c);
        Speaker u = certificate_speaker(c, operation, "u", NULL), w = u;
        if (onwards)
            w = certificate_speaker(c, operation, "w", &u);
        const char *node = cert_local(c, u.view, walk->local);
        const char *next = cert_local(c, w.view, walk->local);
        certificate_assume(c, &s);
        if (onwards) {
            cert_condition(c, certificate_live(c, &s, node));
            cert_condition(c, certificate_all(c, &s, u.view, walk->keep.at, walk->keep.count));
            cert_condition(c, arena_printf(c->arena, "(= %s %s)", next,
                                           certificate_follow(c, &s, u.view, walk, node)));
            cert_condition(c, arena_printf(c->arena, "(not (= %s 0))", next));
        } else {
            cert_condition(c,
                           arena_printf(c->arena, "(= %s %s)", node,
                                        s.at[cert_component(c, &u.view, IR_GLOBAL, walk->global)]));
        }
        certificate_refute(
            c, arena_printf(c->arena, "(and %s %s)", certificate_live(c, &s, next),
                            certificate_all(c, &s, w.view, walk->keep.at, walk->keep.count)));
    }
}

/* Asks whether step P of O keeps the conditions of the walk, or (GUARD) a condition that is said to
 * be immutable. */
static void certificate_walk_step(Certificate *c, int operation, const Walk *walk, const char *name,
                                  int o, int p, const IrFormula *guard)
{
    const IrOperation *op = &certificate_program(c)->operations.at[o];
    certificate_begin(
        c, arena_printf(c->arena, "%s and %s.%s", name, op->name, op->subops.at[p].label));
    CertState before = cert_base(c), after = cert_copy(c, before);
    Speaker u = certificate_speaker(c, operation, "u", NULL);
    Speaker v = certificate_speaker(c, o, "v", &u);
    const char *node = cert_local(c, u.view, walk->local);
    certificate_assume(c, &before);
    cert_condition(c, certificate_point(c, 'F', &before, &v, p));
    certificate_run(c, &after, &v, p, p + 1, false);
    cert_condition(c, certificate_live(c, &before, node));
    if (guard) {
        if (walk->to >= 0) {
            const char *to = cert_local(c, u.view, walk->to);
            cert_condition(c, arena_printf(c->arena, "(or (= %s 0) %s)", to,
                                           certificate_live(c, &before, to)));
        }
        certificate_refute(c, arena_printf(c->arena, "(= %s %s)",
                                           cert_formula(c, &before, u.view, guard),
                                           cert_formula(c, &after, u.view, guard)));
        return;
    }
    const char *keeps = certificate_all(c, &before, u.view, walk->keep.at, walk->keep.count);
    const char *still = certificate_all(c, &after, u.view, walk->keep.at, walk->keep.count);
    const char *until = walk->until.count == 0 ? "true"
                                               : certificate_all(c, &before, u.view, walk->until.at,
                                                                 walk->until.count);
    certificate_refute(
        c, arena_printf(c->arena, "(and (=> %s %s) (or %s (= %s %s)) %s (=> %s (or %s %s)))", still,
                        keeps, still, certificate_follow(c, &before, u.view, walk, node),
                        certificate_follow(c, &after, u.view, walk, node),
                        certificate_live(c, &after, node), keeps, still, until));
}

static void certificate_walk_guards(Certificate *c, int operation, const Walk *walk, int number,
                                    const char *name)
{
    const IrProgram *program = certificate_program(c);
    const SubOp *first = &program->operations.at[operation].subops.at[0];
    bool *fixed = arena_array_of(c->arena, bool, first->guards.count + 1);
    for (size_t i = 0; i < first->guards.count; i++) {
        fixed[i] = walk_guard_is_immutable(c->prover, operation, number, i);
        for (int o = 0; fixed[i] && o < (int)program->operations.count; o++)
            for (int p = 0; p < certificate_points(c, o); p++)
                certificate_walk_step(c, operation, walk,
                                      arena_printf(c->arena, "%s, condition %zu", name, i), o, p,
                                      first->guards.at[i]);
    }
    certificate_begin(c, arena_printf(c->arena, "%s, first step", name));
    CertState s = cert_base(c);
    Speaker u = certificate_speaker(c, operation, "u", NULL);
    const char *node = cert_local(c, u.view, walk->local);
    certificate_assume(c, &s);
    cert_condition(c, certificate_live(c, &s, node));
    cert_condition(c, certificate_all(c, &s, u.view, walk->keep.at, walk->keep.count));
    cert_condition(c, certificate_all(c, &s, u.view, walk->until.at, walk->until.count));
    if (walk->to >= 0)
        cert_condition(c, arena_printf(c->arena, "(= %s %s)", cert_local(c, u.view, walk->to),
                                       certificate_follow(c, &s, u.view, walk, node)));
    Buffer rest = {0};
    for (size_t i = 0; i < first->guards.count; i++) {
        const char *text = cert_formula(c, &s, u.view, first->guards.at[i]);
        if (fixed[i])
            cert_condition(c, text);
        else
            buffer_printf(&rest, " %s", text);
    }
    certificate_refute(c, arena_printf(c->arena, "(and true%.*s)", STR_ARG(buffer_str(&rest))));
    vec_free(&rest);
}

static void certificate_walks(Certificate *c, int operation)
{
    const IrProgram *program = certificate_program(c);
    const IrOperation *op = &program->operations.at[operation];
    for (size_t i = 0; i < op->walks.count; i++) {
        const Walk *walk = &op->walks.at[i];
        const char *name = arena_printf(c->arena, "walk %zu of %s", i, op->name);
        certificate_walk_state(c, operation, walk, name);
        for (int o = 0; o < (int)program->operations.count; o++)
            for (int p = 0; p < certificate_points(c, o); p++)
                if (ir_subop_writes(&program->operations.at[o].subops.at[p]))
                    certificate_walk_step(c, operation, walk, name, o, p, NULL);
        certificate_walk_guards(c, operation, walk, (int)i, name);
    }
}

/* ---- ranks and pairs ---- */

static void certificate_obligations(Certificate *c, const Ghosted *ghosted)
{
    for (size_t i = 0; i < ghosted->obligations.count; i++) {
        const Obligation *o = &ghosted->obligations.at[i];
        const IrOperation *op = &certificate_program(c)->operations.at[o->operation];
        certificate_begin(
            c, arena_printf(c->arena, "%s.%s owes %zu", op->name, op->subops.at[o->step].label, i));
        CertState start = cert_base(c), end = cert_copy(c, start);
        Speaker u = certificate_speaker(c, o->operation, "u", NULL);
        certificate_assume(c, &start);
        cert_condition(c, certificate_point(c, 'F', &start, &u, o->step));
        certificate_run(c, &end, &u, o->step, o->step + 1, false);
        const char *formula = cert_formula(c, &start, u.view, o->formula);
        certificate_refute(c, o->bound_count == 0
                                  ? formula
                                  : arena_printf(c->arena, "(forall ((|any| Int)) %s)", formula));
    }
}

/* In the specification, FIRST and SECOND, one after the other with the same value, can run in every
 * state and leave it as it was. */
static void certificate_pair(Certificate *c, int first, int second, int first_given,
                             int second_given)
{
    const IrProgram *spec = certificate_program(c);
    certificate_begin(c, arena_printf(c->arena, "%s and then %s are nothing",
                                      spec->operations.at[first].name,
                                      spec->operations.at[second].name));
    CertState start = cert_base(c), end = cert_copy(c, start);
    Speaker u = certificate_speaker(c, first, "u", NULL);
    Speaker v = certificate_speaker(c, second, "v", &u);
    certificate_assume(c, &start);
    if (first_given >= 0 && second_given >= 0)
        cert_condition(c, arena_printf(c->arena, "(= %s %s)", cert_local(c, u.view, first_given),
                                       cert_local(c, v.view, second_given)));
    Buffer goal = {0};
    buffer_printf(&goal, "(and true");
    c->goal = &goal;
    c->inlined = true;
    certificate_run(c, &end, &u, 0, 1, false);
    certificate_run(c, &end, &v, 0, 1, false);
    for (int i = 0; i < c->components; i++)
        if (end.at[i] != start.at[i])
            cert_condition(c, arena_printf(c->arena, "(= %s %s)", start.at[i], end.at[i]));
    c->inlined = false;
    c->goal = NULL;
    buffer_printf(&goal, ")");
    certificate_refute(c, str_copy(c->arena, buffer_str(&goal)));
    vec_free(&goal);
}

/* ---- the whole ---- */

static void certificate_section(Certificate *c, const char *name, Prover *prover,
                                const Simulation *simulation, const ReduceResult *reduction)
{
    buffer_printf(&c->out, "(push 1)\n(set-info :section \"%s\")\n", name);
    certificate_open(c, prover, simulation);
    certificate_head(c);
    certificate_choices(c, reduction);
    certificate_definitions(c, reduction);
    certificate_part_facts(c);
}

static void certificate_claims(Certificate *c, bool memory)
{
    int count = (int)certificate_program(c)->operations.count;
    for (int o = 0; o < count; o++)
        certificate_ensures(c, o);
    for (int o = 0; o < count; o++)
        certificate_walks(c, o);
    for (int o = 0; o < count && memory; o++)
        certificate_memory(c, o);
}

static void certificate_reordering(Certificate *c, Prove *prove)
{
    bool memory = prove->text != prove->program || ir_program_checks_nodes(prove->program);
    certificate_section(c, "steps", &prove->prover, prove->simulated ? &prove->simulation : NULL,
                        &prove->reduction);
    for (int o = 0; o < (int)certificate_program(c)->operations.count; o++)
        certificate_weak(c, o);
    for (size_t i = 0; i < prove->reduction.notes.count; i++)
        certificate_beginning(c, &prove->reduction.notes.at[i]);
    if (prove->simulated)
        certificate_part_relation(c);
    certificate_claims(c, memory);
    buffer_printf(&c->out, "(pop 1)\n");
}

/* The rounds of loops that only look (IrProgram.looks) touch allocated nodes. */
static void certificate_looks(Certificate *c, const Prove *prove, unsigned effort)
{
    IrProgram *program = arena_new_of(c->arena, IrProgram);
    Ghosted ghosted;
    Prover prover;
    *program = prove->text->looks ? *prove->text->looks : *prove->text;
    program->specification = prove->text->specification;
    bool enlarged = prove->enlarged && enlarge_program(c->arena, program, false, &ghosted);
    prover_init(&prover, c->arena, enlarged ? ghosted.program : program, effort);
    facts_candidates(c->arena, prover.program, &prover.facts);
    houdini_run(&prover);
    certificate_section(c, "looks", &prover, NULL, NULL);
    for (int o = 0; o < (int)prover.program->operations.count; o++)
        certificate_memory(c, o);
    buffer_printf(&c->out, "(pop 1)\n");
    prover_free(&prover);
    if (enlarged)
        ghost_free(&ghosted);
}

static void certificate_ghosts(Certificate *c, Prover *prover, const Ghosted *ghosted,
                               const char *name)
{
    certificate_section(c, name, prover, NULL, NULL);
    certificate_obligations(c, ghosted);
    certificate_claims(c, false);
    buffer_printf(&c->out, "(pop 1)\n");
}

/* The specification of a program with pairs has facts of its own. */
static void certificate_pairs(Certificate *c, const IrProgram *program, unsigned effort)
{
    Prover prover;
    prover_init(&prover, c->arena, program->specification, effort);
    facts_candidates(c->arena, program->specification, &prover.facts);
    houdini_run(&prover);
    certificate_section(c, "specification", &prover, NULL, NULL);
    for (size_t i = 0; i < program->operations.count; i++) {
        const Meeting *meets = program->operations.at[i].meets;
        int order[2], given[2];
        if (!meets)
            continue;
        meeting_order(&prover, program, (int)i, order, given);
        certificate_pair(c, order[0], order[1], given[0], given[1]);
    }
    buffer_printf(&c->out, "(pop 1)\n");
    prover_free(&prover);
}

bool certificate_write(Arena *arena, Prove *prove, unsigned effort, const char *path,
                       unsigned long *questions, Error *error)
{
    Certificate certificate = {.arena = arena}, *c = &certificate;
    buffer_printf(&c->out, "(set-logic ALL)\n(set-info :status unsat)\n"
                           "(set-info :heddle \"certificate 1\")\n");
    buffer_printf(&c->out, "(set-info :program \"%s%s\")\n",
                  prove->ordered                                                   ? "ranks"
                  : prove->meets                                                   ? "pairs"
                  : prove->text != prove->program && !prove->program->id_is_thread ? "joined"
                                                                                   : "text",
                  prove->idle       ? " enlarged idle"
                  : prove->enlarged ? " enlarged"
                                    : "");
    if (prove->program->id_is_thread && prove->program->specification)
        cert_model(c, prove->text);
    if (prove->ordered)
        certificate_ghosts(c, &prove->prover, &prove->ghosted, "ranks");
    else
        certificate_reordering(c, prove);
    if (prove->meets) {
        certificate_ghosts(c, &prove->second, &prove->ghosted, "pairs");
        certificate_pairs(c, prove->program, effort);
    }
    if (prove_has_looks(prove))
        certificate_looks(c, prove, effort);
    *questions = c->questions;
    FileWriter file;
    file_begin(&file, path);
    fwrite(c->out.at, 1, c->out.count, file.stream);
    vec_free(&c->out);
    return file_commit(&file, error);
}
