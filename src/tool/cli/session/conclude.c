#include "tool/cli/session/conclude.h"
#include <signal.h>
#include <string.h>
#include "tool/instrument/machine/demangle.h"
#include "tool/instrument/process.h"
#include "tool/report/dwarf/frames.h"
#include "tool/report/dwarf/names.h"
#include "tool/report/page/states.h"

/* Appends the function and the place of PC if it is the user's; false if not. */
static bool append_call(Names *names, Buffer *text, const char *before, uint64_t pc)
{
    const char *place = names_place_text(names, pc), *function = names_function(names, pc - 1);
    if (!*place)
        return false;
    buffer_printf(text, "%s%s%s%s%s", before, function ? function : "", function ? " (" : "", place,
                  function ? ")" : "");
    return true;
}

/* Appends where the program was seen, and who called that: by a look that found it in the user's
 * code, else by one that found it in the runtime, of which the callers are known. A function that
 * calls itself at one place is told once. */
static void append_calls(Names *names, Buffer *text, const SuperviseResult *result)
{
    size_t at = 0, fallback = SUPERVISE_LOOKS;
    for (; at < SUPERVISE_LOOKS && !*names_place_text(names, result->pcs[at]); at++)
        if (*names_place_text(names, result->callers[at][0]))
            fallback = at;
    const char *before = "; it is in ";
    if (at < SUPERVISE_LOOKS && append_call(names, text, before, result->pcs[at]))
        before = ", called by ";
    else
        at = fallback;
    uint64_t last = 0;
    for (int i = 0; at < SUPERVISE_LOOKS && i < SUPERVISE_CALLERS; i++) {
        uint64_t pc = result->callers[at][i];
        if (pc && pc != last && append_call(names, text, before, pc))
            before = *before == ';' ? ", called by " : ", ";
        last = pc;
    }
}

/* Returns the place before PC. A place in a header of the system says little: then the function
 * that it stands in is told, too ("std::atomic<Point>::load(std::memory_order) const, atomic:285").
 */
static const char *refused_place(Names *names, uint64_t pc)
{
    const char *text = names_place_text(names, pc), *symbol = names_symbol(names, pc - 1);
    SourcePlace place = names_place(names, pc);
    if (!symbol || !place.file || !frames_is_system_file(place.file))
        return text;
    return arena_printf(names_arena(names), "%s, %s", demangle(names_arena(names), symbol), text);
}

/* Where the time went if not even one execution was complete: "; ...", or "". */
static const char *first_execution(const Session *session, const SuperviseResult *result)
{
    if (result->total.executions || result->total.blocked || result->total.states ||
        !result->started)
        return "";
    Names *names = NULL;
    Error ignored;
    Buffer text = {0};
    bool open = names_open(&names, session->arena, session->build.program, NULL, &ignored);
    const char *place = open ? names_place_text(names, result->last_pc) : "";
    if (result->total.restarts > 1)
        buffer_printf(&text,
                      "; the search began again %llu times, each time with something more that it "
                      "had learnt about the program's memory",
                      (unsigned long long)result->total.restarts);
    else if (result->depth)
        buffer_printf(&text,
                      "; the first execution is not complete: it has %llu event%s so far%s%s",
                      (unsigned long long)result->depth, result->depth == 1 ? "" : "s",
                      *place ? ", the last one at " : "", place);
    else
        buffer_printf(&text, "; the first execution has made no event yet");
    if (open)
        append_calls(names, &text, result);
    names_close(names);
    const char *copy = str_copy(session->arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

/* An assertion of ours inside the program, or a failure of the machine that it could not mend. */
static const char *internal_message(const SuperviseResult *result)
{
    if (result->end != SUPERVISE_EXITED || result->status != 4)
        return NULL;
    const char *mark = strstr(result->errors, "heddle: ");
    return mark;
}

#define LOOK_AT "look at `ulimit -v', and at vm.overcommit_memory and vm.max_map_count"

/* Why the program ended before its main began: the system's loader tells it on stderr, except where
 * it crashes because its own first mapping is refused. NULL if that is not known. */
static const char *loader_reason(Arena *arena, const SuperviseResult *result)
{
    static const char *const words[] = {"error while loading shared libraries: ",
                                        "cannot allocate TLS data structures"};
    static const char *const shortage[] = {"annot allocate", "cannot create", "cannot map",
                                           "cannot change memory", "failed to map"};
    if (result->started)
        return NULL;
    if (result->end == SUPERVISE_SIGNAL && result->status == SIGSEGV && !result->errors[0])
        return arena_printf(arena,
                            "the program was killed by signal %d (%s) before its main began: a "
                            "constructor crashed, or the system's loader was refused memory: %s",
                            result->status, strsignal(result->status), LOOK_AT);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const char *said = strstr(result->errors, words[i]);
        if (!said || result->end != SUPERVISE_EXITED || result->status != 127)
            continue;
        said += i ? 0 : strlen(words[i]);
        bool memory = false;
        for (size_t j = 0; j < COUNT_OF(shortage); j++)
            memory |= strstr(said, shortage[j]) != NULL;
        return arena_printf(arena, "the system's loader can't start the program: %.*s%s%s",
                            (int)strcspn(said, "\n"), said, memory ? ": " : "",
                            memory ? LOOK_AT : "");
    }
    return NULL;
}

const char *conclude_end_reason(const Session *session, const SuperviseResult *result)
{
    Arena *arena = session->arena;
    const ExploreOptions *options = &session->explore;
    const char *when =
        result->started ? "before its exploration was complete" : "before its main began";
    const char *loader = loader_reason(arena, result);
    if (loader)
        return loader;
    switch (result->end) {
    case SUPERVISE_EXITED: {
        const char *refused = strstr(result->errors, LINK_REFUSED);
        if (result->status == 3 && refused)
            return arena_printf(arena, "%.*s", (int)strcspn(refused + strlen("heddle: "), "\n"),
                                refused + strlen("heddle: "));
        const char *internal = internal_message(result);
        if (internal)
            return arena_printf(arena, "%.*s", (int)strcspn(internal, "\n"), internal);
        return arena_printf(arena, "the program ended with status %d %s", result->status, when);
    }
    case SUPERVISE_SIGNAL:
        return arena_printf(arena, "the program was killed by signal %d (%s) %s", result->status,
                            strsignal(result->status), when);
    case SUPERVISE_TIME:
        return arena_printf(arena, "the time limit of %g s was reached%s",
                            (double)options->time_ms / 1e3, first_execution(session, result));
    case SUPERVISE_MEMORY:
        return arena_printf(arena, "the memory limit of %.0f MB was reached%s",
                            (double)options->memory_bytes / 1048576.0,
                            first_execution(session, result));
    case SUPERVISE_HANG: {
        const char *place = "";
        Names *names = NULL;
        Error ignored;
        if (!names_open(&names, arena, session->build.program, NULL, &ignored))
            names = NULL;
        for (size_t i = 0; names && i < COUNT_OF(result->pcs) && !*place; i++)
            place = names_place_text(names, result->pcs[i]);
        names_close(names);
        return arena_printf(arena,
                            "nothing happened for %g s: a loop without any access to shared "
                            "memory, or a system call that waits%s%s%s",
                            (double)session->options->hang_ms / 1e3, *place ? ", at " : "", place,
                            session->options->explore.check.enabled
                                ? "; an operation must return, or wait for what another one does"
                                : "");
    }
    case SUPERVISE_INTERRUPT:
        return arena_printf(arena, "interrupted%s", first_execution(session, result));
    case SUPERVISE_DONE:
        break;
    }
    return "the program gave no reason";
}

void session_take_test(const Session *session, Answer *answer)
{
    const Outcome *from = session->replayed;
    Outcome *to = &answer->outcome;
    if (from->explanation)
        to->explanation = from->explanation;
    if (!from->scenario) /* a program that marks its calls */
        return;
    to->scenario = from->scenario;
    to->shape = from->shape;
    to->closest = from->closest;
    if (from->overtaking)
        to->overtaking = from->overtaking;
    if (from->hint)
        to->hint = from->hint;
    to->orders = from->orders;
    to->order_count = from->order_count;
}

void conclude_fill(const Session *session, const SuperviseResult *result, Answer *answer)
{
    const Outcome *outcome = &result->outcome;
    Arena *arena = session->arena;
    answer->executions = result->total.executions;
    answer->blocked = result->total.blocked;
    answer->stuck = result->total.stuck;
    answer->cut = result->total.cut;
    answer->events = result->total.events;
    answer->revisits = result->total.revisits;
    answer->estimate = result->estimate;
    answer->seconds = result->seconds;
    answer->peak_rss_kb = result->peak_rss_kb;
    answer->program = session->build.program;
    answer->shared_causes = result->causes;
    for (size_t i = 0; i < result->remark_count; i++)
        vec_push(&answer->remarks, result->remarks[i]);
    if (result->unmeasured)
        vec_push(&answer->remarks,
                 "there is no /proc: the program's memory can't be measured, nor limited");
    const char *internal = internal_message(result);
    if (!result->done) {
        answer->verdict = VERDICT_INCONCLUSIVE;
        answer->reason = conclude_end_reason(session, result);
        if (internal) {
            answer->internal = true;
            answer->reason = arena_printf(arena, "%.*s", (int)strcspn(internal, "\n"), internal);
        }
        return;
    }
    answer->outcome = *outcome;
    answer->verdict = (Verdict)outcome->verdict;
    answer->violation = (ViolationKind)outcome->violation;
    answer->exhaustive = outcome->exhaustive;
    if (outcome->tests_failed && answer->verdict == VERDICT_HOLDS) { /* until it is shown */
        answer->verdict = VERDICT_INCONCLUSIVE;
        answer->exhaustive = false;
        answer->reason = "tests failed, and none of them was made once more";
        return;
    }
    if (!outcome->states)
        answer->outcome.states = result->total.states;
    bool stopped = result->end == SUPERVISE_TIME || result->end == SUPERVISE_INTERRUPT;
    if (stopped && answer->verdict == VERDICT_INCONCLUSIVE)
        answer->reason = conclude_end_reason(session, result);
    else if (outcome->reason)
        answer->reason = outcome->reason;
    else if (answer->verdict == VERDICT_INCONCLUSIVE)
        answer->reason = conclude_end_reason(session, result);
}

/* Says which heap has grown without an end. */
static const char *heap_growth(const Session *session, Names *names, const Outcome *outcome)
{
    uint64_t variable = outcome->grows_variable;
    bool known = variable && names_knows(names, variable);
    const char *place = outcome->grows_pc ? names_place_text(names, outcome->grows_pc) : "";
    const char *remedy =
        session->explore.check.enabled ? ". --lag=2 bounds how long a call keeps old ones" : "";
    return arena_printf(session->arena,
                        "what grows seems to be the heap%s%s: up to %llu object%s at once by then, "
                        "%s%s%s",
                        known ? ", by " : "", known ? names_location(names, variable, 8) : "",
                        (unsigned long long)outcome->grows_objects,
                        outcome->grows_objects == 1 ? "" : "s",
                        *place ? "the last one allocated at " : "of unknown origin", place, remedy);
}

/* Tells what the program said by addresses, in words: what it does that can't be explored, where
 * executions were given up, what leaks. */
static void answer_name_places(const Session *session, const Outcome *outcome, Answer *answer)
{
    Names *names = NULL;
    Error ignored;
    if (!outcome->cut_pc && !outcome->leak_objects && !outcome->waits_pc &&
        !outcome->grows_address && !outcome->grows_objects && !outcome->depends_pc &&
        !outcome->refused_pc && !outcome->picture)
        return;
    answer->outcome.picture = NULL; /* it is not shown without names */
    if (!names_open(&names, session->arena, session->build.program, NULL, &ignored))
        return;
    if (outcome->picture)
        answer->outcome.picture = states_name_words(names, outcome->picture);
    const char *loop = outcome->cut_pc ? names_place_text(names, outcome->cut_pc) : "";
    const char *leak = outcome->leak_objects ? names_place_text(names, outcome->leak_pc) : "";
    if (outcome->refused_pc && answer->reason == outcome->reason && answer->reason)
        answer->reason = arena_printf(session->arena, "%s (%s)", outcome->reason,
                                      refused_place(names, outcome->refused_pc));
    const char *depends = outcome->depends_pc ? names_place_text(names, outcome->depends_pc) : "";
    if (*depends)
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "it went another way when objects lay elsewhere: before %s",
                              depends));
    if (outcome->depends_pc && !options_optimise(session->options))
        vec_push(&answer->remarks,
                 "without optimisation the bytes between the members of local variables count, "
                 "where old addresses may lie: -O1 may decide it");
    if (outcome->grows_address) {
        uint64_t at = outcome->grows_address;
        const char *place = outcome->grows_pc ? names_place_text(names, outcome->grows_pc) : "";
        const char *what =
            names_knows(names, at)
                ? arena_printf(session->arena, "what grows is %s", names_location(names, at, 4))
            : *place ? arena_printf(session->arena,
                                    "what grows lies in an object that is allocated at %s", place)
                     : arena_printf(session->arena, "what grows has no name: it lies at 0x%llx",
                                    (unsigned long long)at);
        vec_push(&answer->remarks, what);
    }
    if (outcome->grows_objects)
        vec_push(&answer->remarks, heap_growth(session, names, outcome));
    if (*loop)
        vec_push(&answer->remarks,
                 arena_printf(session->arena, "the loop that was given up is at %s", loop));
    if (outcome->leak_objects && answer->verdict != VERDICT_VIOLATED)
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "a leak: %llu %s not freed (%llu bytes) when an execution ends%s%s",
                              (unsigned long long)outcome->leak_objects,
                              outcome->leak_objects == 1 ? "object is" : "objects are",
                              (unsigned long long)outcome->leak_bytes,
                              *leak ? "; the first is allocated at " : "", leak));
    const char *waits = outcome->waits_pc ? names_place_text(names, outcome->waits_pc) : "";
    if (outcome->waits_pc && answer->verdict != VERDICT_VIOLATED)
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "the program can end while a thread waits for ever%s%s: nobody joins "
                              "it; in a program that goes on this is a deadlock",
                              *waits ? ", at " : "", waits));
    names_close(names);
}

static void answer_downgrade(Answer *answer, const char *reason)
{
    if (answer->verdict != VERDICT_HOLDS)
        return;
    answer->verdict = VERDICT_INCONCLUSIVE;
    answer->exhaustive = false;
    answer->reason = reason;
}

#define MOST_ESCAPES_TOLD 8

/* Returns the only place as the reason; several are counted, and told as notes. */
static const char *unseen_reason(const Session *session, const Words *texts, const char *before,
                                 const char *after)
{
    return texts->count == 1 ? texts->at[0]
                             : arena_printf(session->arena, "%s%zu%s", before, texts->count, after);
}

static void unseen_notes(const Session *session, const Words *texts, Answer *answer)
{
    bool instructions = false;
    for (size_t i = 0; i < session->escapes.count; i++)
        instructions |= session->escapes.at[i].instruction != NULL;
    for (size_t i = 0; texts->count > 1 && i < MIN(texts->count, MOST_ESCAPES_TOLD); i++)
        vec_push(&answer->remarks, texts->at[i]);
    if (texts->count > MOST_ESCAPES_TOLD)
        vec_push(&answer->remarks, arena_printf(session->arena, "%zu more such places",
                                                texts->count - MOST_ESCAPES_TOLD));
    if (instructions && texts->count && model_assembly(session->explore.model) == ASSEMBLY_IN_C11)
        vec_push(&answer->remarks,
                 "inline assembly has a meaning under --model=tso: heddle-run(1)");
}

static bool is_foreign(const Session *session, uint64_t pc)
{
    if (session->shared.libraries.count && pc >> 40) /* the program lies below its libraries */
        return true;
    for (size_t i = 0; i < session->watches.count; i++)
        if (session->watches.at[i].foreign &&
            session->watches.at[i].address + session->watches.at[i].length == pc)
            return true;
    return false;
}

/* Is one side of the race that RECORD shows an access of an object that we did not compile, as far
 * as both are known? */
static bool races_with_foreign(const Session *session, const Record *record)
{
    unsigned sides = 0;
    if (!session->watches_foreign)
        return false;
    for (size_t i = 0; record && i < record->event_count; i++)
        if (record->events[i].flags & (RECORD_FLAG_BAD | RECORD_FLAG_PARTNER)) {
            sides++;
            if (is_foreign(session, record->events[i].pc))
                return true;
        }
    return sides < 2;
}

void session_doubt(const Session *session, Answer *answer)
{
    if (answer->verdict == VERDICT_VIOLATED && answer->violation == VIOLATION_RACE &&
        races_with_foreign(session, answer->record ? answer->record : answer->found)) {
        answer->verdict = VERDICT_INCONCLUSIVE;
        answer->exhaustive = false;
        answer->doubted = true;
        answer->reason = "race was found and confirmed, but one of its accesses is in an object "
                         "that heddle did not compile, and may be atomic in its source (under "
                         "--model=tso or sc both are explored)";
        return;
    }
    const Words *texts = &session->replay_ran;
    if (texts->count && answer->verdict == VERDICT_VIOLATED) {
        answer->verdict = VERDICT_INCONCLUSIVE;
        answer->exhaustive = false;
        answer->doubted = true;
        answer->reason = arena_printf(
            session->arena,
            "%s was found and confirmed, but its execution runs code that heddle can't see: %s",
            violation_word(answer->violation),
            unseen_reason(session, texts, "", " places (see the notes)"));
        unseen_notes(session, texts, answer);
    }
}

/* Says what --model=imm has explored beside rc11. */
static void answer_tell_promised(const Session *session, Answer *answer)
{
    const Outcome *outcome = &answer->outcome;
    Names *names = NULL;
    Error ignored;
    if (outcome->promised == OUTCOME_PROMISED_FINE)
        vec_push(
            &answer->remarks,
            arena_printf(session->arena,
                         "%llu executions in which a load reads from a store behind it were "
                         "explored, too, whether dependencies allow them or not (heddle-run(1), "
                         "REAL PROCESSORS)",
                         (unsigned long long)outcome->promised_graphs));
    if (outcome->promised == OUTCOME_PROMISED_BAD && outcome->promised_pc &&
        names_open(&names, session->arena, session->build.program, NULL, &ignored)) {
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "it is found at %s, in an execution that rc11 forbids",
                              names_place_text(names, outcome->promised_pc)));
        names_close(names);
    }
}

/* Says how far what holds under rc11 goes on hardware. */
static void answer_tell_buffering(const Session *session, Answer *answer)
{
    const Outcome *outcome = &answer->outcome;
    const char *buffering = answer_load_buffering(answer);
    Names *names = NULL;
    Error ignored;
    if (!buffering)
        return;
    bool single = !strcmp(answer_load_buffering_lse(answer), "impossible");
    if (!strcmp(buffering, "impossible"))
        vec_push(&answer->remarks,
                 single ? "no load buffering is possible: this holds for ARMv8, POWER and RISC-V, "
                          "too (heddle-run(1), REAL PROCESSORS)"
                        : "no load buffering is possible: this holds for ARMv8, POWER and RISC-V, "
                          "too, where read-modify-writes are exclusive pairs (heddle-run(1), REAL "
                          "PROCESSORS)");
    if (strcmp(buffering, "possible") != 0 ||
        !names_open(&names, session->arena, session->build.program, NULL, &ignored))
        return;
    const char *load = names_place_text(names, outcome->buffering_load);
    const char *store = names_place_text(names, outcome->buffering_store);
    const char *reader = names_place_text(names, outcome->buffering_reader);
    const char *answering = names_place_text(names, outcome->buffering_answer);
    vec_push(
        &answer->remarks,
        arena_printf(session->arena,
                     "rc11 is not all that ARMv8, POWER and RISC-V do: there the load at %s may "
                     "come after the store at %s, which the access at %s reads, and see the "
                     "store at %s behind that. An acquire load, or a release store in its "
                     "thread, prevents it (heddle-run(1), REAL PROCESSORS)",
                     load, store, reader, answering));
    names_close(names);
}

/* Never more certain than it was. What can't be seen may order what seems unordered, and what it
 * writes is not put back between executions; so it counts as soon as an execution runs it, and
 * only then. */
void conclude_qualify(const Session *session, Answer *answer)
{
    if (process_addresses_random())
        vec_push(
            &answer->remarks,
            "address randomisation can't be switched off here (personality(2) is refused, as in "
            "many containers): libraries have other addresses in each run, and a violation "
            "that depends on them can't be replayed");
    /* `check` judges stuck executions, too: their histories are no vacuous answer */
    if (!answer->executions && !answer->outcome.histories && !answer->outcome.states &&
        !session->options->shards)
        answer_downgrade(answer, "no execution of the program came to its end");
    const Words *texts = &session->ran;
    if (answer->verdict == VERDICT_VIOLATED) {
        session_doubt(session, answer);
    } else if (texts->count) {
        answer_downgrade(answer, unseen_reason(session, texts, "heddle can't see ",
                                               " parts of the program (see the notes)"));
        if (texts->count > 1 || answer->reason != texts->at[0])
            unseen_notes(session, texts, answer);
        if (texts->count == 1 && answer->reason != texts->at[0])
            vec_push(&answer->remarks, texts->at[0]);
    }
    answer_tell_buffering(session, answer);
    answer_tell_promised(session, answer);
    for (size_t i = 0; i < session->frameworks.count; i++)
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "the test framework %s is not looked into: it is trusted",
                              session->frameworks.at[i]));
    if (session->watches_foreign)
        vec_push(&answer->remarks, "objects that heddle did not compile are watched while they "
                                   "run: some microseconds for every access");
    for (size_t i = 0; i < session->trusted.count; i++)
        vec_push(&answer->remarks, arena_printf(session->arena, "trusted, as --trust asks: %s",
                                                session->trusted.at[i]));
}

/* Tells what an annotated program was judged by, and what could not be judged. */
static void answer_judge(const Session *session, const Outcome *outcome, Answer *answer)
{
    Arena *arena = session->arena;
    const char *one = session->explore.check.histories == CHECK_HISTORIES_ONE
                          ? "; one of them was judged (--histories=all judges each, "
                            "--histories=some wants one that passes)"
                          : "";
    if (outcome->inadmissible)
        answer_downgrade(
            answer, arena_printf(arena,
                                 "%llu executions are not admissible: calls that @Admissibility or "
                                 "@Commutativity wants ordered are not",
                                 (unsigned long long)outcome->inadmissible));
    else if (!outcome->histories)
        answer_downgrade(answer, "no annotated method was called: nothing was judged");
    if (outcome->too_early)
        answer_downgrade(answer,
                         "annotated methods are called before main, by static constructors: "
                         "their effect on the sequential state is not known");
    if (outcome->unfinished)
        answer_downgrade(
            answer, arena_printf(arena,
                                 "%llu executions ended while annotated methods ran in threads "
                                 "that are not joined: they can't be judged",
                                 (unsigned long long)outcome->unfinished));
    if (outcome->too_many)
        answer_downgrade(answer, arena_printf(arena,
                                              "%llu executions have too many sequential histories "
                                              "to judge them all",
                                              (unsigned long long)outcome->too_many));
    if (outcome->several && answer->verdict != VERDICT_VIOLATED)
        vec_push(&answer->remarks,
                 arena_printf(arena,
                              "the ordering points leave up to %s%llu sequential histories of one "
                              "object in an execution (several in %llu of %llu executions)%s",
                              outcome->most_histories >= 1000000000u ? "more than " : "",
                              (unsigned long long)outcome->most_histories,
                              (unsigned long long)outcome->several,
                              (unsigned long long)outcome->judged, one));
}

/* Says where states of sc have decided under rc11, or could have. */
static void answer_tell_strength(const Session *session, const Outcome *outcome, Answer *answer)
{
    bool by_states = outcome->states || outcome->tests_by_states;
    if (answer->verdict == VERDICT_HOLDS && outcome->by_views)
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "%s decided by the states of rc11 itself: a finite summary of its "
                              "graphs in each",
                              outcome->states ? "it was" : "tests were"));
    else if (answer->verdict == VERDICT_HOLDS && by_states &&
             model_forbids_races(session->explore.model))
        vec_push(&answer->remarks,
                 arena_printf(session->arena,
                              "%s decided by the states of sc: all races are between seq_cst "
                              "accesses there, so that rc11 allows no more than sc",
                              outcome->states ? "it was" : "tests were"));
    else if (answer->verdict == VERDICT_HOLDS && outcome->strong &&
             model_is_interleaved(session->explore.model))
        vec_push(&answer->remarks, "all races are between seq_cst accesses: it holds under rc11, "
                                   "too");
}

static const char *const disagreements[] = {
    [OUTCOME_ONLY_STATES] = "by its executions it holds, by its states it is violated as shown",
    [OUTCOME_ONLY_EXECUTIONS] = "by its states it holds, by its executions it is violated as shown",
    [OUTCOME_REFUTED_BY_STATES] = "by its executions it is violated as shown, by its states it "
                                  "holds",
};

/* Tells of --second-opinion: what was confirmed, and what not, or which two answers there are. */
static void answer_tell_second(const Session *session, const Outcome *outcome, Answer *answer)
{
    Arena *arena = session->arena;
    uint64_t asked = outcome->second_asked, done = outcome->seconded;
    const char *why = outcome->unseconded ? outcome->unseconded : "?", *text;
    if (!asked)
        return;
    if (outcome->disagrees && outcome->disagrees < COUNT_OF(disagreements))
        text = arena_printf(arena,
                            "second opinion: %s; one of the two is wrong, and with it heddle: "
                            "please report it, with the record",
                            disagreements[outcome->disagrees]);
    else if (asked > 1)
        text = arena_printf(arena,
                            "second opinion: %llu of %llu tests were decided by their executions "
                            "and by their states, with the same answer%s%s",
                            (unsigned long long)done, (unsigned long long)asked,
                            done < asked ? "; of others: " : "", done < asked ? why : "");
    else if (done)
        text = "second opinion: it was decided by its executions and by its states, with the same "
               "answer";
    else
        text = arena_printf(arena, "there is no second opinion: %s", why);
    vec_push(&answer->remarks, text);
}

void conclude_remarks(const Session *session, const Outcome *outcome, Answer *answer)
{
    if (session->explore.schedules)
        vec_push(&answer->remarks,
                 arena_printf(session->arena, "%llu of the sampled executions are different%s",
                              (unsigned long long)outcome->distinct,
                              outcome->distinct_most ? " or were drawn after counting ended" : ""));
    answer_tell_strength(session, outcome, answer);
    answer_tell_second(session, outcome, answer);
    answer_name_places(session, outcome, answer);
    if (outcome->annotated)
        answer_judge(session, outcome, answer);
}
