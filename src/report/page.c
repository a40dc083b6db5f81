#include "report/page.h"
#include <string.h>

int page_columns(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void write_bytes(const Page *page, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        bool control = byte < 32 || byte == 127;
        /* a terminal would take U+0080 to U+009F for controls, too */
        if (byte == 0xC2 && i + 1 < length && (unsigned char)text[i + 1] < 0xA0) {
            control = true;
            i++;
        }
        fputc(control || (page->style->ascii && byte >= 0x80) ? '?' : byte, page->to);
    }
}

static void paint_bytes(const Page *page, int colour, const char *text, size_t length)
{
    bool painted = page->style->colour && colour && length;
    if (painted)
        fprintf(page->to, "\033[%dm", colour);
    write_bytes(page, text, length);
    if (painted)
        fputs("\033[0m", page->to);
}

void page_write(const Page *page, const char *text)
{
    write_bytes(page, text, strlen(text));
}

void page_paint(const Page *page, int colour, const char *text)
{
    paint_bytes(page, colour, text, strlen(text));
}

void page_pad(const Page *page, const char *text, int width)
{
    for (int i = page_columns(text); i < width; i++)
        fputc(' ', page->to);
}

void page_break(const Page *page, int column)
{
    fputc('\n', page->to);
    if (page->gutter && column > page->gutter_columns)
        fputs(page->gutter, page->to);
    int start = page->gutter && column > page->gutter_columns ? page->gutter_columns : 0;
    for (int i = start; i < column; i++)
        fputc(' ', page->to);
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

int page_wrap(const Page *page, int colour, const char *text, int indent, int column)
{
    int width = page->style->width;
    bool fresh = true; /* no word stands on this line yet */
    while (*text) {
        size_t length = strcspn(text, " \n"), spaces = strspn(text + length, " \n");
        int columns = columns_of_bytes(text, length);
        if (!fresh && column + 1 + columns > width) {
            page_break(page, indent);
            column = indent;
        } else if (!fresh && length) {
            fputc(' ', page->to);
            column++;
        }
        for (const char *at = text; length;) {
            size_t piece = bytes_of_columns(at, length, MAX(width - column, 8));
            paint_bytes(page, colour, at, piece);
            column += columns_of_bytes(at, piece);
            at += piece;
            length -= piece;
            if (length) {
                page_break(page, indent);
                column = indent;
            }
        }
        fresh = false;
        text += strcspn(text, " \n") + spaces;
    }
    return column;
}

void page_paragraph(const Page *page, const char *text, int indent, int column)
{
    fprintf(page->to, "%*s", column, "");
    page_wrap(page, 0, text, indent, column);
    fputc('\n', page->to);
}

const char *page_glyph(const Page *page, const char *fancy, const char *ascii)
{
    return page->style->ascii ? ascii : fancy;
}
