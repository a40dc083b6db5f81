/* heddle_spec.h: golden code, a sequential specification in C for --spec=FILE.c.
 *
 *   #include <heddle_spec.h>
 *   typedef struct { int count; long items[64]; } Stack;
 *   HEDDLE_SPEC_STATE(Stack);
 *   HEDDLE_SPEC_INIT(s) { s->count = 0; }
 *   HEDDLE_SPEC_OP(push, s, c) { s->items[s->count++] = heddle_int(c, 0); return HEDDLE_DONE; }
 *   HEDDLE_SPEC_OP(pop, s, c)
 *   {
 *       return s->count ? HEDDLE_INT(s->items[--s->count]) : HEDDLE_NONE;
 *   }
 *
 * The state is one struct without pointers; it is copied and compared byte by byte, so clear what
 * is not used (after a pop: s->items[s->count] = 0) or equal states are taken for different ones,
 * which costs time, not truth. An operation changes the state and gives its result; HEDDLE_WAIT
 * means that it has to wait here. heddle_choose(c, n) is any of 0 .. n-1: every choice is allowed,
 * HEDDLE_CHOICES times in a call. To ask for an argument that is not there, or is of another kind,
 * is an error of the check, not an answer: look at c->count and c->arguments[i].kind first.
 */
#ifndef HEDDLE_SPEC_H
#define HEDDLE_SPEC_H

enum heddle_kind {
    HEDDLE_KIND_NONE, /* nothing to give: empty */
    HEDDLE_KIND_DONE, /* the operation only does something */
    HEDDLE_KIND_WAIT, /* it can't go on here */
    HEDDLE_KIND_BOOL,
    HEDDLE_KIND_INT,
    HEDDLE_KIND_TEXT,
    HEDDLE_KIND_ARRAY
};
typedef struct heddle_value {
    enum heddle_kind kind;
    long long number;                 /* INT, BOOL */
    const char *text;                 /* TEXT: length bytes */
    const struct heddle_value *items; /* ARRAY: length of them */
    unsigned long length;
} heddle_value;

/* What an operation asked for and can't have; the check ends with it. */
typedef struct heddle_misuse {
    const char *what; /* NULL: nothing */
    int argument;     /* counted from 0; -1: about no argument */
} heddle_misuse;

#define HEDDLE_CHOICES 16
typedef struct heddle_call {
    const char *name;
    int count; /* of arguments */
    const heddle_value *arguments;
    int choice[HEDDLE_CHOICES], limit[HEDDLE_CHOICES], known, depth; /* of heddle_choose */
    heddle_value process; /* who calls, after HEDDLE_SPEC_PROCESS */
    heddle_misuse *misuse;
} heddle_call;

static inline heddle_value heddle_make(enum heddle_kind kind, long long number)
{
    heddle_value value = {kind, number, 0, 0, 0};
    return value;
}
#define HEDDLE_NONE heddle_make(HEDDLE_KIND_NONE, 0)
#define HEDDLE_DONE heddle_make(HEDDLE_KIND_DONE, 0)
#define HEDDLE_WAIT heddle_make(HEDDLE_KIND_WAIT, 0)
#define HEDDLE_INT(n) heddle_make(HEDDLE_KIND_INT, (n))
#define HEDDLE_BOOL(b) heddle_make(HEDDLE_KIND_BOOL, (b) ? 1 : 0)
static inline heddle_value heddle_text_of(const char *text)
{
    heddle_value value = heddle_make(HEDDLE_KIND_TEXT, 0);
    value.text = text;
    while (text[value.length])
        value.length++;
    return value;
}
#define HEDDLE_TEXT(s) heddle_text_of(s)

static inline void heddle_refuse(const heddle_call *call, int argument, const char *what)
{
    if (call->misuse && !call->misuse->what) {
        call->misuse->what = what;
        call->misuse->argument = argument;
    }
}
/* Argument i as a number (a boolean is 0 or 1), or as text; where the log has null: 0 and "". */
static inline long long heddle_int(const heddle_call *call, int i)
{
    if (i < 0 || i >= call->count)
        heddle_refuse(call, i, "is not there");
    else if (call->arguments[i].kind == HEDDLE_KIND_TEXT ||
             call->arguments[i].kind == HEDDLE_KIND_ARRAY)
        heddle_refuse(call, i, "is asked for as a number and is none");
    else
        return call->arguments[i].number;
    return 0;
}
static inline const char *heddle_text(const heddle_call *call, int i)
{
    if (i < 0 || i >= call->count)
        heddle_refuse(call, i, "is not there");
    else if (call->arguments[i].kind != HEDDLE_KIND_TEXT &&
             call->arguments[i].kind != HEDDLE_KIND_NONE)
        heddle_refuse(call, i, "is asked for as text and is none");
    else if (call->arguments[i].text)
        return call->arguments[i].text;
    return "";
}
static inline int heddle_choose(heddle_call *call, int n)
{
    int i = call->depth++;
    if (n <= 1)
        return 0;
    if (i >= HEDDLE_CHOICES) {
        heddle_refuse(call, -1, "chooses too often in one call (HEDDLE_CHOICES)");
        return 0;
    }
    if (i >= call->known) {
        call->known = i + 1;
        call->choice[i] = 0;
    }
    call->limit[i] = n;
    return call->choice[i];
}

#define HEDDLE_SPEC_STATE(Type)                                                                    \
    typedef Type heddle_state;                                                                     \
    const unsigned long heddle_spec_bytes = sizeof(heddle_state)
/* Operations look at call->process: the owner of a lock, say. */
#define HEDDLE_SPEC_PROCESS const int heddle_spec_process = 1
#define HEDDLE_SPEC_INIT(s) void heddle_spec_init(heddle_state *s)
#define HEDDLE_SPEC_OP(name, s, c)                                                                 \
    heddle_value heddle_spec_op_##name(heddle_state *s, heddle_call *c);                           \
    heddle_value heddle_spec_op_##name(__attribute__((unused)) heddle_state *s,                    \
                                       __attribute__((unused)) heddle_call *c)
#endif
