#include "tool/report/refinement.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include "tool/report/json.h"
#include "tool/report/jsontext.h"

/* "holds", "violated (refinement)", "inconclusive" or "error". */
static const char *refinement_headline(const RefineResult *result)
{
    return result->is_model_error ? "error in the model" : verdict_word(result->verdict);
}

/* ---- rows: what one thread did, a line each ---- */
static void add_row(RefinementRows *rows, Arena *arena, const RefineStep *step, int number,
                    RefinementRowKind kind, const Buffer *text, Place place)
{
    vec_push(rows, (RefinementRow){.thread = step->thread,
                                   .step = number,
                                   .kind = kind,
                                   .text = arena_copy(arena, text->at, text->count + 1),
                                   .place = place});
}

static void print_call(Buffer *out, const RefineStep *step)
{
    buffer_printf(out, "%s(", step->operation->name);
    for (int i = 0; i < step->operation->parameter_count; i++) {
        buffer_printf(out, "%s", i ? ", " : "");
        model_value_print(out, step->operation->locals[i]->type, step->arguments[i]);
    }
    buffer_printf(out, ")");
}

RefinementRows refinement_rows(const RefinementReport *report, Arena *arena)
{
    RefinementRows rows = {0};
    Buffer text = {0};
    const Place nowhere = {0};
    for (int i = 0; i < report->result->step_count; i++) {
        const RefineStep *step = &report->result->steps[i];
        if (step->invokes) {
            vec_clear(&text);
            print_call(&text, step);
            add_row(&rows, arena, step, i + 1, ROW_CALL, &text, nowhere);
        }
        for (int e = 0; e < step->edge_count; e++) {
            const Edge *edge = step->edges[e];
            bool is_return = edge->action && edge->action->kind == STMT_RETURN;
            bool boring = edge->is_private || (!edge->guard && !edge->action);
            if ((boring || (is_return && edge->is_private)) && !report->all_steps)
                continue;
            vec_clear(&text);
            edge_print(&text, edge);
            add_row(&rows, arena, step, i + 1, ROW_STEP, &text, edge->place);
        }
        if (step->responds) {
            vec_clear(&text);
            buffer_printf(&text, "%s", step->operation->name);
            if (step->operation->result->kind != TYPE_VOID) {
                buffer_printf(&text, " = ");
                model_value_print(&text, step->operation->result, step->result);
            }
            add_row(&rows, arena, step, i + 1, ROW_RETURN, &text, nowhere);
        }
    }
    vec_free(&text);
    return rows;
}

/* ---- text ---- */
static void print_cell(Buffer *out, const char *text, size_t width)
{
    size_t length = strlen(text);
    if (length > width)
        buffer_printf(out, "%.*s~", (int)width - 1, text);
    else
        buffer_printf(out, "%s", text);
    for (size_t i = MIN(length, width); i < width; i++)
        buffer_printf(out, " ");
}

static void trim_line(Buffer *out)
{
    while (out->count && out->at[out->count - 1] == ' ')
        out->count--;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static size_t place_width(Place place)
{
    if (!place.file)
        return 0;
    return (size_t)snprintf(NULL, 0, "%s:%d", base_name(place.file->name), place.line);
}

static void print_rows(const RefinementReport *report, const RefinementRows *rows, Buffer *out)
{
    static const char *const fancy[] = {"┌ ", "│ ", "└ "};
    static const char *const plain[] = {"[ ", "| ", "] "};
    int threads = report->options->model->thread_count;
    /* all of it in 100 columns: step, a column a thread with its mark, the place */
    size_t place = 0;
    for (size_t i = 0; i < rows->count; i++)
        place = MAX(place, place_width(rows->at[i].place));
    size_t room = 100 - 8 - MIN(place + 1, (size_t)40);
    size_t width = MAX((size_t)14, room / (size_t)threads - 3);
    bool open[MODEL_MAX_THREADS] = {false};
    const char *const *marks = report->ascii ? plain : fancy;
    buffer_printf(out, "\n  step  ");
    for (int t = 0; t < threads; t++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", t + 1);
        print_cell(out, name, width + 3);
    }
    trim_line(out);
    buffer_printf(out, "\n");
    int last = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const RefinementRow *row = &rows->at[i];
        if (row->step != last)
            buffer_printf(out, "  %4d  ", row->step);
        else
            buffer_printf(out, "        ");
        last = row->step;
        if (row->kind == ROW_CALL)
            open[row->thread] = true;
        for (int t = 0; t < threads; t++) {
            if (t == row->thread) {
                buffer_printf(out, "%s", marks[row->kind]);
                print_cell(out, row->text, width);
                buffer_printf(out, " ");
            } else {
                buffer_printf(out, "%s", open[t] ? marks[1] : "  ");
                print_cell(out, "", width + 1);
            }
        }
        if (row->place.file)
            buffer_printf(out, " %s:%d", base_name(row->place.file->name), row->place.line);
        if (row->kind == ROW_RETURN)
            open[row->thread] = false;
        trim_line(out);
        buffer_printf(out, "\n");
    }
}

void refinement_allowed(const RefineResult *result, Buffer *out)
{
    if (result->violation != VIOLATION_REFINEMENT || result->step_count == 0)
        return;
    const RefineStep *last = &result->steps[result->step_count - 1];
    buffer_printf(out, "\n%s by t%d returned ", last->operation->name, last->thread + 1);
    if (last->operation->result->kind == TYPE_VOID)
        buffer_printf(out, "(nothing)");
    else
        model_value_print(out, last->operation->result, last->result);
    if (result->allowed_count == 0) {
        buffer_printf(out, "; the specification does not let it return at all here.\n");
        return;
    }
    buffer_printf(out, "; the specification allows ");
    for (int i = 0; i < result->allowed_count; i++)
        buffer_printf(out, "%s%s",
                      i == 0                           ? ""
                      : i == result->allowed_count - 1 ? " or "
                                                       : ", ",
                      result->allowed[i]);
    buffer_printf(out, ".\n");
}

void refinement_text(const RefinementReport *report, Buffer *out)
{
    const RefineResult *result = report->result;
    const RefineFigures *figures = &result->figures;
    buffer_printf(out, "%s", refinement_headline(result));
    if (result->violation != VIOLATION_NONE)
        buffer_printf(out, " (%s)", violation_word(result->violation));
    if (result->message)
        buffer_printf(out, ": %s", result->message);
    buffer_printf(out, "\n");
    if (result->place.file) {
        Str line = str_trim(source_line(result->place.file, result->place.line));
        buffer_printf(out, "  at %s:%d: %.*s\n", result->place.file->name, result->place.line,
                      STR_ARG(line));
    }
    if (result->step_count) {
        Arena *arena = arena_new();
        RefinementRows rows = refinement_rows(report, arena);
        print_rows(report, &rows, out);
        vec_free(&rows);
        arena_free(arena);
        refinement_allowed(result, out);
    }
    if (report->show_outcomes) {
        for (int i = 0; i < result->outcome_count; i++)
            buffer_printf(out, "outcome %s\n", result->outcomes[i]);
    }
    buffer_printf(out, "\n%s\n", report->bounds);
    buffer_printf(
        out, "%llu states, %llu transitions, depth %llu, %.2f s, %.0f states/s, %.1f MB%s\n",
        (unsigned long long)figures->states, (unsigned long long)figures->transitions,
        (unsigned long long)figures->depth, figures->seconds,
        (double)figures->states / MAX(figures->seconds, 1e-6), (double)figures->memory_bytes / 1e6,
        result->is_exhaustive ? "; every behaviour was covered" : "");
}

/* ---- JSON ---- */
static json_t *json_of_steps(const RefineResult *result)
{
    json_t *steps = json_array();
    Buffer text = {0};
    for (int i = 0; i < result->step_count; i++) {
        const RefineStep *step = &result->steps[i];
        for (int kind = 0; kind < 2 + step->edge_count; kind++) {
            bool is_call = kind == 0, is_return = kind == 1 + step->edge_count;
            if ((is_call && !step->invokes) || (is_return && !step->responds))
                continue;
            vec_clear(&text);
            if (is_call)
                print_call(&text, step);
            else if (is_return && step->operation->result->kind != TYPE_VOID)
                model_value_print(&text, step->operation->result, step->result);
            else if (!is_return)
                edge_print(&text, step->edges[kind - 1]);
            json_t *object = json_object();
            json_put(object, "step", json_integer(i + 1));
            json_put(object, "thread", json_integer(step->thread + 1));
            json_put(object,
                     is_call     ? "call"
                     : is_return ? "return"
                                 : "does",
                     json_text_of(buffer_str(&text)));
            json_put(object, "operation", json_text(step->operation->name));
            if (!is_call && !is_return)
                json_put(object, "line", json_integer(step->edges[kind - 1]->place.line));
            json_push(steps, object);
        }
    }
    vec_free(&text);
    return steps;
}

static json_t *json_of_texts(const char *const *texts, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_push(array, json_text(texts[i]));
    return array;
}

json_t *refinement_json(const RefinementReport *report)
{
    const RefineResult *result = report->result;
    const RefineFigures *figures = &result->figures;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    bool decided = !result->is_model_error;
    Answer answer = {.command = "refine",
                     .subject = report->options->model->name,
                     .verdict = decided ? result->verdict : VERDICT_INCONCLUSIVE,
                     .violation = decided ? result->violation : VIOLATION_NONE,
                     .message =
                         result->verdict == VERDICT_VIOLATED && decided ? result->message : NULL,
                     .reason = result->message,
                     .exhaustive = result->is_exhaustive,
                     .bounds = report->bounds,
                     .seconds = figures->seconds,
                     .peak_rss_kb = usage.ru_maxrss};
    json_t *object = json_head(&answer);
    if (result->place.file) {
        json_put(object, "file", json_text(result->place.file->name));
        json_put(object, "line", json_integer(result->place.line));
    }
    json_put(object, "states", json_count(figures->states));
    json_put(object, "implementation_states", json_count(figures->implementation_states));
    json_put(object, "specification_states", json_count(figures->specification_states));
    json_put(object, "transitions", json_count(figures->transitions));
    json_put(object, "depth", json_count(figures->depth));
    json_put(object, "memory_bytes", json_count(figures->memory_bytes));
    if (report->show_outcomes)
        json_put(object, "outcomes", json_of_texts(result->outcomes, result->outcome_count));
    if (result->step_count)
        json_put(object, "counterexample", json_of_steps(result));
    if (result->allowed_count)
        json_put(object, "allowed", json_of_texts(result->allowed, result->allowed_count));
    return object;
}
