/* syntax.h: a model as parsed, before names and types are known. Functions stay in this form and
 * are checked anew at each call, since `auto` parameters take the types of the arguments. */
#ifndef HEDDLE_MODEL_SYNTAX_H
#define HEDDLE_MODEL_SYNTAX_H
#include "model/lexer.h"

typedef enum SyntaxKind {
    /* declarations */
    SYN_PARAM,         /* param name = a; */
    SYN_TYPEDEF,       /* typedef a name; */
    SYN_DATA,          /* data name; */
    SYN_ENUM,          /* enum name { list of SYN_NAME }; */
    SYN_STRUCT,        /* struct name { list of SYN_DECLARE } pool a; flag: manual */
    SYN_DECLARE,       /* a name[list...] = b; */
    SYN_FUNCTION,      /* a name(list of SYN_PARAMETER) b; flag: atomic */
    SYN_OPERATION,     /* the same */
    SYN_PARAMETER,     /* a name; flag: by reference */
    SYN_THREAD,        /* thread name b */
    SYN_THREADS,       /* threads a : list of SYN_NAME; */
    SYN_INIT,          /* init b */
    SYN_INVARIANT,     /* invariant a; */
    SYN_FINAL,         /* final a; */
    SYN_OBSERVE,       /* observe list; */
    SYN_QUASI,         /* quasi name : a; */
    SYN_REFINEMENT,    /* refinement { text }: value bytes of it, from place on */
    SYN_SPECIFICATION, /* specification name { list } */
    SYN_TYPE,          /* int, int(a..b), bool, thread, auto, void or a name; flag: name* */
    /* statements */
    SYN_BLOCK,      /* { list } ; flag: declarations of one line, no scope of its own */
    SYN_IF,         /* if (a) b else c */
    SYN_WHILE,      /* while (a) b; after each round c; flag: do */
    SYN_CHOOSE,     /* choose list[0] or list[1] ... */
    SYN_ATOMIC,     /* atomic a */
    SYN_AWAIT,      /* await(a); */
    SYN_ASSERT,     /* assert(a); */
    SYN_FREE,       /* free(a); */
    SYN_RETURN,     /* return a; */
    SYN_BREAK,      /* break; */
    SYN_CONTINUE,   /* continue; */
    SYN_ASSIGN,     /* a = b; */
    SYN_EXPRESSION, /* a; (a call) */
    /* expressions */
    SYN_NUMBER,      /* value */
    SYN_NAME,        /* name */
    SYN_ARROW,       /* a->name */
    SYN_DOT,         /* a.name */
    SYN_INDEX,       /* a[b] */
    SYN_UNARY,       /* operator a */
    SYN_BINARY,      /* a operator b */
    SYN_CONDITIONAL, /* a ? b : c */
    SYN_CALL,        /* name(list) */
    SYN_NEW,         /* new name */
    SYN_CHOICE,      /* choose(a..b) */
    SYN_LIST,        /* { list } as an initial value */
} SyntaxKind;

typedef struct Syntax Syntax;
struct Syntax {
    SyntaxKind kind;
    Operator operator;
    bool flag;
    Place place;
    const char *name, *label;
    int64_t value;
    Syntax *a, *b, *c;
    Syntax **list;
    int count;
};

/* Parses all tokens (which end with TOKEN_END) into a list of declarations. */
MUST_USE bool syntax_parse(Arena *arena, const Token *tokens, Syntax ***items, int *item_count,
                           Error *error);
#endif
