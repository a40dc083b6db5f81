/* Why checking these claims is enough. Algorithm 1 is sound if whatever can stand in a row is
 * called orderable and whatever is called reversible can be exchanged in every state where it
 * stands in a row (algorithm1.c). So only "not a then b" and "a <-> b" need a proof. A claim "a
 * then b" or "not a <-> b" that is wrong makes Algorithm 1 fail at most. A condition is checked
 * too, as documentation. */
#include "prove/handmade.h"
#include "prove/read/text.h"
#include "prove/read/text_private.h"
#include "base/stop.h"
#include <string.h>

typedef struct HandReader {
    Arena *arena;
    const IrProgram *program;
    Handmade *out;
    Words words;
    size_t at;
    Error *error;
} HandReader;

static const Word *hand_peek(const HandReader *reader)
{
    return &reader->words.at[MIN(reader->at, reader->words.count - 1)];
}

static bool hand_accept(HandReader *reader, const char *word)
{
    const Word *next = hand_peek(reader);
    if (next->kind == WORD_END || next->kind == WORD_STRING || strcmp(next->text, word) != 0)
        return false;
    reader->at++;
    return true;
}

static bool hand_fail(const HandReader *reader, const char *expected)
{
    const Word *next = hand_peek(reader);
    return error_at(reader->error, reader->out->path, next->line, next->column,
                    "expected %s before '%s'", expected, next->text);
}

/* LABEL or OPERATION.LABEL. */
static bool hand_step(HandReader *reader, int *step)
{
    const IrProgram *program = reader->program;
    const Word *place = hand_peek(reader);
    const char *operation = NULL, *label = place->text;
    if (place->kind != WORD_NAME)
        return hand_fail(reader, "the label of a step");
    reader->at++;
    if (hand_accept(reader, ".")) {
        operation = label;
        label = hand_peek(reader)->text;
        reader->at++;
    }
    int number = 0, found = 0;
    for (size_t i = 0; i < program->operations.count; i++)
        for (size_t k = 0; k < program->operations.at[i].subops.count; k++, number++)
            if (strcmp(program->operations.at[i].subops.at[k].label, label) == 0 &&
                (!operation || strcmp(program->operations.at[i].name, operation) == 0)) {
                *step = number;
                found++;
            }
    if (found == 1)
        return true;
    return error_at(reader->error, reader->out->path, place->line, place->column,
                    found == 0 ? "there is no step '%s'"
                               : "there are several steps '%s': write OPERATION.LABEL",
                    label);
}

/* After `[`: boundary case, or a condition. */
static bool hand_note(HandReader *reader, HandClaim *claim)
{
    if (hand_accept(reader, "boundary") || hand_accept(reader, "Boundary")) {
        claim->boundary = true;
        if (!hand_accept(reader, "case"))
            return hand_fail(reader, "'case'");
    } else if (hand_accept(reader, "if")) {
        if (!text_read_condition(reader->arena, reader->program, reader->out->path, &reader->words,
                                 &reader->at, &claim->condition, reader->error))
            return false;
    } else {
        return hand_fail(reader, "'boundary case' or 'if'");
    }
    return hand_accept(reader, "]") || hand_fail(reader, "']'");
}

static bool hand_claim(HandReader *reader)
{
    HandClaim claim = {.line = hand_peek(reader)->line, .column = hand_peek(reader)->column};
    claim.negated = hand_accept(reader, "not");
    if (!hand_step(reader, &claim.a))
        return false;
    claim.reversible = hand_accept(reader, "<->");
    if (!claim.reversible && !hand_accept(reader, "then"))
        return hand_fail(reader, "'then' or '<->'");
    if (!hand_step(reader, &claim.b))
        return false;
    if (!claim.reversible && !claim.negated && hand_accept(reader, "[") &&
        !hand_note(reader, &claim))
        return false;
    arena_push(reader->arena, &reader->out->claims, claim);
    return true;
}

bool handmade_read_file(Arena *arena, const IrProgram *program, const char *path, Handmade *out,
                        Error *error)
{
    HandReader reader = {.arena = arena, .program = program, .out = out, .error = error};
    Str text;
    *out = (Handmade){.path = path};
    bool good =
        text_load(arena, path, &text, error) && words_run(arena, path, text, &reader.words, error);
    while (good && hand_peek(&reader)->kind != WORD_END)
        good = hand_claim(&reader);
    vec_free(&reader.words);
    return good;
}

static const char *hand_label(const Prover *prover, int number)
{
    int operation, point;
    tables_locate(prover->program, number, &operation, &point);
    return prover->program->operations.at[operation].subops.at[point].label;
}

/* Is one claim true of the text? */
static bool hand_check(Prover *prover, const Handmade *handmade, const HandClaim *claim,
                       Error *error)
{
    const char *a = hand_label(prover, claim->a), *b = hand_label(prover, claim->b);
    int op_a, op_b, point_a, point_b;
    TableEntry entry = {0};
    tables_locate(prover->program, claim->a, &op_a, &point_a);
    tables_locate(prover->program, claim->b, &op_b, &point_b);
    bool boundary = point_a + 1 == prover_points(prover, op_a) && point_b == 0;
    if (claim->boundary && !boundary)
        return error_at(error, handmade->path, claim->line, claim->column,
                        "%s, %s is no boundary case: a last step and then a first one are", a, b);
    if (claim->reversible && !claim->negated && boundary)
        return error_at(error, handmade->path, claim->line, claim->column,
                        "%s, %s is a boundary case, so the order of the two must stay", a, b);
    if (claim->condition && !tables_implies(prover, claim->a, claim->b, claim->condition))
        return error_at(error, handmade->path, claim->line, claim->column,
                        "%s can follow %s in other states too", b, a);
    if (claim->reversible == claim->negated)
        return true; /* Algorithm 1 does not rest on it */
    tables_decide(prover, claim->a, claim->b, true, &entry);
    if (stop_wanted())
        return error_at(error, handmade->path, claim->line, claim->column,
                        "the time limit came before this was checked");
    if (!claim->reversible && entry.orderable)
        return error_at(error, handmade->path, claim->line, claim->column,
                        "%s may follow %s: there is a state in which the one and then the other "
                        "can run",
                        b, a);
    if (claim->reversible && entry.orderable && !entry.reversible)
        return error_at(error, handmade->path, claim->line, claim->column,
                        "%s, %s can't always be exchanged: %s", a, b, entry.reason);
    return true;
}

bool handmade_check(Prover *prover, const Handmade *handmade, Relations *out, Error *error)
{
    *out = tables_relations(prover->arena, prover->program);
    for (int i = 0; i < out->count * out->count; i++)
        out->orderable[i] = true;
    for (size_t i = 0; i < handmade->claims.count; i++) {
        const HandClaim *claim = &handmade->claims.at[i];
        if (!hand_check(prover, handmade, claim, error))
            return false;
        int at = claim->a * out->count + claim->b;
        if (claim->reversible)
            out->reversible[at] = !claim->negated;
        else
            out->orderable[at] = !claim->negated;
    }
    relations_finish(out);
    return true;
}
