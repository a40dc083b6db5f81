#include "tool/report/sheet.h"
#include <string.h>
#include "base/print.h"

int sheet_columns(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void write_bytes(const Sheet *sheet, const char *text, size_t length)
{
    Str rest = {text, length};
    while (rest.length) {
        bool safe;
        uint32_t code;
        size_t bytes = print_character(rest, &code, &safe);
        bool shown = safe && code >= 32; /* a new line is the sheet's to make */
        if (shown && (code < 0x80 || !sheet->style->ascii))
            fwrite(rest.at, 1, bytes, sheet->to);
        else /* as many as it has, since they were counted as one column each in ASCII */
            fputc('?', sheet->to);
        rest = (Str){rest.at + bytes, rest.length - bytes};
    }
}

static void paint_bytes(const Sheet *sheet, int colour, const char *text, size_t length)
{
    bool painted = sheet->style->colour && colour && length;
    if (painted)
        fprintf(sheet->to, "\033[%dm", colour);
    write_bytes(sheet, text, length);
    if (painted)
        fputs("\033[0m", sheet->to);
}

void sheet_write(const Sheet *sheet, const char *text)
{
    write_bytes(sheet, text, strlen(text));
}

void sheet_paint(const Sheet *sheet, int colour, const char *text)
{
    paint_bytes(sheet, colour, text, strlen(text));
}

void sheet_pad(const Sheet *sheet, const char *text, int width)
{
    for (int i = sheet_columns(text); i < width; i++)
        fputc(' ', sheet->to);
}

void sheet_break(const Sheet *sheet, int column)
{
    fputc('\n', sheet->to);
    if (sheet->gutter && column > sheet->gutter_columns)
        fputs(sheet->gutter, sheet->to);
    int start = sheet->gutter && column > sheet->gutter_columns ? sheet->gutter_columns : 0;
    for (int i = start; i < column; i++)
        fputc(' ', sheet->to);
}

/* The bytes of TEXT that take at most COLUMNS columns. */
static size_t bytes_of_columns(const char *text, size_t length, int columns)
{
    size_t bytes = 0;
    while (bytes < length) {
        size_t next = bytes + 1;
        while (next < length && ((unsigned char)text[next] & 0xC0) == 0x80)
            next++;
        if (columns-- == 0)
            break;
        bytes = next;
    }
    return bytes;
}

static int columns_of_bytes(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

int sheet_wrap(const Sheet *sheet, int colour, const char *text, int indent, int column)
{
    int width = sheet->style->width;
    bool fresh = true; /* no word stands on this line yet */
    while (*text) {
        size_t length = strcspn(text, " \n"), spaces = strspn(text + length, " \n");
        int columns = columns_of_bytes(text, length);
        if (!fresh && column + 1 + columns > width) {
            sheet_break(sheet, indent);
            column = indent;
        } else if (!fresh && length) {
            fputc(' ', sheet->to);
            column++;
        }
        for (const char *at = text; length;) {
            size_t piece = bytes_of_columns(at, length, MAX(width - column, 8));
            paint_bytes(sheet, colour, at, piece);
            column += columns_of_bytes(at, piece);
            at += piece;
            length -= piece;
            if (length) {
                sheet_break(sheet, indent);
                column = indent;
            }
        }
        fresh = false;
        text += strcspn(text, " \n") + spaces;
    }
    return column;
}

void sheet_paragraph(const Sheet *sheet, const char *text, int indent, int column)
{
    print_plain(sheet->to, "%*s", column, "");
    sheet_wrap(sheet, 0, text, indent, column);
    fputc('\n', sheet->to);
}

const char *sheet_glyph(const Sheet *sheet, const char *fancy, const char *ascii)
{
    return sheet->style->ascii ? ascii : fancy;
}
