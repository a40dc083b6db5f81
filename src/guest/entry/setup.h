/* setup.h: makes the entry points ready, once, before anything is saved for backtracking: memory
 * that they keep for the whole exploration gets the addresses that it has in every run. Entry
 * points that run earlier (static constructors) get theirs as they need it. */
#ifndef HEDDLE_ENTRY_SETUP_H
#define HEDDLE_ENTRY_SETUP_H

void entry_setup(void);
#endif
