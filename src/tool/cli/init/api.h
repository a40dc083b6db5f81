/* api.h: what a header declares: its functions, or the public methods of its class, with the types
 * of their parameters sorted by what a test can pass for them. Read with libclang; everything lives
 * in the arena. */
#ifndef HEDDLE_CLI_INIT_API_H
#define HEDDLE_CLI_INIT_API_H
#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "tool/instrument/compiler.h"

typedef enum ApiKind {
    API_VOID,
    API_BOOL,
    API_INTEGER,
    API_ENUM,
    API_TEXT,           /* const char * */
    API_POINTER,        /* void * */
    API_RECORD_POINTER, /* struct node * */
    API_OUT_INTEGER,    /* int *: to be filled in */
    API_OUT_POINTER,    /* void **, struct node ** */
    API_ELEMENT,        /* T, const T &: the parameter of a template */
    API_OUT_ELEMENT,    /* T & */
    API_OTHER
} ApiKind;

typedef struct ApiType {
    ApiKind kind;
    const char *spelling; /* as the header has it, of the value itself: "struct node *" */
    const char *pointee;  /* of pointers: "struct node", without const */
    const char *record;   /* the canonical name of the structure: "struct node", or NULL */
    const char *constant; /* of enumerations: the first one, or NULL */
    bool complete;        /* the structure's size is known */
    bool is_const;        /* what is pointed to does not change */
    bool told; /* API_OTHER: std::optional, pair, variant, string ... of such as tests tell */
} ApiType;

typedef struct ApiParameter {
    const char *name;
    ApiType type;
} ApiParameter;

typedef struct ApiFunction {
    const char *name;
    ApiType result;
    Vec(ApiParameter) parameters;
    bool variadic;
    bool member;   /* a method */
    unsigned line; /* in the header */
} ApiFunction;

typedef struct Api {
    const char *path; /* of the header */
    bool cxx;
    const char *class; /* with its arguments, "Queue<int>"; NULL: functions */
    bool needs_size;   /* its only constructor takes a number */
    Vec(ApiFunction) functions;
} Api;

/* Reads HEADER; INCLUDES are headers that must come first (glib's parts can't be included alone).
 * CXX says that it is C++. An error of the header itself is an error here. */
MUST_USE bool api_read(Arena *arena, const char *header, const Words *includes,
                       const Words *compile, bool cxx, Api *api, Error *error);
void api_free(Api *api);
#endif
