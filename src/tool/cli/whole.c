#include "tool/cli/whole.h"
#include "tool/cli/cases.h"
#include "tool/cli/present.h"
#include "tool/cli/repair/repair.h"
#include "tool/cli/scale/ranks.h"
#include "tool/instrument/process.h"

/* The tests of a framework one by one, or the program as one. */
static bool explore_all(Session *session, Answer *answer, Error *error)
{
    CasesFramework framework = cases_of(session);
    return framework ? cases_explore(session, framework, answer, error)
                     : session_explore(session, answer, error);
}

int session_command(const char *command, RunOptions *options)
{
    Error error = {0};
    int status = 2;
    if (!ranks_begin(&error)) {
        present_error(&error);
        return status;
    }
    if (ranks_own()) {
        options_free(options);
        return ranks_serve();
    }
    Arena *arena = arena_new();
    Session session;
    Answer answer = {0};
    if (session_open(&session, arena, command, options, &error) &&
        explore_all(&session, &answer, &error)) {
        repair_answer(&session, &answer);
        status = present_answer(&session, &answer);
    } else if (process_interrupted() && session.subject) { /* while it was built */
        vec_free(&answer.remarks);
        answer = (Answer){.command = command,
                          .subject = session.subject,
                          .model = model_word(options->explore.model),
                          .verdict = VERDICT_INCONCLUSIVE,
                          .reason = error.message};
        status = present_answer(&session, &answer);
    } else {
        status = present_failure(&error);
    }
    session_close(&session);
    vec_free(&answer.remarks);
    arena_free(arena);
    options_free(options);
    ranks_end(status);
    return status;
}
