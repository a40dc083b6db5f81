#include "tool/report/lanes.h"

typedef struct Glyphs {
    const char *begin, *end, *step, *line, *dots, *right, *left;
} Glyphs;
static const Glyphs fancy_glyphs = {"┌", "└", "●", "│", "┄", "▸", "◂"};
static const Glyphs ascii_glyphs = {"+", "+", "*", "|", ".", ">", "<"};

static const Glyphs *glyphs_of(const Lanes *lanes)
{
    return lanes->ascii ? &ascii_glyphs : &fancy_glyphs;
}

void lanes_begin(Lanes *lanes, Names *names, const Record *record, const Steps *steps, bool ascii,
                 int most)
{
    *lanes = (Lanes){.record = record, .ascii = ascii, .cell = 4, .last = -1};
    bool shown[LANES_MOST] = {false};
    for (size_t i = 0; i < steps->count; i++)
        if (steps->at[i].number)
            shown[steps->at[i].thread % LANES_MOST] = true;
    for (uint32_t t = 0; t < LANES_MOST; t++) {
        lanes->of[t] = t < record->thread_count && shown[t] ? lanes->count++ : -1;
        if (shown[t])
            lanes->cell = MAX(lanes->cell, sheet_columns(names_thread(names, t)) + 1);
    }
    for (uint32_t i = 0; i < record->event_count; i++)
        lanes->operations |= record->events[i].kind == RECORD_CALL;
    if (lanes->count && lanes->of[0] == 0)
        lanes->drawn[0] = !lanes->operations; /* main lives from the start */
    lanes->cell = MIN(lanes->cell, MAX(most / MAX(lanes->count, 1), 4));
    if (record->thread_count > LANES_MOST || lanes_columns(lanes) > most)
        lanes->count = 0;
}

int lanes_columns(const Lanes *lanes)
{
    return lanes->count * lanes->cell;
}

void lanes_head(const Lanes *lanes, Names *names, Buffer *out)
{
    for (int lane = 0; lane < lanes->count; lane++)
        for (unsigned t = 0; t < LANES_MOST; t++)
            if (lanes->of[t] == lane) {
                const char *name = names_thread(names, t);
                buffer_printf(out, "%-*s", lanes->cell, name);
            }
}

/* The changes that an event makes: where lines begin and end. */
static void pass_event(Lanes *lanes, const RecordEvent *event)
{
    int own = event->thread < LANES_MOST ? lanes->of[event->thread] : -1;
    int other = event->other < LANES_MOST ? lanes->of[event->other] : -1;
    switch ((RecordKind)event->kind) {
    case RECORD_CALL:
    case RECORD_RETURN:
        if (own >= 0)
            lanes->drawn[own] = event->kind == RECORD_CALL;
        break;
    case RECORD_CREATE:
        if (other >= 0 && !lanes->operations)
            lanes->drawn[other] = true;
        break;
    case RECORD_END:
        if (own >= 0)
            lanes->drawn[own] = false;
        break;
    default:
        break;
    }
}

static void pass_until(Lanes *lanes, uint32_t event)
{
    for (; lanes->seen < event && lanes->seen < lanes->record->event_count; lanes->seen++)
        pass_event(lanes, &lanes->record->events[lanes->seen]);
}

static const char *mark_of(const Lanes *lanes, const Step *step)
{
    const Glyphs *glyphs = glyphs_of(lanes);
    if (step->event < lanes->record->event_count) {
        unsigned kind = lanes->record->events[step->event].kind;
        if (kind == RECORD_CALL)
            return glyphs->begin;
        if (kind == RECORD_RETURN)
            return glyphs->end;
    }
    return glyphs->step;
}

void lanes_write_step(Lanes *lanes, const Step *step, const Sheet *sheet, int colour)
{
    const Glyphs *glyphs = glyphs_of(lanes);
    pass_until(lanes, MIN(step->event, lanes->record->event_count));
    int own = lanes->of[step->thread % LANES_MOST], from = lanes->last < 0 ? own : lanes->last;
    for (int lane = 0; lane < lanes->count; lane++) {
        if (lane == own)
            sheet_paint(sheet, colour, mark_of(lanes, step));
        else if (lanes->drawn[lane])
            fputs(glyphs->line, sheet->to);
        else
            fputs(lane > MIN(from, own) && lane < MAX(from, own) ? glyphs->dots : " ", sheet->to);
        bool right = own > from && lane >= from && lane < own;
        bool left = own < from && lane >= own && lane < from;
        for (int i = 1; i < lanes->cell; i++)
            fputs(right && lane == own - 1 && i == lanes->cell - 1 ? glyphs->right
                  : left && lane == own && i == 1                  ? glyphs->left
                  : right || left                                  ? glyphs->dots
                                                                   : " ",
                  sheet->to);
    }
    lanes->last = own;
    pass_until(lanes, step->event < lanes->record->event_count ? step->event + 1 : 0);
}

void lanes_between(const Lanes *lanes, Buffer *out)
{
    for (int lane = 0; lane < lanes->count; lane++)
        buffer_printf(out, "%s%*s", lanes->drawn[lane] ? glyphs_of(lanes)->line : " ",
                      lanes->cell - 1, "");
}
