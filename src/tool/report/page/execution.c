#include "tool/report/page/execution.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "record/check.h"
#include "tool/report/advice.h"
#include "tool/report/arrows.h"
#include "tool/report/cells.h"
#include "tool/report/jsontext.h"
#include "tool/report/page/page.h"
#include "tool/report/page/states.h"
#include "tool/report/scenario.h"
#include "tool/report/steps.h"
#include "tool/report/repair.h"
#include "tool/report/weakening.h"

#define MOST_STEPS 3000
#define MOST_LINES 4000 /* of a source file; of a longer one, what lies around its steps */
#define AROUND 150

typedef struct Source {
    const char *file;
    int first, last; /* lines that steps name */
    int number;      /* in the document; -1: not readable */
} Source;
typedef struct Drawing {
    const Answer *answer;
    const Record *record;
    Names *names;
    Arena *arena;
    Steps steps;
    int *index; /* by entry of steps: its place in the document, or -1 */
    int *index_of_event;
    int *operation_of_call; /* by number of the call (`other`): its operation, or -1 */
    uint32_t call_count;
    int *lane; /* by thread, or -1 */
    Vec(Source) sources;
    json_t *document;
} Drawing;

/* ---- source ---- */

/* Adds the lines of file PATH from about FIRST to LAST to SOURCES; returns the number of the
 * source, or -1 if it can't be read. NAME is what it is called. */
static int execution_add_source(json_t *sources, const char *path, const char *name, int first,
                                int last)
{
    FILE *from = file_open_stream(path, FILE_TEXT_BYTES, NULL);
    if (!from)
        return -1;
    json_t *lines = json_array();
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    int number = 0, begin = last > MOST_LINES ? MAX(first - AROUND, 1) : 1;
    while ((length = getline(&text, &room, from)) >= 0 && number < last + MOST_LINES) {
        if (++number < begin)
            continue;
        while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
            length--;
        json_push(lines, json_text_of((Str){text, (size_t)length}));
        if (number >= last + AROUND && number - begin >= MOST_LINES)
            break;
    }
    free(text);
    fclose(from);
    json_t *source = json_object();
    json_put(source, "name", json_text(name));
    json_put(source, "first", json_integer(begin));
    json_put(source, "lines", lines);
    json_push(sources, source);
    return (int)json_array_size(sources) - 1;
}

static Source *source_of(Drawing *drawing, const SourcePlace *place)
{
    if (!place->file)
        return NULL;
    for (size_t i = 0; i < drawing->sources.count; i++)
        if (!strcmp(drawing->sources.at[i].file, place->file))
            return &drawing->sources.at[i];
    vec_push(&drawing->sources,
             (Source){.file = place->file, .first = place->line, .last = place->line});
    return &drawing->sources.at[drawing->sources.count - 1];
}

static void add_sources(Drawing *drawing)
{
    json_t *sources = json_array();
    for (size_t i = 0; i < drawing->steps.count; i++) {
        const SourcePlace *place = &drawing->steps.at[i].source;
        Source *source = source_of(drawing, place);
        if (source) {
            source->first = MIN(source->first, place->line);
            source->last = MAX(source->last, place->line);
        }
    }
    for (size_t i = 0; i < drawing->sources.count; i++) {
        Source *source = &drawing->sources.at[i];
        const char *slash = strrchr(source->file, '/');
        source->number = execution_add_source(
            sources, source->file, slash ? slash + 1 : source->file, source->first, source->last);
    }
    json_put(drawing->document, "sources", sources);
}

/* ---- steps ---- */

static const RecordEvent *event_of(const Drawing *drawing, const Step *step)
{
    return step->event < drawing->record->event_count ? &drawing->record->events[step->event]
                                                      : NULL;
}

/* The threads of a generated test are the test's own business: who creates and joins them says
 * nothing about the operations. */
static bool is_scaffold(const Drawing *drawing, const Step *step)
{
    const RecordEvent *event = event_of(drawing, step);
    return drawing->answer->outcome.scenario && event && !step->blocked &&
           (event->kind == RECORD_CREATE || event->kind == RECORD_JOIN ||
            event->kind == RECORD_END || event->kind == RECORD_BEGIN);
}

static void number_steps(Drawing *drawing)
{
    Steps *steps = &drawing->steps;
    int next = 0;
    drawing->index = arena_array_of(drawing->arena, int, steps->count + 1);
    drawing->lane = arena_array_of(drawing->arena, int, drawing->record->thread_count + 1u);
    for (uint32_t t = 0; t < drawing->record->thread_count; t++)
        drawing->lane[t] = -1;
    for (size_t i = 0; i < steps->count; i++) {
        drawing->index[i] = is_scaffold(drawing, &steps->at[i]) ? -1 : next++;
        if (drawing->index[i] >= 0 && steps->at[i].number)
            drawing->lane[steps->at[i].thread] = 0;
    }
    /* events in both halves of a read-modify-write and in repeated steps share a step */
    uint32_t events = drawing->record->event_count;
    drawing->index_of_event = arena_array_of(drawing->arena, int, events + 1u);
    int *by_number = arena_array_of(drawing->arena, int, events + 2u);
    for (uint32_t i = 0; i < events + 2u; i++)
        by_number[i] = -1;
    for (size_t i = 0; i < steps->count; i++)
        if (steps->at[i].number <= events)
            by_number[steps->at[i].number] = steps->at[i].number ? drawing->index[i] : -1;
    for (uint32_t i = 0; i < events; i++)
        drawing->index_of_event[i] = by_number[steps_number_of(steps, i)];
}

static void add_threads(Drawing *drawing)
{
    json_t *threads = json_array();
    for (uint32_t t = 0; t < drawing->record->thread_count; t++) {
        if (drawing->lane[t] < 0)
            continue;
        drawing->lane[t] = (int)json_array_size(threads);
        json_t *thread = json_object();
        bool named =
            t && !drawing->answer->outcome.scenario && drawing->record->threads[t].function;
        json_put(thread, "name", json_text(names_thread(drawing->names, t)));
        json_put(
            thread, "function",
            json_text(named ? names_function(drawing->names, drawing->record->threads[t].function)
                            : NULL));
        json_push(threads, thread);
    }
    json_put(drawing->document, "threads", threads);
}

static const char *kind_word(const RecordEvent *event)
{
    static const char *const words[] = {
#define X(name, word) word,
        RECORD_KINDS(X)
#undef X
    };
    return event ? words[event->kind] : "end";
}

static json_t *step_object(Drawing *drawing, const Step *step)
{
    json_t *object = json_object();
    json_put(object, "number", step->number ? json_integer(step->number) : json_null());
    json_put(object, "thread",
             step->number ? json_integer(drawing->lane[step->thread]) : json_null());
    json_put(object, "kind", json_text(kind_word(event_of(drawing, step))));
    json_put(object, "action", json_text(step->action));
    json_put(object, "order", json_text(step->order));
    json_put(object, "note", json_text(step->note));
    Source *source = source_of(drawing, &step->source);
    bool shown = source && source->number >= 0;
    json_put(object, "source", shown ? json_integer(source->number) : json_null());
    json_put(object, "line", shown ? json_integer(step->source.line) : json_null());
    json_put(object, "place", json_text(step->place));
    json_put(object, "function", json_text(step->source.function));
    json_put(object, "operation", json_null());
    json_put(object, "bad", json_boolean(step->bad));
    json_put(object, "partner", json_boolean(step->partner));
    json_put(object, "stale", json_boolean(step->stale));
    json_put(object, "blocked", json_boolean(step->blocked));
    json_put(object, "reads", json_array());
    json_put(object, "writes", json_array());
    return object;
}

static void add_steps(Drawing *drawing)
{
    json_t *steps = json_array();
    for (size_t i = 0; i < drawing->steps.count; i++)
        if (drawing->index[i] >= 0)
            json_push(steps, step_object(drawing, &drawing->steps.at[i]));
    json_put(drawing->document, "steps", steps);
}

/* The step that shows EVENT or, if none does, the nearest one of its thread before or after it. */
static int nearest_step(const Drawing *drawing, uint32_t event, bool after)
{
    const Record *record = drawing->record;
    for (uint32_t i = event; i < record->event_count; i += after ? 1u : UINT32_MAX)
        if (record->events[i].thread == record->events[event].thread &&
            drawing->index_of_event[i] >= 0)
            return drawing->index_of_event[i];
    return -1;
}

/* Happens-before is transitive: an arrow of it may start
 * earlier and end later in its threads. The others mean the very events. */
static void add_arrows(Drawing *drawing)
{
    Arrows arrows;
    json_t *list = json_array();
    arrows_make(drawing->arena, drawing->record, &arrows);
    for (size_t i = 0; i < arrows.list.count; i++) {
        const Arrow *arrow = &arrows.list.at[i];
        bool moves = arrow->kind == ARROW_BEFORE;
        int from = moves ? nearest_step(drawing, arrow->from, false)
                         : drawing->index_of_event[arrow->from];
        int to =
            moves ? nearest_step(drawing, arrow->to, true) : drawing->index_of_event[arrow->to];
        if (from < 0 || to < 0 || from == to)
            continue;
        json_t *object = json_object();
        json_put(object, "kind", json_text(arrow_kind_word(arrow->kind)));
        json_put(object, "from", json_integer(from));
        json_put(object, "to", json_integer(to));
        json_put(object, "orders", json_boolean(arrow->orders));
        json_push(list, object);
    }
    vec_free(&arrows.list);
    json_put(drawing->document, "arrows", list);
}

/* ---- memory ---- */

static void add_cells(Drawing *drawing)
{
    MemoryCells cells;
    json_t *list = json_array(), *steps = json_object_get(drawing->document, "steps");
    cells_make(drawing->names, drawing->record, &drawing->steps, &cells);
    for (size_t i = 0; i < cells.list.count; i++) {
        json_t *cell = json_object();
        json_put(cell, "name", json_text(cells.list.at[i].name));
        json_put(cell, "initial", json_text(cells.list.at[i].initial));
        json_put(cell, "lock", json_boolean(cells.list.at[i].lock));
        json_push(list, cell);
    }
    for (size_t i = 0; i < cells.uses.count; i++) {
        const CellUse *use = &cells.uses.at[i];
        int step = nearest_step(drawing, use->event, true);
        if (step < 0)
            continue;
        json_t *object = json_object();
        json_put(object, "cell", json_integer(use->cell));
        json_put(object, "value", json_text(use->value));
        if (use->writes)
            json_put(object, "current", json_boolean(use->current));
        json_push(
            json_object_get(json_array_get(steps, (size_t)step), use->writes ? "writes" : "reads"),
            object);
    }
    cells_free(&cells);
    json_put(drawing->document, "cells", list);
}

/* ---- operations ---- */

/* The call words are a prefix of the words of its return: "get()", "get() = none". */
static const char *result_words(const char *call, const char *whole)
{
    size_t length = strlen(call);
    return !strncmp(call, whole, length) && !strncmp(whole + length, " = ", 3) ? whole + length + 3
                                                                               : NULL;
}

static void add_operations(Drawing *drawing)
{
    const Record *record = drawing->record;
    json_t *list = json_array(), *steps = json_object_get(drawing->document, "steps");
    for (uint32_t i = 0; i < record->event_count; i++)
        if (record->events[i].kind == RECORD_CALL && record->events[i].other < UINT16_MAX)
            drawing->call_count = MAX(drawing->call_count, record->events[i].other + 1);
    drawing->operation_of_call = arena_array_of(drawing->arena, int, drawing->call_count + 1u);
    for (uint32_t k = 0; k <= drawing->call_count; k++)
        drawing->operation_of_call[k] = -1;
    for (uint32_t i = 0; i < record->event_count; i++) {
        const RecordEvent *call = &record->events[i];
        int from = drawing->index_of_event[i], to = -1;
        if (call->kind != RECORD_CALL || from < 0 || drawing->lane[call->thread] < 0)
            continue;
        const char *words = record_text(record, call->text), *result = NULL;
        for (uint32_t j = i + 1; j < record->event_count && to < 0; j++)
            if (record->events[j].kind == RECORD_RETURN &&
                record->events[j].thread == call->thread &&
                record->events[j].other == call->other) {
                to = drawing->index_of_event[j];
                result = result_words(words, record_text(record, record->events[j].text));
            }
        if (call->other < drawing->call_count)
            drawing->operation_of_call[call->other] = (int)json_array_size(list);
        json_t *object = json_object();
        json_put(object, "thread", json_integer(drawing->lane[call->thread]));
        json_put(object, "call", json_text(words));
        json_put(object, "result", json_text(result));
        json_put(object, "from", json_integer(from));
        json_put(object, "to", to < 0 ? json_null() : json_integer(to));
        json_t *step;
        size_t last = to < 0 ? json_array_size(steps) : (size_t)to + 1;
        for (size_t at = (size_t)from; at < last && (step = json_array_get(steps, at)); at++)
            if (json_integer_value(json_object_get(step, "thread")) == drawing->lane[call->thread])
                json_put(step, "operation", json_integer((json_int_t)json_array_size(list)));
        json_push(list, object);
    }
    json_put(drawing->document, "operations", list);
}

static int operation_of(const Drawing *drawing, unsigned call)
{
    return call < drawing->call_count ? drawing->operation_of_call[call] : -1;
}

static void add_orders(Drawing *drawing)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < drawing->answer->outcome.order_count; i++) {
        const OutcomeOrder *order = &drawing->answer->outcome.orders[i];
        json_t *object = json_object(), *calls = json_array(), *refused = json_array();
        for (uint32_t k = 0; k < order->count; k++)
            if (operation_of(drawing, order->calls[k]) >= 0)
                json_push(calls, json_integer(operation_of(drawing, order->calls[k])));
        for (uint32_t k = 0; k < order->refused_count; k++) {
            int operation = operation_of(drawing, order->refused[k].call);
            if (operation < 0)
                continue;
            json_t *one = json_object();
            json_put(one, "operation", json_integer(operation));
            json_put(one, "why", json_text(order->refused[k].why));
            json_push(refused, one);
        }
        json_put(object, "calls", calls);
        json_put(object, "refused", refused);
        json_push(list, object);
    }
    json_put(drawing->document, "orders", list);
}

/* The place of the last step that has MARK, or NULL. */
static json_t *last_marked(const json_t *steps, const char *mark)
{
    for (size_t i = json_array_size(steps); i-- > 0;)
        if (json_is_true(json_object_get(json_array_get(steps, i), mark)))
            return json_integer((json_int_t)i);
    return NULL;
}

/* Where to look first: the result that fits no order, the step at which the violation shows, or
 * where the last thread begins to wait. */
static void add_focus(Drawing *drawing)
{
    json_t *steps = json_object_get(drawing->document, "steps");
    json_t *order = json_array_get(json_object_get(drawing->document, "orders"), 0);
    json_t *refused = json_array_get(json_object_get(order, "refused"), 0);
    json_t *focus = NULL;
    if (refused) {
        size_t number = (size_t)json_integer_value(json_object_get(refused, "operation"));
        json_t *operation =
            json_array_get(json_object_get(drawing->document, "operations"), number);
        if (json_is_integer(json_object_get(operation, "to")))
            focus = json_incref(json_object_get(operation, "to"));
    }
    bool waits = drawing->record->violation == VIOLATION_DEADLOCK ||
                 drawing->record->violation == VIOLATION_LIVELOCK;
    if (!focus)
        focus = last_marked(steps, waits ? "blocked" : "bad");
    if (!focus)
        focus = last_marked(steps, waits ? "bad" : "blocked");
    json_put(drawing->document, "focus", focus ? focus : json_null());
}

/* ---- the whole ---- */

static void add_execution(Drawing *drawing, bool all)
{
    StepsOptions options = {.all = all, .fold = true, .most = MOST_STEPS};
    steps_make(drawing->names, drawing->record, &options, &drawing->steps);
    json_t *explanations = json_array();
    const char **lines = steps_explain(drawing->names, drawing->record, &drawing->steps);
    for (size_t i = 0; lines[i]; i++)
        json_push(explanations, json_text(lines[i]));
    json_put(drawing->document, "explanations", explanations);
    number_steps(drawing);
    add_threads(drawing);
    add_sources(drawing);
    add_steps(drawing);
    add_arrows(drawing);
    add_cells(drawing);
    add_operations(drawing);
    add_orders(drawing);
    add_focus(drawing);
    vec_free(&drawing->steps);
    vec_free(&drawing->sources);
}

static void add_count(json_t *document, const char *name, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    if (count)
        page_add_fact(document, name, text);
}

static void add_facts(json_t *document, const Answer *answer)
{
    char text[64];
    page_add_fact(document, "memory model", answer->model);
    if (answer->outcome.shape)
        page_add_fact(document, "smallest test", answer->outcome.shape);
    bool replay = !strcmp(answer->command, "replay");
    if (!replay)
        add_count(document, "executions", answer->executions);
    add_count(document, "states", answer->outcome.states);
    add_count(document, "steps", answer->outcome.transitions);
    add_count(document, "blocked", answer->blocked);
    add_count(document, "given up", answer->cut);
    add_count(document, "racing locations explored as if atomic", answer->outcome.promoted);
    add_count(document, "equal threads taken as interchangeable", answer->outcome.alike);
    add_count(document, "tests", answer->outcome.tests);
    add_count(document, "serial runs", answer->outcome.serial_runs);
    if (answer->outcome.coverage && *answer->outcome.coverage)
        page_add_fact(document, "covered", answer->outcome.coverage);
    if (answer->outcome.progress)
        page_add_fact(document, "progress", answer->outcome.progress);
    if (answer->bounds)
        page_add_fact(document, "bounds", answer->bounds);
    if (answer->verdict == VERDICT_HOLDS)
        page_add_fact(document, "explored",
                      answer->exhaustive ? "everything within these bounds" : "a part");
    snprintf(text, sizeof text, "%.2f s", answer->seconds);
    if (!replay)
        page_add_fact(document, "time", text);
}

/* One text a thread, or calls of main. NULL gives none. */
static json_t *columns_of(const char *text)
{
    json_t *columns = json_array();
    Scenario scenario;
    if (text)
        scenario_begin(&scenario, text);
    while (text && scenario_next(&scenario))
        json_push(columns, json_text_of(scenario.calls));
    return columns;
}

/* Which stronger memory orders mend it, for a card of the page. */
static json_t *repair_document(const Repair *repair)
{
    Buffer line = {0};
    json_t *object = json_object(), *ways = json_array();
    repair_tell_models(&line, repair);
    buffer_printf(&line, "%s", line.count ? "; " : "");
    repair_tell_end(&line, repair);
    json_put(object, "text", json_text(line.at));
    vec_clear(&line);
    repair_tell_bounds(&line, repair);
    json_put(object, "tried", json_text(line.at));
    for (unsigned i = 0; i < repair->count; i++) {
        const RepairWay *way = &repair->ways[i];
        json_t *one = json_object(), *changes = json_array();
        for (unsigned k = 0; k < way->count; k++) {
            char place[256];
            json_t *change = json_object();
            weakening_place(way->at[k].order, place, sizeof place);
            vec_clear(&line);
            repair_tell_change(&line, &way->at[k]);
            json_put(change, "place", json_text(place));
            json_put(change, "change", json_text(line.at));
            json_put(change, "function", json_text(way->at[k].order->function));
            json_array_append_new(changes, change);
        }
        json_put(one, "changes", changes);
        json_put(one, "patch", json_text(way->patch));
        json_array_append_new(ways, one);
    }
    json_put(object, "ways", ways);
    vec_free(&line);
    return object;
}

json_t *execution_document(const Answer *answer, Names *names, bool all)
{
    bool violated = answer->verdict == VERDICT_VIOLATED;
    const char *message = answer->message;
    if (!message && answer->verdict == VERDICT_INCONCLUSIVE)
        message = answer->reason;
    if (!message && violated)
        message = violation_text(answer->violation);
    char holds[600];
    if (!message && answer->verdict == VERDICT_HOLDS) {
        snprintf(holds, sizeof holds, "no execution goes wrong under %s%s%s", answer->model,
                 answer->bounds ? " among " : "", answer->bounds ? answer->bounds : "");
        message = holds;
    }
    json_t *document =
        page_document("execution", answer->command, answer->subject, verdict_word(answer->verdict),
                      violated ? violation_word(answer->violation) : NULL, message);
    json_put(document, "model", json_text(answer->model));
    add_facts(document, answer);
    json_t *remarks = json_array();
    for (size_t i = 0; i < answer->remarks.count; i++)
        json_push(remarks, json_text(answer->remarks.at[i]));
    if (answer_hint(answer))
        json_push(remarks, json_text(answer_hint(answer)));
    json_put(document, "remarks", remarks);
    Arena *arena = arena_new();
    json_put(document, "advice", json_text(advice_for(arena, answer)));
    arena_free(arena);
    json_put(document, "repair", answer->repair ? repair_document(answer->repair) : json_null());
    json_put(document, "doubted", json_text(answer->doubted ? answer->reason : NULL));
    json_put(document, "test", columns_of(answer->outcome.scenario));
    json_put(document, "closest", columns_of(answer->outcome.closest));
    char command[4200];
    snprintf(command, sizeof command, "heddle replay %s%s",
             answer->replay_words ? answer->replay_words : "",
             answer->record_path ? answer->record_path : "");
    json_put(document, "replay", json_text(answer->record_path ? command : NULL));
    json_t *states = answer->outcome.picture ? states_document(answer->outcome.picture) : NULL;
    json_put(document, "states", states ? states : json_null());
    if (answer->record && names && answer_shows_violation(answer)) {
        Drawing drawing = {.answer = answer,
                           .record = answer->record,
                           .names = names,
                           .arena = names_arena(names),
                           .document = document};
        add_execution(&drawing, all);
    }
    return document;
}
