#include "cli/present.h"
#include <stdio.h>
#include <string.h>
#include "instrument/process.h"
#include "record/disk.h"
#include "report/json.h"
#include "report/names.h"
#include "report/text.h"

void present_error(const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    fprintf(stderr, "heddle: %s\n", text);
}

/* Saves the violation; a folder that can't be written to is no reason to hide it. */
static void present_save(const Session *session, Answer *answer)
{
    const OutputOptions *output = &session->options->output;
    if (answer->verdict != VERDICT_VIOLATED || !answer->record || output->no_record)
        return;
    RecordFile file;
    session_describe(session, &file);
    file.record = *answer->record;
    const char *path =
        output->record ? output->record : arena_printf(session->arena, "%s.heddle", session->name);
    Error error = {0};
    if (disk_write(path, &file, &error))
        answer->record_path = path;
    else
        vec_push(&answer->remarks,
                 arena_printf(session->arena, "the record could not be saved: %s", error.message));
}

int present_answer(const Session *session, Answer *answer)
{
    const OutputOptions *output = &session->options->output;
    present_save(session, answer);
    bool written;
    if (output->json) {
        written = json_write_answer(stdout, answer);
    } else {
        Names *names = NULL;
        Error ignored;
        if (answer->record &&
            !names_open(&names, session->arena, answer->program, answer->record, &ignored))
            names = NULL;
        TextStyle style = text_style_for(stdout, output->ascii);
        style.all = output->all;
        text_write_answer(stdout, answer, names, &style);
        names_close(names);
        written = fflush(stdout) == 0 && !ferror(stdout);
    }
    if (!written) {
        fprintf(stderr, "heddle: can't write the result\n");
        return 4;
    }
    return answer_exit_status(answer);
}
