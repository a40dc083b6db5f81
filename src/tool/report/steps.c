#include "tool/report/steps.h"
#include <string.h>
#include "base/hash.h"
#include "base/str.h"
#include "record/check.h"
#include "tool/report/arrows.h"
#include "tool/report/dwarf/frames.h"
#include "tool/report/explain/sleeps.h"
#include "tool/report/relevance.h"

#define FEWEST_FOLDED 4 /* steps that one line stands for */

typedef struct StepsWork {
    Names *names;
    Arena *arena;
    const Record *record;
    const StepsOptions *options;
    unsigned *numbers;      /* event to step number; 0: not shown */
    Sleeps sleeps;          /* calls of condition variables and futexes */
    const uint32_t *missed; /* event to the write it misses, or RECORD_NONE */
    Relevance relevance;
    bool *merged; /* by event: told together with the step before it */
    bool any_merged;
    uint32_t end; /* events from here on come after all that the violation is about */
} StepsWork;

const char *steps_order_word(unsigned order)
{
    static const char *const words[] = {"relaxed", "consume", "acquire", "release",
                                        "acq_rel", "seq_cst", "volatile"};
    return order < COUNT_OF(words) ? words[order] : "";
}

static bool is_plain(const RecordEvent *event)
{
    return event->kind == RECORD_PLAIN_READ || event->kind == RECORD_PLAIN_WRITE;
}

static bool is_shown(const StepsWork *work, const RecordEvent *event)
{
    if (work->sleeps.at[event - work->record->events].role == SLEEP_DETAIL)
        return false; /* another event of the same call tells it */
    /* bookkeeping of the runtime at the end of a thread or of the program */
    if (!event->pc && (event->kind == RECORD_READ || event->kind == RECORD_WRITE) &&
        !(event->flags & RECORD_FLAG_AWAIT))
        return false;
    if (event->kind == RECORD_CHOOSE && !event->pc && !work->options->all)
        return false; /* whose turn it is in a serial run: the calls show that */
    if (event >= work->record->events + work->end && !work->options->all)
        return false;
    if (work->options->all || event->flags & (RECORD_FLAG_BAD | RECORD_FLAG_PARTNER))
        return true;
    if (event->kind == RECORD_BEGIN || event->kind == RECORD_END ||
        work->relevance.again[event - work->record->events])
        return false;
    if (event->pc && !(event->flags & RECORD_FLAG_BLOCKED) &&
        relevance_is_of_library(&work->relevance, event))
        return false;
    /* threads that `heddle check` makes of a test's columns: nobody wrote that */
    if (!event->pc && (event->kind == RECORD_CREATE || event->kind == RECORD_JOIN))
        return false;
    return !is_plain(event) || relevance_is_shared(&work->relevance, event);
}

/* A history is wrong: what the program does after its last call, in HD_AFTER or in destructors, is
 * no part of it. */
static uint32_t end_of_calls(const Record *record)
{
    uint32_t end = record->event_count;
    if (record->violation != VIOLATION_LINEARIZABILITY &&
        record->violation != VIOLATION_NONDETERMINISM)
        return end;
    while (end && record->events[end - 1].kind != RECORD_RETURN)
        end--;
    return end ? end : record->event_count;
}

/* The write half that belongs to the read half at EVENT, or NULL. */
static const RecordEvent *other_half(const Record *record, uint32_t number)
{
    const RecordEvent *read = &record->events[number];
    if (read->kind != RECORD_READ || !(read->flags & RECORD_FLAG_RMW))
        return NULL;
    for (uint32_t i = number + 1; i < record->event_count; i++) {
        const RecordEvent *event = &record->events[i];
        if (event->thread == read->thread)
            return event->kind == RECORD_WRITE && event->flags & RECORD_FLAG_RMW ? event : NULL;
    }
    return NULL;
}

static bool is_write_half(const Record *record, uint32_t number)
{
    const RecordEvent *write = &record->events[number];
    if (write->kind != RECORD_WRITE || !(write->flags & RECORD_FLAG_RMW))
        return false;
    for (uint32_t i = number; i-- > 0;)
        if (record->events[i].thread == write->thread)
            return other_half(record, i) == write;
    return false;
}

static const char *rmw_word(const RecordEvent *event)
{
    static const char *const words[] = {"exchange",   "fetch_add", "fetch_sub",
                                        "fetch_and",  "fetch_or",  "fetch_xor",
                                        "fetch_nand", "rmw",       "negate"}; /* RmwOp */
    if (event->flags & RECORD_FLAG_CAS)
        return "cas";
    return event->rmw_op < COUNT_OF(words) ? words[event->rmw_op] : "rmw";
}

static const char *value_of(StepsWork *work, const RecordEvent *event, const uint64_t value[2])
{
    if (event->size == 16)
        return arena_printf(work->arena, "{%s, %s}",
                            names_value(work->names, event->address, 8, value[0]),
                            names_value(work->names, event->address + 8, 8, value[1]));
    return names_value(work->names, event->address, event->size, value[0]);
}

/* An access that a library function made on the program's behalf is told by that function: the word
 * of a lock means nothing to a person. NULL if the access is the program's own. */
static const char *library_action(StepsWork *work, uint32_t number)
{
    const RecordEvent *event = &work->record->events[number];
    const char *sleeps = sleeps_action(work->names, work->record, &work->sleeps, number);
    if (sleeps)
        return sleeps;
    const char *call = record_text(work->record, event->text);
    const char *callee = names_callee(work->names, event->pc);
    const char *where = "";
    if (names_knows(work->names, event->address))
        where = arena_printf(work->arena, " %s",
                             names_location(work->names, event->address, event->size));
    if (*call)
        return arena_printf(work->arena, "%s%s", call, where);
    /* inline assembly calls the runtime, too (tool/instrument/machine/assembly.h), but it is the
     * program's own */
    if (!callee || callee[0] == '_' || !strcmp(callee, "assembly"))
        return NULL;
    bool unlocks = event->kind == RECORD_WRITE && *where;
    if (unlocks && strstr(callee, "mutex_unlock"))
        return arena_printf(work->arena, "mutex unlock%s", where);
    const char *got = "";
    if (strstr(callee, "trylock"))
        got = other_half(work->record, number) ? ": taken" : ": not free";
    return arena_printf(work->arena, "%s%s%s", callee, where, got);
}

static const char *access_verb(const RecordEvent *event)
{
    static const char *const kinds[] = {
#define X(name, word) word,
        RECORD_KINDS(X)
#undef X
    };
    if (event->flags & RECORD_FLAG_PLAIN)
        return event->kind == RECORD_READ ? "read" : "write";
    return kinds[event->kind];
}

/* Violations that are found before the access is made. */
static bool is_about_memory(ViolationKind kind)
{
    return kind == VIOLATION_USE_AFTER_FREE || kind == VIOLATION_INVALID_ACCESS ||
           kind == VIOLATION_UNINITIALISED_READ || kind == VIOLATION_CRASH;
}

static const char *access_action(StepsWork *work, uint32_t number)
{
    const RecordEvent *event = &work->record->events[number];
    const RecordEvent *write = other_half(work->record, number);
    const char *where = names_location(work->names, event->address, event->size);
    const char *arrow = work->options->ascii ? "->" : "→";
    const char *library = is_plain(event) ? NULL : library_action(work, number);
    if (library)
        return library;
    const char *value = value_of(work, event, event->value);
    if (write)
        return arena_printf(work->arena, "%s %s: %s %s %s", rmw_word(event), where, value, arrow,
                            value_of(work, write, write->value));
    if (event->kind == RECORD_READ && event->flags & RECORD_FLAG_CAS)
        return arena_printf(work->arena, "cas %s fails: found %s, not %s", where, value,
                            value_of(work, event, event->expected));
    if (event->size > 16)
        return arena_printf(work->arena, "%s %s (%u bytes)", access_verb(event), where,
                            event->size);
    bool not_made = is_plain(event) && event->flags & RECORD_FLAG_BAD &&
                    (is_about_memory((ViolationKind)work->record->violation) || !event->has_value);
    if (!event->size || not_made || *where == '"' || /* a literal is its value */
        (event->kind == RECORD_PLAIN_WRITE && !event->has_value))
        return arena_printf(work->arena, "%s %s", access_verb(event), where);
    return arena_printf(work->arena, "%s %s = %s", access_verb(event), where, value);
}

static const char *object_name(StepsWork *work, const RecordEvent *event)
{
    uint32_t object = names_object_at(work->names, event->address);
    if (object == RECORD_NONE || work->record->objects[object].address != event->address)
        return names_location(work->names, event->address, 1);
    return names_object(work->names, object);
}

static const char *step_action(StepsWork *work, uint32_t number)
{
    const RecordEvent *event = &work->record->events[number];
    Arena *arena = work->arena;
    const char *call = record_text(work->record, event->text);
    switch ((RecordKind)event->kind) {
    case RECORD_FENCE:
        return "fence";
    case RECORD_CREATE: {
        if (event->other >= work->record->thread_count)
            return "create a thread";
        const char *function =
            names_function(work->names, work->record->threads[event->other].function);
        return arena_printf(arena, "create %s%s%s%s", names_thread(work->names, event->other),
                            function ? " (" : "", function ? function : "", function ? ")" : "");
    }
    case RECORD_BEGIN:
        return "begin";
    case RECORD_JOIN:
        return event->other < work->record->thread_count
                   ? arena_printf(arena, "join %s", names_thread(work->names, event->other))
                   : "join";
    case RECORD_END:
        return "end";
    case RECORD_CHOOSE:
        return arena_printf(arena, "%s %llu", *call ? call : "choose",
                            (unsigned long long)event->value[0]);
    case RECORD_ALLOC:
        return arena_printf(arena, "allocate %s", object_name(work, event));
    case RECORD_FREE:
        return arena_printf(arena, "free %s", object_name(work, event));
    case RECORD_CALL:
    case RECORD_RETURN:
        return arena_printf(arena, "%s %s", event->kind == RECORD_CALL ? "call" : "return",
                            names_in_text(work->names, call));
    default:
        return access_action(work, number);
    }
}

/* A read that does not see what stands above it, newest in its place: a person who follows the list
 * would expect another value, whether or not the reader could have known. */
static bool is_stale(const StepsWork *work, uint32_t number)
{
    return work->record->events[number].flags & RECORD_FLAG_STALE ||
           work->missed[number] != RECORD_NONE;
}

/* A compare-exchange that succeeds since it finds the value that its thread has read before, but
 * from another write (ABA): the number of the step that wrote what was read then. 0: it is none. */
static unsigned aba_write(const StepsWork *work, uint32_t number)
{
    const RecordEvent *events = work->record->events, *cas = &events[number];
    if (!(cas->flags & RECORD_FLAG_CAS) || !(cas->flags & RECORD_FLAG_RMW))
        return 0;
    for (uint32_t i = number; i-- > 0;)
        if (events[i].thread == cas->thread && events[i].address == cas->address &&
            (events[i].kind == RECORD_READ || events[i].kind == RECORD_WRITE)) {
            bool again = events[i].kind == RECORD_READ && events[i].size == cas->size &&
                         !memcmp(events[i].value, cas->value, sizeof cas->value) &&
                         events[i].rf != cas->rf && events[i].rf < work->record->event_count;
            return again ? work->numbers[events[i].rf] : 0;
        }
    return 0;
}

static const char *step_note(StepsWork *work, uint32_t number)
{
    const Record *record = work->record;
    const RecordEvent *event = &record->events[number];
    if (event->flags & RECORD_FLAG_BLOCKED)
        return record_is_at_rest(record) ? "waits for ever" : "waits";
    if (event->kind != RECORD_READ || event->rf == RECORD_NONE ||
        work->sleeps.at[number].role == SLEEP_BEGINS)
        return "";
    /* of a lock the value is no news, but what it waited for is */
    bool lock = event->flags & RECORD_FLAG_AWAIT || library_action(work, number);
    uint32_t missed = work->missed[number];
    unsigned from = event->rf == RECORD_INIT ? 0 : work->numbers[event->rf];
    if (from == work->numbers[number])
        from = 0; /* another part of the same call */
    const char *source = event->rf == RECORD_INIT ? (lock ? "" : "initial value")
                         : from ? arena_printf(work->arena, "%s %u", lock ? "after" : "from", from)
                                : "";
    unsigned aba = aba_write(work, number);
    if (aba && from)
        return arena_printf(work->arena, "%s; ABA: it had read %u", source, aba);
    if (!is_stale(work, number) || event->flags & RECORD_FLAG_AWAIT)
        return source;
    if (missed == RECORD_NONE || !work->numbers[missed])
        return arena_printf(work->arena, "STALE%s%s", *source ? ": " : "", source);
    return arena_printf(work->arena, "STALE: %s%smisses %u", source, *source ? ", " : "",
                        work->numbers[missed]);
}

/* The order of a lock's word is the library's business. */
static bool has_order(StepsWork *work, uint32_t number)
{
    const RecordEvent *event = &work->record->events[number];
    if (event->kind != RECORD_FENCE && library_action(work, number))
        return false;
    return (event->kind == RECORD_READ || event->kind == RECORD_WRITE ||
            event->kind == RECORD_FENCE) &&
           !(event->flags & (RECORD_FLAG_PLAIN | RECORD_FLAG_AWAIT));
}

/* The number of the event of this thread just before event NUMBER. */
static unsigned number_before(const StepsWork *work, uint32_t number)
{
    for (uint32_t k = number; k-- > 0;)
        if (work->record->events[k].thread == work->record->events[number].thread)
            return work->numbers[k];
    return 0;
}

static void number_steps(StepsWork *work)
{
    unsigned next = 0;
    for (uint32_t i = 0; i < work->record->event_count; i++)
        if (!is_write_half(work->record, i) && is_shown(work, &work->record->events[i])) {
            next += !work->merged[i];
            work->numbers[i] = next;
        }
    for (uint32_t i = 0; i < work->record->event_count; i++) {
        const SleepEvent *sleep = &work->sleeps.at[i];
        if (sleep->role == SLEEP_DETAIL)
            work->numbers[i] = work->numbers[sleep->told_by];
        else if (is_write_half(work->record, i)) /* shares the number of its read half */
            work->numbers[i] = number_before(work, i);
    }
}

/* The finder's last action when the violation showed is often no event: a failing assertion, a
 * second free. Then it becomes the last step, and the mark moves there. */
static void add_last_step(StepsWork *work, Steps *steps, unsigned total)
{
    const Record *record = work->record;
    uint32_t finder = 0;
    while (finder < record->thread_count && !record->threads[finder].finder)
        finder++;
    if (!record->pc || finder == record->thread_count || record->violation == VIOLATION_RACE)
        return;
    for (size_t i = 0; i < steps->count; i++)
        if (steps->at[i].bad && record->events[steps->at[i].event].pc == record->pc &&
            record->events[steps->at[i].event].kind != RECORD_FENCE)
            return;
    SourcePlace source = names_user_place(work->names, record->pc, record->callers, RECORD_CALLERS);
    if (!source.file)
        return;
    for (size_t i = 0; i < steps->count; i++)
        steps->at[i].bad = false;
    const char *callee = names_callee(work->names, record->pc);
    const char *action = violation_word((ViolationKind)record->violation);
    const char *freed = steps_freed_object(work->names, record);
    if (freed)
        action = arena_printf(work->arena, "free %s", freed);
    else if (record->violation == VIOLATION_ASSERTION)
        action = callee && !strcmp(callee, "abort") ? "abort" : "assertion fails";
    else if (callee && callee[0] != '_')
        action = callee;
    vec_push(steps, (Step){.number = total + 1,
                           .event = RECORD_NONE,
                           .thread = finder,
                           .source = source,
                           .place = names_text_of_place(work->names, &source),
                           .action = action,
                           .order = "",
                           .note = "",
                           .bad = true});
}

/* Could the same step again be told as "2 times"? Plain accesses, and reads that read the same. */
static bool may_repeat(const RecordEvent *last, const RecordEvent *next)
{
    if (is_plain(last) && is_plain(next))
        return true;
    return last->kind == RECORD_READ && next->kind == RECORD_READ && last->rf == next->rf &&
           !((last->flags | next->flags) & (RECORD_FLAG_RMW | RECORD_FLAG_AWAIT));
}

/* A library that looks at the same place again and again makes one step, and so do the rounds of a
 * loop that waits. */
static bool step_repeats(StepsWork *work, Steps *steps, const Step *step)
{
    if (!steps->count || step->bad || step->partner)
        return false;
    Step *last = &steps->at[steps->count - 1];
    if (!last->number || last->thread != step->thread || last->bad || last->partner ||
        !may_repeat(&work->record->events[last->event], &work->record->events[step->event]) ||
        strcmp(last->place, step->place) != 0 || strcmp(last->action, step->action) != 0)
        return false;
    work->merged[step->event] = work->any_merged = true;
    last->times++;
    last->blocked |= step->blocked;
    if (step->blocked)
        last->note = step->note;
    else if (is_plain(&work->record->events[step->event]))
        last->note = arena_printf(work->arena, "%u times", last->times + 1);
    return true;
}

static Step make_step(StepsWork *work, uint32_t i)
{
    const Record *record = work->record;
    const RecordEvent *event = &record->events[i], *write = other_half(record, i);
    SourcePlace source = names_user_place(work->names, event->pc, event->callers, RECORD_CALLERS);
    unsigned flags = event->flags | (write ? write->flags : 0u);
    names_at(work->names, i);
    Step step = {.number = work->numbers[i],
                 .event = i,
                 .thread = event->thread,
                 .source = source,
                 .place = names_text_of_place(work->names, &source),
                 .action = step_action(work, i),
                 .order = has_order(work, i) ? steps_order_word(write ? write->order : event->order)
                                             : "",
                 .note = step_note(work, i),
                 .stale = is_stale(work, i),
                 .bad = flags & RECORD_FLAG_BAD,
                 .partner = flags & RECORD_FLAG_PARTNER,
                 .blocked = flags & RECORD_FLAG_BLOCKED && record_is_at_rest(work->record)};
    if (*step.order && write && write->order != event->order)
        step.order = steps_order_word(MAX(event->order, write->order));
    names_at(work->names, RECORD_NONE);
    return step;
}

/* Where the set-up ends: before the first thread is created, or, in a test of calls, before the
 * first call. If there is neither, nothing is set up. */
static uint32_t end_of_set_up(const Record *record)
{
    uint32_t end = 0;
    while (end < record->event_count && record->events[end].kind != RECORD_CREATE &&
           record->events[end].kind != RECORD_CALL && record->events[end].thread == 0)
        end++;
    return end < record->event_count ? end : 0;
}

static unsigned last_number(const StepsWork *work, uint32_t end)
{
    unsigned last = 0;
    for (uint32_t i = 0; i < end; i++)
        last = MAX(last, work->numbers[i]);
    return last;
}

/* All steps by the present numbers. What leads to the violation stands at the end: of a long
 * execution more of it is kept than of the beginning. (The set-up will be one line if it is
 * folded.) */
static void list_steps(StepsWork *work, Steps *steps)
{
    bool folds = work->options->fold && !work->options->all;
    unsigned total = last_number(work, work->record->event_count);
    unsigned set_up = folds ? last_number(work, end_of_set_up(work->record)) : 0;
    unsigned most = work->options->most ? (unsigned)work->options->most : total, head = most / 5;
    bool long_one = total - set_up > most;
    unsigned skip_from = long_one ? set_up + head + 1 : total + 1,
             skip_to = long_one ? total - (most - head) : 0;
    bool gap = false;
    vec_clear(steps);
    for (uint32_t i = 0; i < work->record->event_count; i++) {
        unsigned number = work->numbers[i];
        if (!number || is_write_half(work->record, i) || work->sleeps.at[i].role == SLEEP_DETAIL)
            continue;
        if (number >= skip_from && number <= skip_to) {
            if (!gap)
                vec_push(steps,
                         (Step){.event = i,
                                .place = "",
                                .order = "",
                                .note = "",
                                .action = arena_printf(work->arena, "... %u steps left out ...",
                                                       skip_to - skip_from + 1)});
            gap = true;
            continue;
        }
        Step step = make_step(work, i);
        if (!step_repeats(work, steps, &step))
            vec_push(steps, step);
    }
    add_last_step(work, steps, total);
}

/* Steps before there is any concurrency are told in one line, except those that later ones read
 * from. */
static void fold_set_up(StepsWork *work, Steps *steps)
{
    const Record *record = work->record;
    uint32_t end = end_of_set_up(record);
    bool *read = arena_array_of(work->arena, bool, (size_t)record->event_count + 1); /* by number */
    for (uint32_t i = end; i < record->event_count; i++)
        if (record->events[i].kind == RECORD_READ && record->events[i].rf < record->event_count)
            read[work->numbers[record->events[i].rf]] |= work->numbers[i] > 0;
    size_t kept = 0;
    for (size_t i = 0; i < steps->count;) {
        size_t next = i;
        while (next < steps->count && steps->at[next].number && steps->at[next].event < end &&
               !steps->at[next].bad && !steps->at[next].partner && !read[steps->at[next].number])
            next++;
        if (next - i < FEWEST_FOLDED) {
            steps->at[kept++] = steps->at[i++];
            continue;
        }
        steps->at[kept++] =
            (Step){.event = steps->at[i].event,
                   .place = "",
                   .order = "",
                   .note = "",
                   .action = arena_printf(work->arena, "... %u steps that set up (%u to %u) ...",
                                          (unsigned)(next - i), steps->at[i].number,
                                          steps->at[next - 1].number)};
        i = next;
    }
    steps->count = kept;
}

/* The library's function that the user's line calls, and in which EVENT happens, if it is a plain
 * access, an allocation or a free; else NULL. */
static const char *library_call(StepsWork *work, const RecordEvent *event)
{
    const char *function = NULL;
    if (!is_plain(event) && event->kind != RECORD_ALLOC && event->kind != RECORD_FREE)
        return NULL;
    for (unsigned i = 0; i <= RECORD_CALLERS; i++) {
        uint64_t pc = i ? event->callers[i - 1] : event->pc;
        SourcePlace place = names_place(work->names, pc);
        if (!pc || !place.file)
            return NULL;
        if (!frames_is_system_file(place.file))
            return function;
        function = place.function;
    }
    return NULL;
}

/* Makes one line of what a call does inside a library, apart from what synchronises and what the
 * violation is about. */
static void fold_library(StepsWork *work, Steps *steps)
{
    size_t kept = 0;
    for (size_t i = 0; i < steps->count;) {
        const Step *first = &steps->at[i];
        const char *call = NULL;
        size_t next = i;
        for (; next < steps->count; next++) {
            const Step *step = &steps->at[next];
            if (!step->number || step->event == RECORD_NONE || step->bad || step->partner ||
                step->stale || step->thread != first->thread ||
                strcmp(step->place, first->place) != 0)
                break;
            const char *of = library_call(work, &work->record->events[step->event]);
            if (!of || (call && strcmp(of, call) != 0))
                break;
            call = of;
        }
        if (next - i < 2) {
            steps->at[kept++] = steps->at[i++];
            continue;
        }
        Step folded = *first;
        folded.action = arena_printf(work->arena, "%s: steps %u to %u in the library", call,
                                     first->number, steps->at[next - 1].number);
        folded.note = "";
        steps->at[kept++] = folded;
        i = next;
    }
    steps->count = kept;
}

void steps_make(Names *names, const Record *record, const StepsOptions *options, Steps *steps)
{
    Arena *arena = names_arena(names);
    StepsWork work = {.names = names,
                      .arena = arena,
                      .record = record,
                      .options = options,
                      .end = end_of_calls(record),
                      .missed = arrows_missed(arena, record),
                      .merged = arena_array_of(arena, bool, (size_t)record->event_count + 1),
                      .numbers = arena_array_of(arena, unsigned, (size_t)record->event_count + 1)};
    sleeps_find(names, record, &work.sleeps);
    relevance_find(&work.relevance, names, arena, record);
    number_steps(&work);
    list_steps(&work, steps);
    if (work.any_merged) { /* numbers without gaps: once more, knowing what is told together */
        number_steps(&work);
        list_steps(&work, steps);
    }
    if (options->fold && !options->all) {
        fold_set_up(&work, steps);
        if (options->brief)
            fold_library(&work, steps);
    }
    steps->numbers = work.numbers;
    steps->event_count = record->event_count;
    relevance_free(&work.relevance);
}

unsigned steps_number_of(const Steps *steps, uint32_t event)
{
    return event < steps->event_count ? steps->numbers[event] : 0;
}
