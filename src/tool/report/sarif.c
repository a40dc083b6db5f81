#include "tool/report/sarif.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "tool/report/jsontext.h"
#include "tool/report/repair.h"
#include "tool/report/steps.h"

#define MOST_STEPS 2000
#define ROOT_NAME "SRCROOT"

static json_t *message(const char *text)
{
    json_t *object = json_object();
    json_object_set_new(object, "text", json_text(text));
    return object;
}

/* PATH as a URI: what SARIF allows unescaped stays. */
static json_t *uri_of(const char *start, const char *path, const char *end)
{
    Buffer uri = {0};
    buffer_printf(&uri, "%s", start);
    for (const char *at = path; *at; at++)
        if ((unsigned char)*at <= 32 || (unsigned char)*at >= 127 ||
            strchr("%?#\"<>[]\\^`{|}", *at))
            buffer_printf(&uri, "%%%02X", (unsigned)(unsigned char)*at);
        else
            buffer_append(&uri, at, 1);
    buffer_printf(&uri, "%s", end);
    json_t *text = json_string(uri.at);
    vec_free(&uri);
    return text;
}

/* Files below the current folder are named from there, which is what a viewer takes for the root of
 * the repository (originalUriBaseIds tells where it was); others by their whole path. */
static json_t *artifact(const char *file)
{
    json_t *object = json_object();
    const char *path = file_from_here(file);
    bool absolute = path[0] == '/';
    json_object_set_new(object, "uri", uri_of(absolute ? "file://" : "", path, ""));
    if (!absolute)
        json_object_set_new(object, "uriBaseId", json_string(ROOT_NAME));
    return object;
}

static json_t *location(const SourcePlace *place, const char *text)
{
    json_t *result = json_object();
    if (place->file) {
        json_t *physical = json_object(), *region = json_object();
        json_object_set_new(physical, "artifactLocation", artifact(place->file));
        /* viewers want a region: without a line, it is the beginning of the file */
        json_object_set_new(region, "startLine", json_integer(MAX(place->line, 1)));
        if (place->line > 0 && place->column > 0)
            json_object_set_new(region, "startColumn", json_integer(place->column));
        json_object_set_new(physical, "region", region);
        json_object_set_new(result, "physicalLocation", physical);
    }
    if (text)
        json_object_set_new(result, "message", message(text));
    return result;
}

/* Tells what the result is about, as the viewer's list of rules has it, and its sentence. */
static void rule_and_text(const Answer *answer, const char **rule, const char **text)
{
    bool violated = answer->verdict == VERDICT_VIOLATED;
    *rule = violated ? violation_word(answer->violation) : "inconclusive";
    *text = answer->reason ? answer->reason : "inconclusive";
    if (violated)
        *text = answer->message ? answer->message : violation_text(answer->violation);
}

void sarif_fingerprint(const Answer *answer, char out[SARIF_FINGERPRINT])
{
    Buffer key = {0};
    const char *rule, *text;
    rule_and_text(answer, &rule, &text);
    buffer_printf(&key, "%s|%s|", rule, file_from_here(answer->subject));
    for (; *text; text++)
        if (!isdigit((unsigned char)*text))
            buffer_append(&key, text, 1);
    snprintf(out, SARIF_FINGERPRINT, "%016llx",
             (unsigned long long)hash_bytes(key.at, key.count, 0));
    vec_free(&key);
}

static json_t *fingerprints(const Answer *answer)
{
    char digits[SARIF_FINGERPRINT];
    sarif_fingerprint(answer, digits);
    json_t *list = json_object();
    json_object_set_new(list, SARIF_FINGERPRINT_NAME, json_string(digits));
    return list;
}

static json_t *flow_step(const Step *step, Names *names)
{
    char text[1024];
    snprintf(text, sizeof text, "%u. %s: %s%s%s%s%s", step->number,
             names_thread(names, step->thread), step->action, *step->order ? ", " : "", step->order,
             *step->note ? "; " : "", step->note);
    json_t *object = json_object();
    json_object_set_new(object, "location", location(&step->source, text));
    json_object_set_new(object, "executionOrder", json_integer((json_int_t)step->number));
    if (step->bad || step->partner)
        json_object_set_new(object, "importance", json_string("essential"));
    return object;
}

static json_t *code_flows(const Record *record, const Steps *steps, Names *names)
{
    json_t *flows = json_array();
    for (uint32_t thread = 0; thread < record->thread_count; thread++) {
        json_t *locations = json_array();
        for (size_t i = 0; i < steps->count; i++)
            if (steps->at[i].number && steps->at[i].thread == thread)
                json_array_append_new(locations, flow_step(&steps->at[i], names));
        if (!json_array_size(locations)) {
            json_decref(locations);
            continue;
        }
        json_t *flow = json_object();
        json_object_set_new(flow, "id", json_string(names_thread(names, thread)));
        json_object_set_new(flow, "locations", locations);
        json_array_append_new(flows, flow);
    }
    if (!json_array_size(flows)) {
        json_decref(flows);
        return NULL;
    }
    json_t *flow = json_object(), *all = json_array();
    json_object_set_new(flow, "threadFlows", flows);
    json_array_append_new(all, flow);
    return all;
}

static json_t *replacement(const RepairEdit *edit)
{
    json_t *object = json_object(), *region = json_object(), *content = json_object();
    json_object_set_new(region, "startLine", json_integer(edit->line));
    json_object_set_new(region, "startColumn", json_integer(edit->column));
    json_object_set_new(region, "endColumn", json_integer(edit->column + edit->length));
    json_object_set_new(content, "text", json_text(edit->text));
    json_object_set_new(object, "deletedRegion", region);
    json_object_set_new(object, "insertedContent", content);
    return object;
}

/* One fix a way, if all of its changes are written out in the source; a file has one change with
 * all its replacements. */
static json_t *fix_of(const RepairWay *way)
{
    json_t *fix = json_object(), *files = json_array();
    Buffer text = {0};
    for (unsigned i = 0; i < way->count; i++) {
        json_t *replacements = json_array(), *change = json_object();
        bool first = true;
        for (unsigned k = 0; k < way->count; k++)
            if (!strcmp(way->at[k].edit.file, way->at[i].edit.file)) {
                first &= k >= i;
                json_array_append_new(replacements, replacement(&way->at[k].edit));
            }
        buffer_printf(&text, "%s%s:%d: ", i ? "; " : "", file_from_here(way->at[i].order->file),
                      way->at[i].order->line);
        repair_tell_change(&text, &way->at[i]);
        json_object_set_new(change, "artifactLocation", artifact(way->at[i].edit.file));
        json_object_set_new(change, "replacements", replacements);
        if (first)
            json_array_append_new(files, change);
        else
            json_decref(change);
    }
    json_object_set_new(fix, "description", message(text.at));
    json_object_set_new(fix, "artifactChanges", files);
    vec_free(&text);
    return fix;
}

static json_t *fixes_of(const Repair *repair)
{
    json_t *fixes = json_array();
    for (unsigned i = 0; repair && i < repair->count; i++)
        if (repair->ways[i].patch)
            json_array_append_new(fixes, fix_of(&repair->ways[i]));
    return fixes;
}

static json_t *result_of(const Answer *answer, Names *names)
{
    bool violated = answer->verdict == VERDICT_VIOLATED;
    const char *rule, *text;
    rule_and_text(answer, &rule, &text);
    json_t *result = json_object(), *places = json_array();
    json_object_set_new(result, "ruleId", json_string(rule));
    json_object_set_new(result, "partialFingerprints", fingerprints(answer));
    if (violated && answer->baseline)
        json_object_set_new(result, "baselineState",
                            json_string(answer->known ? "unchanged" : "new"));
    json_object_set_new(result, "level", json_string(violated ? "error" : "warning"));
    json_object_set_new(result, "message", message(text));
    if (answer->record && names) {
        Steps steps = {0};
        StepsOptions options = {.ascii = true, .most = MOST_STEPS};
        steps_make(names, answer->record, &options, &steps);
        for (size_t i = 0; i < steps.count; i++)
            if (steps.at[i].bad)
                json_array_append_new(places, location(&steps.at[i].source, NULL));
        for (size_t i = 0; i < steps.count && !json_array_size(places); i++)
            for (size_t k = i; k < steps.count && steps.at[i].blocked; k++)
                if (steps.at[k].blocked) /* nothing goes wrong there: it waits for ever */
                    json_array_append_new(places, location(&steps.at[k].source, "waits for ever"));
        json_t *flows = code_flows(answer->record, &steps, names);
        if (flows)
            json_object_set_new(result, "codeFlows", flows);
        vec_free(&steps);
    }
    if (!json_array_size(places)) {
        SourcePlace place = {.file = answer->subject};
        json_array_append_new(places, location(&place, NULL));
    }
    json_object_set_new(result, "locations", places);
    json_t *fixes = fixes_of(answer->repair);
    if (json_array_size(fixes))
        json_object_set_new(result, "fixes", fixes);
    else
        json_decref(fixes);
    return result;
}

static json_t *rule_help(const char *text)
{
    Buffer words = {0};
    buffer_printf(
        &words,
        "Heddle found an execution in which %s. The code flow has a thread each, its steps "
        "in the order in which they happened; `heddle replay RECORD' runs it again.",
        text);
    json_t *help = message(words.at);
    vec_free(&words);
    return help;
}

/* One rule a kind of violation, so that a viewer can explain it. */
static json_t *rules(void)
{
    json_t *list = json_array();
    for (int kind = VIOLATION_NONE + 1; kind < VIOLATION_KIND_COUNT; kind++) {
        json_t *rule = json_object();
        json_object_set_new(rule, "id", json_string(violation_word((ViolationKind)kind)));
        json_object_set_new(rule, "shortDescription", message(violation_text((ViolationKind)kind)));
        json_object_set_new(rule, "help", rule_help(violation_text((ViolationKind)kind)));
        json_array_append_new(list, rule);
    }
    json_t *rule = json_object();
    json_object_set_new(rule, "id", json_string("inconclusive"));
    json_object_set_new(rule, "shortDescription", message("not everything could be explored"));
    json_object_set_new(rule, "help",
                        message("Something was not explored; the message says what stopped it. "
                                "Nothing wrong was found in what was explored."));
    json_array_append_new(list, rule);
    return list;
}

struct SarifLog {
    json_t *results;
};

SarifLog *sarif_begin(void)
{
    SarifLog *log = malloc(sizeof *log);
    if (!log)
        die("out of memory");
    log->results = json_array();
    return log;
}

void sarif_add(SarifLog *log, const Answer *answer, Names *names)
{
    if (answer->verdict != VERDICT_HOLDS)
        json_array_append_new(log->results, result_of(answer, names));
}

bool sarif_end(SarifLog *sarif, const char *path, const char *version, Error *error)
{
    json_t *driver = json_object(), *tool = json_object(), *run = json_object(),
           *runs = json_array();
    json_t *log = json_object();
    json_object_set_new(driver, "name", json_string("heddle"));
    json_object_set_new(driver, "version", json_string(version));
    json_object_set_new(driver, "rules", rules());
    json_object_set_new(tool, "driver", driver);
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder)) {
        json_t *bases = json_object(), *root = json_object();
        json_object_set_new(root, "uri", uri_of("file://", folder, strcmp(folder, "/") ? "/" : ""));
        json_object_set_new(bases, ROOT_NAME, root);
        json_object_set_new(run, "originalUriBaseIds", bases);
    }
    json_object_set_new(run, "tool", tool);
    json_object_set_new(run, "results", sarif->results);
    free(sarif);
    json_array_append_new(runs, run);
    json_object_set_new(log, "$schema",
                        json_string("https://json.schemastore.org/sarif-2.1.0.json"));
    json_object_set_new(log, "version", json_string("2.1.0"));
    json_object_set_new(log, "runs", runs);
    FileWriter file;
    file_begin(&file, path);
    json_dumpf(log, file.stream, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    json_decref(log);
    return file_commit(&file, error);
}

bool sarif_write(const char *path, const Answer *answer, Names *names, const char *version,
                 Error *error)
{
    SarifLog *log = sarif_begin();
    sarif_add(log, answer, names);
    return sarif_end(log, path, version, error);
}
