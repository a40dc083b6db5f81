/* image.h: the writable memory of the program and its libraries as it was before main, for
 * re-execution. The runtime's own data is left out. */
#ifndef HEDDLE_RUNTIME_IMAGE_H
#define HEDDLE_RUNTIME_IMAGE_H
#include "base/common.h"
void image_save(void);
void image_restore(void);
#endif
