/* config.h: all the ways in which a specification can have followed an execution so far. */
#ifndef HEDDLE_PROVE_CONFIG_H
#define HEDDLE_PROVE_CONFIG_H
#include "prove/concrete.h"

enum { CONFIG_SLOTS = 6 };

typedef struct SpecConfig {
    ConcreteState state;
    struct {
        bool done;
        int operation; /* of the specification */
        Locals locals; /* of the specification's operation */
    } slot[CONFIG_SLOTS];
} SpecConfig;
typedef Vec(SpecConfig) ConfigSet;

typedef struct PendingCall { /* an operation of the program that has begun and not returned */
    bool active;
    int operation, point;
    int32_t id;
    Locals locals;
} PendingCall;

typedef struct Specifier {
    const IrProgram *program;
    ConcreteMachine machine; /* of the specification */
    bool *alternative; /* [(a * count + b) * point_limit + p]: b has the same first p steps as a */
    int point_limit;
    /* By operation of the program and of the specification: whether they are of one method, and
     * for each local of the latter the local of the former that is the same argument or result (-1:
     * none). */
    bool *same_method;
    int16_t *local; /* CONCRETE_LOCALS for each pair */
    long work;      /* configurations made so far */
} Specifier;

/* The specification may count over all values and keys that the program, within BOUNDS, has. */
ConcreteBounds specifier_bounds(ConcreteBounds bounds);
/* BOUNDS are the specification's own. */
MUST_USE bool specifier_init(Specifier *specifier, Arena *arena, const IrProgram *program,
                             ConcreteBounds bounds, ConfigSet *initial, Error *error);
/* The configurations after the operation in slot RETURNING (still marked active) has returned. */
void specifier_return(Specifier *specifier, const ConfigSet *before, const PendingCall *calls,
                      int count, int returning, ConfigSet *after);
uint64_t config_set_hash(const Specifier *specifier, const ConfigSet *set);
void config_set_free(ConfigSet *set);
#endif
