/* uncopied.c: the C library is not watched in a copy on this processor (entry/copied.h): a function
 * of it that no table knows is noted (runtime/unseen.h), and the answer says so. */
#include "guest/entry/copied.h"

void copied_setup(const Link *link, const LinkLibrary *library, unsigned number,
                  const struct dl_phdr_info *info)
{
    (void)link, (void)library, (void)number, (void)info;
    die("the C library can't be copied on this processor");
}
void copied_close(void)
{
}
uint64_t copied_distance(unsigned number)
{
    (void)number;
    return 0;
}
void copied_note_object(const void *object)
{
    (void)object;
}
const char *copied_name(const void *sp)
{
    (void)sp;
    return NULL;
}
