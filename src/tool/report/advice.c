#include "tool/report/advice.h"
#include <string.h>
#include "base/common.h"
#include "base/str.h"
#include "record/memory_model.h"

/* A remedy is a command or a change of the program that may help. */
typedef enum Remedy {
    NOTHING,
    MORE_TIME,
    BY_STATES,
    BY_EXECUTIONS,
    BY_SC,
    SHORTER_TEST,
    SMALLER_SHAPE,
    SMALLER_PROGRAM,
    FEWER_ARGUMENTS,
    FEWER_ELEMENTS,
    FEWER_PREEMPTIONS,
    SAMPLE,
    JOURNAL,
    MORE_MEMORY,
    SMALLER_BUFFERS,
    STATES_O1,
    END_THE_LOOP,
    LONGER_HANG,
    SEE_WITHOUT_CALL,
    TRUST,
    COMPILE_IT,
    ASSEMBLY_AS_TSO,
    SPECIFICATION,
    MODEL_IN_SMALLER_STEPS,
    FEW_THREADS_BY_REFINE,
    SMALLER_MODEL,
    MORE_STATES
} Remedy;

#define MOST_REMEDIES 6
typedef struct Row {
    const char *words;    /* that occur in the reason */
    const char *command;  /* of the answer; STATES: threads that run or call for ever; NULL: any */
    const char *sentence; /* or NULL */
    Remedy remedies[MOST_REMEDIES];
} Row;

#define STATES "--unbounded"
#define REPLACE                                                                                    \
    "Put something in the place of that call in the test that does to the threads what it does: "  \
    "a "                                                                                           \
    "flag, a semaphore, a condition variable, or nothing. What leaves the program's memory can't " \
    "be undone."
#define TORN                                                                                       \
    "Threads race on a structure or a buffer as a whole, which is mostly the bug. Guard it by a "  \
    "lock, or access its members one by one in the test."
#define SMALLER                                                                                    \
    "The test is larger than what can be explored: fewer threads, calls or objects show most "     \
    "errors. Bound its loops, or cut it down to the threads and calls in question."

/* The first row counts whose words occur in the reason and whose command fits: special ones first.
 */
static const Row rows[] = {
    {"one of its accesses is in an object",
     NULL,
     "Look at the execution below. If that access is atomic in its source it is no race; compiled "
     "with Heddle (name its source) it counts as what it is.",
     {ASSEMBLY_AS_TSO}},
    {"was found and confirmed, but",
     NULL,
     "Look at the execution below: it went through code that Heddle can't see. If that code does "
     "not matter for it,",
     {TRUST, COMPILE_IT}},
    {"could not be confirmed after code that",
     NULL,
     "What the code in the notes does to memory is neither explored nor undone, so that executions "
     "can't be told from each other.",
     {COMPILE_IT, ASSEMBLY_AS_TSO}},
    {"could not be confirmed",
     NULL,
     "The same steps led elsewhere when they were run again: something outside the program's "
     "memory changes, or memory is read that nobody keeps. Look for what depends on the system "
     "(files, addresses, time), and for pointers to local variables of functions that have "
     "returned.",
     {NOTHING}},
    {"whose function has returned",
     NULL,
     "A local variable is gone when its function returns, and its place is used for other things: "
     "let the function wait for the threads that it has shown it to, or make it a global variable, "
     "or one on the heap.",
     {NOTHING}},
    {"the end of a function's frame",
     NULL,
     "Make the variable that others have the address of a global one, or one on the heap.",
     {NOTHING}},
    {"does not know which memory",
     NULL,
     "If the function touches no memory that threads share,",
     {TRUST, SEE_WITHOUT_CALL}},
    {"can't see", NULL, NULL, {COMPILE_IT, ASSEMBLY_AS_TSO, TRUST}},
    {" is an object that was not compiled", NULL, NULL, {COMPILE_IT, TRUST}},
    {"do not follow tickets", STATES, NULL, {BY_SC, BY_EXECUTIONS}},
    {"time limit", STATES, NULL, {MORE_TIME, FEWER_ARGUMENTS, FEWER_ELEMENTS, BY_EXECUTIONS}},
    {"time limit",
     "refine",
     "Give it more time (--time), more processes (--jobs), or a smaller model: fewer threads, "
     "smaller ranges (-DNAME=VALUE).",
     {NOTHING}},
    {"time limit", "prove", NULL, {MORE_TIME, FEW_THREADS_BY_REFINE}},
    {"", "prove", NULL, {MODEL_IN_SMALLER_STEPS, FEW_THREADS_BY_REFINE}},
    {"time limit",
     "run",
     NULL,
     {MORE_TIME, SMALLER_PROGRAM, BY_STATES, FEWER_PREEMPTIONS, SAMPLE, JOURNAL}},
    {"time limit",
     NULL,
     NULL,
     {MORE_TIME, SHORTER_TEST, SMALLER_SHAPE, BY_STATES, FEWER_PREEMPTIONS, SAMPLE}},
    {"limit", "refine", NULL, {MORE_STATES, SMALLER_MODEL}},
    {"memory limit", STATES, NULL, {MORE_MEMORY, FEWER_ARGUMENTS, FEWER_ELEMENTS, BY_EXECUTIONS}},
    {"memory limit", NULL, NULL, {MORE_MEMORY, SMALLER_BUFFERS}},
    {"in one allocation", NULL, NULL, {MORE_MEMORY, SMALLER_BUFFERS}},
    {"they create more than",
     NULL,
     "Let the test create fewer threads: bound the loop that creates them. Two or three show most "
     "errors.",
     {NOTHING}},
    {"(--loop-bound)", NULL, NULL, {STATES_O1, END_THE_LOOP}},
    {"executions were given up where", NULL, NULL, {STATES_O1, END_THE_LOOP}},
    {"reads from a store behind it",
     NULL,
     "Make the load acquire, or the store behind it release; where a value, an address or a branch "
     "carries the load into that store, hardware keeps their order, and --model=rc11 says enough.",
     {NOTHING}},
    {"given up in a loop",
     NULL,
     "A loop goes on without end: it counts, or threads get in each other's way and try again, as "
     "in std::scoped_lock.",
     {STATES_O1, END_THE_LOOP}},
    {"nothing happened for",
     NULL,
     "Make the computation in the test smaller, or leave out the call that waits.",
     {LONGER_HANG}},
    {"endless loop",
     NULL,
     "A loop changes only its own variables: does it end? Bound it in the test.",
     {NOTHING}},
    {"does not return although it is called alone",
     NULL,
     "The operation waits for what no other call does, or its loop has no end: correct it, or "
     "bound the loop.",
     {NOTHING}},
    {"an atomic object of",
     NULL,
     "The library takes a lock for atomic objects of other sizes. Guard a plain object by a mutex "
     "of your own, or make it fit into 8 or 16 bytes: a pointer to it, or an index.",
     {NOTHING}},
    {"different sizes",
     NULL,
     "Atomic accesses of different sizes overlap. Use a variant of the code that always accesses "
     "the whole word.",
     {NOTHING}},
    {"in several sizes",
     NULL,
     "Use a variant of the code that always accesses the whole word, or explore it",
     {BY_SC}},
    {"there is no end",
     STATES,
     "Let a number of which only differences matter start with HD_TICKET (heddle(7)). If it does, "
     "or if old nodes pile up because a thread stands still, say how many calls of others may "
     "return meanwhile: --lag=2. Else let the test count modulo a small number.",
     {BY_EXECUTIONS}},
    {"states under rc11 do not", NULL, NULL, {BY_SC, BY_EXECUTIONS}},
    {"states under rc11 hold up to", NULL, NULL, {BY_SC, BY_EXECUTIONS}},
    {"the states of sc decide under", NULL, NULL, {BY_SC, BY_EXECUTIONS}},
    {"on where heap objects lie", NULL, NULL, {STATES_O1, BY_EXECUTIONS}},
    {"its states can't be", NULL, NULL, {BY_EXECUTIONS}},
    {"--unbounded does not", NULL, NULL, {BY_EXECUTIONS}},
    {"than can be numbered", NULL, NULL, {FEWER_ARGUMENTS, FEWER_ELEMENTS, BY_EXECUTIONS}},
    {"than a search has room for", NULL, NULL, {FEWER_ARGUMENTS, FEWER_ELEMENTS, BY_EXECUTIONS}},
    {"the states show", NULL, NULL, {BY_EXECUTIONS}},
    {"the states of rc11 show", NULL, NULL, {BY_EXECUTIONS}},
    {"states do not follow", NULL, NULL, {BY_EXECUTIONS}},
    {"states that were written to a temporary file",
     NULL,
     "Run it again: the temporary folder (TMPDIR) must keep its files while it runs.",
     {NOTHING}},
    {"waits in its store buffer", NULL, NULL, {BY_SC, BY_EXECUTIONS}},
    {"which no machine makes at once", NULL, TORN, {NOTHING}},
    {"copied as a structure", NULL, TORN, {NOTHING}},
    {"on which threads race", NULL, TORN, {NOTHING}},
    {"a copy of a structure", NULL, TORN, {NOTHING}},
    {"a structure is copied", NULL, TORN, {NOTHING}},
    {"of which a part races", NULL, TORN, {NOTHING}},
    {"heap is larger than", NULL, NULL, {SMALLER_BUFFERS}},
    {"machine code is not understood",
     NULL,
     "Compile it in another way: --cc=clang, or -O1.",
     {NOTHING}},
    {"an exception",
     NULL,
     "Catch the exception inside of that call, or compile the code that is called with Heddle "
     "(name its source).",
     {NOTHING}},
    {"does not repeat its steps",
     NULL,
     "Look for what differs from run to run: the time, files, addresses, random numbers. A journal "
     "of another program, or of an earlier build, is of no use.",
     {NOTHING}},
    {"what the program assumes",
     NULL,
     "Look at the conditions of heddle_assume: no execution fulfils all of them.",
     {NOTHING}},
    {"the golden code of",
     NULL,
     "Correct the golden code (HD_GOLDEN): it is called without any concurrency.",
     {NOTHING}},
    {"sections that nothing interrupts",
     NULL,
     "Put a mutex in the place of such a section.",
     {NOTHING}},
    {"explored a part of the executions died",
     NULL,
     "A process was killed, perhaps for want of memory: run it in one, --jobs=1.",
     {NOTHING}},
    {"other processes explore programs that use files",
     NULL,
     "Run it in one process: --jobs=1.",
     {NOTHING}},
    {"stopped before everything", NULL, "Run it again.", {JOURNAL}},
    {"the outside world", NULL, REPLACE, {NOTHING}},
    {"which can't be explored", NULL, REPLACE, {NOTHING}},
    {"makes system call", NULL, REPLACE, {NOTHING}},
    {"a process (", NULL, REPLACE, {NOTHING}},
    {"another process", NULL, REPLACE, {NOTHING}},
    {"the program sets a", NULL, REPLACE, {NOTHING}},
    {"the program writes to file descriptor", NULL, REPLACE, {NOTHING}},
    {"the program calls fcntl", NULL, REPLACE, {NOTHING}},
    {"the program opens the named semaphore", NULL, REPLACE, {NOTHING}},
    {"the program calls pthread_cancel",
     NULL,
     "Let the thread look at a flag in the test, and leave by itself: threads that are cancelled "
     "are not explored.",
     {NOTHING}},
    {"loads a library",
     NULL,
     "Link the library, or name its sources, instead of loading it.",
     {NOTHING}},
    {"switches stacks itself",
     NULL,
     "Let the test call the functions in turn, or in threads.",
     {NOTHING}},
    {"calls that are not made, or not in an order that fits", NULL, NULL, {SPECIFICATION}},
    {"--rand=N explores", NULL, "Say how many values matter: --rand=3 explores 0 to 2.", {NOTHING}},
    {"--weak-cas needs gcc", NULL, "Compile it with gcc: --cc=gcc.", {NOTHING}},
    {"interrupted", NULL, "Run it again.", {JOURNAL}},
    {"ended with status",
     NULL,
     "The program ended itself in the middle of an exploration: leave exit, exec or abort out of "
     "the test.",
     {NOTHING}},
    {"killed by signal",
     NULL,
     "The program was killed from outside, perhaps for want of memory: see --memory.",
     {NOTHING}},
    {"signal", NULL, REPLACE, {NOTHING}},
    {"--stack", NULL, "Give threads larger stacks: --stack=1M.", {NOTHING}},
    {"too many", NULL, SMALLER, {NOTHING}},
    {"too much", NULL, SMALLER, {NOTHING}},
    {"too deep", NULL, SMALLER, {NOTHING}},
    {"more choices at once", NULL, SMALLER, {NOTHING}},
    {"more than", NULL, SMALLER, {NOTHING}},
    {"sscanf", NULL, REPLACE, {NOTHING}},
    {"the program ", NULL, REPLACE, {NOTHING}},
};

/* --- what an answer says of itself --------------------------------------------------------------
 */

static bool is_by_states(const Answer *answer)
{
    return answer->outcome.states || answer->outcome.unbounded ||
           (answer->asked && answer->asked->explore.check.unbounded);
}

static bool is_check(const Answer *answer)
{
    return !strcmp(answer->command, "check");
}

/* The shape of the tests that were asked for is larger than 2x2. */
static bool is_large_shape(const AnswerAsked *asked)
{
    const CheckOptions *check = &asked->explore.check;
    return check->threads * check->length > 4 || check->exhaustive || check->samples;
}

/* --- remedies -----------------------------------------------------------------------------------
 */

/* "40s", "5m", "3h": at least SECONDS, and a number that a person would type. */
static const char *duration(Arena *arena, double seconds)
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{1, "s"}, {60, "m"}, {3600, "h"}};
    size_t i = seconds < 90 ? 0 : seconds < 5400 ? 1 : 2;
    return arena_printf(arena, "%.0f%s", seconds / units[i].seconds + 0.5, units[i].unit);
}

#define LONGEST_SECONDS (48 * 3600.0) /* nobody waits longer */

/* By the forecast of how many executions there are, if there is one. */
static const char *more_time(Arena *arena, const Answer *answer)
{
    const AnswerAsked *asked = answer->asked;
    double limit = asked ? (double)asked->explore.time_ms / 1e3 : 0;
    const Estimate *estimate = &answer->estimate;
    double count = estimate->is_sure ? estimate->executions : estimate->least;
    bool one = answer->outcome.tests <= 1 && !is_by_states(answer);
    if (one && answer->executions && count > (double)answer->executions) {
        double needed = answer->seconds * count / (double)answer->executions;
        const char *about = estimate->is_sure ? "about" : "more than";
        if (needed > LONGEST_SECONDS)
            return NULL;
        if (needed > limit)
            return arena_printf(arena, "more time: --time=%s (a forecast: all of it takes %s %s)",
                                duration(arena, needed * (estimate->is_sure ? 1.5 : 3)), about,
                                duration(arena, needed));
    }
    return limit > 0 ? arena_printf(arena, "more time: --time=%s", duration(arena, 10 * limit))
                     : "more time (--time)";
}

static const char *fewer_preemptions(Arena *arena, const AnswerAsked *asked)
{
    int32_t bound = asked ? asked->explore.preemptions : -1;
    const char *model = asked && model_is_interleaved(asked->explore.model) ? "" : " --model=sc";
    if (asked && asked->explore.schedules)
        return NULL;
    if (bound < 0)
        return arena_printf(arena, "fewer executions, in which most bugs show: --preemptions=2%s",
                            model);
    return bound > 0 ? arena_printf(arena, "fewer executions: --preemptions=%d%s", bound - 1, model)
                     : NULL;
}

static const char *more_memory(Arena *arena, const AnswerAsked *asked)
{
    uint64_t bytes = asked ? asked->explore.memory_bytes : 0;
    if (!bytes)
        return "more memory (--memory)";
    return arena_printf(arena, "more memory: --memory=%lluM",
                        (unsigned long long)(4 * bytes >> 20));
}

static const char *fewer_elements(Arena *arena, const AnswerAsked *asked)
{
    uint32_t most = asked ? asked->explore.check.elements : 0;
    return most == 1 ? NULL
                     : arena_printf(arena, "fewer elements inside at once: --elements=%u",
                                    most ? most - 1 : 1);
}

/* Returns as a phrase what depends on what was asked for; NULL: it was tried, or makes no sense
 * here. */
static const char *remedy_of_options(Arena *arena, Remedy remedy, const Answer *answer)
{
    const AnswerAsked *asked = answer->asked;
    const ExploreOptions *explore = asked ? &asked->explore : NULL;
    bool weak = !explore || !model_is_interleaved(explore->model);
    switch (remedy) {
    case MORE_TIME:
        return more_time(arena, answer);
    case BY_STATES:
        return is_by_states(answer) || (explore && explore->schedules) ? NULL
               : is_check(answer)
                   ? "all tests of any length at once, by states instead of executions: --unbounded"
                   : "states instead of executions: --unbounded";
    case STATES_O1:
        if (!is_by_states(answer))
            return arena_printf(arena,
                                "states instead of executions, where sc or tso is enough: "
                                "--unbounded%s",
                                asked && asked->optimised ? "" : " -O1");
        return asked && asked->optimised ? NULL : "code without traces of old addresses: -O1";
    case BY_EXECUTIONS:
        return is_check(answer) ? "tests of a few calls instead: --shape=2x2, without --unbounded"
                                : "executions instead of states: without --unbounded";
    case BY_SC:
        return weak ? "under sc, if that is enough: --model=sc" : NULL;
    case SHORTER_TEST:
        return answer->shorter;
    case SMALLER_SHAPE:
        return !asked || is_large_shape(asked) ? "smaller tests: --shape=2x2" : NULL;
    case FEWER_ELEMENTS:
        return is_check(answer) ? fewer_elements(arena, asked) : NULL;
    case FEWER_PREEMPTIONS:
        return fewer_preemptions(arena, asked);
    case SAMPLE:
        return explore && explore->schedules ? NULL
                                             : "a sample, which can find a bug but not exclude "
                                               "one: --schedules=100000";
    case JOURNAL:
        return asked && asked->journal ? NULL
                                       : "a journal, with which the same command goes on where "
                                         "this one stopped: --journal=FILE";
    case MORE_MEMORY:
        return more_memory(arena, asked);
    case LONGER_HANG:
        return arena_printf(arena, "more patience: --hang=%s",
                            duration(arena, asked ? 6e-3 * (double)asked->hang_ms : 60));
    case TRUST:
        return arena_printf(arena, "answer for it yourself: --trust=%s",
                            asked && asked->unseen ? asked->unseen : "PLACE");
    case ASSEMBLY_AS_TSO:
        return explore && model_assembly(explore->model) != ASSEMBLY_IN_C11
                   ? NULL
                   : "the model of x86, where most instructions are understood: --model=tso";
    default:
        return NULL;
    }
}

static const char *remedy_text(Arena *arena, Remedy remedy, const Answer *answer)
{
    switch (remedy) {
    case SMALLER_PROGRAM:
        return "a smaller program: fewer threads, fewer rounds of its loops";
    case FEWER_ARGUMENTS:
        return is_check(answer) ? "fewer values to call with: HD_OP(put, int, v, 1)" : NULL;
    case SMALLER_BUFFERS:
        return "smaller buffers in the test";
    case END_THE_LOOP:
        return "a loop with a bound in the test";
    case SEE_WITHOUT_CALL:
        return "leave the call out of the test; or write the function yourself";
    case COMPILE_IT:
        return "compile that code with Heddle (name its source), or use a port without assembly";
    case SPECIFICATION:
        return "say what calls give when nothing runs beside them: --spec=register, fifo, lifo ... "
               "(heddle-check(1))";
    case MODEL_IN_SMALLER_STEPS:
        return "add a lemma (heddle-prove(1)), or write the operations in smaller steps";
    case FEW_THREADS_BY_REFINE:
        return "have heddle refine explore a model with a few threads";
    case SMALLER_MODEL:
        return "make the model smaller: fewer threads, smaller ranges (-DNAME=VALUE)";
    case MORE_STATES:
        return "allow more (--memory, --states)";
    default:
        return remedy_of_options(arena, remedy, answer);
    }
}

/* --- the advice ---------------------------------------------------------------------------------
 */

static const Row *find_row(const char *command, const char *reason)
{
    for (size_t i = 0; reason && i < COUNT_OF(rows); i++)
        if (strstr(reason, rows[i].words) &&
            (!rows[i].command || (command && !strcmp(command, rows[i].command))))
            return &rows[i];
    return NULL;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* "A; b; or c." behind the sentence of the row; a phrase that goes on with it begins small. */
static const char *put_together(Arena *arena, const Row *row, const Answer *answer)
{
    const char *phrases[MOST_REMEDIES];
    size_t count = 0;
    for (size_t i = 0; i < MOST_REMEDIES && row->remedies[i]; i++) {
        const char *phrase = remedy_text(arena, row->remedies[i], answer);
        if (phrase)
            phrases[count++] = phrase;
    }
    const char *sentence = row->sentence ? row->sentence : "";
    size_t length = strlen(sentence);
    bool ends = !length || sentence[length - 1] == '.';
    if (!count)
        return ends && length ? sentence : NULL;
    Buffer text = {0};
    buffer_printf(&text, "%s%s", sentence, length ? " " : "");
    for (size_t i = 0; i < count; i++) {
        const char *between = !i ? "" : i + 1 < count ? "; " : "; or ";
        char first = !i && ends ? upper(phrases[i][0]) : phrases[i][0];
        buffer_printf(&text, "%s%c%s", between, first, phrases[i] + 1);
    }
    buffer_printf(&text, ".");
    const char *copy = str_copy(arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

const char *advice_for(Arena *arena, const Answer *answer)
{
    if (answer->verdict != VERDICT_INCONCLUSIVE)
        return NULL;
    const Row *row = find_row(is_by_states(answer) ? STATES : answer->command, answer->reason);
    return row ? put_together(arena, row, answer) : NULL;
}

const char *advice_for_model(Arena *arena, const char *command, const char *reason)
{
    Answer nothing = {.command = command};
    const Row *row = find_row(command, reason);
    return row ? put_together(arena, row, &nothing) : NULL;
}
