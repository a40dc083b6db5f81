/* builds.h: programs that were built before, for test scripts that run one program in many ways
 * (other memory models, other reductions). HEDDLE_BUILDS names a folder; the first command of a
 * test script that builds something leaves assembly text, objects and program there, and later
 * commands that would start the same compilers with the same words take these instead. Without the
 * variable nothing is kept.
 *
 * A kept build is taken only if building again would give the same files:
 * - The folder's key is a text that is compared as a whole: the current folder, the words for the
 *   compiler, the paths, the environment variables that compilers read, and path, size and time of
 *   tool, runtime and compilers.
 * - The sources and headers outside system folders have the contents that they had.
 * - Memory model and reductions are not part of the key, so a build that depends on them is not
 *   kept: inline assembly is translated by the model (machine/assembly.h), and C++ files get other
 *   templates without reductions (compiler.h), which is in the key if there is such a file.
 * - The compilers printed nothing, so nothing is left to be printed.
 * System headers and libraries are taken for unchanged: a folder serves one run of the tests, not
 * the next one. */
#ifndef HEDDLE_INSTRUMENT_BUILDS_H
#define HEDDLE_INSTRUMENT_BUILDS_H
#include "tool/instrument/build.h"

/* Puts the files of an earlier build into the workspace and fills build->sources. False if there is
 * none; then the workspace has none of these files. Call it when build->inputs and build->compiler
 * are known. */
MUST_USE bool builds_take(Arena *arena, const Workspace *workspace, const BuildRequest *request,
                          Build *build);
/* Keeps the files of a finished build. A failure to do so is no error: the next one builds again.
 */
void builds_put(Arena *arena, const Workspace *workspace, const BuildRequest *request,
                const Build *build);
#endif
