/* log.h: recorded histories from files. One reader per format, judge/history/log_<format>.c; the
 * format is detected from the content. Files may be gzip-compressed or pipes ("-" is standard
 * input) and are read in one pass, in memory bounded by what the history itself needs and by a
 * limit. Every error names file and line. Part of the tool only, not of the program under test. */
#ifndef HEDDLE_HISTORY_LOG_H
#define HEDDLE_HISTORY_LOG_H
#include "judge/history/history.h"

/* X(NAME, word of --format, what it is), in the order in which a log is asked whether it is one:
 * log_is_<word> and log_read_<word> make a format. */
#define LOG_FORMATS(X)                                                                             \
    X(TLA, tla, "TLA+: a sequence of records, alone or as a variable in a trace of TLC")           \
    X(OBSERVATION, observation, "observation file of Line-Up (XML)")                               \
    X(CSV, csv, "a row an operation, with the times of its call and return")                       \
    X(OPERATIONS, operations, "the same as JSON objects, as of Porcupine's operations")            \
    X(PORCUPINE, porcupine, "key-value log of Porcupine: EDN with a :key")                         \
    X(EDN, edn, "Jepsen's history.edn: `{:process 0, :type :invoke, :f :read, :value nil}`")       \
    X(JSON, json, "Heddle's own JSON lines, see heddle-history(1) and heddle_log.h")               \
    X(JEPSEN, jepsen, "text log of Jepsen: `INFO  jepsen.util - 0 :invoke :read nil`")
typedef enum LogFormat {
    LOG_FORMAT_AUTO,
#define X(name, word, what) LOG_FORMAT_##name,
    LOG_FORMATS(X)
#undef X
} LogFormat;
const char *log_format_word(LogFormat format);
bool log_format_from_word(const char *word, LogFormat *format);

/* A read of nil in Jepsen's logs gave what the object holds before the first write, or something
 * that nobody knows, as Knossos takes it. No log tells which its test means. */
typedef enum NilReads { NIL_READS_EITHER, NIL_READS_VALUE, NIL_READS_UNKNOWN } NilReads;
/* Conventions that a log does not state itself. */
typedef struct LogOptions {
    LogFormat format;
    size_t memory_limit; /* in bytes, 0 for none */
    /* Jepsen: a compare-and-set that failed and repeats its arguments did happen, and found another
     * value. Otherwise it did not happen. */
    bool observed_cas;
    NilReads nil_reads; /* Jepsen; either: read as values, for the judge to ask twice */
    /* Where operations have times: a process has one operation after the other, and anything else
     * is an error. Otherwise one whose operations overlap is several. */
    bool one_by_one;
} LogOptions;

typedef Vec(History *) Histories; /* a file may hold several */
void histories_free(Histories *histories);

/* The name of the file in FOLDER that has its history, as Jepsen's store names it, or NULL. */
const char *log_in_folder(const char *folder);
/* Adds the histories of a file, or of such a folder. *detected is the format used. */
MUST_USE bool log_read(const char *path, const LogOptions *options, Values *values, Histories *out,
                       LogFormat *detected, Error *error);
/* Does the same for bytes in memory; PATH only names them. */
MUST_USE bool log_read_bytes(const char *path, Str bytes, const LogOptions *options, Values *values,
                             Histories *out, LogFormat *detected, Error *error);
/* The bytes of a log that grows. MORE waits for some and gives whole lines, which live until it is
 * called again; nothing: the log ends, or, with CUT, is read no further. What a cut log makes is
 * the history up to there: events that wait for others before them (`seq`) are left out. */
typedef struct LogSource {
    Str (*more)(struct LogSource *source);
    bool cut;
} LogSource;
/* Does the same for what SOURCE gives. *detected is set as soon as the format is known. */
MUST_USE bool log_read_source(const char *path, LogSource *source, const LogOptions *options,
                              Values *values, Histories *out, LogFormat *detected, Error *error);
/* Writes histories as an observation file, in sections of equal operations and results by thread.
 * Values are integers, booleans and strings; what else there is, is written as text. Reading it
 * again gives the same histories. */
MUST_USE bool log_write_observation(const char *path, const Histories *histories, Error *error);
/* Reads piece by piece: each piece has sections of its own. */
typedef struct LogObservationFile LogObservationFile;
MUST_USE bool log_observation_open(const char *path, LogObservationFile **file, Error *error);
void log_observation_add(LogObservationFile *file, const Histories *histories);
MUST_USE bool log_observation_close(LogObservationFile *file, Error *error); /* frees it */
#endif
