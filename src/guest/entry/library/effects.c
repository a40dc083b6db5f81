#include "guest/entry/library/effects.h"
#include <dlfcn.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <wchar.h>
#include "guest/entry/guest.h"
#include "guest/entry/kernel/kernel.h"
#include "guest/entry/library/hidden.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/opaque.h"

typedef struct Call {
    const char *name;
    const uint64_t *arguments;
    const void *pc;
} Call;

static void *pointer_of(const Call *call, char digit)
{
    DEBUG_ASSERT(digit >= '0' && digit <= '9');
    return (void *)call->arguments[digit - '0']; // NOLINT: that is what an argument is
}

/* "A" or "A+O": argument A, or O bytes behind it; NULL if the argument is null. */
static char *place_of(const Call *call, const char **at)
{
    char *place = pointer_of(call, *(*at)++);
    size_t offset = **at == '+' ? (size_t)strtoul(*at + 1, (char **)(uintptr_t)at, 10) : 0;
    return place ? place + offset : NULL;
}

/* "*B", at most the value of argument B; else no limit. */
static size_t limit_of(const Call *call, const char **at)
{
    if (**at != '*')
        return SIZE_MAX;
    size_t limit = call->arguments[(*at)[1] - '0'];
    *at += 2;
    return limit;
}

/* ".4" */
static size_t factor_of(const char **at)
{
    size_t factor = 0;
    if (**at != '.')
        return 1;
    for (++*at; **at >= '0' && **at <= '9'; ++*at)
        factor = factor * 10 + (size_t)(**at - '0');
    return factor;
}

/* "56", "*2", "*2.4", "m", "i0", "d12", "d12.4", "d12/4" */
static size_t bytes_of(const Call *call, const char **at)
{
    if (**at == 'd') {
        size_t bytes = call->arguments[(*at)[2] - '0'] - call->arguments[(*at)[1] - '0'];
        *at += 3;
        return **at == '/' ? bytes / (size_t)((*at)[1] - '0') : bytes * factor_of(at);
    }
    if (**at == 'i') {
        int family = (int)call->arguments[(*at)[1] - '0'];
        *at += 2;
        return family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;
    }
    if (**at == 'm') {
        ++*at;
        return MB_CUR_MAX;
    }
    if (**at == '*') {
        size_t value = limit_of(call, at);
        return value * factor_of(at);
    }
    return (size_t)strtoul(*at, (char **)(uintptr_t)at, 10);
}

/* The characters of a string that are looked at, its end among them if it is within LIMIT. */
static size_t characters(const void *text, bool wide, size_t limit)
{
    size_t length = wide ? wcsnlen(text, limit) : strnlen(text, limit);
    return length < limit ? length + 1 : length;
}

static void read_string(const Call *call, const char *at)
{
    bool wide = at[0] == 'S';
    const void *text = pointer_of(call, at[1]);
    const char *rest = at + 2;
    size_t limit = limit_of(call, &rest);
    if (text)
        guest_will_read(text, characters(text, wide, limit) * (wide ? sizeof(wchar_t) : 1),
                        call->pc);
}

/* A write that races is an event when memory holds its value, at the thread's next hook: another
 * one before that would come too early. */
static void write_bytes(const Call *call, char *to, size_t bytes)
{
    if (!to || !bytes)
        return;
    if (UNLIKELY(deferred.address))
        op_unsupported("%s writes several objects on which threads race", call->name);
    guest_will_write(to, bytes, call->pc);
}

/* "r0:56", "r4+208:8" and "r1-2"; the same of writes. */
static size_t bytes_at(const Call *call, const char *rest, const char *place)
{
    if (*rest == ':') {
        rest++;
        return bytes_of(call, &rest);
    }
    const char *end = *rest == '-' ? pointer_of(call, rest[1]) : NULL;
    return end > place ? (size_t)(end - place) : 0;
}

static void read_range(const Call *call, const char *at)
{
    const char *rest = at + 1, *from = place_of(call, &rest);
    if (from)
        guest_will_read(from, bytes_at(call, rest, from), call->pc);
}

/* Besides these "w0=S1*2" and "a0=s1". */
static void write(const Call *call, const char *at)
{
    const char *rest = at + 1;
    char *to = place_of(call, &rest);
    if (*rest != '=') {
        write_bytes(call, to, bytes_at(call, rest, to));
        return;
    }
    rest++;
    bool wide = rest[0] == 'S';
    size_t unit = wide ? sizeof(wchar_t) : 1;
    const void *from = pointer_of(call, rest[1]);
    rest += 2;
    size_t limit = limit_of(call, &rest);
    if (!to || !from)
        return;
    size_t count = characters(from, wide, limit);
    if (at[0] == 'a') {
        to += (wide ? wcslen((void *)to) : strlen(to)) * unit;
        count = MIN(count, limit) + (count == limit); /* what is appended always gets an end */
    }
    write_bytes(call, to, count * unit * factor_of(&rest));
}

/* A std::string: pointer and length, then the characters. */
static void read_cxx_string(const Call *call, char argument)
{
    const struct {
        const char *text;
        size_t length;
    } *string = pointer_of(call, argument);
    guest_will_read(string, sizeof *string, call->pc);
    guest_will_read(string->text, string->length, call->pc);
}

/* The part of a std::streambuf with characters to be taken, in libstdc++'s layout. Who takes some
 * looks at least at the first, and where it ends depends on them: all that are there are
 * announced. More are got by calls of functions that the program compiles. */
typedef struct GetArea {
    const void *table, *begin;
    const char *present, *end;
} GetArea;

static void take_characters(const Call *call, char argument, bool writes)
{
    GetArea *area = pointer_of(call, argument);
    if (area && writes && area->present < area->end)
        write_bytes(call, (char *)&area->present, sizeof area->present);
    if (!area || writes)
        return;
    guest_will_read(&area->present, sizeof area->present + sizeof area->end, call->pc);
    if (area->present < area->end)
        guest_will_read(area->present, (size_t)(area->end - area->present), call->pc);
}

/* Announces the struct of random_r and its like, and the state that it points to: a word with its
 * kind, then at least one number. */
static void write_random(const Call *call, char argument)
{
    struct random_data *data = pointer_of(call, argument);
    if (!data)
        return;
    if (data->state) {
        int32_t *end = MAX(data->end_ptr, data->state + 1);
        write_bytes(call, (char *)(data->state - 1), (size_t)(end - data->state + 1) * sizeof *end);
    }
    write_bytes(call, (char *)data, sizeof *data);
}

/* The words of a command line, at argument 1, as many as argument 0 says; and the long options at
 * argument 3, if LONG_ONES. */
static void read_words(const Call *call, bool long_ones)
{
    const char *const *words = pointer_of(call, '1');
    int count = (int)call->arguments[0];
    for (int i = 0; words && i < count; i++)
        if (words[i])
            guest_will_read(words[i], strlen(words[i]) + 1, call->pc);
    const struct option *option = long_ones ? pointer_of(call, '3') : NULL;
    for (; option; option = option->name ? option + 1 : NULL) {
        guest_will_read(option, sizeof *option, call->pc);
        if (option->name)
            guest_will_read(option->name, strlen(option->name) + 1, call->pc);
    }
}

/* The words may change places; the result is in variables that the program knows. */
static void write_options(const Call *call)
{
    write_bytes(call, pointer_of(call, '1'), (size_t)(int)call->arguments[0] * sizeof(char *));
    write_bytes(call, (char *)&optarg, sizeof optarg);
    write_bytes(call, (char *)&optind, sizeof optind);
    write_bytes(call, (char *)&optopt, sizeof optopt);
}

/* The program's own signgam: the loader gives a program that names the variable a copy of it. A
 * program that does not can't see what lgamma writes there. */
static void *signgam_of_program(void)
{
    extern const char __executable_start[] __attribute__((visibility("hidden")));
    extern const char _end[] __attribute__((visibility("hidden")));
    static char *found;
    static bool looked;
    if (!looked)
        found = dlsym(RTLD_DEFAULT, "signgam");
    looked = true;
    return found >= __executable_start && found < _end ? found : NULL;
}

static const char *next_word(const char *at)
{
    const char *space = strchr(at, ' ');
    return space ? space + 1 : NULL;
}

static void announce(const Call *call, const char *effects, bool writes)
{
    for (const char *at = effects; at; at = next_word(at)) {
        if (writes && (at[0] == 'w' || at[0] == 'a' || at[0] == 'u'))
            write(call, at);
        else if (at[0] == 'b')
            take_characters(call, at[1], writes);
        else if (writes && at[0] == 'g')
            write_options(call);
        else if (writes && at[0] == 'v')
            write_bytes(call, signgam_of_program(), sizeof(int));
        else if (writes && at[0] == 'q')
            write_random(call, at[1]);
        else if (writes)
            continue;
        else if (at[0] == 'g')
            read_words(call, at[1] == 'l');
        else if (at[0] == 's' || at[0] == 'S')
            read_string(call, at);
        else if (at[0] == 'p')
            read_cxx_string(call, at[1]);
        else if (at[0] == 'q' && pointer_of(call, at[1]))
            guest_will_read(pointer_of(call, at[1]), sizeof(struct random_data), call->pc);
        else if (at[0] == 'r' || at[0] == 'u')
            read_range(call, at);
    }
}

static bool is_meant(const Call *call, const char *at)
{
    return at[2] != '!' || !call->arguments[at[3] - '0'];
}

/* In the order of the words on the way in, so that two calls never wait for each other in a ring:
 * functions with several such words name them in one order. */
static void use_hidden(const Call *call, const char *effects, bool enter)
{
    for (const char *at = effects; at; at = next_word(at)) {
        if (at[0] == 'k' && enter)
            kernel_enter(call->name, call->pc);
        else if (at[0] == 'k')
            kernel_leave(call->name, call->pc);
        else if (at[0] == 'f' && enter)
            hidden_enter_stream(pointer_of(call, at[1]), call->pc);
        else if (at[0] == 'f')
            hidden_leave_stream(pointer_of(call, at[1]), call->pc);
        else if (at[0] == 'd' && enter)
            hidden_enter_object(pointer_of(call, at[1]), call->pc);
        else if (at[0] == 'd')
            hidden_leave_object(pointer_of(call, at[1]), call->pc);
        else if ((at[0] == 'h' || at[0] == 'H' || at[0] == 'l') && is_meant(call, at) && enter)
            hidden_enter(at[1], at[0], call->pc);
        else if ((at[0] == 'h' || at[0] == 'H' || at[0] == 'l') && is_meant(call, at))
            hidden_leave(at[1], at[0], call->pc);
    }
}

static bool is_kernel_call(const char *effects)
{
    for (const char *at = effects; at; at = next_word(at))
        if (at[0] == 'k')
            return true;
    return false;
}

void effects_before(const char *name, const char *effects, const uint64_t *arguments,
                    const void *pc)
{
    Call call = {name, arguments, pc};
    if (!op_active())
        return;
    deferred_settle(); /* of an access before the call */
    use_hidden(&call, effects, true);
    announce(&call, effects, false);
    announce(&call, effects, true);
    if (is_kernel_call(effects))
        kernel_prepare(name, arguments, pc);
}

void effects_after(const char *name, const char *effects, const uint64_t *arguments, const void *pc)
{
    Call call = {name, arguments, pc};
    if (!op_active())
        return;
    if (is_kernel_call(effects))
        kernel_settle(name, arguments, pc);
    use_hidden(&call, effects, false);
}

static void effects_keeps_state(void)
{
    if (op_active())
        op_needs_replay("a function is called that keeps state of its own");
}

static __attribute__((constructor(101))) void effects_setup(void)
{
    opaque_hooks = (OpaqueHooks){effects_before, effects_after, effects_keeps_state};
}
