#include "refine/explain.h"
#include <string.h>

/* ---- standstill ----
 * No thread can go on: each is finished, waits in its operation, or is idle and may call an
 * operation in which it would wait at once (with fusion such a call is no transition, so it is
 * looked for here). A standstill is justified if the specification has one too: for every choice of
 * calls by the idle threads some configuration lets none of the calls take effect. */
static bool all_finished(const Worker *worker)
{
    for (int t = 0; t < worker->threads; t++)
        if (program_pc(worker->program, program_thread(worker->program, worker->state, t)) <
            worker->program->point_count)
            return false;
    return true;
}

static void note_outcome(Worker *worker)
{
    vec_clear(&worker->text);
    for (int i = 0; i < worker->options->model->observation_count; i++) {
        const Observation *observation = &worker->options->model->observations[i];
        Machine machine = {.program = worker->observations[i].program, .memory = worker->state};
        RunStatus status = machine_run(&machine, worker->observations[i].code);
        buffer_printf(&worker->text, "%s%s=", i ? " " : "", observation->text);
        if (status == RUN_RETURN)
            model_value_print(&worker->text, observation->expr->type, machine.result);
        else
            buffer_printf(&worker->text, "?");
    }
    table_put(&worker->outcomes, worker->text.at ? worker->text.at : "", worker->text.count, NULL);
}

typedef struct Standstill {
    int operation[MODEL_MAX_THREADS]; /* that the thread waits in; -1: it has finished */
    unsigned char arguments[MODEL_MAX_THREADS][64];
} Standstill;

/* Tells which calls are pending in CONFIG, but for that of THREAD. */
static void set_open(Worker *worker, const Standstill *still, const uint32_t *config, int thread)
{
    uint32_t calls[MODEL_MAX_THREADS];
    int count = 0;
    for (int t = 0; t < worker->threads; t++)
        if (t != thread && config[1 + t] == STATUS_PENDING)
            ref_automaton_add_open(worker->automaton, still->operation[t], still->arguments[t],
                                   calls, &count);
    ref_automaton_set_open(worker->automaton, calls, count);
}

/* Does some configuration block every thread? */
static bool blocked_by_one(Worker *worker, const Standstill *still)
{
    size_t width = (size_t)worker->config_words;
    for (size_t i = 0; i < worker->configs.count; i += width) {
        bool blocks = true;
        for (int t = 0; t < worker->threads && blocks; t++) {
            if (still->operation[t] < 0 ||
                worker->program->operations[still->operation[t]].operation->is_program)
                continue; /* the specification knows nothing of programs */
            uint32_t status = worker->configs.at[i + 1 + (size_t)t];
            StepOutcomes outcomes = {0, 0};
            blocks = status == STATUS_PENDING || status == STATUS_IDLE;
            set_open(worker, still, worker->configs.at + i, t);
            if (blocks &&
                !ref_automaton_step(worker->automaton, worker->configs.at[i], still->operation[t],
                                    still->arguments[t], t + 1, &outcomes))
                return worker_specification_failed(worker);
            blocks = blocks && outcomes.count == 0;
        }
        if (blocks)
            return true;
    }
    return false;
}

/* Tries all choices of calls by idle threads from thread on; false, with the choice in *still, when
 * one of them is not justified. */
static bool justified(Worker *worker, int thread, Standstill *still)
{
    const Program *program = worker->program;
    if (thread == worker->threads)
        return worker->automaton && blocked_by_one(worker, still);
    unsigned char *block = program_thread(program, worker->state, thread);
    if (program_pc(program, block) != PC_IDLE) {
        still->operation[thread] = worker_operation(worker, worker->state, thread);
        memcpy(still->arguments[thread], block + program->arguments_offset,
               (size_t)program->arguments_bytes);
        return justified(worker, thread + 1, still);
    }
    for (size_t i = 0; i < worker->stepper.blocked.count; i++) {
        const BlockedCall *call = &worker->stepper.blocked.at[i];
        if (call->thread != thread)
            continue;
        still->operation[thread] = call->operation;
        memcpy(still->arguments[thread], call->arguments, sizeof call->arguments);
        if (!justified(worker, thread + 1, still))
            return false;
    }
    return true;
}

static bool can_stand_still(const Worker *worker)
{
    bool moves[MODEL_MAX_THREADS] = {false}, may_wait[MODEL_MAX_THREADS] = {false};
    for (size_t i = 0; i < worker->stepper.out.count; i++)
        moves[worker->stepper.out.at[i].thread] = true;
    for (size_t i = 0; i < worker->stepper.blocked.count; i++)
        may_wait[worker->stepper.blocked.at[i].thread] = true;
    for (int t = 0; t < worker->threads; t++) {
        int pc = program_pc(worker->program, program_thread(worker->program, worker->state, t));
        if (pc == PC_IDLE ? !may_wait[t] : moves[t])
            return false;
    }
    return true;
}

bool worker_judge_standstill(Worker *worker, uint32_t index)
{
    Standstill still;
    if (!can_stand_still(worker))
        return true;
    if (all_finished(worker)) {
        if (worker->options->collect_outcomes)
            note_outcome(worker);
        return true;
    }
    if (worker->options->traces || justified(worker, 0, &still))
        return true;
    if (worker->finding.kind == FINDING_NONE) {
        worker->finding = (RefineFinding){.kind = FINDING_DEADLOCK, .pair = index, .ordinal = -1};
        for (int t = 0; t < worker->threads; t++)
            worker->finding.waiting[t] = still.operation[t];
    }
    return false;
}
