#include "tool/report/text_steps.h"
#include <string.h>
#include "base/file.h"
#include "base/print.h"
#include "tool/report/lanes.h"

#define WIDEST_PLACE 28 /* of 100 columns */
#define WIDEST_NOTE 28
#define LEAST_ACTION 20

typedef struct Table {
    Sheet sheet; /* its gutter is that of the row being written */
    Names *names;
    Lanes lanes;
    Buffer gutter;
    int number, thread, place, action, order; /* widths */
    int place_column, action_column;
} Table;

static int thread_colour(unsigned thread)
{
    static const int colours[] = {37, 36, 35, 34, 33, 32};
    return colours[thread % COUNT_OF(colours)];
}

/* Columns as wide as their contents, the actions as wide as the rest of the line allows. */
static void measure(Table *table, const Record *record, const Steps *steps)
{
    int note = 0, longest = 0, width = table->sheet.style->width;
    table->number = 2;
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = &steps->at[i];
        if (!step->number)
            continue;
        table->thread =
            MAX(table->thread, sheet_columns(names_thread(table->names, step->thread)) + 2);
        table->place = MAX(table->place, sheet_columns(step->place));
        table->order = MAX(table->order, sheet_columns(step->order));
        longest = MAX(longest, sheet_columns(step->action));
        note = MAX(note, sheet_columns(step->note));
        if (step->number > 99)
            table->number = step->number > 999 ? step->number > 9999 ? 6 : 4 : 3;
    }
    lanes_begin(&table->lanes, table->names, record, steps, table->sheet.style->ascii, width / 3);
    if (table->lanes.count)
        table->thread = lanes_columns(&table->lanes);
    table->place = MIN(table->place, width * WIDEST_PLACE / 100);
    table->place_column = 2 + table->number + 2 + table->thread;
    table->action_column = table->place_column + table->place + 2;
    int rest = width - table->action_column - 2 - table->order - 2 - MIN(note, WIDEST_NOTE);
    table->action = MAX(LEAST_ACTION, MIN(longest, rest));
}

/* Lines below a row start with its lanes. */
static void set_gutter(Table *table)
{
    vec_clear(&table->gutter);
    buffer_printf(&table->gutter, "%*s", 2 + table->number + 2, "");
    if (table->lanes.count)
        lanes_between(&table->lanes, &table->gutter);
    else
        buffer_printf(&table->gutter, "%*s", table->thread, "");
    table->sheet.gutter = table->gutter.at;
    table->sheet.gutter_columns = table->place_column;
}

/* PIECE in the column that is its own if there is room, else on a line of its own. Returns where
 * the line now ends. */
static int write_piece(const Table *table, int at, int wanted, int colour, const char *piece)
{
    const Sheet *sheet = &table->sheet;
    int columns = sheet_columns(piece), width = sheet->style->width;
    bool fits = wanted + columns <= width;
    if (at + 2 > wanted || !fits) {
        if (at + 2 + columns <= width) { /* directly behind */
            fputs("  ", sheet->to);
            sheet_paint(sheet, colour, piece);
            return at + 2 + columns;
        }
        wanted = table->action_column + 2;
        sheet_break(sheet, wanted);
        return sheet_wrap(sheet, colour, piece, wanted, wanted);
    }
    print_plain(sheet->to, "%*s", wanted - at, "");
    sheet_paint(sheet, colour, piece);
    return wanted + columns;
}

/* The line of source, if it can be read. */
static bool source_line(const SourcePlace *place, char *text, size_t bytes)
{
    FILE *file = place->file && place->line > 0
                     ? file_open_stream(place->file, FILE_TEXT_BYTES, NULL)
                     : NULL;
    bool found = false;
    for (int line = 1; file && fgets(text, (int)bytes, file); line++)
        if (line == place->line) {
            found = true;
            break;
        }
    if (file)
        fclose(file);
    if (!found)
        return false;
    Str trimmed = str_trim(str_of(text));
    memmove(text, trimmed.at, trimmed.length);
    text[trimmed.length] = 0;
    return *text != 0;
}

/* The end of a long name tells more than its beginning. */
static void write_place(const Table *table, const char *place)
{
    int cut = sheet_columns(place) - table->place;
    if (cut > 0)
        fputc('~', table->sheet.to);
    sheet_paint(&table->sheet, SHEET_DIM, cut > 0 ? place + cut + 1 : place);
    sheet_pad(&table->sheet, place, table->place);
    fputs("  ", table->sheet.to);
}

static void write_source(const Table *table, const Step *step)
{
    char source[256];
    if (!source_line(&step->source, source, sizeof source))
        return;
    const Sheet *sheet = &table->sheet;
    int room = sheet->style->width - table->action_column - 2;
    sheet_break(sheet, table->action_column);
    fputs(sheet_glyph(sheet, "│ ", "| "), sheet->to);
    if (sheet_columns(source) > room && room > 4) {
        int end = room - 3;
        while (((unsigned char)source[end] & 0xC0) == 0x80)
            end--; /* not inside a letter */
        snprintf(source + end, 4, "...");
    }
    sheet_paint(sheet, SHEET_DIM, source);
}

/* Calls and returns of operations: their line is the whole operation. */
static bool is_mark(const Record *record, const Step *step)
{
    return step->event < record->event_count && (record->events[step->event].kind == RECORD_CALL ||
                                                 record->events[step->event].kind == RECORD_RETURN);
}

static void write_row(Table *table, const Step *step)
{
    Sheet *sheet = &table->sheet;
    bool marked = step->bad || step->partner;
    sheet->gutter = NULL;
    if (!step->number) {
        print_plain(sheet->to, "%*s%s\n", table->place_column, "", step->action);
        return;
    }
    fputs(marked ? sheet_glyph(sheet, "▶ ", "> ") : "  ", sheet->to);
    fprintf(sheet->to, "%*u  ", table->number, step->number);
    if (table->lanes.count) {
        lanes_write_step(&table->lanes, step, sheet, thread_colour(step->thread));
    } else {
        const char *thread = names_thread(table->names, step->thread);
        sheet_paint(sheet, thread_colour(step->thread), thread);
        sheet_pad(sheet, thread, table->thread);
    }
    write_place(table, step->place);
    set_gutter(table);
    int colour = marked ? SHEET_BOLD : step->blocked ? SHEET_RED : 0;
    int at =
        sheet_wrap(sheet, colour, step->action, table->action_column + 2, table->action_column);
    int column = table->action_column + table->action + 2;
    bool broken = false;
    if (*step->order) {
        at = write_piece(table, at, column, SHEET_DIM, step->order);
        broken = at < column;
    }
    column = broken ? at + 2 : column + (table->order ? table->order + 2 : 0);
    if (*step->note)
        write_piece(table, at, column,
                    step->stale     ? SHEET_YELLOW
                    : step->blocked ? SHEET_RED
                                    : SHEET_DIM,
                    step->note);
    if (marked && !is_mark(table->lanes.record, step))
        write_source(table, step);
    fputc('\n', sheet->to);
}

void text_write_steps(const Sheet *sheet, const Record *record, const Steps *steps, Names *names)
{
    Table table = {.sheet = *sheet, .names = names};
    measure(&table, record, steps);
    if (table.lanes.count) {
        Buffer head = {0};
        buffer_printf(&head, "%*s", 2 + table.number + 2, "");
        lanes_head(&table.lanes, names, &head);
        while (head.count && head.at[head.count - 1] == ' ')
            head.at[--head.count] = 0;
        print_plain(sheet->to, "%s\n", head.at);
        vec_free(&head);
    }
    for (size_t i = 0; i < steps->count; i++)
        write_row(&table, &steps->at[i]);
    vec_free(&table.gutter);
}
