/* The effects that are announced for library functions, compared with what the functions do. The
 * judge is memory itself: arguments lie in one area, filled with random bytes; the announced ranges
 * come from the runtime's own reading of record/effects.inc. A call must change nothing outside the
 * announced writes, and its result and what it writes must not depend on a byte outside the
 * announced ranges: it is called twice, with everything else different. The same goes for virtual
 * functions of libstdc++.so (record/virtual.inc), as far as they work on characters and need no
 * stream. HEDDLE_NIGHTLY=1 makes 20,000 calls of each function instead of 200; SEED chooses
 * others. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>
#include "base/hash.h"
#include "guest/entry/guest.h"
#include "guest/entry/library/hidden.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/opaque.h"

static void announced_read(const void *address, size_t bytes, const void *pc);
static void announced_write(void *address, size_t bytes, const void *pc);
static bool always(void)
{
    return true;
}
static void nothing(char state, char how, const void *pc)
{
    (void)state, (void)how, (void)pc;
}
static void nothing_of(void *object, const void *pc)
{
    (void)object, (void)pc;
}
static struct {
    void *address;
} no_deferred;
static OpaqueHooks no_hooks;
#define guest_will_read announced_read
#define guest_will_write announced_write
#define op_active always
#define op_unsupported(...) fail()
#define hidden_enter nothing
#define hidden_leave nothing
#define hidden_enter_stream nothing_of
#define hidden_leave_stream nothing_of
#define hidden_enter_object nothing_of
#define hidden_leave_object nothing_of
#define deferred no_deferred
#define opaque_hooks no_hooks
#include "guest/entry/library/effects.c"

/* How to call a function: its integer arguments, one letter each.
 *   s S    a string, a wide string      p      bytes, at most 512
 *   n      a number below 17            b      a base: 0, 8, 10 or 16
 *   t T    a valid struct tm, a time_t  f      AF_INET or AF_INET6
 *   a      text of an address           L      a locale
 *   r      a struct random_data that is in use, with its state elsewhere in the area
 *   x      a state for such a struct    M      an mbstate_t
 *   0 w    the number 0, and 128        m      a format of strftime
 * A '-' before them: the result is no integer and not compared. Functions with hidden state are not
 * here: their results depend on earlier calls. */
typedef struct Row {
    const char *name, *arguments;
} Row;
static const Row rows[] = {{"a64l", "s"},           {"asctime_r", "tp"},
                           {"ctime_r", "Tp"},       {"gmtime_r", "Tp"},
                           {"localtime_r", "Tp"},   {"mktime", "t"},
                           {"timegm", "t"},         {"strftime", "pnmt"},
                           {"ether_aton_r", "sp"},  {"ether_ntoa_r", "pp"},
                           {"inet_aton", "ap"},     {"inet_addr", "a"},
                           {"inet_network", "a"},   {"inet_ntop", "fppw"},
                           {"inet_pton", "fap"},    {"jrand48", "-p"},
                           {"nrand48", "-p"},       {"erand48", "-p"},
                           {"lcong48_r", "pp"},     {"seed48_r", "pp"},
                           {"srand48_r", "np"},     {"random_r", "rp"},
                           {"srandom_r", "nr"},     {"initstate_r", "npwr"},
                           {"mbstowcs", "psn"},     {"mbsinit", "p"},
                           {"memfrob", "pn"},       {"sigaddset", "pn"},
                           {"sigdelset", "pn"},     {"sigandset", "ppp"},
                           {"sigorset", "ppp"},     {"sigemptyset", "p"},
                           {"sigfillset", "p"},     {"sigisemptyset", "p"},
                           {"sigismember", "pn"},   {"strverscmp", "ss"},
                           {"strtoimax", "spb"},    {"strtoumax", "spb"},
                           {"strtol_l", "spbL"},    {"strtoul_l", "spbL"},
                           {"strtoll_l", "spbL"},   {"strtoull_l", "spbL"},
                           {"strtod_l", "-spL"},    {"strtof_l", "-spL"},
                           {"strcasecmp_l", "ssL"}, {"strncasecmp_l", "ssnL"},
                           {"strcoll_l", "ssL"},    {"strxfrm", "psn"},
                           {"strxfrm_l", "psnL"},   {"strptime", "ssp"},
                           {"swab", "-ppn"},        {"index", "sn"},
                           {"rindex", "sn"},        {"fnmatch", "ss0"},
                           {"wcpcpy", "pS"},        {"wcpncpy", "pSn"},
                           {"wcscpy", "pS"},        {"wcsncpy", "pSn"},
                           {"wcscat", "SS"},        {"wcsncat", "SSn"},
                           {"wcscasecmp", "SS"},    {"wcsncasecmp", "SSn"},
                           {"wcschr", "Sn"},        {"wcsrchr", "Sn"},
                           {"wcscmp", "SS"},        {"wcsncmp", "SSn"},
                           {"wcscoll", "SS"},       {"wcscspn", "SS"},
                           {"wcsspn", "SS"},        {"wcspbrk", "SS"},
                           {"wcsstr", "SS"},        {"wcslen", "S"},
                           {"wcsnlen", "Sn"},       {"wcstol", "Spb"},
                           {"wcstoll", "Spb"},      {"wcstoul", "Spb"},
                           {"wcstoull", "Spb"},     {"wcstod", "-Sp"},
                           {"wcstof", "-Sp"},       {"wcstombs", "pSn"},
                           {"wcsxfrm", "pSn"},      {"wmemchr", "pnn"},
                           {"wmemcmp", "ppn"},      {"wmemcpy", "-ppn"},
                           {"wmemmove", "-ppn"},    {"wmempcpy", "-ppn"},
                           {"wmemset", "pnn"},      {"setstate_r", "xr"},
                           {"drand48_r", "pp"},     {"lrand48_r", "pp"},
                           {"mrand48_r", "pp"},     {"erand48_r", "ppp"},
                           {"nrand48_r", "ppp"},    {"jrand48_r", "ppp"},
                           {"mbrtowc", "psnM"},     {"mbrlen", "snM"},
                           {"wcrtomb", "pnM"},      {"getpwuid_r", "0ppwp"},
                           {"getpwnam_r", "sppwp"}, {"getgrgid_r", "0ppwp"},
                           {"getgrnam_r", "sppwp"}, {"frexp", "-p"},
                           {"frexpf", "-p"},        {"modf", "-p"},
                           {"modff", "-p"},         {"sincos", "-pp"},
                           {"sincosf", "-pp"},      {"remquo", "-p"},
                           {"remquof", "-p"},       {"lgamma_r", "-p"},
                           {"lgammaf_r", "-p"},     {"ecvt", "npp"},
                           {"fcvt", "npp"},         {"clock_getres", "np"},
                           {"getresuid", "ppp"},    {"getresgid", "ppp"},
                           {"uname", "p"},          {"gethostname", "pn"},
                           {"getdomainname", "pn"}, {"getcwd", "pw"},
                           {"getrlimit", "np"},     {"confstr", "npn"},
                           {"strerror_r", "npn"},   {"__xpg_strerror_r", "npn"},
                           {"fegetenv", "p"},       {"fegetexceptflag", "pn"},
                           {"cfgetispeed", "p"},    {"cfgetospeed", "p"},
                           {"cfmakeraw", "-p"},     {"cfsetispeed", "pn"},
                           {"cfsetospeed", "pn"},   {"cfsetspeed", "pn"},
                           {"getgroups", "wp"},     {"getlogin_r", "pn"},
                           {"basename", "s"},       {"dirname", "s"},
                           {"__xpg_basename", "s"}, {"wcswidth", "S"},
                           {"wctype", "s"},         {"wctrans", "s"},
                           {"wcstoimax", "Spb"},    {"wcstoumax", "Spb"},
                           {"wcswcs", "SS"},        {"wcschrnul", "Sn"},
                           {"wcscasecmp_l", "SSL"}, {"wcsncasecmp_l", "SSnL"},
                           {"wcscoll_l", "SSL"},    {"strptime_l", "sspL"},
                           {"strftime_l", "pnmtL"}, {"wcsftime", "pnSt"},
                           {"gettext", "s"},        {"dgettext", "ss"},
                           {"ngettext", "ssn"},     {"rpmatch", "s"},
                           {"nan", "-s"},           {"_ZSt11_Hash_bytesPKvmm", "pnn"}};
static const Row effects_of[] = {
#define E(name, effects) {#name, effects},
#include "record/effects.inc"
#undef E
};

enum { SLOT = 1024, SLOTS = 8, AREA = SLOT * SLOTS, STATE = 128 };
static _Alignas(64) unsigned char area[AREA], first[AREA], second[AREA];
static bool may_read[AREA], may_write[AREA];

/* Tells the first mistake of each function. */
static size_t wrong;
static const Row *last_wrong;
static void complain(const Row *row, uint64_t number, const char *what)
{
    if (last_wrong != row)
        print_error("%s, call %llu: it %s\n", row->name, (unsigned long long)number, what);
    wrong += last_wrong != row;
    last_wrong = row;
}

static void mark(bool *marks, const void *address, size_t bytes)
{
    uintptr_t from = (uintptr_t)address - (uintptr_t)area;
    for (size_t i = 0; from < AREA && i < bytes && from + i < AREA; i++)
        marks[from + i] = true;
}

static void announced_read(const void *address, size_t bytes, const void *pc)
{
    (void)pc;
    mark(may_read, address, bytes);
}

static void announced_write(void *address, size_t bytes, const void *pc)
{
    (void)pc;
    mark(may_write, address, bytes);
}

static void fill(Random *random, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)random_next(random);
}

/* One argument, whose memory is at SLOT. */
static uint64_t argument_of(Random *random, char letter, unsigned char *slot)
{
    static const char *const formats[] = {"%Y-%m-%d", "%H:%M", "%j %a", "%%", "%p", ""};
    static const char *const addresses[] = {"127.0.0.1",     "::1", "10.2",
                                            "fe80::1:2:3:4", "x",   "1.2.3.4"};
    static const int bases[] = {0, 8, 10, 16};
    static const char some[] = " -+0123456789abcxyz.:%Ymd";
    char *text = (char *)slot;
    size_t length = random_below(random, 20);
    switch (letter) {
    case 's':
        for (size_t i = 0; i < length; i++)
            text[i] = some[random_below(random, sizeof some - 1)];
        text[length] = 0;
        return (uintptr_t)slot;
    case 'S':
        for (size_t i = 0; i <= length; i++)
            ((wchar_t *)(void *)slot)[i] =
                i < length ? (wchar_t)some[random_below(random, sizeof some - 1)] : 0;
        return (uintptr_t)slot;
    case 'm':
        strcpy(text, formats[random_below(random, COUNT_OF(formats))]);
        return (uintptr_t)slot;
    case 'a':
        strcpy(text, addresses[random_below(random, COUNT_OF(addresses))]);
        return (uintptr_t)slot;
    case 't': {
        time_t when = (time_t)random_below(random, 2000000000);
        return (uintptr_t)gmtime_r(&when, (void *)slot);
    }
    case 'T':
        *(time_t *)(void *)slot = (time_t)random_below(random, 2000000000);
        return (uintptr_t)slot;
    case 'r': {
        struct random_data *data = (void *)slot;
        memset(data, 0, sizeof *data);
        (void)initstate_r((unsigned)random_next(random), text + SLOT / 2,
                          random_below(random, 2) ? STATE : 8, data);
        return (uintptr_t)slot;
    }
    case 'x': { /* made by another one */
        struct random_data other = {0};
        (void)initstate_r((unsigned)random_next(random), text, STATE, &other);
        return (uintptr_t)slot;
    }
    case 'M':
        memset(slot, 0, sizeof(mbstate_t));
        return (uintptr_t)slot;
    case 'n':
        return random_below(random, 17);
    case 'w': /* the size of a state */
        return STATE;
    case 'b':
        return (uint64_t)bases[random_below(random, COUNT_OF(bases))];
    case 'f':
        return random_below(random, 2) ? AF_INET : AF_INET6;
    case 'L':
        return (uintptr_t)newlocale(LC_ALL_MASK, "C", NULL);
    case 'p':
        return (uintptr_t)slot;
    default:
        return 0;
    }
}

/* Floating-point arguments have registers of their own, wherever they stand. */
typedef uint64_t Function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double,
                          double, uint64_t, uint64_t);

/* Calls FUNCTION with memory BEFORE in the area; what is written outside of what may be fails. */
static uint64_t call(const Row *row, Function *function, const uint64_t *a,
                     const unsigned char *before, uint64_t number)
{
    memcpy(area, before, AREA);
    uint64_t result =
        function(a[0], a[1], a[2], a[3], a[4], a[5], (double)(number % 1000) / 7, 3, a[6], a[7]);
    for (size_t i = 0; i < AREA; i++)
        if (area[i] != before[i] && !may_write[i])
            complain(row, number, "writes memory that is not announced");
    return result;
}

static void compare(const Row *row, const char *effects, Function *function, uint64_t number)
{
    Random random = {number};
    static unsigned char after[AREA];
    uint64_t arguments[OPAQUE_ARGUMENTS] = {0};
    const char *letters = row->arguments + (row->arguments[0] == '-');
    fill(&random, area, AREA);
    for (size_t i = 0; letters[i]; i++)
        arguments[i] = argument_of(&random, letters[i], area + i * SLOT);
    memcpy(first, area, AREA);
    memset(may_read, 0, sizeof may_read);
    memset(may_write, 0, sizeof may_write);
    effects_before(row->name, effects, arguments, NULL);
    fill(&random, second, AREA);
    for (size_t i = 0; i < AREA; i++)
        if (may_read[i] || may_write[i])
            second[i] = first[i];
    uint64_t result = call(row, function, arguments, first, number);
    memcpy(after, area, AREA);
    uint64_t again = call(row, function, arguments, second, number);
    if (row->arguments[0] != '-' && result != again)
        complain(row, number, "has a result that depends on memory that is not announced");
    for (size_t i = 0; i < AREA; i++)
        if (may_write[i] && after[i] != area[i])
            complain(row, number, "writes what depends on memory that is not announced");
    for (size_t i = 0; letters[i]; i++)
        if (letters[i] == 'L')
            freelocale((locale_t)arguments[i]); // NOLINT: an argument is a number here
}

static void functions_do_what_is_announced(void **state)
{
    (void)state;
    uint64_t calls = getenv("HEDDLE_NIGHTLY") ? 20000 : 200;
    uint64_t seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 1;
    size_t compared = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Function *function;
        *(void **)(void *)&function = dlsym(RTLD_DEFAULT, rows[i].name);
        const char *effects = NULL;
        for (size_t k = 0; k < COUNT_OF(effects_of); k++)
            if (!strcmp(effects_of[k].name, rows[i].name))
                effects = effects_of[k].arguments;
        if (!effects)
            fail_msg("record/effects.inc has no %s", rows[i].name);
        for (uint64_t n = 0; function && n < calls; n++)
            compare(&rows[i], effects, function, (seed << 32) + n);
        compared += function != NULL;
    }
    print_message("%zu functions, %llu calls each\n", compared, (unsigned long long)calls);
    assert_true(compared > 60);
    assert_int_equal(wrong, 0);
}

/* ---- virtual functions of the C++ library ---- */

static const Row virtual_effects_of[] = {
#define V(name, effects) {#name, effects},
#include "record/virtual.inc"
#undef V
};

/* How to call a method: `n` a number, `b` and `e` the begin and end of characters, `p` bytes, `M`
 * an mbstate_t. FROM: the characters have the size of the class's second type, which is 1. */
typedef struct Method {
    const char *name, *arguments;
    bool from;
} Method;
static const Method methods[] = {
    {"10do_tolowerEc", "n", false},      {"10do_tolowerEw", "n", false},
    {"10do_toupperEc", "n", false},      {"10do_toupperEw", "n", false},
    {"10do_tolowerEP", "be", false},     {"10do_toupperEP", "be", false},
    {"5do_isEtw", "nn", false},          {"5do_isEPKw", "bep", false},
    {"10do_scan_isE", "nbe", false},     {"11do_scan_notE", "nbe", false},
    {"8do_widenEc", "n", true},          {"8do_widenEP", "bep", true},
    {"9do_narrowEcc", "nn", false},      {"9do_narrowEwc", "nn", false},
    {"9do_narrowEP", "benp", false},     {"5do_inE", "Mbepbep", true},
    {"6do_outE", "Mbepbep", false},      {"10do_unshiftE", "Mbep", true},
    {"9do_lengthE", "Mben", true},       {"11do_encodingEv", "", true},
    {"13do_max_lengthEv", "", true},     {"16do_always_noconvEv", "", true},
    {"10do_compareE", "bebe", false},    {"7do_hashE", "be", false},
    {"12do_transformE", "be", false},    {"11do_groupingEv", "", false},
    {"11do_truenameEv", "", false},      {"12do_falsenameEv", "", false},
    {"14do_curr_symbolEv", "", false},   {"16do_negative_signEv", "", false},
    {"13do_neg_formatEv", "", false},    {"16do_positive_signEv", "", false},
    {"13do_pos_formatEv", "", false},    {"14do_frac_digitsEv", "", false},
    {"16do_decimal_pointEv", "", false}, {"16do_thousands_sepEv", "", false}};

typedef struct Virtual {
    const Row *row; /* name and effects */
    const Method *method;
    Function *function, *destroy; /* destroy: of the string that it returns, or NULL */
    uint64_t self;
    size_t unit; /* bytes of a character */
} Virtual;

static void *symbol_of(void *library, const char *name, const char *more, const char *end)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", name, more, end);
    return dlsym(library, text);
}

/* The facet of the classic locale of class CLASS, or an object with nothing but the limits that
 * codecvt_utf8 and its like keep. */
static uint64_t facet_of(void *library, const char *class)
{
    static uint64_t limits[8] = {0, 1, 0x10ffff, 0};
    void *(*classic)(void), *(*use)(void *);
    *(void **)(void *)&classic = dlsym(library, "_ZNSt6locale7classicEv");
    bool nested = !strncmp(class, "St7__cxx11", 10);
    char name[200];
    snprintf(name, sizeof name, nested ? "N%sE" : "%s", class);
    *(void **)(void *)&use = symbol_of(library, "_ZSt9use_facetI", name, "ERKT_RKSt6locale");
    return use && classic ? (uintptr_t)use(classic()) : (uintptr_t)limits;
}

/* How to call the function of ROW; false if that is not known here, or if there is no such
 * function. */
static bool virtual_of(void *library, const Row *row, Virtual *out)
{
    char class[128] = "";
    *out = (Virtual){.row = row, .unit = 1};
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        const char *at = strstr(row->name, methods[i].name);
        if (at && at - row->name > 4 && at[-1] == 'E' &&
            (size_t)(at - row->name - 4) < sizeof class) {
            out->method = &methods[i];
            snprintf(class, sizeof class, "%.*s", (int)(at - row->name - 4), row->name + 4);
        }
    }
    *(void **)(void *)&out->function = dlsym(library, row->name);
    if (!out->method || !out->function)
        return false;
    bool wide = strstr(class, "Iw") != NULL, four = strstr(class, "IDi") != NULL;
    out->unit = out->method->from ? 1 : wide || four ? 4 : strstr(class, "IDs") ? 2 : 1;
    out->self = facet_of(library, class);
    if (strstr(row->arguments, "w0:8"))
        *(void **)(void *)&out->destroy = dlsym(library, wide && !strstr(row->name, "do_grouping")
                                                             ? "_ZNSbIwSt11char_traitsIwESaIwEED1Ev"
                                                             : "_ZNSsD1Ev");
    if (strstr(row->arguments, "w0:32"))
        *(void **)(void *)&out->destroy =
            symbol_of(library, "_ZNSt7__cxx1112basic_stringI",
                      wide && !strstr(row->name, "do_grouping") ? "wSt11char_traitsIwESaIwEED1Ev"
                                                                : "cSt11char_traitsIcESaIcEED1Ev",
                      "");
    return true;
}

static uint64_t call_virtual(const Virtual *v, const uint64_t *arguments,
                             const unsigned char *before, uint64_t number)
{
    uint64_t result = call(v->row, v->function, arguments, before, number);
    if (v->destroy) /* what is in the string is no matter here: the pointer to it differs */
        v->destroy(arguments[0], 0, 0, 0, 0, 0, 0, 0, 0, 0);
    return result;
}

static void compare_virtual(const Virtual *v, uint64_t number)
{
    Random random = {number};
    static unsigned char after[AREA];
    uint64_t arguments[OPAQUE_ARGUMENTS] = {0};
    size_t count = 0;
    fill(&random, area, AREA);
    if (v->destroy)
        arguments[count++] = (uintptr_t)area; /* where the string is returned */
    arguments[count++] = v->self;
    for (const char *letter = v->method->arguments; *letter; letter++, count++) {
        unsigned char *slot = area + count * (SLOT / 2);
        size_t unit = letter - v->method->arguments > 3 && v->unit == 1 ? 4 : v->unit;
        if (*letter == 'b' && random_below(&random, 8))
            for (size_t i = 0; i < SLOT / 2; i++)
                slot[i] = i % v->unit ? 0 : (unsigned char)(' ' + random_below(&random, 95));
        if (*letter == 'e') {
            arguments[count] = arguments[count - 1] + unit * random_below(&random, 17);
            continue;
        }
        arguments[count] = argument_of(&random, *letter == 'b' ? 'p' : *letter, slot);
    }
    memcpy(first, area, AREA);
    memset(may_read, 0, sizeof may_read);
    memset(may_write, 0, sizeof may_write);
    effects_before(v->row->name, v->row->arguments, arguments, NULL);
    fill(&random, second, AREA);
    for (size_t i = 0; i < AREA; i++)
        if (may_read[i] || may_write[i])
            second[i] = first[i];
    uint64_t result = call_virtual(v, arguments, first, number);
    memcpy(after, area, AREA);
    uint64_t again = call_virtual(v, arguments, second, number);
    if ((result ^ again) & 0xff) /* a character, a truth value, or more */
        complain(v->row, number, "has a result that depends on memory that is not announced");
    for (size_t i = 0; i < AREA; i++)
        if (may_write[i] && after[i] != area[i] && !v->destroy)
            complain(v->row, number, "writes what depends on memory that is not announced");
}

static void virtual_functions_do_what_is_announced(void **state)
{
    (void)state;
    uint64_t calls = getenv("HEDDLE_NIGHTLY") ? 20000 : 200;
    uint64_t seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 1;
    size_t compared = 0;
    void *library = dlopen("libstdc++.so.6", RTLD_NOW);
    if (!library)
        skip();
    wrong = 0;
    for (size_t i = 0; i < COUNT_OF(virtual_effects_of); i++) {
        Virtual v;
        if (!virtual_of(library, &virtual_effects_of[i], &v))
            continue;
        for (uint64_t n = 0; n < calls; n++)
            compare_virtual(&v, (seed << 32) + n);
        compared++;
    }
    print_message("%zu virtual functions, %llu calls each\n", compared, (unsigned long long)calls);
    assert_true(compared > 150);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_do_what_is_announced),
                                       cmocka_unit_test(virtual_functions_do_what_is_announced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
