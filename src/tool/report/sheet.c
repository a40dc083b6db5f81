#include "tool/report/sheet.h"
#include <string.h>

int sheet_columns(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void write_bytes(const Sheet *sheet, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        bool control = byte < 32 || byte == 127;
        /* a terminal would take U+0080 to U+009F for controls, too */
        if (byte == 0xC2 && i + 1 < length && (unsigned char)text[i + 1] < 0xA0) {
            control = true;
            i++;
        }
        fputc(control || (sheet->style->ascii && byte >= 0x80) ? '?' : byte, sheet->to);
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
    fprintf(sheet->to, "%*s", column, "");
    sheet_wrap(sheet, 0, text, indent, column);
    fputc('\n', sheet->to);
}

const char *sheet_glyph(const Sheet *sheet, const char *fancy, const char *ascii)
{
    return sheet->style->ascii ? ascii : fancy;
}
