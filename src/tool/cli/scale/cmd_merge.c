/* cmd_merge.c: `heddle merge`: the parts that the shares of an exploration wrote, as one answer. */
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include "tool/cli/commands.h"
#include "base/print.h"
#include "tool/cli/present.h"
#include "tool/cli/scale/join.h"
#include "tool/report/json.h"
#include "tool/report/text.h"

static const char doc[] =
    "Join the parts of a sharded exploration (--shard=I/N of `heddle run', `check' or `history') "
    "to "
    "the answer that one process would have given. All N parts are needed, each once, of the same "
    "program and options.\v"
    "If the shares learnt different things about the program on their way (which plain variables "
    "race, under sc and tso), their counts can't be added: FILE then gets what all of them know, "
    "and the shares are run once more with --shard-from=FILE.";

typedef struct Merge {
    bool json, ascii;
    const char *learnt;
    char **files;
    int count;
} Merge;

static error_t merge_parse(int key, char *text, struct argp_state *state)
{
    Merge *merge = state->input;
    switch (key) {
    case 'J':
        merge->json = true;
        return 0;
    case 'A':
        merge->ascii = true;
        return 0;
    case 'o':
        merge->learnt = text;
        return 0;
    case ARGP_KEY_ARGS:
        merge->files = state->argv + state->next;
        merge->count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no part is named");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int present_join(const Merge *merge, const Answer *answer)
{
    if (merge->json)
        return json_write_answer(stdout, answer) ? answer_exit_status(answer) : 2;
    if (!strcmp(answer->command, "history")) { /* no executions, but logs */
        print_plain(stdout, "%s%s%s: %llu histories, of %s and other logs%s%s\n",
                    verdict_word(answer->verdict), answer->verdict == VERDICT_VIOLATED ? ": " : "",
                    answer->verdict == VERDICT_VIOLATED ? violation_word(answer->violation) : "",
                    (unsigned long long)answer->outcome.histories, answer->subject,
                    answer->reason ? ": " : "", answer->reason ? answer->reason : "");
        return answer_exit_status(answer);
    }
    TextStyle style = text_style_for(stdout, merge->ascii);
    text_write_answer(stdout, answer, NULL, &style);
    return answer_exit_status(answer);
}

/* The parts belong to different trees; nothing can be said. */
static int refuse_trees(const Merge *merge, const Ledger *whole)
{
    Error error = {0};
    const char *learnt = merge->learnt ? merge->learnt : "FILE";
    if (merge->learnt && !ledger_write(merge->learnt, whole, NULL, &error))
        present_error(&error);
    print_plain(
        stderr,
        "heddle: the shares learnt different things about the program, so that their counts "
        "belong to different search trees; %srun all of them again with --shard-from=%s\n",
        merge->learnt ? "" : "let `heddle merge --learnt=FILE' write what they know, and ", learnt);
    return 3;
}

static int merge_parts(Arena *arena, const Merge *merge, JoinPart *parts, size_t count)
{
    Error error = {0};
    Ledger whole = {0};
    Answer answer = {0};
    if (!join_check(arena, parts, count, &error)) {
        present_error(&error);
        return 2;
    }
    int status;
    join_answer(arena, parts, count, &answer);
    if (answer.verdict != VERDICT_VIOLATED && !join_same_tree(arena, parts, count, &whole))
        status = refuse_trees(merge, &whole);
    else
        status = present_join(merge, &answer);
    vec_free(&answer.remarks);
    ledger_free(&whole);
    return status;
}

int cmd_merge(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"json", 'J', 0, 0, "One JSON object instead of text", 0},
        {"ascii", 'A', 0, 0, "Only ASCII characters", 0},
        {"learnt", 'o', "FILE", 0, "Where to write what the shares have learnt, if they differ", 0},
        {0}};
    static const struct argp parser = {options, merge_parse, "PART...", doc, 0, 0, 0};
    Merge merge = {0};
    char name[] = "heddle merge";
    argv[0] = name;
    argp_parse(&parser, argc, argv, 0, NULL, &merge);
    Arena *arena = arena_new();
    size_t count = (size_t)merge.count, read = 0;
    JoinPart *parts = arena_array_of(arena, JoinPart, count);
    Error error = {0};
    while (read < count &&
           ledger_read(arena, parts[read].path = merge.files[read], &parts[read].ledger, &error))
        read++;
    int status = 2;
    if (read < count)
        present_error(&error);
    else
        status = merge_parts(arena, &merge, parts, count);
    for (size_t i = 0; i < MIN(read + 1, count); i++)
        ledger_free(&parts[i].ledger);
    arena_free(arena);
    return status;
}
