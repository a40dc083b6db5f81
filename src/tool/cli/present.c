#include "tool/cli/present.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/log.h"
#include "base/print.h"
#include "tool/cli/commands.h"
#include "tool/cli/output/baseline.h"
#include "tool/cli/recorded.h"
#include "tool/cli/scale/ranks.h"
#include "record/check.h"
#include "record/disk.h"
#include "record/reductions.h"
#include "tool/instrument/process.h"
#include "tool/report/arrange.h"
#include "tool/report/page/execution.h"
#include "tool/report/json.h"
#include "tool/report/junit.h"
#include "tool/report/lines.h"
#include "tool/report/dwarf/names.h"
#include "tool/report/page/packed.h"
#include "tool/report/page/page.h"
#include "tool/report/sarif.h"
#include "tool/report/steps.h"
#include "tool/report/text.h"

void present_error(const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    print_plain(stderr, "heddle: %s\n", text);
}

int present_failure(const Error *error)
{
    present_error(error);
    return process_interrupted() ? 3 : 2;
}

/* Packs what `heddle report' draws, so that it needs neither sources nor a compiler. */
static RecordBytes pack_page(const Session *session, const Answer *answer, Names *names, bool all)
{
    RecordBytes bytes;
    json_t *document = execution_document(answer, names, all);
    packed_page(session->arena, document, &bytes);
    json_decref(document);
    return bytes;
}

/* Saves the violation; a folder that can't be written to is no reason to hide it. */
static void save_record(const Session *session, Answer *answer, Names *names, const char *suffix)
{
    const OutputOptions *output = &session->options->output;
    if (!answer_shows_violation(answer) || !answer->found || output->no_record ||
        answer->record_path)
        return;
    RecordFile file;
    session_describe(session, &file);
    file.record = *answer->found;
    answer->replay_words = recorded_option(&file);
    file.page = pack_page(session, answer, names, false);
    file.whole_page = pack_page(session, answer, names, true);
    const char *path = output->record
                           ? arena_printf(session->arena, "%s%s", output->record, suffix)
                           : arena_printf(session->arena, "%s%s.heddle", session->label, suffix);
    Error error = {0};
    if (disk_write(path, &file, &error))
        answer->record_path = path;
    else
        vec_push(&answer->remarks,
                 arena_printf(session->arena, "the record could not be saved: %s", error.message));
}

/* The report as plain text, for files. */
static const char *details_of(Arena *arena, const Answer *answer, Names *names)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        die("out of memory");
    TextStyle style = {.width = 100, .ascii = true};
    text_write_answer(to, answer, names, &style);
    fclose(to);
    const char *copy = arena_copy(arena, text, bytes);
    free(text);
    return copy;
}

/* Writes a word as GitHub's workflow commands want it; a property may have neither commas nor
 * colons. */
static void write_command_text(const char *text, bool property)
{
    for (; *text; text++)
        if (*text == '%' || *text == '\r' || *text == '\n' ||
            (property && (*text == ',' || *text == ':')))
            fprintf(stderr, "%%%02X", (unsigned)(unsigned char)*text);
        else
            fputc((unsigned char)*text < 32 ? ' ' : *text, stderr);
}

/* A line that GitHub shows beside the source. It knows files by their place in the repository,
 * where it starts commands. */
static void present_github(const Answer *answer, Names *names)
{
    bool violated = answer->verdict == VERDICT_VIOLATED;
    if (answer->verdict == VERDICT_HOLDS || !getenv("GITHUB_ACTIONS"))
        return;
    SourcePlace place =
        violated ? lines_place(answer, names) : (SourcePlace){.file = answer->subject};
    const char *message = violated ? answer->message : answer->reason;
    print_plain(stderr, "::%s file=", violated ? "error" : "warning");
    write_command_text(file_from_here(place.file), true);
    print_plain(stderr, ",line=%d,title=heddle %s::", MAX(place.line, 1),
                violated ? violation_word(answer->violation) : verdict_word(answer->verdict));
    write_command_text(message ? message : violation_text(answer->violation), false);
    fputc('\n', stderr);
}

static bool present_page(const OutputOptions *output, const Answer *answer, Names *names,
                         Error *error)
{
    json_t *document = execution_document(answer, names, output->all);
    bool written = page_write(output->html, document, error);
    json_decref(document);
    return written;
}

static bool present_sarif(const OutputOptions *output, const Answer *answer, Names *names,
                          Error *error)
{
    if (output->sarif_log) /* of several tests */
        sarif_add(output->sarif_log, answer, names);
    return !output->sarif || sarif_write(output->sarif, answer, names, HEDDLE_VERSION, error);
}

/* Is the violation one that --baseline lists? */
static bool compare_with_baseline(const Session *session, Answer *answer, Error *error)
{
    const char *path = session->options->output.baseline;
    if (!path)
        return true;
    answer->baseline = true;
    if (!baseline_knows(path, answer, &answer->known, error))
        return false;
    if (answer->known)
        vec_push(&answer->remarks,
                 arena_printf(session->arena, "%s lists this violation: it is known", path));
    return true;
}

static bool present_files(const Session *session, const Answer *answer, Names *names, Error *error)
{
    const OutputOptions *output = &session->options->output;
    if (!output->brief)
        present_github(answer, names);
    return (!output->html || present_page(output, answer, names, error)) &&
           (!output->junit ||
            junit_write(output->junit, answer, details_of(session->arena, answer, names), error)) &&
           present_sarif(output, answer, names, error);
}

/* Names for the record, and what is wrong in a sentence. NULL: a program without debug information
 * is shown by numbers. */
static Names *open_names(const Session *session, Answer *answer)
{
    Names *names = NULL;
    Error ignored = {0};
    if (answer->record)
        answer->record = arrange_record(session->arena, answer->record);
    if (answer->record &&
        !names_open(&names, session->arena, answer->program, answer->record, &ignored))
        names = NULL;
    if (answer->record && answer_shows_violation(answer))
        answer->message = names ? steps_sentence(names, answer->record)
                                : record_text(answer->record, answer->record->message);
    return names;
}

bool present_reports(const Session *session, Answer *answer, Error *error)
{
    Names *names = open_names(session, answer);
    bool written = compare_with_baseline(session, answer, error) &&
                   present_files(session, answer, names, error);
    names_close(names);
    return written;
}

static void write_text(const Session *session, const Answer *answer, Names *names)
{
    const OutputOptions *output = &session->options->output;
    TextStyle style = text_style_for(stdout, output->ascii);
    style.all = output->all;
    style.most = (int)output->most;
    style.brief = output->brief;
    text_write_answer(stdout, answer, names, &style);
}

void present_save_as(const Session *session, Answer *answer, const char *suffix)
{
    Names *names = open_names(session, answer);
    save_record(session, answer, names, suffix);
    names_close(names);
}

void present_save(const Session *session, Answer *answer)
{
    present_save_as(session, answer, "");
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

/* --verbose: which reductions have left something out. */
static void tell_reductions(const Outcome *outcome)
{
    for (unsigned i = 0; i < REDUCTION_COUNT; i++)
        if (outcome->reductions[i])
            LOG(LOG_DEBUG, "reduction %s left out %llu times: %s", reduction_words[i],
                (unsigned long long)outcome->reductions[i], reduction_meanings[i]);
}

int present_answer(const Session *session, Answer *answer)
{
    const OutputOptions *output = &session->options->output;
    Error error = {0};
    Names *names = open_names(session, answer);
    tell_reductions(&answer->outcome);
    save_record(session, answer, names, "");
    bool written = compare_with_baseline(session, answer, &error) &&
                   present_files(session, answer, names, &error);
    if (!written)
        present_error(&error);
    if (output->json)
        written &= json_write_answer(stdout, answer);
    else if (output->lines && !output->brief)
        lines_write(stdout, answer, names);
    else
        write_text(session, answer, names);
    if (output->details)
        *output->details = details_of(session->arena, answer, names);
    names_close(names);
    return print_finish() && written ? answer_exit_status(answer) : 2;
}
