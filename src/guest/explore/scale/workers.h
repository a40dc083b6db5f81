/* workers.h: several processes share out one exploration.
 *
 * All state of the search is the memory of its process, so work is handed over by forking. A worker
 * that comes to a leaf and sees a free slot forks; its frames floor..top are split at one place s:
 * the child drops the frames from s on and goes on with the alternatives that are left in
 * floor..s-1, the parent keeps s..top and raises its floor to s. Each alternative is in exactly one
 * of the two, and what an alternative leads to does not depend on who takes it (TruSt's tasks share
 * nothing), so the totals are those of one process. The frame given away is the oldest that has
 * alternatives left: what is above it is usually the smaller part.
 *
 * A discovery that makes the exploration begin again (memory.h) is made by one process: it asks the
 * others to end, waits for them, and begins again alone, with what its ancestors and it have
 * learnt. A violation ends all; the first one counts.
 *
 * The first process is a worker like the others; when its part is done it waits for all that
 * descend from it. All are in its process group: killing the group leaves nobody. */
#ifndef HEDDLE_EXPLORE_WORKERS_H
#define HEDDLE_EXPLORE_WORKERS_H
#include "record/workers_shared.h"

/* This process takes slot 0. BEGIN is called in each new process, with its slot; RESET when the
 * exploration begins again and no other process runs. With one job nothing is ever forked. Before
 * explore_all. */
void workers_setup(WorkersShared *shared, unsigned jobs, void (*begin)(unsigned slot),
                   void (*reset)(void));
/* To be called at leaves: gives work away if somebody is free; true if this process must end now.
 */
bool workers_poll(void);
bool workers_are_asked_to_end(void);
/* Instead of giving work away: JOBS processes from now on, each with a share of its own.
 * workers_take_piece counts pieces of work up: whoever gets a number has that piece.
 * workers_claim_outcome ends the others. */
void workers_split(unsigned jobs);
bool workers_are_split(void);
bool workers_are_alone(void);    /* one job: nothing is ever forked */
bool workers_have_divided(void); /* others explore, or have explored, parts of the present pass */
void workers_stay_alone(void);
uint64_t workers_take_piece(void);
unsigned workers_slot(void); /* of this process */
/* So that what is reported does not depend on the number of processes, the first piece that goes
 * wrong has the outcome: pieces have numbers from 1 on, which each process takes in ascending order
 * and announces. workers_claim_piece waits until nobody is at an earlier piece than this process's,
 * or for some seconds; false: an earlier one goes wrong, too. */
void workers_begin_piece(uint64_t number);
uint64_t workers_present_piece(void);
bool workers_claim_piece(void);
uint64_t workers_failed_piece(void);   /* the first piece that is known to go wrong; 0: none is */
bool workers_others_are_earlier(void); /* Is some other process at an earlier piece? */
/* Announces piece NUMBER and waits until no other process is at an earlier one. */
void workers_meet(uint64_t number);
/* Performs WHAT in a process of its own, a copy of this one, and waits for its end; false: there
 * was no process to be had, or it died. What WHAT does shows in shared memory only. */
bool workers_run_apart(void (*what)(void));
typedef struct WorkersHere {
    uint64_t keep_ns; /* a process keeps all its work for so long; tests set 0 */
    /* False: nothing is given away. What all that follows rests on, such as the serial runs of a
     * test, must be known to every process that is forked then. True at first. */
    bool give;
    uint64_t apart_ns; /* processor time of all that was performed so */
} WorkersHere;
extern WorkersHere workers;
/* This process wants to begin again. False: it must end instead, since another one does or the
 * outcome is known. */
bool workers_restart(void);
/* This process has an outcome that ends everything. True for the first one. */
bool workers_claim_outcome(void);
/* This process is through with its part (or was stopped). A forked one does not return; the first
 * one returns when all others have ended: false if one of them died on the way. */
bool workers_end(bool was_stopped);
/* After that: was one of them stopped before its part was done? */
bool workers_were_stopped(void);
/* For the few words that all workers write into. */
void workers_lock(void);
void workers_unlock(void);
#endif
