/* heddle_annotated.h: the contract between the code that the annotation compiler writes into a program
 * (tool/instrument/annotate/annotate.h) and the runtime that judges it (guest/harness/annotated.c). The instrumented copy of
 * a source includes it first; users never do. It needs no other header, so that feature-test macros of the
 * user's file are still undecided; it compiles as C11 and C++11. */
#ifndef HEDDLE_ANNOTATED_H
#define HEDDLE_ANNOTATED_H
#ifdef __cplusplus
extern "C" {
#endif

/* ---- what annotations say, as data: one table a program ---- */

#define HEDDLE_ANNOTATED_LABELS 64 /* labels of ordering points in a program: bits of a word */
#define HEDDLE_ANNOTATED_CONDITIONS 32 /* @HB_Condition of a method */
#define HEDDLE_ANNOTATED_POINTEES 16   /* pointers of a method that are followed */

enum HeddlePointKind { /* of an annotation inside a function */
    HEDDLE_POINT_POTENTIAL,
    HEDDLE_POINT_CHECK,
    HEDDLE_POINT_LABEL_CHECK,
    HEDDLE_POINT_CLEAR
};
typedef struct HeddlePoint {
    const char *file;
    int line;
    int kind;
    int label, potential; /* numbers of labels; potential only of CHECK */
} HeddlePoint;
typedef struct HeddleRule { /* method1(condition1) -> method2(condition2) */
    int structure;
    int from, from_condition; /* -1: no condition */
    int to, to_condition;
    const char *text;
    const char *file;
    int line;
} HeddleRule;
typedef struct HeddleMethodText {
    const char *name;     /* as @Method calls it */
    const char *function; /* as the source calls it */
    int structure;
    const char *file;
    int line, pre_line, post_line; /* 0: there is none */
    const char *pre, *post;        /* their text */
    const char *conditions;        /* names of the happens-before conditions, separated by spaces */
    unsigned long long labels;     /* its @Ordering_Point_Set */
    int justify_pre_line, justify_post_line; /* 0: there is none */
    const char *justify_pre, *justify_post;
} HeddleMethodText;
typedef struct HeddlePair { /* two calls on one object that no ordering point orders */
    int structure;
    int first, second; /* methods */
    int commutes;      /* they may stay unordered (@Commutativity), or must not (@Admissibility), ... */
    int (*holds)(void); /* ... if this holds for them */
    const char *text;
    const char *file;
    int line;
} HeddlePair;
typedef struct HeddleAnnotations {
    unsigned method_count, point_count, rule_count, label_count, structure_count;
    const HeddleMethodText *methods;
    const HeddlePoint *points;
    const HeddleRule *rules;
    const char *const *labels;
    const char *const *structures; /* file:line of each */
    unsigned pair_count;
    const HeddlePair *pairs;
} HeddleAnnotations;

/* ---- what annotations do, as code ---- */

enum HeddleJudgeMode {
    HEDDLE_JUDGE_ALL,    /* all but justifying conditions */
    HEDDLE_JUDGE_LAST,   /* justifying conditions alone: the call at the end of a justifying history */
    HEDDLE_JUDGE_EFFECT /* none: the calls before it */
};
typedef struct HeddleJudged {
    int mode;              /* HeddleJudgeMode: what is asked for */
    int failed;            /* 0: holds; 1: the pre-condition does not; 2: the post-condition; 3, 4: justifying ones */
    unsigned conditions;   /* which happens-before conditions hold */
    unsigned long long id; /* @ID; 0 if there is none */
} HeddleJudged;
typedef struct HeddleStructure {
    unsigned number;
    unsigned long bytes;     /* of its sequential state */
    void (*make)(void *state); /* from zeroed memory */
} HeddleStructure;
enum HeddleFieldKind {
    HEDDLE_FIELD_OTHER,
    HEDDLE_FIELD_SIGNED,
    HEDDLE_FIELD_UNSIGNED,
    HEDDLE_FIELD_BOOL,
    HEDDLE_FIELD_POINTER,
    HEDDLE_FIELD_DOUBLE
};
typedef struct HeddleField { /* an argument, or the result, inside the block of arguments */
    const char *name;        /* NULL: the result */
    int kind;
    unsigned offset, bytes;
    unsigned pointee;      /* bytes behind a pointer that are copied at the response; 0: none */
    int pointee_kind;      /* HeddleFieldKind of what it points to */
} HeddleField;
typedef struct HeddleMethod {
    unsigned number;
    const HeddleStructure *structure;
    unsigned long bytes; /* of the block of arguments and result */
    void (*judge)(void *state, void *arguments, HeddleJudged *judged);
    int object; /* number of the field that names the object; -1: there is one for all */
    unsigned field_count;
    const HeddleField *fields;
} HeddleMethod;
typedef struct HeddleFrame { /* of a method that runs, on its stack */
    const HeddleMethod *method;
    void *arguments;
    unsigned call;
} HeddleFrame;

void heddle__method_begin(HeddleFrame *frame);
void heddle__method_end(HeddleFrame *frame);
void heddle__ordering_point(unsigned number); /* its condition holds */
extern const HeddleAnnotations heddle__annotations;

/* ---- what annotations ask about other calls (annotate_words.c) ---- */

unsigned heddle__concurrent(void); /* how many calls the ordering points leave unordered with the one that is judged */
const char *heddle__concurrent_name(unsigned number);
/* An argument of one of them, or its result (NULL), as a number; a pointer is its address. */
long long heddle__concurrent_value(unsigned number, const char *parameter);
long long heddle__pair_value(int which, const char *parameter); /* of M1 and M2 */
int heddle__same_text(const char *a, const char *b);
#define HEDDLE_CONCURRENT heddle__concurrent()
#define HEDDLE_SIZE(set) (set)
#define HEDDLE_GUARD(...) (__VA_ARGS__)
#define HEDDLE_EQ(a, b) heddle__same_text(a, b)
#define HEDDLE_NAME heddle__concurrent_name(heddle_i)
#define HEDDLE_OTHER_RESULT(method) heddle__concurrent_value(heddle_i, 0)
#define HEDDLE_OTHER_ARGUMENT(method, parameter) heddle__concurrent_value(heddle_i, #parameter)
#define HEDDLE_HAS_ITEM(set, ...)                                                                  \
    __extension__({                                                                                \
        int heddle_r = 0;                                                                          \
        for (unsigned heddle_i = 0, heddle_n = (set); !heddle_r && heddle_i < heddle_n; heddle_i++) \
            heddle_r = (__VA_ARGS__) ? 1 : 0;                                                      \
        heddle_r;                                                                                  \
    })

#ifdef __cplusplus
}
/* Placement of a state, without a header. */
struct HeddlePlace {
    void *at;
};
inline void *operator new(__SIZE_TYPE__, HeddlePlace place) noexcept
{
    return place.at;
}
inline void operator delete(void *, HeddlePlace) noexcept {}
/* How a value is printed, where only the compiler knows its type. */
template <class T> struct HeddleKindOf {
    enum { value = __is_enum(T) ? HEDDLE_FIELD_SIGNED : HEDDLE_FIELD_OTHER };
};
template <class T> struct HeddleKindOf<const T> : HeddleKindOf<T> {};
template <class T> struct HeddleKindOf<T *> {
    enum { value = HEDDLE_FIELD_POINTER };
};
#define HEDDLE_KIND(Type, kind)                                                                    \
    template <> struct HeddleKindOf<Type> {                                                        \
        enum { value = kind };                                                                     \
    };
HEDDLE_KIND(bool, HEDDLE_FIELD_BOOL)
HEDDLE_KIND(char, HEDDLE_FIELD_SIGNED)
HEDDLE_KIND(signed char, HEDDLE_FIELD_SIGNED)
HEDDLE_KIND(short, HEDDLE_FIELD_SIGNED)
HEDDLE_KIND(int, HEDDLE_FIELD_SIGNED)
HEDDLE_KIND(long, HEDDLE_FIELD_SIGNED)
HEDDLE_KIND(long long, HEDDLE_FIELD_SIGNED)
HEDDLE_KIND(unsigned char, HEDDLE_FIELD_UNSIGNED)
HEDDLE_KIND(unsigned short, HEDDLE_FIELD_UNSIGNED)
HEDDLE_KIND(unsigned, HEDDLE_FIELD_UNSIGNED)
HEDDLE_KIND(unsigned long, HEDDLE_FIELD_UNSIGNED)
HEDDLE_KIND(unsigned long long, HEDDLE_FIELD_UNSIGNED)
HEDDLE_KIND(float, HEDDLE_FIELD_DOUBLE)
HEDDLE_KIND(double, HEDDLE_FIELD_DOUBLE)
#undef HEDDLE_KIND
#endif
#endif
