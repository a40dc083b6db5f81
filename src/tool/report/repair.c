#include "tool/report/repair.h"
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/print.h"
#include "tool/report/json.h"
#include "tool/report/jsontext.h"
#include "tool/report/steps.h"
#include "tool/report/weakening.h"

#define MOST_WAYS_BESIDE 3
#define MOST_WAYS 12

/* --- sentences -------------------------------------------------------------------------------- */

void repair_tell_models(Buffer *line, const Repair *repair)
{
    unsigned holds = 0, known = 0;
    for (unsigned i = 0; i < repair->model_count; i++) {
        known += repair->models[i].known;
        holds += repair->models[i].known && repair->models[i].verdict == VERDICT_HOLDS;
    }
    if (holds == 2) {
        buffer_printf(line, "it holds under sc and under tso");
        return;
    }
    for (unsigned i = 0, told = 0; known && i < repair->model_count; i++) {
        const RepairModel *model = &repair->models[i];
        if (!model->known)
            continue;
        buffer_printf(line, "%sit %s under %s", told++ ? ", " : "",
                      model->verdict == VERDICT_HOLDS ? "holds" : "is violated", model->model);
    }
}

void repair_tell_end(Buffer *line, const Repair *repair)
{
    const char *reason = repair->reason ? repair->reason : "";
    switch (repair->end) {
    case REPAIR_FOUND:
        if (repair->larger && repair->ways[0].at[0].kind == REPAIR_ORDER)
            buffer_printf(line, "%s %u accesses that must be stronger together%s:",
                          repair->decided >= 3 ? "no three accesses are enough;" : "these are",
                          repair->ways[0].count,
                          repair->count > 1 ? ", or fences beside them" : "");
        else
            buffer_printf(line,
                          repair->count > 1            ? "each of these %u ways is enough:"
                          : repair->ways[0].count == 1 ? "this change is enough:"
                                                       : "these changes together are enough:",
                          repair->count);
        break;
    case REPAIR_HOLDS:
        buffer_printf(line, "there is nothing to repair");
        break;
    case REPAIR_STRONGER_MODEL:
        buffer_printf(line, "no memory order repairs it, since it goes wrong under sc, too%s%s",
                      *reason ? ": " : "", reason);
        break;
    case REPAIR_STRONGEST:
        buffer_printf(line,
                      "no memory order repairs it: with all atomic operations seq_cst it is still "
                      "violated%s%s%s",
                      *reason ? ": " : "", reason,
                      repair->race ? "; make that variable atomic, or guard both accesses by one "
                                     "lock"
                                   : "");
        break;
    case REPAIR_NO_ORDERS:
        buffer_printf(line,
                      "the program has no atomic operation whose memory order could be stronger%s",
                      repair->race ? ": make the variable that races atomic, or guard its accesses "
                                     "by one lock"
                                   : ": the variables that race would have to be atomic, or "
                                     "guarded by a lock");
        break;
    case REPAIR_NOT_FOUND:
        buffer_printf(line, "no set of up to %u accesses is enough", repair->decided);
        break;
    default:
        buffer_printf(line, "no repair is known yet: %s", reason);
    }
}

void repair_tell_bounds(Buffer *line, const Repair *repair)
{
    buffer_printf(line, "%llu program%s tried in %.2f s", (unsigned long long)repair->tried,
                  repair->tried == 1 ? "" : "s", repair->seconds);
    if (repair->end == REPAIR_STRONGER_MODEL || repair->end == REPAIR_STRONGEST ||
        repair->end == REPAIR_NO_ORDERS)
        return;
    if (repair->decided)
        buffer_printf(line, ": all sets of %s%u of %u memory orders",
                      repair->decided > 1 ? "up to " : "", repair->decided, repair->places);
    if (repair->with_fences)
        buffer_printf(line, ", and fences, alone and with one more change");
    if (repair->end == REPAIR_FOUND && !repair->minimal)
        buffer_printf(line, "; some could not be decided in time, so that fewer or weaker changes "
                            "may be enough");
    if (repair->one_test)
        buffer_printf(line, "; of the tests, only the one that fails");
}

void repair_tell_change(Buffer *line, const RepairChange *change)
{
    const WeakenOrder *order = change->order;
    if (change->kind == REPAIR_ORDER)
        buffer_printf(line, "%s%s %s -> %s", weaken_operation_word(order->operation),
                      order->failure ? " that fails," : "", steps_order_word(order->order),
                      steps_order_word(change->to));
    else
        buffer_printf(line, "a %s fence %s this %s", steps_order_word(change->to),
                      change->kind == REPAIR_FENCE_AFTER ? "after" : "before",
                      weaken_operation_word(order->operation));
}

/* --- text ------------------------------------------------------------------------------------- */

/* One change, with MARK in front, as a row of a table; on a narrow sheet its function is left
 * out. */
static void write_change(FILE *to, const RepairChange *change, const char *mark, int width,
                         const TextStyle *style)
{
    char place[256];
    Buffer what = {0};
    weakening_place(change->order, place, sizeof place);
    repair_tell_change(&what, change);
    print_plain(to, "%5s %-*s  ", mark, width, place);
    if (8 + width + 34 + 5 + (int)strlen(change->order->function) <= style->width)
        print_plain(to, "%-34s  in %s\n", what.at, change->order->function);
    else
        print_plain(to, "%s\n", what.at);
    vec_free(&what);
}

static void write_ways(FILE *to, const Repair *repair, const TextStyle *style, unsigned most)
{
    int width = 0;
    char text[256];
    unsigned shown = MIN(repair->count, most);
    for (unsigned i = 0; i < shown; i++)
        for (unsigned k = 0; k < repair->ways[i].count; k++) {
            weakening_place(repair->ways[i].at[k].order, text, sizeof text);
            width = MAX(width, (int)strlen(text));
        }
    for (unsigned i = 0; i < shown; i++)
        for (unsigned k = 0; k < repair->ways[i].count; k++) {
            snprintf(text, sizeof text, k || repair->count == 1 ? "" : "%u.", i + 1);
            write_change(to, &repair->ways[i].at[k], text, width, style);
        }
    if (repair->count > shown)
        print_plain(to, "      ... and %u more\n", repair->count - shown);
}

static void write_sentence(FILE *to, const TextStyle *style, const Buffer *line)
{
    if (!line->count)
        return;
    fputs("  ", to);
    text_write_wrapped(to, style, line->at, 4, 2);
}

void repair_write_beside(FILE *to, const Repair *repair, const TextStyle *style)
{
    Buffer line = {0};
    if (repair->end == REPAIR_UNDECIDED && !repair->model_count)
        return;
    if (repair->end == REPAIR_STRONGER_MODEL) {
        fputc('\n', to);
        text_write_wrapped(to, style,
                           "Memory orders make no difference: it goes wrong under sc, too.", 2, 0);
        return;
    }
    fputs(repair->end == REPAIR_FOUND ? "\nTo repair it:\n" : "\nMemory orders:\n", to);
    repair_tell_models(&line, repair);
    buffer_printf(&line, "%s", line.count ? "; " : "");
    repair_tell_end(&line, repair);
    write_sentence(to, style, &line);
    if (repair->end == REPAIR_FOUND)
        write_ways(to, repair, style, MOST_WAYS_BESIDE);
    vec_clear(&line);
    buffer_printf(&line, "(");
    repair_tell_bounds(&line, repair);
    if (repair->end == REPAIR_FOUND)
        buffer_printf(&line, "; `heddle repair' tries all, and prints a patch)");
    else if (repair->end == REPAIR_UNDECIDED)
        buffer_printf(&line, "; `heddle repair' takes more time)");
    else
        buffer_printf(&line, ")");
    write_sentence(to, style, &line);
    vec_free(&line);
}

Verdict repair_verdict(const Repair *repair)
{
    return repair->end == REPAIR_FOUND || repair->end == REPAIR_HOLDS ? VERDICT_HOLDS
           : repair->end == REPAIR_UNDECIDED                          ? VERDICT_INCONCLUSIVE
                                                                      : VERDICT_VIOLATED;
}

/* How to apply a patch: the program refuses names of files outside of the folder that it works in,
 * unless the one file is named to it. */
static void write_how(FILE *to, const char *patch)
{
    const char *name = patch + strlen("--- ");
    size_t length = strcspn(name, "\n");
    bool outside = name[0] == '/' || !strncmp(name, "../", 3);
    const char *next = strstr(patch, "\n--- ");
    if (outside && !next)
        print_plain(to, "for `patch %.*s':\n", (int)length, name);
    else if (outside || (next && (next[5] == '/' || !strncmp(next + 5, "../", 3))))
        print_plain(to, "file by file, for `patch FILE':\n");
    else
        print_plain(to, "for `patch -p0':\n");
}

/* The patch of the first way that has one. */
static void write_patch(FILE *to, const Repair *repair)
{
    for (unsigned i = 0; i < repair->count; i++)
        if (repair->ways[i].patch) {
            print_plain(to, "\nThe patch%s%.0u, ", repair->count > 1 ? " of number " : "",
                        repair->count > 1 ? i + 1 : 0);
            write_how(to, repair->ways[i].patch);
            if (isatty(fileno(to)) == 1)
                print_text(to, str_of(repair->ways[i].patch));
            else /* what is applied must be what the source is */
                fputs(repair->ways[i].patch, to);
            return;
        }
    fputs("\nNo patch: the orders are not written out at these places, or a fence fits no line of "
          "its own.\n",
          to);
}

void repair_write_text(FILE *to, const Answer *answer, const TextStyle *style)
{
    const Repair *repair = answer->repair;
    Buffer line = {0};
    buffer_printf(&line, "%s: %s under %s",
                  repair->end == REPAIR_FOUND       ? "repaired"
                  : repair->end == REPAIR_HOLDS     ? "holds"
                  : repair->end == REPAIR_UNDECIDED ? "inconclusive"
                                                    : "not repaired",
                  answer->subject, answer->model);
    if (repair->end == REPAIR_HOLDS)
        buffer_printf(&line, ": there is nothing to repair");
    text_write_wrapped(to, style, line.at, 2, 0);
    vec_clear(&line);
    if (repair->end == REPAIR_HOLDS) {
        vec_free(&line);
        return;
    }
    buffer_printf(&line, "as it is: %s%s%s", violation_word(answer->violation),
                  answer->message ? ": " : "", answer->message ? answer->message : "");
    write_sentence(to, style, &line);
    vec_clear(&line);
    repair_tell_models(&line, repair);
    write_sentence(to, style, &line);
    vec_clear(&line);
    repair_tell_bounds(&line, repair);
    write_sentence(to, style, &line);
    vec_clear(&line);
    fputc('\n', to);
    repair_tell_end(&line, repair);
    line.at[0] =
        (char)(line.at[0] >= 'a' && line.at[0] <= 'z' ? line.at[0] - 'a' + 'A' : line.at[0]);
    text_write_wrapped(to, style, line.at, 2, 0);
    vec_free(&line);
    if (repair->end == REPAIR_FOUND) {
        write_ways(to, repair, style, style->all ? UINT32_MAX : MOST_WAYS);
        write_patch(to, repair);
    }
}

/* --- for scripts ------------------------------------------------------------------------------ */

static json_t *edit_value(const RepairChange *change)
{
    if (!change->has_edit)
        return json_null();
    json_t *object = json_object();
    json_put(object, "line", json_integer(change->edit.line));
    json_put(object, "column", json_integer(change->edit.column));
    json_put(object, "length", json_integer(change->edit.length));
    json_put(object, "text", json_text(change->edit.text));
    return object;
}

static json_t *change_value(const RepairChange *change)
{
    static const char *const kinds[] = {"order", "fence-before", "fence-after"};
    const WeakenOrder *order = change->order;
    json_t *object = json_object();
    json_put(object, "kind", json_string(kinds[change->kind]));
    json_put(object, "file", json_text(order->file));
    json_put(object, "line", json_integer(order->line));
    json_put(object, "column", json_integer(order->column));
    json_put(object, "ordinal", json_integer(order->ordinal));
    json_put(object, "function", json_text(order->function));
    json_put(object, "operation", json_string(weaken_operation_word(order->operation)));
    json_put(object, "failure", json_boolean(order->failure));
    json_put(object, "order", json_string(steps_order_word(order->order)));
    json_put(object, "needed", json_string(steps_order_word(change->to)));
    json_put(object, "edit", edit_value(change));
    return object;
}

json_t *repair_value(const Repair *repair)
{
    json_t *object = json_object(), *models = json_object(), *ways = json_array();
    json_put(object, "end", json_string(repair_end_word(repair->end)));
    json_put(object, "reason", json_text(repair->reason));
    for (unsigned i = 0; i < repair->model_count; i++)
        json_put(models, repair->models[i].model,
                 json_string(verdict_word(repair->models[i].verdict)));
    json_put(object, "models", models);
    for (unsigned i = 0; i < repair->count; i++) {
        const RepairWay *way = &repair->ways[i];
        json_t *one = json_object(), *changes = json_array();
        for (unsigned k = 0; k < way->count; k++)
            json_array_append_new(changes, change_value(&way->at[k]));
        json_put(one, "changes", changes);
        json_put(one, "patch", json_text(way->patch));
        json_array_append_new(ways, one);
    }
    json_put(object, "ways", ways);
    json_put(object, "orders", json_integer(repair->places));
    json_put(object, "decided", json_integer(repair->decided));
    json_put(object, "minimal", json_boolean(repair->minimal));
    json_put(object, "larger", json_boolean(repair->larger));
    json_put(object, "fences", json_boolean(repair->with_fences));
    json_put(object, "one_test", json_boolean(repair->one_test));
    json_put(object, "tried", json_count(repair->tried));
    json_put(object, "seconds", json_seconds(repair->seconds));
    return object;
}

bool repair_write_json(FILE *to, const Answer *answer)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    const Repair *repair = answer->repair;
    Answer head = {.command = "repair",
                   .subject = answer->subject,
                   .verdict = repair_verdict(repair),
                   .violation = answer->violation,
                   .message = answer->message,
                   .reason = repair->reason,
                   .exhaustive = repair_verdict(repair) == VERDICT_HOLDS,
                   .model = answer->model,
                   .seconds = repair->seconds,
                   .peak_rss_kb = usage.ru_maxrss};
    json_t *object = json_head(&head);
    json_put(object, "mode", json_text(answer->command));
    json_t *present = json_object();
    json_put(present, "verdict", json_string(verdict_word(answer->verdict)));
    json_put(present, "violation",
             answer->verdict == VERDICT_VIOLATED ? json_string(violation_word(answer->violation))
                                                 : json_null());
    json_put(present, "message", json_text(answer->message));
    json_put(object, "as_it_is", present);
    json_put(object, "repair", repair_value(repair));
    return json_write(to, object);
}
