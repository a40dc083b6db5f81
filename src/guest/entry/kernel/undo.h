/* undo.h: takes back what an execution does to files and directories. What is there is kept before
 * it is changed; undo_all goes backwards, so each path means what it meant. */
#ifndef HEDDLE_ENTRY_KERNEL_UNDO_H
#define HEDDLE_ENTRY_KERNEL_UNDO_H
#include "base/common.h"

enum { UNDO_PATH = 4096 };
/* PATH, seen from directory DIR (AT_FDCWD: the working one), without links but perhaps the last
 * name. False: there is no such directory. */
bool undo_locate(int dir, const char *path, char out[UNDO_PATH]);
/* These keep what is needed and tell why they can't (NULL: they could). PATHs are as located. */
const char *undo_keep_name(const char *path);     /* a name appears, disappears or is replaced */
const char *undo_keep_contents(const char *path); /* a file is written, or its status changed */
const char *undo_keep_move(const char *from, const char *to);
void undo_keep_directory(void); /* the working one changes */
void undo_keep_mask(void);      /* that of modes */
void undo_all(void);
#endif
