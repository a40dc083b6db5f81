#include "tool/report/page/refinement_page.h"
#include <stdio.h>
#include <string.h>
#include "tool/report/jsontext.h"
#include "tool/report/advice.h"
#include "tool/report/page/page.h"

typedef struct ModelPage {
    const RefineResult *result;
    const Module *module;
    RefinementRows rows;
    Vec(const SourceFile *) files;
    json_t *document;
} ModelPage;

static void add_count(json_t *document, const char *name, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    page_add_fact(document, name, text);
}

/* The number of FILE among the sources of the page. */
static json_int_t source_number(ModelPage *page, const SourceFile *file)
{
    for (size_t i = 0; i < page->files.count; i++)
        if (page->files.at[i] == file)
            return (json_int_t)i;
    vec_push(&page->files, file);
    return (json_int_t)page->files.count - 1;
}

static void add_sources(ModelPage *page)
{
    json_t *sources = json_array();
    for (size_t i = 0; i < page->files.count; i++) {
        const SourceFile *file = page->files.at[i];
        json_t *source = json_object(), *lines = json_array();
        Str rest = {file->text, file->length}, line;
        while (str_next(&rest, '\n', &line))
            json_push(lines, json_text_of(line));
        const char *slash = strrchr(file->name, '/');
        json_put(source, "name", json_text(slash ? slash + 1 : file->name));
        json_put(source, "first", json_integer(1));
        json_put(source, "lines", lines);
        json_push(sources, source);
    }
    json_put(page->document, "sources", sources);
}

static void add_cells(ModelPage *page)
{
    json_t *cells = json_array();
    for (int i = 0; i < page->module->global_count; i++) {
        json_t *cell = json_object();
        json_put(cell, "name", json_text(page->module->globals[i]->name));
        json_put(cell, "initial",
                 json_text(page->result->initial_values ? page->result->initial_values[i] : NULL));
        json_put(cell, "lock", json_false());
        json_put(cell, "model", json_true());
        json_push(cells, cell);
    }
    json_put(page->document, "cells", cells);
}

/* The globals that transition NUMBER (from 1) changes; they show after its last row. */
static json_t *changes(const ModelPage *page, int number, bool is_last)
{
    json_t *writes = json_array();
    const RefineResult *result = page->result;
    const char **now = result->steps[number - 1].values,
               **before = number > 1 ? result->steps[number - 2].values : result->initial_values;
    for (int i = 0; is_last && now && i < page->module->global_count; i++) {
        if (before && !strcmp(before[i], now[i]))
            continue;
        json_t *write = json_object();
        json_put(write, "cell", json_integer(i));
        json_put(write, "value", json_text(now[i]));
        json_put(write, "current", json_true());
        json_push(writes, write);
    }
    return writes;
}

static json_t *row_object(ModelPage *page, size_t index, int operation)
{
    static const char *const kinds[] = {"call", "step", "return"};
    const RefinementRow *row = &page->rows.at[index];
    bool last = index + 1 == page->rows.count || page->rows.at[index + 1].step != row->step;
    bool end = index + 1 == page->rows.count;
    Place where = row->place;
    if (!where.file && row->kind == ROW_CALL)
        where = page->result->steps[row->step - 1].operation->place;
    char place[300] = "";
    json_t *object = json_object();
    json_put(object, "number", json_integer(row->step));
    json_put(object, "thread", json_integer(row->thread));
    json_put(object, "kind", json_text(kinds[row->kind]));
    json_put(object, "action", json_text(row->text));
    json_put(object, "order", json_text(""));
    json_put(object, "note", json_text(""));
    json_put(object, "source",
             where.file ? json_integer(source_number(page, where.file)) : json_null());
    json_put(object, "line", where.file ? json_integer(where.line) : json_null());
    if (where.file) {
        const char *slash = strrchr(where.file->name, '/');
        snprintf(place, sizeof place, "%s:%d", slash ? slash + 1 : where.file->name, where.line);
    }
    json_put(object, "place", json_text(place));
    json_put(object, "function", json_null());
    json_put(object, "operation", operation < 0 ? json_null() : json_integer(operation));
    json_put(object, "bad", json_boolean(end && page->result->violation != VIOLATION_STUCK));
    json_put(object, "partner", json_false());
    json_put(object, "stale", json_false());
    json_put(object, "blocked", json_false());
    json_put(object, "reads", json_array());
    json_put(object, "writes", changes(page, row->step, last));
    return object;
}

/* Rows as steps, and the operations that they make up. */
static void add_steps(ModelPage *page)
{
    json_t *steps = json_array(), *operations = json_array();
    int open[MODEL_MAX_THREADS];
    for (int t = 0; t < MODEL_MAX_THREADS; t++)
        open[t] = -1;
    for (size_t i = 0; i < page->rows.count; i++) {
        const RefinementRow *row = &page->rows.at[i];
        if (row->kind == ROW_CALL) {
            json_t *operation = json_object();
            open[row->thread] = (int)json_array_size(operations);
            json_put(operation, "thread", json_integer(row->thread));
            json_put(operation, "call", json_text(row->text));
            json_put(operation, "result", json_null());
            json_put(operation, "from", json_integer((json_int_t)i));
            json_put(operation, "to", json_null());
            json_push(operations, operation);
        }
        json_push(steps, row_object(page, i, open[row->thread]));
        if (row->kind == ROW_RETURN && open[row->thread] >= 0) {
            json_t *operation = json_array_get(operations, (size_t)open[row->thread]);
            const char *result = strstr(row->text, " = ");
            json_put(operation, "to", json_integer((json_int_t)i));
            json_put(operation, "result", json_text(result ? result + 3 : NULL));
            open[row->thread] = -1;
        }
    }
    /* nobody can go on: every call that is open waits where its thread has come to */
    for (int t = 0; page->result->violation == VIOLATION_STUCK && t < MODEL_MAX_THREADS; t++)
        for (size_t i = page->rows.count; open[t] >= 0 && i-- > 0;)
            if (page->rows.at[i].thread == t) {
                json_put(json_array_get(steps, i), "blocked", json_true());
                break;
            }
    json_put(page->document, "steps", steps);
    json_put(page->document, "operations", operations);
}

static void add_counterexample(ModelPage *page, const RefinementReport *report)
{
    Arena *arena = arena_new();
    json_t *threads = json_array();
    page->rows = refinement_rows(report, arena);
    for (int t = 0; t < report->options->model->thread_count; t++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", t + 1);
        json_t *thread = json_object();
        json_put(thread, "name", json_text(name));
        json_put(thread, "function", json_null());
        json_push(threads, thread);
    }
    json_put(page->document, "threads", threads);
    add_cells(page);
    add_steps(page);
    add_sources(page);
    json_put(page->document, "arrows", json_array());
    json_put(page->document, "orders", json_array());
    json_put(page->document, "focus",
             page->rows.count ? json_integer((json_int_t)page->rows.count - 1) : json_null());
    vec_free(&page->rows);
    vec_free(&page->files);
    arena_free(arena);
}

static void add_explanations(ModelPage *page)
{
    json_t *list = json_array();
    Buffer text = {0};
    refinement_allowed(page->result, &text);
    if (text.count)
        json_push(list, json_text_of(str_trim(buffer_str(&text))));
    if (page->result->place.file) {
        Str line = str_trim(source_line(page->result->place.file, page->result->place.line));
        vec_clear(&text);
        buffer_printf(&text, "at %s:%d: %.*s", page->result->place.file->name,
                      page->result->place.line, STR_ARG(line));
        json_push(list, json_text_of(buffer_str(&text)));
    }
    vec_free(&text);
    json_put(page->document, "explanations", list);
}

bool refinement_page_write(const char *path, const RefinementReport *report, Error *error)
{
    const RefineResult *result = report->result;
    const Model *model = report->options->model;
    const char *verdict = result->is_model_error ? "error" : verdict_word(result->verdict);
    const char *message =
        result->message ? result->message : "every behaviour is one that the specification allows";
    ModelPage page = {.result = result,
                      .module = model->implementation,
                      .document = page_document(
                          "execution", "refine", model->name, verdict,
                          result->violation ? violation_word(result->violation) : NULL, message)};
    page_add_fact(page.document, "checked", report->bounds);
    add_count(page.document, "states", result->figures.states);
    add_count(page.document, "transitions", result->figures.transitions);
    add_count(page.document, "depth", result->figures.depth);
    if (result->verdict != VERDICT_VIOLATED)
        page_add_fact(page.document, "covered",
                      result->is_exhaustive ? "every behaviour" : "a part of the behaviours");
    char text[64];
    snprintf(text, sizeof text, "%.2f s", result->figures.seconds);
    page_add_fact(page.document, "time", text);
    add_explanations(&page);
    bool unsure = result->verdict == VERDICT_INCONCLUSIVE;
    Arena *arena = arena_new();
    json_put(page.document, "advice",
             json_text(unsure ? advice_for_model(arena, "refine", result->message) : NULL));
    arena_free(arena);
    if (result->step_count)
        add_counterexample(&page, report);
    bool written = page_write(path, page.document, error);
    json_decref(page.document);
    return written;
}
