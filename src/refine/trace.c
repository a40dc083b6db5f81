/* Stored pairs are canonical: their threads, values and nodes have been renamed on the way. The
 * path is made again from the start, transition by transition, and the renamings are added up, so
 * that the counterexample speaks of the same threads and values from its beginning to its end. */
#include "refine/trace.h"
#include "refine/judge.h"
#include "refine/state_text.h"
#include <limits.h>
#include <string.h>

typedef struct Names {
    int threads[MODEL_MAX_THREADS + 1]; /* of the canonical state -> of the counterexample */
    int values[256];
    int next_value;
} Names;

static void names_rename(Names *names, const Renaming *renaming)
{
    Names old = *names;
    memset(names->values, 0, sizeof names->values);
    for (int t = 1; t <= MODEL_MAX_THREADS; t++)
        names->threads[renaming->threads[t]] = old.threads[t];
    for (int v = 1; v < 256; v++)
        if (renaming->values[v])
            names->values[renaming->values[v]] = old.values[v];
}

/* The name of a data value; one not seen before (a new call's) gets the next. */
static int64_t value_name(Names *names, const Type *type, int64_t value)
{
    if (type->kind != TYPE_DATA || value == 0)
        return value;
    if (!names->values[value & 0xFF])
        names->values[value & 0xFF] = ++names->next_value;
    return names->values[value & 0xFF];
}

static RefineStep make_step(Arena *arena, Worker *worker, const Successor *successor, Names *names)
{
    const Program *program = worker->program;
    const ModelOperation *operation = program->operations[successor->operation].operation;
    RefineStep step = {.thread = names->threads[successor->thread + 1] - 1,
                       .operation = operation,
                       .invokes = successor->invokes,
                       .responds = successor->responds,
                       .edge_count = successor->edge_count};
    const unsigned char *state =
        (const unsigned char *)worker->stepper.states.at + successor->state;
    const unsigned char *arguments = state + program->shared_bytes +
                                     successor->thread * program->thread_bytes +
                                     program->arguments_offset;
    if (successor->invokes && !successor->is_fault)
        for (int i = 0; i < operation->parameter_count; i++) {
            const Variable *parameter = operation->locals[i];
            int64_t value = program_load(parameter->type, arguments + parameter->offset);
            if (parameter->type->kind == TYPE_DATA) /* new, though another value may have been */
                names->values[value & 0xFF] = 0;    /* called so and is gone */
            step.arguments[i] = value_name(names, parameter->type, value);
        }
    if (successor->responds)
        step.result = value_name(names, operation->result, successor->result);
    if (!successor->is_fault)
        step.values =
            state_texts(arena, program, state, &(StateNames){names->threads, names->values});
    step.edges = arena_array_of(arena, const Edge *, (size_t)successor->edge_count + 1);
    for (int i = 0; i < successor->edge_count; i++)
        step.edges[i] = program->edges[worker->stepper.edges.at[successor->first_edge + i]].edge;
    return step;
}

typedef struct Hop {
    int worker, ordinal;
    uint32_t pair;
} Hop;

/* Steps from the start to the finding; leaves the last pair loaded and its names in *names. */
static void make_path(Arena *arena, Worker *workers, int finder, RefineResult *result, Names *names,
                      const Successor **last)
{
    const RefineFinding finding = workers[finder].finding;
    Vec(Hop) hops = {0};
    *last = NULL;
    if (finding.pair != NO_PAIR) {
        Hop hop = {finder, finding.ordinal, finding.pair};
        while (hop.pair != NO_PAIR) {
            const Pair *pair = &workers[hop.worker].pairs.at[hop.pair];
            vec_push(&hops, hop);
            hop = (Hop){(int)pair->parent_worker, (int)pair->ordinal, pair->parent};
        }
    }
    result->steps = arena_array_of(arena, RefineStep, hops.count + 1);
    for (size_t i = hops.count; i-- > 0;) {
        Hop hop = hops.at[i];
        Worker *worker = &workers[hop.worker];
        worker_load(worker, hop.pair);
        if (i == hops.count - 1)
            result->initial_values = state_texts(arena, worker->program, worker->state,
                                                 &(StateNames){names->threads, names->values});
        if (hop.ordinal < 0)
            break; /* the finding is in the pair itself */
        const Successor *successor = &worker->stepper.out.at[hop.ordinal];
        result->steps[result->step_count++] = make_step(arena, worker, successor, names);
        if (i == 0) {
            *last = successor;
            break;
        }
        Renaming renaming;
        bool ok = worker_apply(worker, successor);
        ASSERT(ok);
        worker_canonise(worker, &renaming);
        names_rename(names, &renaming);
    }
    vec_free(&hops);
}

static const char *fault_message(Arena *arena, const RefineFinding *finding)
{
    const char *text = fault_text(finding->fault);
    if (finding->fault == FAULT_RANGE || finding->fault == FAULT_INDEX)
        return arena_printf(arena, "%s: %lld", text, (long long)finding->value);
    return text;
}

static const char *deadlock_message(Arena *arena, const RefineOptions *options,
                                    const Program *program, const RefineFinding *finding,
                                    const Names *names)
{
    Buffer text = {0};
    buffer_printf(&text, "no thread can go on%s (",
                  options->specification ? ", and the specification would let one" : "");
    bool first = true;
    for (int real = 1; real <= program->thread_count; real++)
        for (int t = 0; t < program->thread_count; t++)
            if (names->threads[t + 1] == real && finding->waiting[t] >= 0) {
                const ModelOperation *operation =
                    program->operations[finding->waiting[t]].operation;
                buffer_printf(&text, "%st%d waits in %s", first ? "" : ", ", real, operation->name);
                first = false;
            }
    buffer_printf(&text, ")");
    const char *copy = str_copy(arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

/* A fault of the implementation: a finding about it, or about the bounds of the model? */
static void judge_fault(const RefineFinding *finding, RefineResult *result)
{
    result->verdict = VERDICT_VIOLATED;
    switch (finding->fault) {
    case FAULT_ASSERTION:
    case FAULT_INVARIANT:
        result->violation = VIOLATION_ASSERTION;
        return;
    case FAULT_FREED_REFERENCE:
        result->violation = VIOLATION_USE_AFTER_FREE;
        return;
    case FAULT_DOUBLE_FREE:
        result->violation = VIOLATION_DOUBLE_FREE;
        return;
    case FAULT_NULL_REFERENCE:
    case FAULT_INDEX:
        result->violation = VIOLATION_INVALID_ACCESS;
        return;
    case FAULT_DIVISION:
        result->violation = VIOLATION_CRASH;
        return;
    default:
        result->is_model_error = true;
        result->verdict = VERDICT_INCONCLUSIVE;
    }
}

static void find_allowed(Arena *arena, Worker *worker, const Successor *last, Names *names,
                         RefineResult *result)
{
    const Type *type = worker->program->operations[last->operation].operation->result;
    Words values = {0};
    worker_allowed(worker, last, &values);
    result->allowed = arena_array_of(arena, const char *, values.count + 1);
    for (size_t i = 0; i < values.count; i++) {
        Buffer text = {0};
        model_value_print(&text, type, value_name(names, type, (int32_t)values.at[i]));
        result->allowed[result->allowed_count++] = str_copy(arena, buffer_str(&text));
        vec_free(&text);
    }
    vec_free(&values);
}

/* The last response of the counterexample, judged again by the definition. The two must agree; a
 * history too long for brute force is left at the search's word. */
static void judge_again(const RefineOptions *options, const Program *program,
                        const RefineResult *result)
{
    JudgedHistory history = {.count = 0};
    int open[MODEL_MAX_THREADS];
    for (int i = 0; i < result->step_count; i++) {
        const RefineStep *step = &result->steps[i];
        if (step->invokes) {
            if (history.count == JUDGE_MAX_CALLS)
                return;
            JudgedCall *call = &history.calls[history.count];
            *call = (JudgedCall){.operation = step->operation->index,
                                 .thread = step->thread + 1,
                                 .begin = 2 * i,
                                 .end = INT_MAX};
            for (int j = 0; j < step->operation->parameter_count; j++) {
                const Variable *parameter = step->operation->locals[j];
                program_store(parameter->type, call->arguments + parameter->offset,
                              step->arguments[j]);
            }
            open[step->thread] = history.count++;
        }
        if (step->responds) {
            history.calls[open[step->thread]].end = 2 * i + 1;
            history.calls[open[step->thread]].result = (int)step->result;
        }
    }
    AutomatonOptions judged = {.model = options->model,
                               .implementation = program,
                               .specification = options->specification,
                               .factors = options->factors,
                               .classes = options->classes};
    AutomatonOptions plain = judged;
    plain.factors = NULL;
    RefAutomaton *automaton = ref_automaton_new(&plain);
    Judgement judgement = judge_history(automaton, &judged, &history, 300000);
    ref_automaton_free(automaton);
    ASSERT(judgement != JUDGE_EXPLAINED);
}

void trace_build(Arena *arena, const RefineOptions *options, Worker *workers, int finder,
                 RefineResult *result)
{
    Worker *worker = &workers[finder];
    const RefineFinding finding = worker->finding;
    Names names = {.next_value = 0};
    const Successor *last;
    for (int t = 0; t <= MODEL_MAX_THREADS; t++)
        names.threads[t] = t;
    make_path(arena, workers, finder, result, &names, &last);
    result->place = finding.place;
    switch (finding.kind) {
    case FINDING_UNEXPLAINED:
        result->verdict = VERDICT_VIOLATED;
        result->violation = VIOLATION_REFINEMENT;
        result->message = "the last result is one that the specification does not allow";
        judge_again(options, worker->program, result);
        find_allowed(arena, worker, last, &names, result);
        break;
    case FINDING_FAULT:
        result->message = fault_message(arena, &finding);
        judge_fault(&finding, result);
        break;
    case FINDING_DEADLOCK:
        result->verdict = VERDICT_VIOLATED;
        result->violation = options->specification ? VIOLATION_STUCK : VIOLATION_DEADLOCK;
        result->message = deadlock_message(arena, options, worker->program, &finding, &names);
        break;
    case FINDING_SPECIFICATION_FAULT:
        result->verdict = VERDICT_INCONCLUSIVE;
        result->is_model_error = true;
        result->message =
            arena_printf(arena, "in the specification: %s", fault_message(arena, &finding));
        break;
    case FINDING_SPECIFICATION_STUCK: {
        Buffer text = {0};
        result->verdict = VERDICT_INCONCLUSIVE;
        result->is_model_error = true;
        result->place = options->specification->place;
        ref_automaton_print(worker->automaton, finding.specification_state, &text);
        result->specification_state = str_copy(arena, buffer_str(&text));
        vec_free(&text);
        result->message = arena_printf(
            arena, "the specification is deadlocked: none of its operations can go on where %s",
            result->specification_state);
        break;
    }
    case FINDING_NONE:
        ASSERT(false);
    }
    worker->finding = finding;
}
