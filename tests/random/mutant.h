/* mutant.h: switches in a copy of the runtime (tests/random/mutants.sh), one for each named
 * condition. MUTANT(n, right, wrong) is `right`, but `wrong` while mutant number n is on; that the
 * two differ somewhere is noted, for where they do not, the mutant need not be tried. */
#ifndef HEDDLE_RANDOM_MUTANT_H
#define HEDDLE_RANDOM_MUTANT_H
extern __attribute__((visibility("default"))) int random_mutant;
extern __attribute__((visibility("default"))) unsigned char *random_reached; /* by number */
#define MUTANT(n, right, wrong)                                                                    \
    __extension__({                                                                                \
        __typeof__((right) + 0) value_##n;                                                         \
        if (random_mutant == (n)) {                                                                \
            value_##n = (wrong);                                                                   \
        } else {                                                                                   \
            value_##n = (right);                                                                   \
            random_reached[n] |= value_##n != (__typeof__(value_##n))(wrong);                      \
        }                                                                                          \
        value_##n;                                                                                 \
    })
#endif
