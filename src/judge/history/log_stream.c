#include "judge/history/log_stream.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/file.h"

#define CHUNK ((unsigned)1 << 16)

static bool has(const char *folder, const char *name)
{
    Buffer inside = {0};
    buffer_printf(&inside, "%s/%s", folder, name);
    bool there = access(inside.at, F_OK) == 0;
    vec_free(&inside);
    return there;
}

const char *log_in_folder(const char *folder)
{
    static const char *const names[] = {"history.edn", "history.edn.gz", "history.txt",
                                        "history.txt.gz"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (has(folder, names[i]))
            return names[i];
    return NULL;
}

/* The descriptor, or -1 and an error. */
static int open_log(const char *path, Error *error)
{
    struct stat status;
    if (stat(path, &status) || !S_ISDIR(status.st_mode))
        return file_open(path, error);
    const char *name = log_in_folder(path);
    if (!name) {
        error_at(
            error, path, 0, 0,
            has(path, "test.jepsen")
                ? "has its history in test.jepsen, Jepsen's binary format, which is not read; in a "
                  "REPL of the test, (jepsen.store/write-history! (jepsen.store/latest)) writes "
                  "history.edn beside it"
                : "is a folder, not a log, and no folder of Jepsen's store: there is no "
                  "history.edn in it");
        return -1;
    }
    Buffer inside = {0};
    buffer_printf(&inside, "%s/%s", path, name);
    int descriptor = file_open(inside.at, error);
    vec_free(&inside);
    return descriptor;
}

bool log_stream_open(LogStream *stream, const char *path, Error *error)
{
    *stream = (LogStream){.path = path, .line = 1};
    int descriptor = strcmp(path, "-") ? open_log(path, error) : dup(STDIN_FILENO);
    if (descriptor < 0)
        return strcmp(path, "-") ? false : error_at(error, path, 0, 0, "%s", strerror(errno));
    stream->file = gzdopen(descriptor, "rb");
    if (!stream->file) {
        close(descriptor);
        return error_at(error, path, 0, 0, "can't be read");
    }
    gzbuffer((gzFile)stream->file, CHUNK);
    stream->buffer = malloc(CHUNK);
    if (!stream->buffer)
        die("out of memory");
    stream->at = stream->end = stream->buffer;
    return true;
}

void log_stream_memory(LogStream *stream, const char *path, Str bytes)
{
    *stream = (LogStream){.path = path, .line = 1};
    stream->at = (const unsigned char *)bytes.at;
    stream->end = stream->at + bytes.length;
}

void log_stream_close(LogStream *stream)
{
    if (stream->file)
        gzclose((gzFile)stream->file);
    free(stream->buffer);
    vec_free(&stream->text);
    stream->file = NULL;
    stream->buffer = NULL;
}

int log_stream_fill(LogStream *stream)
{
    if (stream->source && !stream->failed) {
        Str more = stream->source->more(stream->source);
        stream->at = (const unsigned char *)(more.length ? more.at : "");
        stream->end = stream->at + more.length;
        return more.length ? *stream->at : LOG_END;
    }
    if (!stream->file || stream->failed)
        return LOG_END;
    int got = gzread((gzFile)stream->file, stream->buffer, CHUNK);
    if (got <= 0) {
        int code = Z_OK;
        const char *problem = gzerror((gzFile)stream->file, &code);
        if (got < 0 || code == Z_BUF_ERROR) {
            stream->problem = code == Z_BUF_ERROR ? "the compressed file is truncated"
                              : code == Z_ERRNO   ? strerror(errno)
                                                  : problem;
            stream->failed = true;
        }
        return LOG_END;
    }
    stream->at = stream->buffer;
    stream->end = stream->buffer + got;
    return *stream->at;
}

bool log_stream_check(const LogStream *stream, Error *error)
{
    if (!stream->failed)
        return true;
    return error_at(error, stream->path, (int)stream->line, 0, "%s", stream->problem);
}

bool log_next_line(LogStream *stream, Str *line, uint32_t *number, Error *error)
{
    *number = stream->line;
    stream->unended = false;
    vec_clear(&stream->text);
    if (log_peek(stream) == LOG_END) {
        *line = (Str){"", 0};
        if (stream->failed)
            error_at(error, stream->path, (int)stream->line, 0, "%s", stream->problem);
        return false;
    }
    for (;;) {
        size_t left = (size_t)(stream->end - stream->at);
        const unsigned char *stop = memchr(stream->at, '\n', left);
        size_t length = stop ? (size_t)(stop - stream->at) : left;
        if (stop && !stream->text.count) { /* the common case: no copy */
            *line = (Str){(const char *)stream->at, length};
            stream->at += length + 1;
            stream->line++;
            return true;
        }
        buffer_append(&stream->text, stream->at, length);
        stream->at += length;
        if (stream->text.count > LOG_LONGEST_LINE) {
            stream->failed = true;
            stream->problem = "a line of more than 16 MB: this is no log";
            return error_at(error, stream->path, (int)stream->line, 0, "%s", stream->problem);
        }
        if (stop) {
            stream->at++;
            stream->line++;
            break;
        }
        stream->unended = log_peek(stream) == LOG_END;
        if (stream->unended)
            break;
    }
    *line = buffer_str(&stream->text);
    if (stream->failed)
        return error_at(error, stream->path, (int)stream->line, 0, "%s", stream->problem);
    return true;
}
