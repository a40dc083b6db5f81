/* pasts.h: all that a thread has been told and what it did, so that it can be run once more by
 * itself, as another of the threads that are like it (placements.h).
 *
 * A past is a way through a tree. Each node is one stretch of a thread, from an answer to its next
 * request: the answer, what it read plainly and what that held, what memory holds at the end where
 * it wrote plainly, what it allocated and freed, and the request. Ghosts (ghost.h) have pasts, too:
 * what the search leaves out because of what a thread would do rests on them. Whatever the thread
 * does in a stretch is a function of the nodes up to there, of its number, and of where the memory
 * lies that they point to: what is on its own stack it has put there itself, or it reads that as
 * shared memory; and what the runtime's tables hold of it comes from its own calls.
 *
 * Addresses that depend on who is who, those in the heap, on the stack and in the thread-local
 * storage of a thread that is like another one, its *owner*, are written as a place relative to
 * that. Owners are numbered in the order in which the past comes upon them; the thread itself is
 * the first, if it is like another one. So executions that differ only in which of equal threads
 * did what have the same pasts, and a past stands for as many runs as there are ways to choose its
 * owners. Only whole words at multiples of eight are taken for addresses. Threads of which one
 * looks at a part of such a word are told apart; whoever makes something else of an address shows
 * in placements.h.
 *
 * Pasts are kept from the beginning of an exploration on, so it begins again when it meets threads
 * that are alike. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_PASTS_H
#define HEDDLE_EXPLORE_SYMMETRY_PASTS_H
#include "guest/explore/search/rules.h"

typedef enum PastRegion { PAST_HEAP, PAST_STACK, PAST_STORAGE, PAST_REGIONS } PastRegion;

typedef struct PastTerm {
    uint64_t bits; /* a number; or a place, relative to its owner's heap, stack or storage */
    /* 0: a number; else 1 + PAST_REGIONS * the owner's number + the region; or 255: the word
     * that the thread leaves in a lock, whatever its number. In the next byte: the first of the
     * threads that the owner is like, plus 1. From bit PAST_BYTES on: how many bytes are accessed
     * plainly there; with the kind of a request, where it is made. */
    uint64_t owner;
} PastTerm;
#define PAST_BYTES 16

typedef struct PastNode {
    uint64_t hash;
    uint32_t parent;      /* 0: this is the beginning of a thread */
    uint32_t first, last; /* of its terms, those of the request from `asked` on */
    uint32_t asked;
    uint8_t kind, size, op; /* of the request; how its answer is written down depends on them */
    bool goes_on;           /* another node follows */
    bool is_verified;       /* placements.c has seen all its runs */
    bool is_due;            /* it is to make some, or has some of this root to make */
    Past like;              /* with the owners of the run in which it was met first */
} PastNode;

/* Forgets all pasts; ON: keeps those of what comes. */
void pasts_begin(bool on);
/* Where T begins. */
Past pasts_root(int thread);
/* Notes each stretch: T, whose answer is in `reply`, is about to run to its next request; has run.
 * Two calls, and none around the run: see arch_switch. Whoever puts T back to an earlier request
 * puts pasts[T] back, too. */
extern const Rule pasts_rule, pasts_kept_rule;
typedef struct PastTree {
    PastNode *nodes; /* 1..count; those up to MAX_THREADS are beginnings */
    uint32_t count;
    PastTerm *terms;
    /* If set, called before the terms of a plain read are taken from memory. */
    void (*make_hold)(char *address, size_t bytes);
} PastTree;
extern PastTree past_tree;
/* The present thread has done something that is neither a request nor an access: WORD tells it. */
void pasts_note(uint64_t word);
/* It is about to try the lock at WORD. */
void pasts_note_lock(const void *word);
/* Where main stood when it created T last; 0: T was not created by main. */
uint32_t pasts_creation(int thread);
/* The word that TERM of past H stands for. */
uint64_t pasts_word(const PastTerm *term, const Past *h);
/* How many terms a plain access to these bytes takes, besides the one of its place. */
uint32_t pasts_words(const char *address, size_t bytes);
#endif
