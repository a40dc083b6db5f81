/* judges.h: which given specification judges which object: "fifo" for all objects, or one for each
 * name, "queue:fifo,stack:lifo"; "observed" is none. A judge has an automaton and a verifier of its
 * own. */
#ifndef HEDDLE_HARNESS_JUDGES_H
#define HEDDLE_HARNESS_JUDGES_H
#include "base/error.h"
#include "guest/harness/verify.h"

#define JUDGES_MOST 16

typedef uint32_t JudgeLabel(void *judge, uint32_t k, Value result); /* as verifier_begin wants it */
typedef struct ObjectJudge {
    const char *object; /* NULL: every object */
    const Spec *spec;
    Automaton *automaton;
    Verifier *verifier;
    JudgeLabel *label;
    bool used;
} ObjectJudge;
typedef struct Judges {
    ObjectJudge at[JUDGES_MOST];
    uint32_t count;
    const char *quasi; /* the factors, with all operations by name; NULL: none */
} Judges;
typedef struct JudgesRequest {
    const char *spec, *quasi, *semantics; /* NULL or "": not given */
    const Spec *golden;                   /* what "golden" means, or NULL */
} JudgesRequest;

/* Everything lives in ARENA. */
MUST_USE bool judges_make(Judges *judges, Arena *arena, Values *values,
                          const JudgesRequest *request, JudgeLabel *label, Error *error);
/* A judge that is no given specification. LABEL gets the judge as context. */
void judge_start(ObjectJudge *judge, const Spec *spec, JudgeLabel *label);
/* The judge of an object, or NULL if it has none. */
ObjectJudge *judges_find(Judges *judges, const char *object);
bool judges_cover_all(const Judges *judges);
/* Which judges were looked for, a set of numbers; an object that a judge was named for and that is
 * none of them, or NULL. */
uint64_t judges_used(const Judges *judges);
const char *judges_unused(const Judges *judges, uint64_t used);
uint64_t judges_undecided(const Judges *judges);

typedef struct JudgeCall {
    Str name;
    const Value *arguments;
    uint16_t count;
    Value result;
} JudgeCall;
/* The automaton's label of a call; false if the specification has no such operation, or not with
 * such arguments: *error says so. */
MUST_USE bool judge_label(const ObjectJudge *judge, const JudgeCall *call, uint32_t *label,
                          Error *error);
/* "get must return 2": what the state allows. */
void judge_print_allowed(const ObjectJudge *judge, uint32_t state, const JudgeCall *call,
                         Buffer *out);
#endif
