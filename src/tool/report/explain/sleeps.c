/* Which events belong to such a call is known by the function that is called at their pc; what each
 * of them does follows from its kind, as src/guest/entry/sync/cond.c, futex.c and guest.c make
 * them. Sets of waiting threads are words with a bit a thread. All signals and waits of an object
 * are read-modify-writes of its set (a signal that finds it empty may be a read), so coherence
 * tells which came first. */
#include "tool/report/explain/sleeps.h"
#include <string.h>
#include "base/hash.h"
#include "base/str.h"
#include "record/check.h"
#include "record/layout.h"
#include "record/operations.h"

typedef enum CallClass { CALL_OTHER, CALL_WAIT, CALL_SIGNAL, CALL_FUTEX } CallClass;

typedef struct Finder {
    Names *names;
    const Record *record;
    Sleeps *sleeps;
    uint32_t *begin;  /* by thread: its SLEEP_BEGINS of the present wait, or RECORD_NONE */
    uint32_t *tells;  /* by thread: the event that tells what comes after it in the same call */
    uint32_t *untold; /* by thread: the first event since then that nothing tells yet */
    uint32_t *taken;  /* by thread: the event that took the set of a futex, or RECORD_NONE */
    uint32_t *second; /* by thread: the same for the set of another futex that it took then */
} Finder;

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static CallClass class_of(const char *callee, const char **word)
{
    *word = callee;
    if (!callee)
        return CALL_OTHER;
    if (!strcmp(callee, "syscall"))
        return CALL_FUTEX;
    bool cxx = has(callee, "St18condition_variable");
    if (!cxx && strncmp(callee, "pthread_cond_", 13) != 0 && strncmp(callee, "cnd_", 4) != 0)
        return CALL_OTHER;
    if (cxx)
        *word = has(callee, "notify_one")   ? "notify_one"
                : has(callee, "notify_all") ? "notify_all"
                                            : "condition_variable::wait";
    return has(callee, "wait") ? CALL_WAIT
           : has(callee, "signal") || has(callee, "broadcast") || has(callee, "notify")
               ? CALL_SIGNAL
               : CALL_OTHER;
}

/* The write half of the read-modify-write whose read half is event NUMBER, or NULL. */
static const RecordEvent *write_half(const Record *record, uint32_t number)
{
    const RecordEvent *read = &record->events[number];
    if (read->kind != RECORD_READ || !(read->flags & RECORD_FLAG_RMW))
        return NULL;
    for (uint32_t i = number + 1; i < record->event_count; i++)
        if (record->events[i].thread == read->thread)
            return record->events[i].kind == RECORD_WRITE ? &record->events[i] : NULL;
    return NULL;
}

/* Event NUMBER is told by the next one of its thread that tells anything. */
static void tell_later(Finder *f, uint32_t number)
{
    uint32_t thread = f->record->events[number].thread;
    f->sleeps->at[number].role = SLEEP_DETAIL;
    if (f->untold[thread] == RECORD_NONE)
        f->untold[thread] = number;
}

static void tell(Finder *f, uint32_t number, SleepRole role)
{
    uint32_t thread = f->record->events[number].thread;
    SleepEvent *sleep = &f->sleeps->at[number];
    sleep->role = (uint8_t)role;
    for (uint32_t i = f->untold[thread]; i < number; i++)
        if (f->record->events[i].thread == thread && f->sleeps->at[i].role == SLEEP_DETAIL &&
            f->sleeps->at[i].told_by == RECORD_NONE)
            f->sleeps->at[i].told_by = number;
    f->untold[thread] = RECORD_NONE;
    f->tells[thread] = number;
}

static void tell_before(Finder *f, uint32_t number)
{
    uint32_t teller = f->tells[f->record->events[number].thread];
    if (teller == RECORD_NONE)
        return;
    f->sleeps->at[number].role = SLEEP_DETAIL;
    f->sleeps->at[number].told_by = teller;
}

static void begin_wait(Finder *f, uint32_t number, bool told)
{
    const RecordEvent *event = &f->record->events[number];
    f->begin[event->thread] = number;
    f->sleeps->at[number].begin = number;
    f->sleeps->objects[number] = event->address;
    if (told)
        tell(f, number, SLEEP_BEGINS);
    else
        tell_later(f, number);
}

static void wake_threads(Finder *f, uint32_t number, uint64_t woken)
{
    tell(f, number, SLEEP_WAKES);
    f->sleeps->at[number].woken = woken;
}

/* A look at the set, before a thread is taken out; it is all that there is if the set is empty. */
static void look(Finder *f, uint32_t number)
{
    if (f->record->events[number].value[0])
        tell_later(f, number);
    else
        wake_threads(f, number, 0);
}

/* A futex wait reads the value before it takes the set of waiters, and does not take it if that is
 * not the one that it was given. */
static void look_at_value(Finder *f, uint32_t number)
{
    const RecordEvent *events = f->record->events;
    uint32_t next = number + 1;
    while (next < f->record->event_count && events[next].thread != events[number].thread)
        next++;
    bool enters = next < f->record->event_count && events[next].pc == events[number].pc &&
                  events[next].kind == RECORD_READ && events[next].flags & RECORD_FLAG_AWAIT;
    if (enters)
        tell_later(f, number);
    else
        tell(f, number, SLEEP_LEAVES);
}

/* Does event NUMBER, a read of a futex call, take the set? */
static bool takes_set(const Finder *f, uint32_t number)
{
    const RecordEvent *event = &f->record->events[number], *write = write_half(f->record, number);
    uint64_t all = event->size == 8 ? UINT64_MAX : UINT32_MAX;
    return event->flags & RECORD_FLAG_AWAIT && event->rmw_op == RMW_EXCHANGE &&
           (!write || write->value[0] == all);
}

/* Event NUMBER is a read of a futex call by a thread that has taken the set: the value is looked at
 * again. The call goes no further if another one is there by now. */
static void look_again(Finder *f, uint32_t number)
{
    const RecordEvent *events = f->record->events;
    uint32_t first = number;
    while (first && (events[first].thread != events[number].thread || first == number ||
                     events[first].address != events[number].address))
        first--;
    bool same = events[first].value[0] == events[number].value[0];
    f->sleeps->objects[number] = events[number].address;
    tell(f, number, same ? SLEEP_TESTS : SLEEP_LEAVES);
}

/* Event NUMBER, a store, gives back one of the two sets that its thread has, or a set that calls
 * with two futexes have taken alone, since these are the same. What happened is told at the last
 * one. */
static void give_back_both(Finder *f, uint32_t number)
{
    const RecordEvent *events = f->record->events, *event = &events[number];
    uint32_t *first = &f->taken[event->thread], *second = &f->second[event->thread];
    uint32_t *of = *second != RECORD_NONE && events[*second].address == event->address ? second
                   : events[*first].address == event->address                          ? first
                                                                                       : NULL;
    if (!of) {
        tell_later(f, number); /* a note to a thread that is moved */
        return;
    }
    uint64_t seen = events[*of].value[0], left = event->value[0];
    SleepEvent *sleep = &f->sleeps->at[number];
    const SleepEvent *other = NULL; /* where the other set was given back, in the same call */
    for (uint32_t i = MIN(*first, *second); i < number; i++)
        if (events[i].thread == event->thread && f->sleeps->at[i].gives_both)
            other = &f->sleeps->at[i];
    sleep->gives_both = true;
    sleep->moved = left & ~seen;
    sleep->woken = seen & ~left;
    sleep->moved |= other ? other->moved : 0;
    sleep->woken = (sleep->woken | (other ? other->woken : 0)) & ~sleep->moved;
    *of = RECORD_NONE;
    if (*first == RECORD_NONE) {
        *first = *second;
        *second = RECORD_NONE;
    }
    if (*first == RECORD_NONE)
        tell(f, number, SLEEP_WAKES);
    else
        tell_later(f, number);
}

static bool takes_both(const Finder *f, uint32_t number)
{
    return number != RECORD_NONE &&
           has(record_text(f->record, f->record->events[number].text), "lock both");
}

/* Event NUMBER, a store, gives the set back: with the thread itself, or without those that it
 * wakes, or as it was. */
static void give_back(Finder *f, uint32_t number)
{
    const RecordEvent *event = &f->record->events[number];
    uint32_t taken = f->taken[event->thread], teller = f->tells[event->thread];
    uint64_t seen = f->record->events[taken].value[0], left = event->value[0],
             own = UINT64_C(1) << event->thread;
    bool looked = teller != RECORD_NONE && teller > taken;
    f->taken[event->thread] = RECORD_NONE;
    if (!looked) {
        wake_threads(f, number, seen & ~left);
        return;
    }
    tell_before(f, number);
    if (!(left & own) || seen & own)
        return;
    f->begin[event->thread] = f->sleeps->at[number].begin = f->sleeps->at[teller].begin = number;
    f->sleeps->objects[number] = f->sleeps->objects[teller];
}

static bool sleeps_here(const Finder *f, const RecordEvent *event)
{
    const char *text = record_text(f->record, event->text);
    return event->flags & RECORD_FLAG_AWAIT &&
           (has(text, "condition variable") || has(text, "futex"));
}

static void find_read(Finder *f, uint32_t number, CallClass class)
{
    const RecordEvent *event = &f->record->events[number], *write = write_half(f->record, number);
    uint64_t own = UINT64_C(1) << event->thread, seen = event->value[0],
             left = write ? write->value[0] : seen;
    uint32_t begin = f->begin[event->thread];
    bool waits = begin != RECORD_NONE;
    if (class == CALL_FUTEX && takes_both(f, f->taken[event->thread])) {
        if (takes_set(f, number))
            f->second[event->thread] = number;
        tell_later(f, number);
        return;
    }
    if (class == CALL_FUTEX && f->taken[event->thread] != RECORD_NONE) {
        look_again(f, number);
        return;
    }
    if (class == CALL_FUTEX && takes_set(f, number)) {
        f->taken[event->thread] = number;
        tell_later(f, number);
        return;
    }
    if (sleeps_here(f, event) && waits && !write) {
        tell(f, number, SLEEP_SLEEPS);
        f->begin[event->thread] = RECORD_NONE;
    } else if (event->flags & RECORD_FLAG_AWAIT && class != CALL_FUTEX) {
        return; /* the mutex is taken again */
    } else if (write && event->rmw_op == RMW_OR && left & own && !(seen & own)) {
        begin_wait(f, number, class == CALL_WAIT);
        return;
    } else if (write && waits && event->rmw_op == RMW_AND &&
               event->address == f->record->events[begin].address && left == (seen & ~own)) {
        tell(f, number, SLEEP_LEAVES);
        f->sleeps->at[number].begin = begin;
        f->begin[event->thread] = RECORD_NONE;
        return;
    } else if (class == CALL_FUTEX && !write && names_knows(f->names, event->address)) {
        look_at_value(f, number);
    } else if (class != CALL_WAIT && write && event->rmw_op != RMW_OR) {
        wake_threads(f, number, seen & ~left);
    } else if (class != CALL_WAIT) {
        look(f, number);
    }
    f->sleeps->at[number].begin = begin;
}

static void find_event(Finder *f, uint32_t number)
{
    const RecordEvent *event = &f->record->events[number];
    const char *word;
    CallClass class = event->pc ? class_of(names_callee(f->names, event->pc), &word) : CALL_OTHER;
    if (class == CALL_OTHER || event->thread >= 32)
        return;
    SleepEvent *sleep = &f->sleeps->at[number];
    sleep->call = class == CALL_FUTEX ? "futex" : word;
    sleep->set = event->address;
    if (event->kind == RECORD_READ)
        find_read(f, number, class);
    else if (event->kind == RECORD_WRITE && !(event->flags & RECORD_FLAG_RMW) && class == CALL_WAIT)
        sleep->role = SLEEP_UNLOCKS;
    else if (event->kind == RECORD_WRITE && !(event->flags & RECORD_FLAG_RMW) &&
             takes_both(f, f->taken[event->thread]))
        give_back_both(f, number);
    else if (event->kind == RECORD_WRITE && !(event->flags & RECORD_FLAG_RMW) &&
             f->taken[event->thread] != RECORD_NONE)
        give_back(f, number);
    else if (event->kind == RECORD_WRITE && !(event->flags & RECORD_FLAG_RMW))
        tell_before(f, number);
    else if (event->kind == RECORD_FENCE &&
             (class == CALL_FUTEX || f->begin[event->thread] != RECORD_NONE))
        tell_later(f, number);
    else if (event->kind == RECORD_CHOOSE && class != CALL_WAIT)
        tell_later(f, number);
}

void sleeps_find(Names *names, const Record *record, Sleeps *sleeps)
{
    Arena *arena = names_arena(names);
    size_t threads = (size_t)record->thread_count + 1, events = (size_t)record->event_count + 1;
    Finder f = {.names = names, .record = record, .sleeps = sleeps};
    f.begin = arena_array_of(arena, uint32_t, threads);
    f.tells = arena_array_of(arena, uint32_t, threads);
    f.untold = arena_array_of(arena, uint32_t, threads);
    f.taken = arena_array_of(arena, uint32_t, threads);
    f.second = arena_array_of(arena, uint32_t, threads);
    sleeps->at = arena_array_of(arena, SleepEvent, events);
    sleeps->objects = arena_array_of(arena, uint64_t, events);
    for (size_t t = 0; t < threads; t++)
        f.begin[t] = f.tells[t] = f.untold[t] = f.taken[t] = f.second[t] = RECORD_NONE;
    for (uint32_t i = 0; i < record->event_count; i++)
        sleeps->at[i] = (SleepEvent){.told_by = RECORD_NONE, .begin = RECORD_NONE};
    for (uint32_t i = 0; i < record->event_count; i++)
        find_event(&f, i);
    for (uint32_t i = 0; i < record->event_count; i++) /* the execution ends before it is told */
        if (sleeps->at[i].role == SLEEP_DETAIL && sleeps->at[i].told_by == RECORD_NONE)
            sleeps->at[i].role = SLEEP_NONE;
}

/* The name of what the threads of the set at SET wait on: of a futex one that waits knows it. */
static const char *object_of(Names *names, const Record *record, const Sleeps *sleeps, uint64_t set)
{
    uint64_t address = set;
    for (uint32_t i = 0; i < record->event_count; i++)
        if (sleeps->objects[i] && record->events[i].address == set)
            address = sleeps->objects[i];
    return names_knows(names, address) ? names_location(names, address, 4) : "";
}

const char *sleeps_threads(Names *names, uint64_t bits)
{
    Buffer text = {0};
    for (uint32_t t = 0; t < MAX_THREADS; t++)
        if (bits >> t & 1) {
            bool last = !(bits >> t >> 1);
            buffer_printf(&text, "%s%s",
                          !text.count ? ""
                          : last      ? " and "
                                      : ", ",
                          names_thread(names, t));
        }
    const char *copy = str_copy(names_arena(names), buffer_str(&text));
    vec_free(&text);
    return copy;
}

static const char *leave_words(const Record *record, const SleepEvent *sleep, uint32_t number)
{
    const RecordEvent *event = &record->events[number];
    bool was_there = event->value[0] >> event->thread & 1;
    if (!strcmp(sleep->call, "futex"))
        return "returns at once";
    return !was_there ? "is signalled before it gives up"
           : has(sleep->call, "timed") || has(sleep->call, "clock") ? "times out"
                                                                    : "wakes up for no reason";
}

const char *sleeps_action(Names *names, const Record *record, const Sleeps *sleeps, uint32_t number)
{
    const SleepEvent *sleep = &sleeps->at[number];
    const RecordEvent *event = &record->events[number];
    Arena *arena = names_arena(names);
    bool futex = sleep->call && !strcmp(sleep->call, "futex");
    uint64_t set = sleep->begin == RECORD_NONE ? sleep->set : record->events[sleep->begin].address;
    const char *object = sleep->role == SLEEP_NONE ? "" : object_of(names, record, sleeps, set);
    const char *call = !futex                       ? sleep->call
                       : sleep->role == SLEEP_WAKES ? "futex wake"
                                                    : "futex wait";
    const char *space = *object ? " " : "";
    switch ((SleepRole)sleep->role) {
    case SLEEP_BEGINS:
        return arena_printf(arena, "%s%s%s", call, space, object);
    case SLEEP_UNLOCKS:
        return arena_printf(arena, "%s unlocks %s", call,
                            names_location(names, event->address, event->size));
    case SLEEP_TESTS:
        return arena_printf(arena, "%s%s%s = %s", call, space, object,
                            names_value(names, event->address, event->size, event->value[0]));
    case SLEEP_LEAVES:
        return arena_printf(arena, "%s%s%s: %s", call, space, object,
                            leave_words(record, sleep, number));
    case SLEEP_SLEEPS:
        return arena_printf(arena, "%s%s%s%s", call, space, object,
                            event->flags & RECORD_FLAG_BLOCKED ? "" : ": woken");
    case SLEEP_WAKES:
        if (sleep->moved)
            return arena_printf(arena, "futex requeue%s%s: %s%s%smoves %s", space, object,
                                sleep->woken ? "wakes " : "", sleeps_threads(names, sleep->woken),
                                sleep->woken ? ", " : "", sleeps_threads(names, sleep->moved));
        return arena_printf(arena, "%s%s%s: %s%s", call, space, object,
                            sleep->woken        ? "wakes "
                            : sleep->gives_both ? "wakes nobody"
                                                : "nobody waits",
                            sleeps_threads(names, sleep->woken));
    default:
        return NULL;
    }
}

/* How far the set at the address of event NUMBER had changed when it was made. */
static uint32_t place_of(const Record *record, uint32_t number)
{
    const RecordEvent *event = &record->events[number], *write = write_half(record, number);
    if (write || event->kind == RECORD_WRITE)
        return write ? write->co : event->co;
    return event->rf < record->event_count ? record->events[event->rf].co : 0;
}

const SleepReason *sleeps_reason(Names *names, const Record *record, const Sleeps *sleeps,
                                 uint32_t thread)
{
    Arena *arena = names_arena(names);
    uint32_t blocked = RECORD_NONE;
    for (uint32_t i = 0; i < record->event_count; i++)
        if (record->events[i].thread == thread && record->events[i].flags & RECORD_FLAG_BLOCKED &&
            sleeps->at[i].role == SLEEP_SLEEPS)
            blocked = i;
    if (blocked == RECORD_NONE)
        return NULL;
    SleepReason *reason = arena_new_of(arena, SleepReason);
    uint32_t begin = sleeps->at[blocked].begin;
    uint64_t set = record->events[begin].address;
    const char *object = object_of(names, record, sleeps, set);
    *reason = (SleepReason){.why = SLEEP_NOBODY,
                            .begin = begin,
                            .signal = RECORD_NONE,
                            .call = sleeps_action(names, record, sleeps, blocked),
                            .object = *object ? object : "it"};
    uint32_t began = place_of(record, begin), newest = 0;
    for (uint32_t i = 0; i < record->event_count; i++) {
        const SleepEvent *sleep = &sleeps->at[i];
        if (sleep->role != SLEEP_WAKES || sleep->set != set || sleep->moved >> thread & 1)
            continue;
        uint32_t place = place_of(record, i);
        if (reason->signal != RECORD_NONE && place < newest)
            continue;
        newest = place;
        reason->signal = i;
        reason->woken = sleep->woken;
        reason->why = place > began                ? SLEEP_OTHER
                      : sleep->woken >> thread & 1 ? SLEEP_AGAIN
                                                   : SLEEP_BEFORE;
    }
    return reason;
}

const char *sleeps_reason_words(Names *names, const Record *record, const SleepReason *reason)
{
    const char *who = reason->signal == RECORD_NONE
                          ? ""
                          : names_thread(names, record->events[reason->signal].thread);
    const char *waiter = names_thread(names, record->events[reason->begin].thread);
    Arena *arena = names_arena(names);
    switch (reason->why) {
    case SLEEP_BEFORE:
        return arena_printf(arena, "%s signals before %s waits", who, waiter);
    case SLEEP_AGAIN:
        return arena_printf(arena, "it was woken, waits again, and nobody signals after that");
    case SLEEP_OTHER:
        return arena_printf(arena, "the signal of %s wakes %s", who,
                            sleeps_threads(names, reason->woken));
    default:
        return "nobody signals";
    }
}
