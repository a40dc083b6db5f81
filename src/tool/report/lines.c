#include "tool/report/lines.h"
#include "base/file.h"
#include "base/print.h"
#include "tool/report/steps.h"

#define MOST_STEPS 2000

SourcePlace lines_place(const Answer *answer, Names *names)
{
    SourcePlace place = {.file = answer->subject, .line = 1};
    if (!answer->record || !names)
        return place;
    Steps steps = {0};
    StepsOptions options = {.ascii = true};
    bool exact = false;
    steps_make(names, answer->record, &options, &steps);
    for (size_t i = 0; i < steps.count; i++) {
        const Step *step = &steps.at[i];
        if (step->source.file && (step->bad || (step->blocked && !exact))) {
            place = step->source;
            exact |= step->bad;
        }
    }
    vec_free(&steps);
    return place;
}

/* Editors take a message to be one line. */
static void write_message(FILE *to, const char *text)
{
    for (; *text; text++)
        fputc(*text == '\n' ? ' ' : *text, to);
    fputc('\n', to);
}

static void write_steps(FILE *to, const Answer *answer, Names *names)
{
    Steps steps = {0};
    StepsOptions options = {.ascii = true, .most = MOST_STEPS};
    steps_make(names, answer->record, &options, &steps);
    for (size_t i = 0; i < steps.count; i++) {
        const Step *step = &steps.at[i];
        if (!step->number || !step->source.file)
            continue;
        print_plain(to, "%s:%d: note: %u. %s: %s%s%s%s%s\n", file_from_here(step->source.file),
                    step->source.line, step->number, names_thread(names, step->thread),
                    step->action, *step->order ? ", " : "", step->order, *step->note ? "; " : "",
                    step->note);
    }
    vec_free(&steps);
}

void lines_write(FILE *to, const Answer *answer, Names *names)
{
    if (answer->verdict == VERDICT_HOLDS) {
        print_plain(to, "holds: %s under %s\n", answer->subject, answer->model);
        return;
    }
    bool violated = answer->verdict == VERDICT_VIOLATED;
    SourcePlace place = lines_place(answer, names);
    print_plain(to, "%s:%d: %s: %s: ", file_from_here(place.file), MAX(place.line, 1),
                violated && !answer->known ? "error" : "warning",
                violated ? violation_word(answer->violation) : "inconclusive");
    const char *text = violated ? answer->message : answer->reason;
    write_message(to, text ? text : violation_text(answer->violation));
    if (answer->record && names && answer_shows_violation(answer))
        write_steps(to, answer, names);
}
