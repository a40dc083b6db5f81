#include "cli/present.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "record/check.h"
#include "record/disk.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/names.h"
#include "report/sarif.h"
#include "report/steps.h"
#include "report/text.h"

void present_error(const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    fprintf(stderr, "heddle: %s\n", text);
}

/* Saves the violation; a folder that can't be written to is no reason to hide it. */
void present_save(const Session *session, Answer *answer)
{
    const OutputOptions *output = &session->options->output;
    if (answer->verdict != VERDICT_VIOLATED || !answer->found || output->no_record ||
        answer->record_path)
        return;
    RecordFile file;
    session_describe(session, &file);
    file.record = *answer->found;
    const char *path =
        output->record ? output->record : arena_printf(session->arena, "%s.heddle", session->name);
    Error error = {0};
    if (disk_write(path, &file, &error))
        answer->record_path = path;
    else
        vec_push(&answer->remarks,
                 arena_printf(session->arena, "the record could not be saved: %s", error.message));
}

static bool present_junit(const char *path, const Answer *answer, Names *names, Error *error)
{
    char *page = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&page, &bytes);
    if (!to)
        die("out of memory");
    TextStyle style = {.width = 100, .ascii = true};
    text_write_answer(to, answer, names, &style);
    fclose(to);
    bool written = junit_write(path, answer, page, error);
    free(page);
    return written;
}

/* A line that GitHub shows beside the source. */
static void present_github(const Answer *answer, Names *names)
{
    Steps steps = {0};
    StepsOptions options = {.ascii = true};
    steps_make(names, answer->record, &options, &steps);
    Place place = {0};
    for (size_t i = 0; i < steps.count; i++)
        if (steps.at[i].bad)
            place = steps.at[i].source;
    vec_free(&steps);
    fprintf(stderr,
            "::error file=%s,line=%d,title=heddle %s::", place.file ? place.file : answer->subject,
            MAX(place.line, 1), violation_word(answer->violation));
    for (const char *at = answer->message; *at; at++)
        fputc((unsigned char)*at < 32 ? ' ' : *at, stderr);
    fputc('\n', stderr);
}

static bool present_files(const Session *session, const Answer *answer, Names *names, Error *error)
{
    const OutputOptions *output = &session->options->output;
    if (answer->message && names && getenv("GITHUB_ACTIONS"))
        present_github(answer, names);
    return (!output->junit || present_junit(output->junit, answer, names, error)) &&
           (!output->sarif || sarif_write(output->sarif, answer, names, HEDDLE_VERSION, error));
}

/* Names for the record, and what is wrong in a sentence. NULL: a program without debug information is
 * shown by numbers. */
static Names *open_names(const Session *session, Answer *answer)
{
    Names *names = NULL;
    Error ignored = {0};
    if (answer->record &&
        !names_open(&names, session->arena, answer->program, answer->record, &ignored))
        names = NULL;
    if (answer->record && answer->verdict == VERDICT_VIOLATED)
        answer->message = names ? steps_sentence(names, answer->record)
                                : record_text(answer->record, answer->record->message);
    return names;
}

static void write_text(const Session *session, const Answer *answer, Names *names)
{
    TextStyle style = text_style_for(stdout, session->options->output.ascii);
    style.all = session->options->output.all;
    text_write_answer(stdout, answer, names, &style);
}

void present_message(const Session *session, Answer *answer)
{
    names_close(open_names(session, answer));
}

void present_text(const Session *session, Answer *answer)
{
    Names *names = open_names(session, answer);
    write_text(session, answer, names);
    names_close(names);
}

int present_answer(const Session *session, Answer *answer)
{
    const OutputOptions *output = &session->options->output;
    present_save(session, answer);
    Error error = {0};
    Names *names = open_names(session, answer);
    bool written = present_files(session, answer, names, &error);
    if (!written)
        present_error(&error);
    if (output->json)
        written &= json_write_answer(stdout, answer);
    else
        write_text(session, answer, names);
    names_close(names);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "heddle: can't write the result\n");
        return 4;
    }
    return written ? answer_exit_status(answer) : 2;
}

int session_command(const char *command, RunOptions *options)
{
    Arena *arena = arena_new();
    Session session;
    Answer answer = {0};
    Error error = {0};
    int status = 2;
    if (session_open(&session, arena, command, options, &error) &&
        session_explore(&session, &answer, &error))
        status = present_answer(&session, &answer);
    else
        present_error(&error);
    session_close(&session);
    vec_free(&answer.remarks);
    arena_free(arena);
    options_free(options);
    return status;
}
